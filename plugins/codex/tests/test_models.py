"""Lists of models: what each row tells, and what is no list."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from capacity.ports import Document, Listing, Model
from capacity_codex import reader

from .documents import AT


def read(body: Any) -> Listing | None:
    return reader().listing(Document(json.dumps(body).encode(), AT))


def catalogue(**row: Any) -> Model:
    found = read({"id": 3, "result": {"data": [{"model": "some-1", **row}], "nextCursor": None}})
    assert found is not None
    (model,) = found.models
    return model


@pytest.mark.parametrize(
    ("row", "hidden"),
    [
        ({"hidden": True}, True),
        ({"hidden": False, "visibility": "hide"}, False),
        ({"showInPicker": False}, True),
        ({"show_in_picker": True}, False),
        ({"visibility": "hide"}, True),
        ({"visibility": "list"}, False),
        ({"visibility": "surprise"}, None),
        ({"hidden": 1}, None),
        ({}, None),
    ],
)
def test_who_may_see_a_model_is_told_in_three_ways(row: Any, hidden: bool | None) -> None:
    """By a flag, by its opposite, or by a word; otherwise nobody knows."""
    assert hidden is catalogue(**row).hidden


@pytest.mark.parametrize(
    ("told", "efforts"),
    [
        ([{"reasoningEffort": "low"}, {"reasoningEffort": "high"}], ("low", "high")),
        ([{"effort": "high"}, {"effort": "low"}, {"effort": "high"}], ("high", "low")),
        (["low", "high"], ("low", "high")),
        ([], ()),
        ([{}, 7, None, {"effort": " "}], None),
        ("low", None),
        (None, None),
    ],
)
def test_efforts_keep_the_order_of_the_wire(told: Any, efforts: Any) -> None:
    """An empty list takes none; what nobody can read is unknown."""
    assert efforts == catalogue(supportedReasoningEfforts=told).efforts


def test_a_model_answers_to_its_id_and_its_display_name() -> None:
    """The id is what the program is given; a row's own id may be another."""
    model = catalogue(id="preset-1", displayName="Some One", inputModalities=["text"], context_window=272_000)

    assert ("some-1", {"some-1", "preset-1", "some one"}) == (model.id, model.names)
    assert (("text",), 272_000, None) == (model.modalities, model.context, model.tools)


@pytest.mark.parametrize(
    "body",
    [
        {"id": 3, "result": {"data": [{"id": "a"}]}},
        {"id": 3, "result": {"data": "none"}},
        {"id": 3, "error": {"code": -1}},
        {"models": [{"name": "a"}]},
        {"models": "none"},
        {"data": [{"model": "a"}]},
        [{"model": "a"}],
        None,
    ],
)
def test_another_list_is_not_mine(body: Any) -> None:
    """Rows without our words, errors, and lists in another place."""
    assert read(body) is None


@pytest.mark.parametrize("body", [{"id": 3, "result": {"data": []}}, {"models": []}, {"models": [{"slug": " "}]}])
def test_an_empty_list_is_no_sample(body: Any) -> None:
    """It says of no model that it is gone."""
    listing = read(body)

    assert listing is not None
    assert ("unknown", ()) == (listing.authority, listing.models)


@pytest.mark.parametrize(
    ("fetched", "source", "at"),
    [
        ((AT - timedelta(hours=2)).isoformat(), "models-cache", AT - timedelta(hours=2)),
        ((AT + timedelta(hours=2)).isoformat(), "models-cache", AT),
        (None, "models", AT),
    ],
)
def test_a_cache_is_as_old_as_it_says(fetched: str | None, source: str, at: Any) -> None:
    """A list without a time is what the service or the program said just now; the future is now."""
    listing = read({"fetched_at": fetched, "models": [{"slug": "a"}]})

    assert listing is not None
    assert ("partial", source, at) == (listing.authority, listing.source, listing.observed_at)
