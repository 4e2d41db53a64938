"""The additive model: missing cells are estimated, not averaged over, and what is not known widens."""

from __future__ import annotations

from random import Random

import pytest
from attrs import evolve

from capacity.core.tiering.cells import Cell, cells
from capacity.core.tiering.chance import logit, share
from capacity.core.tiering.model import Fit, solved, unknowns
from capacity.core.tiering.spreads import fitted
from capacity.values.evidence import Evidence, Pair
from capacity.values.methods import Method

from .scene import DAY, NOW

HOLES = {"A": (None, 76.9, 45.0), "B": (None, 73.1, 40.1), "C": (85.8, 64.6, None), "D": (80.2, None, None)}
"""Four models at an easy, a middling and a hard benchmark, cells missing where it flatters; the true order is A to D."""


def cell(model: str, harness: str | None, benchmark: str, worth: float, variance: float = 1e-4) -> Cell:
    return Cell((model, ""), harness, benchmark, worth, variance, variance, (f"{model}/{harness}/{benchmark}",))


def fit(told: list[Cell], method: Method | None = None) -> Fit:
    return solved(told, method or Method(), unknowns(told))


def holes() -> list[Cell]:
    return [
        cell(model, None, name, logit(score / 100))
        for model, scores in HOLES.items()
        for name, score in zip(("easy", "mid", "hard"), scores, strict=True)
        if score is not None
    ]


def test_missing_cells_do_not_turn_the_order_round() -> None:
    """A mean of what is there says D, C, A, B; the model says A, B, C, D, and by how much."""
    found = fit(holes(), Method(tau_benchmark=0.02))
    worth = {model: found.solution[found.index["model", model, ""]] for model in HOLES}

    assert list(HOLES) == sorted(worth, key=lambda model: -worth[model])
    assert [0.42, 0.23, -0.15, -0.51] == [pytest.approx(worth[model], abs=0.02) for model in HOLES]
    assert list("ABCD") == sorted(
        HOLES, key=lambda model: -fit(holes()).solution[fit(holes()).index["model", model, ""]]
    )


def test_what_was_not_measured_is_less_certain() -> None:
    """A pair whose halves were met elsewhere is a guess with a width, one in a harness nobody met a wider one."""
    told = [
        cell(model, harness, "board", 0.1) for model in "ab" for harness in ("x", "y") if (model, harness) != ("b", "y")
    ]
    found = fit(told)
    own, borrowed, strange = (found.worth(harness, ("b", ""), "board", None) for harness in ("x", "y", "z"))

    assert own.stderr < borrowed.stderr < strange.stderr


def test_a_pair_is_nearer_to_its_own_model_than_to_another() -> None:
    """The error of a difference knows what two estimates share."""
    told = [
        cell(model, harness, name, 0.1, 0.01) for model in "ab" for harness in ("x", "y") for name in ("one", "two")
    ]
    found = fit(told)
    one, other, stranger = (
        found.worth(*of, "one", None) for of in (("x", ("a", "")), ("y", ("a", "")), ("x", ("b", "")))
    )

    assert 0 == pytest.approx(one.apart(one), abs=1e-6)
    assert one.apart(other) < one.apart(stranger)


def test_a_target_counts_what_a_model_does_there() -> None:
    """For general work a single benchmark is one of many; where it is the target it is the work itself."""
    found = fit([cell("a", "x", "board", 1.0, 0.001), cell("b", "x", "board", -1.0, 0.001)])
    general, there = (found.worth("x", ("a", ""), "board", target) for target in (None, "board"))

    assert general.mean < there.mean < 1.0
    assert general.stderr > there.stderr


def test_the_spreads_come_from_the_cells() -> None:
    """A made world of forty models gives back what it was made with; of too few cells nothing is learnt."""
    chance = Random(3)
    models = [chance.gauss(0, 0.8) for _ in range(40)]
    effects, ease = (0.4, 0.0, -0.4), (0.5, -0.5, 0.0)
    told = [
        cell(f"m{model}", f"h{harness}", f"b{board}", models[model] + effects[harness] + ease[board] + chance.gauss(0, 0.3), 1e-4)
        for model in range(40) for harness in range(3) for board in range(3) if chance.random() < 0.6
    ]  # fmt: skip  # one comprehension
    found = fitted(told, Method(), unknowns(told))

    assert 0.8 == pytest.approx(found.tau_model, rel=0.3)
    assert 0.4 == pytest.approx(found.tau_harness, rel=0.5)
    assert 0.3 == pytest.approx(found.tau_error, rel=0.3)
    assert 0.15 > found.tau_benchmark
    assert Method() == fitted(told[:29], Method(), unknowns(told[:29]))


