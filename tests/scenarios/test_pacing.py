"""Pacing in a loop: what happens to a pool and its seats while they are decided for every twenty minutes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity import Decision, Limit, Reading, Scope, assess, decide
from capacity.core.advance import advance
from capacity.core.sentences import sentence
from capacity.core.steering import corrected, steps
from capacity.values.decision import WRITES
from capacity.values.policy import FleetPolicy, PoolPolicy
from capacity.values.seats import Fleet

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


def lowered() -> Story:
    """Six seats on a pool that burned too fast: some on the lower rung, some slowed or hastened."""
    story = Story(policy(TEAM), 6, START + 2 * DAY, 60.0, 3.0 / 30).go(30)
    assert {SMALL, LARGE} >= {seat.model for seat in story.history.fleets[0].seats} >= {SMALL}
    return story


@pytest.mark.parametrize(
    "change",
    [
        {"levers": ("cadence",)},
        {"levers": ("rung",)},
        {"levers": ()},
        {"rungs": {}},
        {"mode": "off"},
        {"mode": "off", "rungs": {}},
        {"mode": "off", "levers": ()},
        {"mode": "notch"},
    ],
    ids=["no-rungs", "no-cadences", "no-levers", "no-burns", "off", "off-no-burns", "off-no-levers", "notch"],
)
def test_a_lever_that_is_taken_away_is_given_back(change: dict[str, Any]) -> None:
    """Whatever the policy says now: a rung or a cadence that pacing may not move any more goes back to what it was."""
    story = lowered()
    story.policy = evolve(story.policy, pacing=evolve(story.policy.pacing, **change))
    pacing = story.policy.pacing
    story.go(3)
    seats = story.history.fleets[0].seats

    if "rung" not in pacing.levers or pacing.mode == "off" or not pacing.rungs:
        assert {LARGE} == {seat.model for seat in seats}
    if "cadence" not in pacing.levers or pacing.mode != "level":
        assert {HOUR} == {seat.cadence for seat in seats}


def test_a_seats_own_pace_survives_every_move() -> None:
    """Sixty days of demand that comes and goes, then off: everybody is back at exactly their own pace and rung."""
    story = Story(policy(TEAM), 6, START + 2 * DAY, 40.0, 2.0 / 30)
    for per_level in (3.0, 0.3, 2.0, 0.2, 4.0, 1.0):
        story.per_level = per_level / 30
        story.go(36)
    story.policy = evolve(story.policy, pacing=evolve(story.policy.pacing, mode="off"))
    story.go(3)

    assert {(LARGE, HOUR)} == {(seat.model, seat.cadence) for seat in story.history.fleets[0].seats}


def test_a_pace_that_the_operator_set_by_hand_is_his() -> None:
    """Ours was in force, he set another, the pool ran full: parked and resumed, the seat keeps his."""
    slowing = policy(TEAM)
    slowing = evolve(slowing, pacing=evolve(slowing.pacing, levers=("cadence",)))
    story = Story(slowing, 6, START + 2 * DAY, 60.0, 3.0 / 30).go(30)
    fleet = story.history.fleets[0]
    mine = next(seat for seat in fleet.seats if seat.cadence != HOUR)
    seats = tuple(evolve(seat, cadence=3 * HOUR) if seat.name == mine.name else seat for seat in fleet.seats)
    story.history = evolve(story.history, fleets=(evolve(fleet, seats=seats),))
    story.policy = evolve(story.policy, pacing=evolve(story.policy.pacing, mode="off"))
    story.go(1)
    story.used = 100.0
    story.go(2)
    assert {"capacity"} == {seat.paused_by for seat in story.history.fleets[0].seats}
    story.used = 5.0
    story.resets_at += 6 * DAY
    story.go(4)

    assert {3 * HOUR} == {seat.cadence for seat in story.history.fleets[0].seats if seat.name == mine.name}


def test_seats_that_are_only_shadowed_are_a_burn_that_stands() -> None:
    """Two fleets on one pool, one of them in shadow: the other is braked for both, and the pool lands."""
    story = Story(policy(TEAM), 6, START + 40 * HOUR, 30.0, 2.6 / 60)
    shadow = FleetPolicy("ghosts", "file", "shadow")
    story.policy = evolve(story.policy, fleets={**story.policy.fleets, "ghosts": shadow})
    ghosts = tuple(evolve(seat, fleet="ghosts") for seat in story.history.fleets[0].seats)
    story.history = evolve(
        story.history, fleets=(*story.history.fleets, Fleet("ghosts", START, ghosts, abilities=("cadence", "move")))
    )
    story.go(118)

    assert {(LARGE, HOUR)} == {(seat.model, seat.cadence) for seat in story.history.fleets[1].seats}
    assert 90 < story.used < 100


def test_a_home_that_is_capped_is_not_returned_to() -> None:
    """The pool is under its pace, and a cap on the dearer model is full: nobody is raised onto it, tick after tick."""
    story = lowered()
    story.per_level = 0.3 / 30
    cap = Limit("weekly:large", 100.0, resets_at=START + 9 * DAY, window=7 * DAY, scope=Scope("model", LARGE))
    story.more = (cap,)
    story.go(30)
    late = story.decisions[-20:]

    assert "core:under-pace" not in {one.fact.code for made in late for one in made.placements if one.act == "restore"}
    assert {SMALL} == {seat.model for seat in story.history.fleets[0].seats}


def test_a_fleet_that_cannot_be_seen_goes_on_as_it_was() -> None:
    """Held by another, or not readable: no level of nothing is journalled, and nobody is braked or hastened for it."""
    story = Story(policy(TEAM), 6, START + 2 * DAY, 40.0, 1.0 / 30).go(12)
    hidden = evolve(story.history.fleets[0], refuses="it is being edited")
    told = evolve(story.history, fleets=(hidden,), as_of=story.now)
    known = assess(story.readings, story.levels, story.policy, story.now)

    assert () == tuple(steps(told, decide(story.inventory(), known, story.policy, told)))


def test_what_did_not_take_changed_no_level() -> None:
    """Every placement is refused: an instant later the journal says the level that is really in force."""
    story = Story(policy(TEAM), 6, START + 12 * HOUR, 40.0, 8.0 / 30).go(3)
    known = assess(story.readings, story.levels, story.policy, story.now)
    history = evolve(
        story.history, as_of=story.now, fleets=tuple(evolve(one, observed_at=story.now) for one in story.history.fleets)
    )
    week = Limit("weekly", 48.0, resets_at=story.resets_at, window=7 * DAY)
    known = assess(
        [*story.readings, Reading("team", "ok", "fake", story.now, usual=HOUR / 3, limits=(week,))],
        story.levels,
        story.policy,
        story.now,
    )
    made = decide(story.inventory(), known, story.policy, history)
    moved = {one.key for one in made.placements if one.act in WRITES}
    after = advance(history, made)
    (step,) = corrected(after, made, moved)

    assert moved
    assert made.paces[0].level < 30.0
    assert (30.0, True) == (pytest.approx(step.level), step.at > story.now)
    assert [] == list(corrected(after, made, set()))


def test_odd_cadences_saturate_too() -> None:
    """Seconds are whole, and small changes are none: the end of the reach is where no lever is left."""
    odd = timedelta(seconds=107)
    story = Story(policy(TEAM, floor="high"), 1, START + 9 * DAY, 2.0, 0.2 / 500, cadence=odd).go(48)

    assert {("saturated", "up")} == {(one.pace, one.direction) for one in story.decisions[-1].paces}
    (seat,) = story.history.fleets[0].seats
    assert seat.cadence is not None
    assert abs(odd / 2 - seat.cadence) <= timedelta(seconds=1)


def test_no_lever_at_all_and_too_slow() -> None:
    """Tier and floor are one, nobody tells a cadence, and the pool is hardly used: saturated upwards."""
    story = Story(policy(TEAM, floor="high"), 2, START + DAY, 20.0, 0.4 / 10, cadence=None).go(14)

    assert {("saturated", "up", "reach")} == {
        (one.pace, one.direction, one.because) for one in story.decisions[-1].paces
    }


def test_notch_says_that_nothing_is_left() -> None:
    """Cadences are no lever of that mode: over with every rung taken is saturated downwards."""
    story = Story(policy(TEAM, floor="high", mode="notch"), 4, START + 10 * HOUR, 60.0, 6.0 / 20).go(8)

    assert {("saturated", "down")} == {(one.pace, one.direction) for one in story.decisions[-1].paces}
