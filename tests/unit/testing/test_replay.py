"""A saved tick is decided once more, and any difference is shown."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given

from capacity.core.decide import decide
from capacity.testing.replay import assert_replays, replay_tick
from capacity.testing.strategies import World, worlds
from capacity.values.tick import Tick


@given(worlds(pools=2, seats=2))
def test_a_tick_replays(world: World) -> None:
    """What was decided from four inputs is decided from them again."""
    tick = Tick(*world, decision=decide(*world))

    assert tick.decision == replay_tick(tick)
    assert_replays(tick)


@given(worlds(pools=1, seats=1))
def test_another_decision_is_shown(world: World) -> None:
    """A decision that does not follow from the inputs fails, with the place where it differs."""
    other = evolve(decide(*world), order="whim")

    with pytest.raises(AssertionError, match=r'decided differently now(.|\n)*-.*"order": "whim"'):
        assert_replays(Tick(*world, decision=other))


@given(worlds(pools=1, seats=1))
def test_a_tick_without_a_decision_proves_nothing(world: World) -> None:
    """There has to be something to compare with."""
    with pytest.raises(AssertionError, match="no decision"):
        assert_replays(Tick(*world))
