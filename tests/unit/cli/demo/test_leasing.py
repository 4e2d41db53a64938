"""The third act: each of its promises is broken by something, and the act goes on to its end all the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from capacity.cli.demo import leasing, sessions
from capacity.cli.demo.leasing import leased
from capacity.cli.demo.sessions import NEEDS, SPENT, Street
from capacity.cli.demo.turns import Turns
from capacity.cli.demo.week import Episode
from capacity.engine import Engine, Settings
from capacity.plugins import load_plugins
from capacity.values.leases import Usage

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def nothing(*_: Any, **__: Any) -> None:
    """Does nothing."""


def level(patch: pytest.MonkeyPatch) -> None:
    """No pool is fuller than the others."""
    patch.setattr(sessions, "SPENT", dict.fromkeys(SPENT, 20))


def unfilled(patch: pytest.MonkeyPatch) -> None:
    """No window fills."""
    fill = Street.fill
    patch.setattr(Street, "fill", lambda street, pool, percent, at: fill(street, pool, min(percent, 60), at))


def overdue(patch: pytest.MonkeyPatch) -> None:
    """Every window resets later than the story has it."""
    fill, late = Street.fill, timedelta(hours=6)
    patch.setattr(Street, "fill", lambda street, pool, percent, at: fill(street, pool, percent, at + late))


def unasked(patch: pytest.MonkeyPatch) -> None:
    """A broker that cannot ask."""
    patch.setattr(Engine, "refresh", nothing)


def unhurried(patch: pytest.MonkeyPatch) -> None:
    """No burst, no error and no request that is malformed."""
    run = Street.run
    patch.setattr(Street, "burst", nothing)
    patch.setattr(Street, "breaks", nothing)
    patch.setattr(Street, "run", lambda street, lease, whole=True: run(street, lease))


def open_house(patch: pytest.MonkeyPatch) -> None:
    """Sessions of the house that may go anywhere, and have much to read."""
    patch.setattr(sessions, "NEEDS", {**NEEDS, "night": evolve(NEEDS["night"], profile=None, context=100_000)})


def long_lived(patch: pytest.MonkeyPatch) -> None:
    """A story that takes leases for shorter than they are."""
    patch.setattr(leasing, "Settings", lambda: Settings(lease_life=Settings().lease_life / 2))


def modest(patch: pytest.MonkeyPatch) -> None:
    """Nobody reads much anew."""
    patch.setattr(leasing, "REWRITTEN", Usage())


def told_twice(patch: pytest.MonkeyPatch) -> None:
    """Sessions that tell each turn twice."""
    count = Turns.count

    def twice(turns: Turns, pool: str, usage: Usage) -> None:
        count(turns, pool, usage)
        count(turns, pool, usage)

    patch.setattr(Turns, "count", twice)


SPOILT: Mapping[Callable[[pytest.MonkeyPatch], None], set[int]] = {
    level: {0},
    unfilled: {1, 2, 5, 6},
    overdue: {2, 5, 7},
    unasked: {1},
    unhurried: {3, 4, 8, 9},
    open_house: {10, 12},
    long_lived: {10, 11},
    modest: {13},
    told_twice: {14, 15},
}
"""What is spoilt → which promises that must break, by their place in the act."""


def act(folder: Path) -> Episode:
    """The act's episode."""
    plugins = load_plugins(only=("claude", "deepseek", "llama-cpp"))
    return leased(folder / "leased", MONDAY, plugins, nothing).episode


@pytest.mark.parametrize("spoil", list(SPOILT), ids=lambda one: one.__name__)
def test_a_promise_that_is_not_kept_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[pytest.MonkeyPatch], None]
) -> None:
    """Where the world is not as the story has it, what it promised of that is broken."""
    spoil(monkeypatch)
    held = list(act(tmp_path).promises.values())

    assert not any(held[number] for number in SPOILT[spoil]), held


def test_every_promise_is_broken_by_something(tmp_path: Path) -> None:
    """None of them holds whatever happens; undisturbed all of them do."""
    promises = act(tmp_path).promises

    assert set(range(len(promises))) == set().union(*SPOILT.values())
    assert all(promises.values())
