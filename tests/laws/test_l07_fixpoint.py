"""L7: a decision that was applied as asked leaves nothing to do: `decide` after `advance` keeps or leaves every seat."""

from __future__ import annotations

from hypothesis import given

from capacity import decide
from capacity.core.advance import advance
from capacity.testing.strategies import World, worlds


@given(worlds(pools=4, seats=5))
def test_nothing_is_moved_twice(world: World) -> None:
    """The second decision on the same evidence only keeps and leaves."""
    inventory, headroom, policy, history = world
    after = advance(history, decide(*world))
    again = decide(inventory, headroom, policy, after)
    assert {placement.act for placement in again.placements} <= {"keep", "leave"}


@given(worlds())
def test_what_stands_goes_on_standing(world: World) -> None:
    """A condition that stood and still stands keeps its instant; one that ended is told once."""
    inventory, headroom, policy, history = world
    first = decide(*world)
    again = decide(inventory, headroom, policy, advance(history, first))
    since = {one.key: one.since for one in first.conditions if one.status == "raised"}
    ended = {one.key for one in first.conditions if one.status == "cleared"}
    for condition in again.conditions:
        if condition.status == "raised" and condition.key in since:
            assert condition.since == since[condition.key]
        assert condition.key not in ended or condition.status == "raised"
