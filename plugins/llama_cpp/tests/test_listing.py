"""What a list of models may look like, alone or from a router, and what it says can run."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from capacity.ports import Document, Listing, Model
from capacity_llama_cpp import reader
from hypothesis import given
from hypothesis import strategies as st

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)


def listed(*rows: Any, path: str | None = None) -> Listing:
    """The listing of these rows."""
    listing = reader().listing(Document(json.dumps({"object": "list", "data": rows}).encode(), AT, asked=path))
    assert listing is not None
    return listing


def only(row: dict[str, Any]) -> Model:
    """The one model of one row."""
    (model,) = listed({"owned_by": "llamacpp", **row}).models
    return model


def routed(*args: str, value: Any = "loaded", **more: Any) -> dict[str, Any]:
    """A router's row, started with these arguments."""
    return {"id": "m", "status": {"value": value, "args": ["llama-server", *args]}, **more}


@pytest.mark.parametrize(
    ("status", "residency"),
    [
        ({"value": "loaded"}, "resident"),
        ({"value": "sleeping"}, "sleeping"),
        ({"value": "loading"}, "loading"),
        ({"value": "unloaded"}, "loadable"),
        ({"value": "downloaded"}, "loadable"),
        ({"value": "downloading"}, "absent"),
        ({"value": "unloaded", "exit_code": 0}, "loadable"),
        ({"value": "unloaded", "exit_code": 1}, "failed"),
        ({"value": "unloaded", "exit_code": -9}, "failed"),
        ({"value": "unloaded", "failed": True}, "failed"),
        ({"value": "loaded", "exit_code": 1, "failed": True}, "resident"),
        ({"value": "warming-up"}, None),
        ({"value": None}, None),
        ({"value": ["loaded"]}, None),
        ({}, None),
        (None, None),
        ("warming-up", None),
        ("loaded", "resident"),
    ],
)
def test_residency_is_the_status(status: Any, residency: str | None) -> None:
    """A failed start is a hint on a model that could be loaded; a status nobody knows is no residency, not a guess."""
    assert residency == only({"id": "m", "status": status}).residency


@pytest.mark.parametrize(
    ("row", "residency"), [({}, "resident"), ({"meta": {"n_ctx_train": 8}}, "resident"), ({"meta": None}, "loading")]
)
def test_without_a_status_the_model_is_the_server(row: dict[str, Any], residency: str) -> None:
    """A single server has but one model; `meta` is null until it is loaded."""
    assert residency == only({"id": "m", **row}).residency


@pytest.mark.parametrize(
    ("id_", "names"),
    [
        ("Plain-7B", {"plain-7b", "word"}),
        ("/models/Plain-7B.gguf", {"/models/plain-7b.gguf", "plain-7b.gguf", "plain-7b", "word"}),
        ("D:\\models\\a.GGUF", {"d:\\models\\a.gguf", "a.gguf", "a", "word"}),
        ("org/name-GGUF:Q4_K_M", {"org/name-gguf:q4_k_m", "word"}),
        (".gguf", {".gguf", "word"}),
    ],
)
def test_names_are_what_a_request_may_say(id_: str, names: set[str]) -> None:
    """The id, its aliases, and of the path of a file its name with and without the ending."""
    assert names == only({"id": id_, "aliases": ["Word", 7, None]}).names


@pytest.mark.parametrize(
    ("row", "context"),
    [
        (routed("--ctx-size", "32768", "--parallel", "2"), 16384),
        (routed("-c", "8192", "-np", "4"), 2048),
        (routed("--ctx-size", "32768", "--parallel", "2", meta={"n_ctx": 4096}), 4096),
        (routed("--ctx-size", "32768", "--parallel", "2", meta={"n_ctx_train": 4096}), 4096),
        (routed("--ctx-size", "32768", "--parallel", "2", meta={"n_ctx": 0}), 16384),
        (routed("--ctx-size", "32768"), None),
        (routed("--parallel", "2"), None),
        (routed("--ctx-size", "0", "--parallel", "2"), None),
        (routed("--ctx-size", "32768", "--parallel", "-1"), None),
        (routed("--ctx-size", "32768", "--parallel", "2", "--kv-unified"), None),
        (routed("--ctx-size", "big", "--parallel", "2"), None),
        (routed("--parallel", "2", "--ctx-size"), None),
        (routed(meta={"n_ctx_train": 262144}), None),
        ({"id": "m", "status": {"value": "loaded", "args": "--ctx-size 8"}}, None),
    ],
)
def test_context_is_per_slot_or_unknown(row: dict[str, Any], context: int | None) -> None:
    """What the server measured, else what the command line divides; what a model was trained for is not a context."""
    assert context == only(row).context


