"""What became of a placement whose outcome was lost is read off the seat, and only what is certain is sent again."""

from __future__ import annotations

import pytest
from attrs import evolve

from capacity.engine.aftermath import asked_of, concluded, same
from capacity.engine.documents import Written
from capacity.ports import Candidate, Placement, Seat
from capacity.values.conditions import Fact

from .scene import HOUR, MODEL, NOON, seat

HERE, THERE = (Candidate("h", name, MODEL.format(name)) for name in "ab")
MOVE = Placement("t/f/s1", "f", "s1", "move", Fact("core:exhausted"), THERE, HERE)
PARK = evolve(MOVE, act="park", candidate=None, home=HERE)
RESUME = evolve(MOVE, act="resume")
ADJUST = evolve(MOVE, act="adjust", candidate=HERE, cadence=HOUR)
PARKED = seat("s1", paused_by="capacity")


@pytest.mark.parametrize(
    ("act", "now", "here", "word"),
    [
        (MOVE, seat("s1", "b"), THERE, "applied"),
        (MOVE, seat("s1", placement="t/f/s1"), HERE, "applied"),
        (MOVE, seat("s1"), HERE, None),
        (MOVE, seat("s1", "b", paused_by="somebody"), THERE, "indeterminate"),
        (MOVE, seat("s1"), None, "indeterminate"),
        (MOVE, seat("s1", "c"), Candidate("h", "c", "m"), "indeterminate"),
        (MOVE, None, None, "gone"),
        (PARK, PARKED, HERE, "applied"),
        (PARK, seat("s1"), HERE, None),
        (PARK, seat("s1", paused_by="somebody"), HERE, "indeterminate"),
        (RESUME, seat("s1", "b"), THERE, "applied"),
        (RESUME, PARKED, HERE, None),
        (RESUME, seat("s1"), HERE, "indeterminate"),
        (evolve(MOVE, expected=evolve(HERE, model="big")), evolve(seat("s1"), model="big"), HERE, None),
        (ADJUST, seat("s1", cadence=HOUR), HERE, "applied"),
        (ADJUST, seat("s1", cadence=2 * HOUR), HERE, None),
    ],
)
def test_the_seat_tells(act: Placement, now: Seat | None, here: Candidate | None, word: str | None) -> None:
    """As asked: applied. As before: sent once more (None). Gone: gone. Anything else: nobody can tell."""
    outcome = concluded(Written(act, NOON), now, here, again=True)

    assert word == (outcome and outcome.word)


@pytest.mark.parametrize(("sent", "again"), [(1, False), (2, True), (3, True)])
def test_it_is_never_sent_a_third_time_or_blindly(sent: int, again: bool) -> None:
    """Where the actuator does not read back what it writes, or it was sent twice, nobody can tell."""
    outcome = concluded(Written(MOVE, NOON, sent), seat("s1"), HERE, again=again)

    assert outcome is not None
    assert "indeterminate" == outcome.word


@pytest.mark.parametrize(
    ("act", "needs"),
    [
        (MOVE, {"move"}),
        (PARK, {"park"}),
        (RESUME, {"park", "move"}),
        (evolve(RESUME, candidate=HERE), {"park"}),
        (ADJUST, {"cadence"}),
        (evolve(MOVE, candidate=evolve(HERE, effort="high")), {"effort"}),
        (evolve(MOVE, expected=None), {"move"}),
    ],
)
def test_what_a_placement_asks_of_an_actuator(act: Placement, needs: set[str]) -> None:
    """Only what changes is asked for."""
    assert needs == asked_of(act)


def test_an_effort_nobody_told_is_no_difference() -> None:
    """A fleet that tells no effort does not contradict one."""
    assert same(HERE, evolve(HERE, effort="high"))
    assert not same(evolve(HERE, effort="low"), evolve(HERE, effort="high"))
    assert not same(None, HERE)
