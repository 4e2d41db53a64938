"""What Artificial Analysis says of a model, and what it does not."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from capacity.ports import Env, Get, RankingRow, Rankings, Read, Secret
from capacity.testing.flows import FakeWorld, play
from capacity_artificial_analysis import tiers
from hypothesis import given
from hypothesis import strategies as st

from .service import AT, KEY, REPLY, model, page

NAME = "ARTIFICIAL_ANALYSIS_API_KEY"


def world(*models: Any, **more: Any) -> FakeWorld:
    """A service with one page of these models."""
    here = FakeWorld(AT, environ={NAME: KEY})
    here.serve(json.dumps({**page(list(models), 1, 100), **more}).encode())
    return here


def read(*models: Any, **more: Any) -> Rankings:
    """What a list of these models tells."""
    return play(tiers().rankings(), world(*models, **more))


def test_the_recorded_page() -> None:
    """Two indices that the plan shows, one that it does not; nothing of prices or speed, and what measuring cost."""
    told = read(*REPLY["data"])
    row = RankingRow(
        harness=None,
        model_raw="Model A (high)",
        benchmark="Artificial Analysis Intelligence Index",
        score=60.0,
        scale="index",
        model_key="00000000-0000-0000-0000-000000000001",
        effort="high",
        benchmark_version="4.1",
        runner="artificialanalysis.ai",
        url="https://artificialanalysis.ai/models/model-a-high",
        id="00000000-0000-0000-0000-000000000001/artificial_analysis_intelligence_index",
        metric="index",
        provenance="third-party",
        cost_usd=Decimal("123.45"),
        cost_kind="run-total",
    )

    assert (3, ["no-score"], "4.1") == (told.told, [one.why for one in told.excluded], told.methodology)
    assert row == told.rows[0]
    assert ("Artificial Analysis Coding Index", 55.0, None) == (
        told.rows[1].benchmark,
        told.rows[1].score,
        told.rows[1].cost_usd,
    )


@pytest.mark.parametrize(
    ("name", "effort"),
    [
        ("Loom 2 (high)", "high"),
        ("Loom 2 (xhigh)", "xhigh"),
        ("Loom 2 (Adaptive Reasoning, Max Effort)", "max"),
        ("Loom 2 (Non-reasoning, High Effort)", "high"),
        ("Loom 2 (Non-reasoning)", "none"),
        ("Loom 2 (Reasoning)", None),
        ("Loom 2 Max", None),
        ("Loom 2 (Preview 05-06)", None),
        ("Loom 2", None),
    ],
)
def test_an_effort_is_what_a_name_says(name: str, effort: str | None) -> None:
    """A bare name stands for none in particular, and `Max` may be part of one."""
    assert {(name, effort)} == {(row.model_raw, row.effort) for row in read(model(1, name)).rows}


@pytest.mark.parametrize(("told", "version"), [(4.1, "4.1"), ("4.2", "4.2"), (5, "5"), (None, None)])
def test_the_version_of_the_index_is_that_of_the_benchmark(told: Any, version: str | None) -> None:
    """A re-based index is another benchmark, whether its version is a number or a text."""
    rankings = read(model(1), intelligence_index_version=told)

    assert version == rankings.methodology
    assert {version} == {row.benchmark_version for row in rankings.rows}


def test_an_index_that_changes_between_two_pages_is_none() -> None:
    """Half of the scores would be of another benchmark."""
    here = world()
    bodies = [
        {**page([model(1), model(2)], number, 1), "intelligence_index_version": 4.0 + number} for number in (1, 2)
    ]

    def web(request: Any) -> Any:
        here.serve(json.dumps(bodies.pop(0)).encode())
        answer, here.web = here.web, web
        return answer(request)

    here.web = web
    told = play(tiers().rankings(), here)

    assert ("invalid", ()) == (told.status, told.rows)
    assert "changed the version of its index" in (told.detail or "")


def test_a_model_that_cannot_be_named_is_left_out_or_counted() -> None:
    """One without a name, one without an id, one without indices, and what is no model."""
    told = read({**model(1), "name": None}, {**model(2), "id": None}, {**model(3), "evaluations": None}, 5)

    assert (["no-model"], 3, 4) == ([one.why for one in told.excluded], told.failed, told.told)


@pytest.mark.parametrize("score", [None, -1, 101, "n/a", True])
def test_an_index_that_is_no_figure_is_left_out(score: Any) -> None:
    """Nought is a score; a missing one is not nought."""
    scores = {f"artificial_analysis_{word}_index": score for word in ("intelligence", "coding", "agentic")}
    told = read(model(1, **scores))

    assert ((), 3, "empty") == (told.rows, len(told.excluded), told.status)


@pytest.mark.parametrize(("reference", "need"), [(None, NAME), (Env("AA"), "AA"), (Read("~/aa", secret=True), "~/aa")])
def test_the_key_that_is_missing_is_named(reference: Any, need: str) -> None:
    """Where the policy says it is, else where clients look for it; its card says so before anybody asks."""
    source = tiers(credentials=reference)
    here = FakeWorld(AT)
    told = play(source.rankings(), here)

    assert ("unconfigured", (need,), (need,)) == (told.status, told.missing, source.about.requires)
    assert f"artificial-analysis has no key; put one in {need}, or take the source out of the policy" == told.detail
    assert [] == [effect for effect in here.asked if isinstance(effect, Get)]


def test_the_key_goes_in_its_header_and_nowhere_else() -> None:
    """Not in the address, which is shown."""
    here = world(model(1))
    play(tiers(base_url="https://aa.invalid/v2", plan="pro").rankings(), here)
    url = "https://aa.invalid/v2/language/models?page=1"

    assert [Env(NAME), Get(url, headers={"x-api-key": Secret(KEY)}, keep=True)] == here.asked


def test_it_is_asked_so_seldom_that_the_least_allowance_lasts() -> None:
    """Four pages at most, six times a day at most: 24 of 25."""
    budget = tiers().budget

    assert (14400, 86400) == (budget.floor.total_seconds(), budget.usual.total_seconds())


@pytest.mark.parametrize("plan", ["legacy", "", None])
def test_a_plan_is_one_of_two(plan: Any) -> None:
    """A plan nobody sells is told when the source is made."""
    with pytest.raises(ValueError, match="'plan' must be in"):
        tiers(plan=plan)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["id", "name", "slug", "evaluations"]), anything, max_size=3) | anything)
def test_any_model_is_survived(changes: Any) -> None:
    """Whatever stands where, the model's indices are told, left out or counted, and none is outside its scale."""
    told = read({**model(1), **changes} if isinstance(changes, dict) else changes)

    assert len(told.rows) + len(told.excluded) + told.failed in {0, 1, 3}
    assert all(0 <= row.score <= 100 for row in told.rows)
