"""Pages of the model list, and the names their models answer to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from capacity.ports import Document, Listing, Model
from capacity_claude import inventory, prober, reader
from capacity_claude._models import labelled, labels, next_page

from .documents import AT, SAMPLES, recorded

ASKED = "/v1/models?limit=1000"


def page(*rows: Any, more: object = False, **parts: Any) -> Listing | None:
    body = {"data": list(rows), "has_more": more, "first_id": None, "last_id": None}
    return reader().listing(Document(json.dumps(body).encode(), AT, **parts))


def model(ident: str, name: str | None = None, **parts: Any) -> Model:
    found = page({"type": "model", "id": ident, "display_name": name, **parts})
    assert found is not None
    return found.models[0]


@pytest.mark.parametrize(
    ("ident", "name", "answers"),
    [
        ("claude-zephyr-5", "Claude Zephyr 5", {"claude zephyr 5", "zephyr 5", "zephyr"}),
        ("claude-3-5-zephyr-20241022", None, {"claude-3-5-zephyr", "zephyr"}),
        ("claude-zephyr-4-5-20251001", "Claude Zephyr 4.5", {"claude-zephyr-4-5", "zephyr", "zephyr 4.5"}),
        ("claude-zephyr-lite-5", "Claude Zephyr Lite 5", {"zephyr", "lite", "zephyr lite", "zephyr lite 5"}),
        ("claude-v2-latest", None, set()),
    ],
)
def test_names_are_cut_from_what_is_told(ident: str, name: str | None, answers: set[str]) -> None:
    """Id, undated id, display name, its short form and the family's words; never the vendor, a version or a channel."""
    names = model(ident, name).names

    assert {ident, *answers} <= names
    assert not {"claude", "5", "4.5", "v2", "latest", "20251001", ""} & names


def test_a_scope_word_is_a_name_of_its_models_only() -> None:
    """What a usage row calls a family, each of its models answers to, and no other does."""
    listing = reader().listing(recorded("models_page1.json"))
    rows = json.loads((SAMPLES / "usage_limits_list.json").read_bytes())["limits"]
    word = rows[-1]["scope"]["model"]["display_name"].casefold()

    assert listing is not None
    assert [f"claude-{word}-5-1"] == [model.id for model in listing.models if word in model.names]


@pytest.mark.parametrize(("context", "long"), [(1_000_000, True), (999_999, False), (200_000, False), (None, False)])
def test_the_long_window_has_its_suffix(context: int | None, long: bool) -> None:
    """Only a model that is told to hold a million tokens is accepted with the suffix for them."""
    assert long == ("claude-zephyr-5[1m]" in model("claude-zephyr-5", max_input_tokens=context).names)


@pytest.mark.parametrize(
    ("effort", "words"),
    [
        ({"supported": True, "low": {"supported": True}, "max": {"supported": False}, "high": {"supported": True}}, ("low", "high")),
        ({"low": {"supported": True}}, ("low",)),
        ({"supported": False, "low": {"supported": True}}, ()),
        ({"supported": True}, None),
        ({"supported": "yes", "low": True}, None),
        (None, None),
        ([], None),
    ],
)  # fmt: skip  # one row a case
def test_efforts_are_the_words_that_are_supported(effort: object, words: tuple[str, ...] | None) -> None:
    """In the order of the wire; none where effort is not taken, unknown where nothing is told."""
    assert words == model("claude-zephyr-5", capabilities={"effort": effort}).efforts


@pytest.mark.parametrize(
    ("abilities", "modalities"),
    [
        ({"image_input": {"supported": True}, "pdf_input": {"supported": True}}, ("image", "text")),
        ({"image_input": {"supported": False}}, ("text",)),
        ({}, None),
        (None, None),
    ],
)
def test_modalities_are_known_or_not(abilities: object, modalities: tuple[str, ...] | None) -> None:
    """Text and, where it is told, images; a document is no modality, and silence is unknown."""
    assert modalities == model("claude-zephyr-5", capabilities=abilities).modalities


