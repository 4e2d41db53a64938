"""What models.dev says of a model's scores, and what it does not."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from capacity.ports import RankingRow, Rankings
from capacity.ports.scores import KnownModel
from capacity.testing.flows import FakeWorld, play
from capacity_models_dev import tiers
from hypothesis import given
from hypothesis import strategies as st

from .catalogue import AT, catalogue, served

ROW = {"name": "Terminal-Bench", "score": 66.1, "harness": "Loom", "version": "2.1"}


def read(body: Any, **options: Any) -> Rankings:
    """What a file tells."""
    world = FakeWorld(AT)
    world.serve(json.dumps(body).encode())
    return play(tiers(**options).rankings(), world)


def model(*rows: Any, **more: Any) -> dict[str, Any]:
    """A file of one model with these rows."""
    return {"lab/loom-2": {"id": "lab/loom-2", "name": "Loom 2", "benchmarks": list(rows), **more}}


def one(**fields: Any) -> RankingRow:
    """The one row with some of its fields changed."""
    (row,) = read(model({**ROW, **fields})).rows
    return row


def test_the_whole_catalogue() -> None:
    """288 rows of 97 models: 187 without a harness, six with one where others have the effort, 48 with an effort."""
    told = read(catalogue())

    assert (288, 288, 97) == (told.told, len(told.rows), len(told.known))
    assert 187 == sum(row.harness is None for row in told.rows)
    assert 6 == sum("harness-from-variant" in row.flags for row in told.rows)
    assert 175 == sum(row.measured_at is None for row in told.rows)
    assert {"medium": 32, "high": 8, "max": 4, "xhigh": 4} == Counter(row.effort for row in told.rows if row.effort)
    assert 288 == len({row.id for row in told.rows})
    assert {None} == {row.n for row in told.rows} == {row.stderr for row in told.rows}


def test_both_files_tell_the_same() -> None:
    """One holds the models at its top, the other under a name beside the providers."""
    flat = read(catalogue())
    both = read({"providers": {"lab": {"models": {}}}, "models": catalogue()}, file="catalog.json")

    assert (flat.rows, flat.known) == (both.rows, both.known)


@pytest.mark.parametrize(
    ("name", "version", "told"),
    [
        ("Terminal-Bench 2.1", None, ("Terminal-Bench", "2.1")),
        ("Terminal Bench 2.1", None, ("Terminal Bench", "2.1")),
        ("Terminal-Bench", "2.1", ("Terminal-Bench", "2.1")),
        ("MRCRv2", None, ("MRCRv2", None)),
        ("Trial 5", None, ("Trial 5", None)),
    ],
)
def test_a_version_is_found_where_it_stands(name: str, version: str | None, told: tuple[str, str | None]) -> None:
    """In its field, or at the end of the name; a number without a dot is part of a name."""
    row = one(name=name, version=version)

    assert told == (row.benchmark, row.benchmark_version)


def test_a_variant_is_an_effort_a_harness_or_nothing() -> None:
    """A harness only where another row calls it one, and then it says so."""
    rows = read(
        model(
            {**ROW, "variant": "max"},
            {**ROW, "variant": "thinking"},
            {**ROW, "harness": None, "variant": "Loom"},
            {**ROW, "harness": None, "variant": "Shuttle"},
        )
    ).rows

    assert [("Loom", "max", ()), ("Loom", None, ()), ("Loom", None, ("harness-from-variant",)), (None, None, ())] == [
        (row.harness, row.effort, row.flags) for row in rows
    ]


@pytest.mark.parametrize(
    ("source", "provenance", "runner"),
    [
        ("https://artificialanalysis.ai/agents", "third-party", "artificialanalysis.ai"),
        ("https://labs.scale.com/leaderboard/x", "benchmark-owner", "labs.scale.com"),
        ("https://lab.invalid/news", "model-vendor", "lab.invalid"),
        ("a blog", None, None),
        (None, None, None),
    ],
)
def test_the_page_of_a_figure_says_who_stands_behind_it(
    source: str | None, provenance: str | None, runner: str | None
) -> None:
    """A page that is not known is that of whoever made the model, who decides nothing."""
    row = one(source=source)

    assert (provenance, runner, source) == (row.provenance, row.runner, row.url)


@pytest.mark.parametrize(("score", "figure"), [(66, 66.0), ("66.1", 66.1), (0, 0.0)])
def test_a_score_may_be_spelt_as_a_text(score: Any, figure: float) -> None:
    """Nought is a score like any other."""
    assert figure == one(score=score).score


@pytest.mark.parametrize("score", [None, "n/a", 130, -1, True, [66]])
def test_what_is_no_figure_is_no_score(score: Any) -> None:
    """It is left out by name."""
    told = read(model({**ROW, "score": score}))

    assert ((), ["no-score"]) == (told.rows, [row.why for row in told.excluded])


def test_an_index_is_no_share() -> None:
    """Its scale says so."""
    assert ("index", "percent") == (one(metric="index").scale, one(metric="pass@1").scale)


def test_a_model_is_known_by_its_names_alone() -> None:
    """No price, no size, and nothing that a page's last change would say."""
    told = read(model(family="loom", release_date="2026-04-24", last_updated="2026-08-13", cost={"input": 1}))

    assert (KnownModel("lab/loom-2", ("Loom 2",), "loom", datetime(2026, 4, 24, tzinfo=UTC)),) == told.known
    assert "fresh" == told.status


@pytest.mark.parametrize(
    "body", [{}, [], {"error": {"message": "no"}}, {"lab": {"name": "Lab"}}, {"lab/x": {}}, {"lab/x": 5}]
)
def test_what_holds_no_model_is_no_catalogue(body: Any) -> None:
    """An error with a good status has no model in it either."""
    assert ("invalid", ()) == ((told := read(body)).status, told.known)


def test_a_row_that_is_none_is_counted() -> None:
    """And spoils no other."""
    told = read(model(5, {"score": 1}, ROW))

    assert (3, 2, 1) == (told.told, told.failed, len(told.rows))


@pytest.mark.parametrize("file", ["api.json", "", "../models.json"])
def test_the_file_is_one_of_two(file: Any) -> None:
    """The file of providers has no benchmarks, so it is none of them."""
    with pytest.raises(ValueError, match="'file' must be in"):
        tiers(file=file)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["name", "score", "metric", "harness", "variant", "dataset", "version", "source", "date"]


@given(st.dictionaries(st.sampled_from(FIELDS), anything, max_size=4))
def test_any_row_is_survived(changes: dict[str, Any]) -> None:
    """Whatever stands in a field, the row is told, left out or counted, and no score is outside its scale."""
    told = read(model({**ROW, **changes}))

    assert 1 == len(told.rows) + len(told.excluded) + told.failed
    assert all(0 <= row.score <= 100 for row in told.rows)


def test_the_served_sample_is_what_is_read() -> None:
    """The helper of these tests serves every line of the sample."""
    assert 288 == sum(len(model["benchmarks"]) for model in json.loads(served()).values())
