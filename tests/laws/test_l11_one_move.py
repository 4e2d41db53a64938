"""L11: at most one pacing move per pool per tick: a re-solved level, or in `notch` mode one seat and one rung."""

from __future__ import annotations

from collections import Counter

from hypothesis import given

from capacity import Decision, decide
from capacity.core.advance import advance
from capacity.core.pacing import OVER, OWN, UNDER
from capacity.testing.strategies import World, paced_worlds
from capacity.values.decision import Placement

MOVES = {OVER, UNDER, OWN}
ARRIVES = {"resume", "restore", "move", "demote"}


def moves(made: Decision) -> list[Placement]:
    """The pacing moves of a decision."""
    return [one for one in made.placements if one.fact.code in MOVES]


@given(paced_worlds())
def test_a_pool_is_moved_one_way(world: World) -> None:
    """No pool is both raised and lowered in a tick; in `notch` mode one seat is moved, by one rung."""
    made = moves(decide(*world))
    ways: dict[str, set[str]] = {}
    for one in made:
        ways.setdefault(one.fact.subject, set()).add(one.fact.code)

    assert all(len(codes) == 1 for codes in ways.values())
    if world.policy.pacing.mode == "notch":
        assert set(Counter(one.fact.subject for one in made).values()) <= {1}


@given(paced_worlds())
def test_the_level_stays_in_reach(world: World) -> None:
    """What is commanded of the seats that stay lies between the least and the most they can be commanded to."""
    decided = decide(*world)
    alone = {one.fact.subject for one in moves(decided) if world.policy.pacing.mode == "level"}
    for pace in decided.paces:
        if pace.pool in alone and pace.low is not None and pace.high is not None:
            came = sum(one.act in {"resume", "move"} for one in decided.placements)
            assert came or pace.low * 0.9 <= pace.level <= pace.high * 1.1


@given(paced_worlds())
def test_moved_once_in_half_a_tick(world: World) -> None:
    """What was just commanded stands: deciding again on the same evidence moves nothing more.

    A pool that seats came to, and that was not moved, may have its first move then: only now are they there to be paced.
    """
    decided = decide(*world)
    again = decide(world.inventory, world.headroom, world.policy, advance(world.history, decided))
    moved = {one.fact.subject for one in moves(decided)}
    came = {one.candidate.pool for one in decided.placements if one.act in ARRIVES and one.candidate is not None}
    first = [one for one in moves(again) if one.fact.subject in came - moved]

    assert {one.act for one in again.placements if one not in first} <= {"keep", "leave"}


@given(paced_worlds())
def test_pacing_never_breaks_a_floor_or_a_pool(world: World) -> None:
    """A seat is lowered inside its pool and harness, to a place that nothing speaks against."""
    decided = decide(*world)
    for seat in decided.seats:
        one = seat.placement
        if one.fact.code in MOVES and one.act == "demote" and one.candidate is not None and one.expected is not None:
            assert (one.candidate.pool, one.candidate.harness) == (one.fact.subject, one.expected.harness)
            assert seat.need is not None
            assert "yes" == dict(decided.answers(seat.need))[one.candidate].answer