@pytest.mark.parametrize("told", [None, 0, -1, True, "many", 1e12])
def test_a_context_nobody_told_is_unknown(told: object) -> None:
    """Only a positive number of tokens is a context."""
    assert model("claude-zephyr-5", max_input_tokens=told).context is None


ROW = {"type": "model", "id": "claude-zephyr-5"}


@pytest.mark.parametrize(
    ("rows", "more", "authority"),
    [
        ([ROW], False, "authoritative"),
        ([ROW], True, "partial"),
        ([ROW], None, "partial"),
        ([ROW, 7], False, "partial"),
        ([ROW, {"type": "model", "id": ""}], False, "partial"),
        ([], False, "unknown"),
        ([], True, "unknown"),
    ],
)
def test_only_a_whole_last_page_may_reject(rows: list[Any], more: object, authority: str) -> None:
    """More to follow, an unreadable row or no row at all cannot say what does not exist."""
    listing = page(*rows, more=more)

    assert listing is not None
    assert (authority, "models", None) == (listing.authority, listing.source, listing.account)


@pytest.mark.parametrize("status", [401, 403, 429, 500, 200])
@pytest.mark.parametrize("body", [b"", b"<html>", b'{"type":"error","error":{}}', b"[]", b'{"data":7}'])
def test_a_refused_list_is_no_sample(status: int, body: bytes) -> None:
    """An answer without models, of any status, knows nothing and rejects nothing."""
    listing = reader().listing(Document(body, AT, asked=ASKED, status=status))

    assert Listing(None, "unknown", source="models", observed_at=AT) == listing


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b'{"object":"list","data":[{"id":"some","object":"model"}]}',
        b'{"data":[{"type":"file","id":"f"}],"has_more":false,"last_id":"f"}',
        b'{"data":{},"has_more":false,"last_id":null}',
    ],
)
def test_another_list_is_not_ours(body: bytes) -> None:
    """Without our paging, or with rows of another type, a list of unknown origin is left alone."""
    assert reader().listing(Document(body, AT)) is None


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ({"has_more": True, "last_id": "claude-zephyr-5"}, "claude-zephyr-5"),
        ({"has_more": False, "last_id": "claude-zephyr-5"}, None),
        ({"has_more": True, "last_id": None}, None),
        ({"has_more": True, "last_id": "a&limit=1"}, None),
        ({"has_more": "yes", "last_id": "a"}, None),
        (None, None),
    ],
)
def test_the_next_page_begins_after_the_last_id(body: object, after: str | None) -> None:
    """Only where more follows, and only an id that can stand in a URL."""
    assert after == next_page(body)


def test_a_page_without_end_is_cut_and_rejects_nothing() -> None:
    """The service gives a thousand rows a page; beyond them a list is only partly known."""
    listing = page(*[{"type": "model", "id": f"claude-zephyr-{n}"} for n in range(1001)])

    assert listing is not None
    assert (1000, "partial") == (len(listing.models), listing.authority)


def test_a_label_makes_models_answer_to_a_word_nobody_explains() -> None:
    """The operator says which ids a cap is about, in any case; their other names stay."""
    listing = page({"type": "model", "id": "claude-zephyr-5"}, {"type": "model", "id": "claude-squall-5"})
    assert listing is not None
    told = labelled(listing, labels({"Some_Word": ["*-ZEPHYR-*"], "other": ["*"]}))

    assert [["claude-squall-5", "other", "squall"], ["claude-zephyr-5", "other", "some_word", "zephyr"]] == [
        sorted(model.names) for model in told.models
    ]
    assert listing == labelled(listing, labels(None))


@pytest.mark.parametrize("told", [[], "word", {"word": "claude-*"}, {"word": [7]}, {"word": None}])
@pytest.mark.parametrize("factory", [prober, inventory])
def test_labels_that_are_none_are_refused(told: Any, factory: Any) -> None:
    """By either factory, and with an example."""
    with pytest.raises(ValueError, match="labels must be a table of lists of patterns, such as"):
        factory(labels=told)
