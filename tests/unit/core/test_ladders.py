"""A level spread over seats: met, worth nearly the most it can be, and with as few rungs changed as that takes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from capacity.core.ladders import STEADY, Ladder, Line, Rung, Spread
from capacity.core.pacing import Reach, saturated, target
from capacity.core.tuning import Tuning

TWO = (Rung(1.0, 0.6), Rung(5.0, 1.0))
CURVE = ((0.25, 0.25), (1.0, 1.0), (2.0, 1.25))


def burnt(ladders: list[Ladder], places: tuple[tuple[int, float], ...]) -> float:
    """The level of those places."""
    return sum(one.rungs[rung].burn * cadence for one, (rung, cadence) in zip(ladders, places, strict=True))


@st.composite
def fleets(draw: st.DrawFn, *, trimmed: bool = False) -> tuple[list[Ladder], list[int]]:
    """A few seats, each with a ladder of up to three rungs, standing somewhere on it; `trimmed` all have cadences."""
    ladders, rungs = [], []
    for _ in range(draw(st.integers(1, 5))):
        burns = draw(st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True).map(sorted))
        steps = tuple(Rung(float(burn), float(burn) ** 0.5) for burn in burns)
        ladders.append(Ladder(steps, CURVE if trimmed else draw(st.sampled_from((CURVE, STEADY)))))
        rungs.append(draw(st.integers(0, len(burns) - 1)))
    return ladders, rungs


@given(fleets(trimmed=True), st.floats(0, 1))
def test_a_level_is_met(fleet: tuple[list[Ladder], list[int]], share: float) -> None:
    """With cadences to trim, what is commanded is what was asked, but for the band round everybody cheap."""
    ladders, rungs = fleet
    spread = Spread(ladders, rungs)
    level = spread.reach.low + share * (spread.reach.high - spread.reach.low)
    nominal = sum(one.rungs[0].burn for one in ladders)
    made = burnt(ladders, spread.at(level))
    assume(
        all(level != pytest.approx(edge, rel=1e-9) for edge in (nominal / 2.5, nominal * 1.5))
    )  # either will do there

    if nominal / 2.5 <= level <= nominal * 1.5:
        level = nominal
    assert made == pytest.approx(level, rel=0.06)


@given(fleets(), st.floats(0, 1))
def test_everybody_stays_on_the_ladder(fleet: tuple[list[Ladder], list[int]], share: float) -> None:
    """No rung and no cadence beyond what a seat may have; a seat with one cadence keeps it."""
    ladders, rungs = fleet
    spread = Spread(ladders, rungs)
    for one, (rung, cadence) in zip(ladders, spread.at(share * spread.reach.high), strict=True):
        assert 0 <= rung < len(one.rungs)
        assert one.cadences[0][0] - 1e-9 <= cadence <= one.cadences[-1][0] + 1e-9


@given(fleets(trimmed=True), st.floats(0, 1))
def test_nearly_the_most_that_a_level_is_worth(fleet: tuple[list[Ladder], list[int]], share: float) -> None:
    """No other rungs at the same level, cadences best first, would do more than a twentieth better."""
    ladders, rungs = fleet
    spread = Spread(ladders, rungs)
    level = spread.reach.low + share * (spread.reach.high - spread.reach.low)
    nominal = sum(one.rungs[0].burn for one in ladders)
    assume(not nominal / 2.5 <= level <= nominal * 1.5)
    split = [rung for rung, _ in spread.at(level)]

    def worth(choice: tuple[int, ...]) -> float:
        kinds: dict[tuple[Rung, tuple[tuple[float, float], ...]], int] = {}
        for one, rung in zip(ladders, choice, strict=True):
            kinds[one.rungs[rung], one.cadences] = kinds.get((one.rungs[rung], one.cadences), 0) + 1
        line = Line(kinds)
        return line.worth(level) if line.meets(level) else 0.0

    best = max(worth(choice) for choice in product(*(range(len(one.rungs)) for one in ladders)))
    assert worth(tuple(split)) >= 0.9 * best


@given(fleets())
def test_the_level_in_force_changes_nothing_it_need_not(fleet: tuple[list[Ladder], list[int]]) -> None:
    """Asked for what all their rungs burn at their own cadence, hardly anybody changes rung: those are nearly ideal or near."""
    ladders, _ = fleet
    top = [len(one.rungs) - 1 for one in ladders]
    spread = Spread(ladders, top)
    assume(spread.reach.high > 1.5 * sum(one.rungs[0].burn for one in ladders))

    assert [rung for rung, _ in spread.at(spread.reach.high)] == top


def test_the_dearest_falls_first_and_rises_last() -> None:
    """Of two seats the one whose rung buys least per burn gives it up, and gets it back after the other."""
    dear, good = Ladder((Rung(1.0, 0.9), Rung(9.0, 1.0))), Ladder((Rung(1.0, 0.2), Rung(3.0, 1.0)))

    assert (0, 1) == Spread([dear, good], [1, 1]).split(1)
    assert (0, 1) == Spread([dear, good], [0, 0]).split(1)
    assert (0, 0) == Spread([dear, good], [1, 1]).split(0)


def test_a_thousand_seats_are_spread_by_looking_at_few_splits() -> None:
    """The splits that are looked at grow with the logarithm of the steps there are."""
    spread = Spread([Ladder(TWO, CURVE)] * 1000, [1] * 1000)
    spread.at(2000.0)

    assert len(spread._lines) < 60


@pytest.mark.parametrize(
    ("wanted", "level", "expected"),
    [
        (None, 10.0, None),
        (10.5, 10.0, None),
        (100.0, 10.0, 20.0),
        (1.0, 10.0, 10.0 / 3),
        (13.0, 10.0, 10.0 * 1.3**0.85),
        (-3.0, 1.05, 1.0),
        (90.0, 38.0, 40.0),
        (90.0, 40.0, None),
        (5.0, 0.0, 1.0),
    ],
    ids=["hold", "in-the-band", "twice", "a-third", "gain", "to-the-end", "to-the-top", "there", "from-nothing"],
)
def test_the_next_level(wanted: float | None, level: float, expected: float | None) -> None:
    """Held in the band, slewed outside of it, and taken whole at the ends of the reach."""
    assert target(wanted, level, Reach(1.0, 40.0), Tuning(), jump=False) == (
        None if expected is None else pytest.approx(expected)
    )


def test_a_jump_is_taken_at_once() -> None:
    """Right after a reset neither gain nor slew is between."""
    assert 30.0 == target(30.0, 2.0, Reach(1.0, 40.0), Tuning(), jump=True)


@pytest.mark.parametrize(
    ("pace", "wanted", "least", "most", "known", "expected"),
    [
        ("over", 0.5, True, False, True, ("down", "reach")),
        ("over", 0.5, False, False, True, None),
        ("over", -0.5, False, False, True, ("down", "uncontrolled")),
        ("over", -0.5, False, False, False, None),
        ("under", 90.0, False, True, True, ("up", "reach")),
        ("under", 90.0, True, True, True, ("up", "reach")),
        ("under", 90.0, True, False, True, None),
        ("under", 1.0, True, True, True, None),
        ("on-pace", 90.0, True, True, True, None),
        ("exhausted", -1.0, True, True, True, None),
    ],
)
def test_when_nothing_is_left(
    pace: str, wanted: float, least: bool, most: bool, known: bool, expected: tuple[str, str] | None
) -> None:
    """Over with nothing to lower, under with nothing to raise; others are blamed only where somebody told of them."""
    assert expected == saturated(pace, wanted, 2.0, least=least, most=most, known=known)
