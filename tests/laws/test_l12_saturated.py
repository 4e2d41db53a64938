"""L12: `over` without a lever left is `saturated`, with its direction; and never while one is left."""

from __future__ import annotations

from hypothesis import given

from capacity import decide
from capacity.testing.strategies import World, paced_worlds


@given(paced_worlds())
def test_no_lever_left_is_said(world: World) -> None:
    """A pool that is over with every seat cheap and slow is saturated downwards, and a loud condition says so."""
    decided = decide(*world)
    said = {
        one.fact.subject
        for one in decided.conditions
        if one.fact.code.startswith("core:saturated") and one.status == "raised"
    }
    for pace in decided.paces:
        known = world.headroom.pools[pace.pool]
        moved = any(one.fact.subject == pace.pool and one.fact.code == "core:over-pace" for one in decided.placements)
        bare = bool(pace.seats) and not pace.demotable and not pace.slowable
        if world.policy.pacing.mode != "off" and known.pace == "over" and bare and not moved:
            assert ("saturated", "down") == (pace.pace, pace.direction)
        assert (pace.direction is not None) is (pace.pace == "saturated") is (pace.pool in said)


@given(paced_worlds())
def test_saturated_is_over_or_under(world: World) -> None:
    """The word is never said of a pool that is on pace, learning or full."""
    for pace in decide(*world).paces:
        if pace.pace == "saturated":
            assert world.headroom.pools[pace.pool].pace == {"down": "over", "up": "under"}[pace.direction or ""]
