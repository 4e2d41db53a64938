"""Who has the file open: connections are shared by threads, given back, closed, and follow the file."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from capacity.errors import StoreError
from capacity.ports import Store
from capacity.store import connections, sqlite

from .conftest import NOON


def idle(store: Store) -> int:
    """How many connections wait to be lent."""
    return sum(map(len, store._connections._pools[-1].idle.values()))


def test_threads_hand_connections_on(store: Store) -> None:
    """Fifty threads, one after the other, need one connection between them."""
    for _ in range(50):
        thread = threading.Thread(target=lambda: store.append("log", "key", NOON, b""))
        thread.start()
        thread.join()

    assert 1 == idle(store)
    assert 50 == len(store.read("log"))


def test_as_many_as_are_used_at_once(store: Store) -> None:
    """Four threads that read while one writes need no more than five, and none is left behind at the end."""
    with ThreadPoolExecutor(5) as threads:
        writing = [threads.submit(store.append, "log", "key", NOON, b"") for _ in range(50)]
        reading = [threads.submit(store.read, "log") for _ in range(200)]
    assert sorted(task.result() for task in writing) == [record.seq for record in store.read("log")]
    assert all(task.result() is not None for task in reading)
    assert 5 >= idle(store)

    store.close()
    assert 0 == idle(store)


def test_a_store_closed_meanwhile_closes_what_comes_back(store: Store) -> None:
    """Who is inside a transaction when another closes the store ends it, and its connection is closed then."""
    with store.transaction():
        store.append("log", "key", NOON, b"1")
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.now()

    assert 0 == idle(store)
    again = sqlite(path=store._path)
    assert [b"1"] == [record.body for record in again.read("log")]
    again.close()


def test_a_file_that_was_moved_away_is_not_written_to(store: Store, path: Path) -> None:
    """An operator moves the store away while it is in use: what was published goes with it, what comes is in a new one."""
    store.append("log", "key", NOON, b"old")
    away = path.parent / "away"
    away.mkdir()
    for part in path.parent.glob("capacity.db*"):
        part.rename(away / part.name)
    store.append("log", "key", NOON, b"new")

    assert [b"new"] == [record.body for record in store.read("log")]
    moved = sqlite(path=away / path.name)
    assert [b"old"] == [record.body for record in moved.read("log")]
    moved.close()


def test_what_a_killed_maker_left_is_replaced(store: Store, path: Path) -> None:
    """A store that was only half made under its other name is made anew."""
    path.parent.mkdir()
    Path(f"{path}.new").write_bytes(b"half")
    Path(f"{path}.new-wal").write_bytes(b"half")
    store.append("log", "key", NOON, b"1")

    assert 1 == len(store.read("log"))
    assert [] == [each.name for each in path.parent.iterdir() if ".new" in each.name]


def test_sqlite_makes_no_file_itself(path: Path) -> None:
    """Where the file vanishes just before it is opened, no empty one takes its place."""
    path.parent.mkdir()
    with pytest.raises(sqlite3.OperationalError):
        connections._open(path)

    assert not path.exists()
