"""L3: shifting every instant by whole days changes only instants."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st

from capacity import decide
from capacity.core.decide import tick_id
from capacity.testing.strategies import World, worlds


def shifted(value: Any, by: timedelta) -> Any:
    """The value with every instant in it moved; ids that hold an instant lose it."""
    if isinstance(value, datetime):
        return value + by
    if attrs.has(type(value)):
        fields = attrs.fields(type(value))
        return type(value)(**{f.name: shifted(getattr(value, f.name), by) for f in fields if f.init})
    if isinstance(value, tuple):
        return tuple(shifted(one, by) for one in value)
    if isinstance(value, dict):
        return {key: shifted(one, by) for key, one in value.items()}
    return value


def without_id(value: Any, tick: str) -> Any:
    """The value with the tick's id taken out of every text."""
    if isinstance(value, str):
        return value.replace(tick, "tick")
    if attrs.has(type(value)):
        fields = attrs.fields(type(value))
        return type(value)(**{f.name: without_id(getattr(value, f.name), tick) for f in fields if f.init})
    if isinstance(value, tuple):
        return tuple(without_id(one, tick) for one in value)
    if isinstance(value, dict):
        return {key: without_id(one, tick) for key, one in value.items()}
    return value


@given(worlds(), st.integers(-400, 400))
def test_only_instants_move(world: World, days: int) -> None:
    """A decision made some days later in a world that is as many days later is the same decision, later."""
    by = timedelta(days=days)
    later = World(*(shifted(value, by) for value in world))
    expected = without_id(shifted(decide(*world), by), tick_id(world.history))
    assert without_id(decide(*later), tick_id(later.history)) == expected
