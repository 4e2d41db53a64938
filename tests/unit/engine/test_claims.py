"""Fleets are ours for a while, and only for a while."""

from __future__ import annotations

from datetime import timedelta

from capacity.engine.claims import Claims
from capacity.store import memory
from capacity.testing.clocks import SettableClock

from .scene import NOON

LIFE = timedelta(seconds=60)


def test_a_fleet_has_one_holder() -> None:
    """Whoever comes second is told who came first, and cannot keep what is not his."""
    store = memory(clock=SettableClock(NOON))
    with Claims(store, "first", LIFE, ["f"]) as first, Claims(store, "second", LIFE, ["f", "g"]) as second:
        assert ({}, {"f": "first"}) == (first.others, second.others)
        assert (True, False, True) == (first.keep("f"), second.keep("f"), second.keep("g"))


def test_a_fleet_is_free_again_after_the_block() -> None:
    """Leaving the block gives everything back, an exception too."""
    store = memory(clock=SettableClock(NOON))
    try:
        with Claims(store, "first", LIFE, ["f"]):
            raise KeyError
    except KeyError:
        pass

    assert store.holder("fleet:f") is None


def test_keeping_it_is_another_life() -> None:
    """A claim that is kept lives on; one that is not lapses, and cannot be kept afterwards, whoever has it then."""
    clock = SettableClock(NOON)
    store = memory(clock=clock)
    with Claims(store, "first", LIFE, ["f"]) as claims:
        clock.advance(LIFE / 2)
        assert claims.keep("f")
        clock.advance(LIFE * 3 / 4)
        assert claims.keep("f")
        clock.advance(LIFE)
        assert not claims.keep("f")
        with Claims(store, "second", LIFE, ["f"]) as others:
            assert (False, True) == (claims.keep("f"), others.keep("f"))
