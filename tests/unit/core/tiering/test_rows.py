"""A row becomes evidence: its units, its error, its names, and the first reason that keeps it from deciding."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from capacity.core.tiering.names import Names
from capacity.core.tiering.rows import Reading, benchmark_key, evidence, scored
from capacity.values.evidence import Alias, Evidence
from capacity.values.methods import Method
from capacity.values.rankings import KnownModel, RankingRow, Rankings

from .scene import DAY, NOW, answer, inventory, policy, row


def read(*rows: RankingRow, said: tuple[Alias, ...] = (), **more: Any) -> list[Evidence]:
    told = [more.pop("told", None) or answer(*rows, **more)]
    return evidence(told, Reading(Names(inventory(), told, said), said, policy(), NOW))


@pytest.mark.parametrize(
    ("use", "why", "more"),
    [
        ("decides", None, {}),
        ("decides", None, {"n": None, "stderr": 1.5, "stderr_kind": "within-task"}),
        ("excluded", "out-of-range", {"score": 101.0}),
        ("excluded", "out-of-range", {"score": float("nan")}),
        ("excluded", "out-of-range", {"scale": "stars"}),
        ("excluded", "out-of-range", {"stderr": -1.0}),
        ("excluded", "out-of-range", {"stderr": 1e308}),
        ("excluded", "out-of-range", {"scale": "elo", "score": 1e300}),
        ("decides", None, {"n": 10**400, "score": 100.0}),
        ("excluded", "best-of-k", {"attempts": 2}),
        ("excluded", "ungraded", {"failed": 61}),
        ("excluded", "in-the-future", {"measured_at": NOW + DAY}),
        ("unresolved", "name", {"model": "nobody-7", "model_key": None}),
        ("informs", "weight", {"benchmark": "SWE-bench Verified", "benchmark_version": None}),
        ("informs", "no-harness", {"harness": None}),
        ("informs", "no-trials", {"n": None}),
        ("informs", "no-trials", {"n": None, "provenance": "model-vendor"}),
        ("informs", "undated", {"measured_at": None}),
        ("informs", "too-old", {"measured_at": NOW - 181 * DAY}),
    ],
)
def test_what_keeps_a_row_from_deciding(use: str, why: str | None, more: dict[str, Any]) -> None:
    """Each reason by its word; the row is there all the same."""
    (found,) = read(row(**more))

    assert (use, why) == (found.use, found.why)


def test_a_row_from_before_its_name_was_re_pointed_is_expired() -> None:
    """It was measured on something else; an undated one may have been, and one from after it was not."""
    known = (KnownModel("alpha-1", changed_at=NOW - 5 * DAY),)
    dates = (NOW - 6 * DAY, None, NOW - 4 * DAY)
    found = read(*(row(measured_at=at, id=str(place)) for place, at in enumerate(dates)), known=known)

    assert [("expired", "re-pointed"), ("expired", "re-pointed"), ("decides", None)] == [
        (one.use, one.why) for one in found
    ]


@pytest.mark.parametrize(
    ("score", "n", "told", "points", "flags"),
    [
        (58.7, 400, 0.89, 1.23, ()),
        (52.5, 400, 2.09, 2.09, ()),
        (12.8, 400, 0.16, 1.67, ("stderr-slip",)),
        (70.0, 400, None, 2.29, ()),
    ],
)
def test_a_standard_error_has_a_floor(
    score: float, n: int, told: float | None, points: float, flags: tuple[str, ...]
) -> None:
    """Half the binomial one at least; one ten times too small is a slip of units and is made anew, with a flag."""
    found = scored(row(score=score, n=n, stderr=told), Method())

    assert found is not None
    assert found.points == pytest.approx(points, abs=0.01)
    assert flags == found.flags


def test_the_error_of_other_tasks_is_not_that_of_a_rank() -> None:
    """Five points of task sampling say how far a score generalises; two entries of one board differ by chance alone."""
    told = {
        kind: scored(row(score=58.7, stderr=5.0, stderr_kind=kind), Method())
        for kind in ("task-sampling", "between-runs")
    }

    assert {"task-sampling": 2.46, "between-runs": 5.0} == {
        kind: pytest.approx(one.points, abs=0.01) for kind, one in told.items() if one is not None
    }


def test_shares_and_percents_are_told_alike() -> None:
    """0.7 of one and 70 of a hundred are one score; an index out of a hundred too."""
    percent = scored(row(score=70.0, stderr=1.5), Method())

    assert percent is not None
    assert percent == scored(row(score=0.7, stderr=0.015, scale="fraction"), Method())
    assert percent.logit == scored(row(score=70.0, scale="index"), Method()).logit  # type: ignore[union-attr]  # it is one


def test_a_rating_is_logits_already() -> None:
    """Four hundred points are odds of ten to one, and its interval is an error bar like any other."""
    found = scored(row(score=1400.0, scale="elo", n=None, stderr=10.0, stderr_kind="interval"), Method())

    assert found is not None
    assert pytest.approx(2.3026, abs=1e-4) == found.logit
    assert pytest.approx(0.0576, abs=1e-4) == found.logit_stderr
    assert pytest.approx(100 * 10 / 11) == found.percent


def test_no_score_is_at_the_end_of_the_scale() -> None:
    """All of twenty is not endlessly good: half a success is added to either side."""
    found = scored(row(score=100.0, n=20), Method(runner=0.0, drift=0.0))

    assert found is not None
    assert pytest.approx(3.714, abs=0.001) == found.logit


def test_percents_that_are_all_shares_are_no_percents() -> None:
    """Three scores of one percent and less at one benchmark are a slip of units, and none of them is believed."""
    found = read(*(row(model, score, id=model) for model, score in (("alpha-1", 0.7), ("beta-1", 0.6), ("eta-1", 0.5))))

    assert {("excluded", "out-of-range")} == {(one.use, one.why) for one in found}


@pytest.mark.parametrize(
    ("name", "version", "more", "key"),
    [
        ("Terminal-Bench", "2.1", {}, "terminal-bench@2.1"),
        ("Terminal-Bench 2.1", None, {}, "terminal-bench@2.1"),
        ("Terminal Bench", "2.1", {"metric": "Accuracy"}, "terminal-bench@2.1@accuracy"),
        ("SWE-Bench Pro", None, {"dataset": "hard AA"}, "swe-bench-pro@hard-aa"),
        ("GSO", None, {}, "gso"),
        ("Index", None, {"methodology": "v4.1"}, "index@v4.1"),
    ],
)
def test_a_benchmark_has_one_key(name: str, version: str | None, more: dict[str, Any], key: str) -> None:
    """Name, version, dataset and metric, however they are spelled; another way of scoring is another version."""
    methodology = more.pop("methodology", None)

    assert key == benchmark_key(row(benchmark=name, benchmark_version=version, **more), methodology)


def test_ungraded_trials_are_flagged_before_they_exclude() -> None:
    """From one in twenty on; forty of 445 stand, and are told of."""
    assert ("ungraded-trials",) == read(row(failed=40, n=445))[0].flags
    assert () == read(row(failed=20, n=445))[0].flags


def test_a_row_is_known_again_whatever_its_score() -> None:
    """By the source's id, else by what it is of; two of one thing are told apart."""
    found = read(row(score=70.0), row(score=71.0), row("beta-1", id="17"))

    assert ["made:17", "made:board|1|||cli|alpha-1|", "made:board|1|||cli|alpha-1|#2"] == [one.id for one in found]


