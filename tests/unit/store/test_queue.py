"""Writers wait in turn, not for ever, and no dead process is waited for."""

from __future__ import annotations

import fcntl
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from capacity.errors import StoreError
from capacity.ports import Store
from capacity.store import connections, queue

from .conftest import NOON


def test_patience_ends(store: Store, path: Path, monkeypatch) -> None:
    """Whoever holds the lock for too long is told to the operator, with the command that finds it; then all goes on."""
    store.append("log", "key", NOON, b"1")
    monkeypatch.setattr(queue, "PATIENCE_S", 0.01)
    with Path(f"{path}.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(StoreError, match=f"fuser {path}.lock"):
            store.append("log", "key", NOON, b"2")
        assert 1 == len(store.read("log"))

    store.append("log", "key", NOON, b"3")
    assert [b"1", b"3"] == [record.body for record in store.read("log")]


def test_another_program_that_holds_the_database(store: Store, path: Path, monkeypatch) -> None:
    """A tool that knows nothing of the queue is waited for too, and then told."""
    monkeypatch.setattr(connections, "PATIENCE_S", 0.01)
    store.append("log", "key", NOON, b"1")
    tool = sqlite3.connect(path, isolation_level=None)
    tool.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another program holds it"):
        store.transaction().__enter__()

    tool.execute("ROLLBACK")
    tool.close()
    store.append("log", "key", NOON, b"3")
    assert [b"1", b"3"] == [record.body for record in store.read("log")]


def test_threads_queue_too(path: Path) -> None:
    """Only one thread of a process is at the head of the line."""
    path.parent.mkdir()
    inside: list[int] = []

    def enter(_: int) -> int:
        with queue.queue(path):
            inside.append(1)
            together = len(inside)
            inside.pop()
        return together

    with ThreadPoolExecutor(4) as threads:
        assert {1} == set(threads.map(enter, range(40)))


def test_the_lock_file_may_be_removed(store: Store, path: Path) -> None:
    """It holds nothing; the next writer makes another."""
    store.append("log", "key", NOON, b"1")
    Path(f"{path}.lock").unlink()
    store.append("log", "key", NOON, b"2")

    assert 2 == len(store.read("log"))
