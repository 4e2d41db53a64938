"""Pacing in a loop: what happens to a pool and its seats while they are decided for every twenty minutes."""

from __future__ import annotations

from datetime import timedelta

from attrs import evolve

from capacity import Decision
from capacity.core.sentences import sentence
from capacity.values.policy import PoolPolicy

from .paced import LARGE, SMALL, START, Story, balance, full, policy

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TEAM = PoolPolicy("team", "team", "subscription")


def acts(decisions: list[Decision]) -> set[str]:
    """Everything that was done."""
    return {one.act for made in decisions for one in made.placements}


def loud(made: Decision) -> list[str]:
    """What a person is told."""
    return [sentence(one.fact) for one in made.conditions if one.loud and one.status == "raised"]


def test_twenty_two_seats_that_burn_too_fast() -> None:
    """64 % and 7.5 points an hour with six hours to go: learning at forty minutes, then over; seats are lowered, and the
    pool is not full before its reset.
    """
    story = Story(policy(TEAM), 22, START + 6 * HOUR + HOUR / 3, 64.0, 7.5 / 110)
    story.go(3)
    early = story.decisions[-1].paces[0].pace
    story.go(1)
    made = story.decisions[-1]

    assert ("learning", "over") == (early, made.paces[0].pace)
    assert "demote" in {one.act for one in made.placements}
    story.go(14)
    assert story.used < 100
    assert "park" not in acts(story.decisions)


def test_one_usable_pool() -> None:
    """A balance below nothing, one pool capped for four days, one in a five-hour cooldown: there is nowhere to go. Rung and
    cadence pace the one that is left, and nobody is moved or parked.
    """
    others = (
        PoolPolicy("purse", "purse", "metered"),
        PoolPolicy("capped", "capped", "subscription"),
        PoolPolicy("cool", "cool", "subscription"),
    )
    still = (
        balance("purse", "-1.23"),
        full("capped", "weekly", START + 4 * DAY, 7 * DAY),
        full("cool", "5h", START + 5 * HOUR, 5 * HOUR),
    )
    story = Story(policy(TEAM, *others), 6, START + 12 * HOUR, 40.0, 8.0 / 30, still)
    story.go(15)

    assert acts(story.decisions) <= {"keep", "demote", "adjust", "restore"}
    assert {"demote"} <= acts(story.decisions)
    story.go(20)
    assert 90 < story.used < 100


def test_what_was_lowered_is_raised_again() -> None:
    """Turns become cheaper: everybody is back on the rung they came from, in time; nobody above it."""
    story = Story(policy(TEAM), 6, START + 2 * DAY, 60.0, 3.0 / 30).go(30)
    assert SMALL in {seat.model for seat in story.history.fleets[0].seats}
    story.per_level = 0.5 / 30
    story.go(60)

    assert {LARGE} == {seat.model for seat in story.history.fleets[0].seats}
    assert "restore" in acts(story.decisions)


def test_others_take_whatever_is_shed() -> None:
    """Somebody else spends what we leave: the level settles at its least, nothing is shed again and again, and it is said
    that others empty it.
    """
    team = PoolPolicy("team", "team", "subscription", uncontrolled=0.8)
    story = Story(policy(team), 6, START + 2 * DAY, 40.0, 0.5 / 30, others=lambda ours: 3.0 - ours).go(30)
    late = story.decisions[-8:]

    assert {"keep"} == acts(late)
    assert {("saturated", "down", "uncontrolled")} == {
        (one.pace, one.direction, one.because) for made in late for one in made.paces
    }
    assert [
        "team runs out before its reset whatever we do: what others spend alone empties it; 6 seats are ours"
    ] == loud(late[-1])


def test_no_lever_is_left() -> None:
    """Tier and floor are one, and nobody tells a cadence: over is saturated downwards, with what ran out."""
    story = Story(policy(TEAM, floor="high"), 3, START + DAY, 50.0, 4.0 / 15, cadence=None).go(8)
    pace = story.decisions[-1].paces[0]

    assert ("saturated", "down", "reach", 0, 0) == (
        pace.pace,
        pace.direction,
        pace.because,
        pace.demotable,
        pace.slowable,
    )
    assert [
        "team would run out before its reset, and nothing is left to shed: of 3 seats 0 demotable, 0 to slow"
    ] == loud(story.decisions[-1])


def test_quota_that_will_be_destroyed() -> None:
    """A quiet pool: everybody is hastened as far as they may, and then it is said how much the reset will destroy."""
    story = Story(policy(TEAM), 2, START + DAY, 20.0, 1.0 / 40).go(14)
    pace = story.decisions[-1].paces[0]

    assert ("saturated", "up") == (pace.pace, pace.direction)
    assert pace.unspent is not None
    assert 50 < pace.unspent < 80
    assert {HOUR / 2} == {seat.cadence for seat in story.history.fleets[0].seats}
    assert any("nothing is left to raise" in one for one in loud(story.decisions[-1]))


def test_one_notch_a_tick() -> None:
    """In `notch` mode one seat is lowered by one rung, tick by tick with half a tick between, and raised in turn."""
    story = Story(policy(TEAM, mode="notch"), 4, START + 10 * HOUR, 60.0, 6.0 / 20, cadence=None).go(12)
    lowered = [sum(one.act == "demote" for one in made.placements) for made in story.decisions]

    assert max(lowered) == 1
    assert sum(lowered) >= 2
    assert not any(one.cadence for made in story.decisions for one in made.placements)


def test_off_gives_everything_back() -> None:
    """Pacing switched off: whoever was lowered or slowed is given back rung and cadence in one move."""
    story = Story(policy(TEAM), 6, START + 12 * HOUR, 60.0, 8.0 / 30).go(16)
    seats = story.history.fleets[0].seats
    assert any(seat.model == SMALL or seat.cadence != HOUR for seat in seats)
    story.policy = evolve(story.policy, pacing=evolve(story.policy.pacing, mode="off"))
    story.go(1)

    assert {(LARGE, HOUR)} == {(seat.model, seat.cadence) for seat in story.history.fleets[0].seats}
    assert {"keep"} == acts(story.go(1).decisions[-1:])


def test_a_seat_that_leaves_takes_its_own_pace_along() -> None:
    """The pool runs full: who moves elsewhere, or parks and comes back, runs at its own cadence there."""
    south = PoolPolicy("south", "south", "subscription")
    quiet = full("south", "weekly", START + 3 * DAY, 7 * DAY)
    idle = evolve(quiet, limits=tuple(evolve(one, percent=10.0) for one in quiet.limits))
    story = Story(policy(TEAM, south), 4, START + 2 * DAY, 70.0, 6.0 / 20, (idle,)).go(10)
    assert any(seat.cadence != HOUR for seat in story.history.fleets[0].seats)
    story.used = 100.0
    story.go(2)

    assert {("south", HOUR)} == {(seat.pool, seat.cadence) for seat in story.history.fleets[0].seats}