def test_the_effort_is_never_filled_in() -> None:
    """Not told is a level of its own; one in the name counts where the row tells none, and is flagged where they differ."""
    quiet, told, both = read(
        row(id="1"),
        row("alpha-1 (high)", model_key="alpha-1", id="2"),
        row("alpha-1 (high)", model_key="alpha-1", effort="low", id="3"),
    )

    assert [None, "high", "low"] == [one.effort for one in (quiet, told, both)]
    assert ("effort-differs-high",) == both.flags


def test_an_operator_says_what_harness_and_benchmark_mean() -> None:
    """Both kinds of name have answers too."""
    said = (Alias("harness", "Other Tool", "cli", "ann", NOW), Alias("benchmark", "the-board@1", "board@1", "ann", NOW))
    (found,) = read(row(harness="Other Tool", benchmark="The Board"), said=said)

    assert ("board@1", "cli") == (found.benchmark, found.pair.harness if found.pair else None)


def test_a_cost_is_no_evidence() -> None:
    """Two rows that differ in what they cost alone say the same."""
    dear = read(evolve(row(), cost_usd=None))[0].digest

    assert dear == read(evolve(row(), cost_usd=20, cost_kind="run-total"))[0].digest


def test_the_licence_of_a_row_is_its_sources() -> None:
    """Where the row tells none."""
    told = Rankings("made", "fresh", NOW, (row(),), licence="CC0-1.0")

    assert "CC0-1.0" == read(told=told)[0].licence
