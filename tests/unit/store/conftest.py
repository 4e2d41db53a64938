"""A store in a file, and children that use the same file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from capacity.ports import Store
from capacity.store import sqlite
from capacity.testing.clocks import SettableClock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CHILDREN = Path(__file__).with_name("children.py")

Child = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(NOON)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "capacity.db"


@pytest.fixture
def store(path: Path, clock: SettableClock) -> Iterator[Store]:
    store = sqlite(path=path, clock=clock)
    yield store
    store.close()


@pytest.fixture
def child(path: Path) -> Iterator[Child]:
    """Starts a child of `children.py` on the same file; none outlives its test."""
    started: list[subprocess.Popen[str]] = []

    def start(task: str, *arguments: object) -> subprocess.Popen[str]:
        argv = [sys.executable, str(CHILDREN), task, str(path), *map(str, arguments)]
        started.append(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=30)