@pytest.mark.parametrize(
    ("architecture", "modalities"),
    [
        ({"input_modalities": ["text", "image"]}, ("image", "text")),
        ({}, None),
        (None, None),
        ({"input_modalities": 7}, None),
    ],
)
def test_modalities_are_told_or_unknown(architecture: Any, modalities: tuple[str, ...] | None) -> None:
    """What it takes in comes from the architecture; nothing is assumed."""
    assert modalities == only({"id": "m", "architecture": architecture}).modalities


@pytest.mark.parametrize(
    ("rows", "authority", "ids"),
    [
        ([{"id": "a"}, {"id": "b"}], "authoritative", ["a", "b"]),
        ([{"id": "a"}, {"id": "a"}], "authoritative", ["a"]),
        ([{"id": "a"}, {"name": "b"}], "partial", ["a"]),
        ([{"id": "a"}, None, {"id": ""}, {"id": 7}], "partial", ["a"]),
    ],
)
def test_only_a_whole_list_may_reject(rows: list[Any], authority: str, ids: list[str]) -> None:
    """A list with a row nobody could read knows only part of it."""
    listing = listed({"id": "a", "owned_by": "llamacpp"}, *rows)

    assert (authority, ids) == (listing.authority, [model.id for model in listing.models])


def test_an_empty_list_is_no_sample() -> None:
    """A router without models lists nothing, and so rejects nothing."""
    assert ("unknown", ()) == (listed(path="/models").authority, listed(path="/models").models)


@pytest.mark.parametrize("path", [None, "/models", "/v1/models"])
def test_models_of_another_house_are_not_ours(path: str | None) -> None:
    """A list without any mark of llama.cpp says nothing of residency: taking it would call everything resident."""
    body = {"object": "list", "data": [{"id": "m", "object": "model", "owned_by": "someone"}]}

    assert reader().listing(Document(json.dumps(body).encode(), AT, asked=path)) is None


def test_a_list_is_not_a_reading() -> None:
    """It says nothing of slots."""
    body = json.dumps({"data": [routed()]}).encode()

    assert reader().readings(Document(body, AT, asked="/models", status=200)) is None


# --- properties -------------------------------------------------------------------------------

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
statuses = st.fixed_dictionaries(
    {},
    optional={
        "value": st.sampled_from(["loaded", "loading", "sleeping", "unloaded", "downloading", "new"]) | anything,
        "args": st.lists(st.sampled_from(["--ctx-size", "-np", "--parallel", "8", "2"]) | anything, max_size=6)
        | anything,
        "exit_code": anything,
        "failed": anything,
    },
)
rows = st.fixed_dictionaries(
    {"owned_by": st.just("llamacpp")},
    optional={
        "id": st.text(max_size=6) | anything,
        "aliases": st.lists(anything, max_size=3) | anything,
        "status": statuses | anything,
        "meta": st.dictionaries(st.sampled_from(["n_ctx", "n_ctx_train"]), anything) | anything,
        "architecture": st.fixed_dictionaries({"input_modalities": anything}) | anything,
        "another": anything,
    },
)


@given(st.lists(rows, min_size=1, max_size=5))
def test_any_list_is_a_listing(told: list[dict[str, Any]]) -> None:
    """Whatever is missing, null, of another type or added: each row with an id is a model that answers to it."""
    listing = listed(*told)

    assert {row["id"] for row in told if isinstance(row.get("id"), str) and row["id"].strip()} == {
        model.id for model in listing.models
    }
    assert all(model.id.casefold() in model.names for model in listing.models)
    assert all(model.context is None or model.context > 0 for model in listing.models)


@given(st.lists(rows, min_size=1, max_size=4, unique_by=lambda row: repr(row.get("id"))))
def test_the_order_of_rows_means_nothing(told: list[dict[str, Any]]) -> None:
    """The same rows in another order are the same listing."""
    assert listed(*told) == listed(*told[::-1])