def test_a_cell_is_told_what_the_others_say_of_it() -> None:
    """The check of a cell is the same as leaving it out and predicting it."""
    told = [
        cell(model, "x", name, worth, 0.01)
        for model, worth in (("a", 0.5), ("b", -0.5), ("c", 0.1))
        for name in ("one", "two")
    ]
    check = fit(told).checks()[0]
    without = fit(told[1:])
    predicted = without.solution[without.index["benchmark", "one"]] + sum(
        without.solution[without.index[key]] for key in (("model", "a", ""), ("pair", "a", "", "x"), ("harness", "x"))
    )

    assert told[0] == check.cell
    assert predicted == pytest.approx(check.predicted)


# --- cells ----------------------------------------------------------------------------------------


def seen(score: float, points: float, **more: object) -> Evidence:
    of = score / 100
    told = Evidence(
        id="made:1", source="made", benchmark="board", model_raw="m", harness_raw="x", pair=Pair("x", "m"), model="m",
        effort=None, step="inventory", use="decides", digest="d", seen_at=NOW, score=score, stderr=points, logit=logit(of),
        logit_stderr=points / 100 / (of * (1 - of)), provenance="benchmark-owner", measured_at=NOW,
    )  # fmt: skip  # one value
    return evolve(told, **more)


OWNERS = Method(trust={"benchmark-owner": 0.0, "submitter": 0.0})


def points(found: Cell) -> float:
    of = share(found.logit)
    return 100 * of * (1 - of) * float(found.variance) ** 0.5


@pytest.mark.parametrize(("days", "expected"), [(0, 1.98), (30, 2.22), (180, 3.15)])
def test_an_old_row_is_less_certain_and_not_dropped(days: int, expected: float) -> None:
    """A point of drift in thirty days beside 1.3 points of its own and 1.5 of runners: variances add up."""
    (found,) = cells([seen(70.0, 1.3, measured_at=NOW - days * DAY)], OWNERS, NOW)

    assert expected == pytest.approx(points(found), abs=0.01)


def test_two_rows_of_one_thing_are_no_surer_than_half_of_what_lies_between() -> None:
    """78.43 and 74.38, told to 1.25 and 1.54 points, are 76.6, give or take two."""
    rows = [seen(78.43, 1.25, id="made:1"), seen(74.38, 1.54, id="made:2")]
    (found,) = cells(rows, OWNERS, NOW)

    assert 76.6 == pytest.approx(100 * share(found.logit), abs=0.1)
    assert 2.0 == pytest.approx(points(found), abs=0.05)
    assert ("made:1", "made:2") == found.ids


def test_who_stands_behind_a_row_makes_it_more_or_less_certain() -> None:
    """A submitter's row is less certain than the owner's; nobody's counts as a submitter's."""
    owner, submitter, nobody = (
        cells([seen(70.0, 1.0, provenance=who)], Method(), NOW)[0].variance
        for who in ("benchmark-owner", "submitter", None)
    )

    assert owner < submitter == nobody


def test_an_older_major_version_of_a_harness_is_almost_another_harness() -> None:
    """Beside a row of the new one it is less certain by what harnesses differ in."""
    rows = [
        seen(70.0, 1.0, id="made:1", harness_version="2.1"),
        seen(70.0, 1.0, id="made:2", model="n", pair=Pair("x", "n"), harness_version="1.9"),
    ]
    new, old = cells(rows, Method(), NOW)

    assert 0.04 == pytest.approx(old.variance - new.variance)


def test_no_figure_is_certain() -> None:
    """Even where a policy takes every spread away and the row tells no error of its own."""
    bare = Method(trust={"benchmark-owner": 0.0}, runner=0, drift=0)

    assert 0 < cells([seen(70.0, 1.0, logit_stderr=None)], bare, NOW)[0].variance < 1e-5


def test_a_weight_makes_a_benchmark_count_for_less() -> None:
    """Half the weight is twice the variance."""
    whole, half = (cells([seen(70.0, 1.0)], Method(weights={"board": one}), NOW)[0].variance for one in (1.0, 0.5))

    assert half == pytest.approx(2 * whole)
