"""What other processes do to a store in these tests: `python children.py TASK PATH …`. Not a test itself."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from capacity.errors import StoreError
from capacity.ports import Store
from capacity.store import queue, sqlite
from capacity.store.in_file import SqliteStore

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def publish(store: Store) -> None:
    """Append for ever: single records, and pairs in a transaction. Say each number once it is acknowledged."""
    for n in range(10**6):
        print(store.append("single", "key", NOON, b"x" * (n % 5000)), flush=True)
        with store.transaction(durable=n % 2 == 0):
            first = store.append("pair", "key", NOON, b"first")
            store.swap("count", str(n).encode(), store.get("count"))
            second = store.append("pair", "key", NOON, b"second")
        print(first, second, flush=True)


def follow(store: Store) -> None:
    """Read what is new until the end is told; say the bodies in the order they came."""
    seen, told = 0, []
    until = time.monotonic() + 60
    while b"end" not in told and time.monotonic() < until:
        for record in store.read("log", since=seen):
            seen = record.seq
            told.append(record.body)
        newest = store.read("log", last=1)
        assert not newest or newest[0].seq >= seen
        time.sleep(0.001)
    print(*(body.decode() for body in told), flush=True)


def claim(store: Store) -> None:
    """Take the one slot as often as it can be had within a second; say the generations it was had under."""
    generations = []
    until = time.monotonic() + 1
    while time.monotonic() < until:
        mine = store.claim("key", str(os.getpid()), 1, timedelta(seconds=60))
        if mine:
            assert store.holder("key") == mine.holder
            generations.append(mine.generation)
            assert store.release(mine)
    print(*generations, flush=True)


def append(store: Store) -> None:
    """Append one record; say its number."""
    print(store.append("log", "key", NOON, b"child"), flush=True)


def fork(store: SqliteStore) -> None:
    """Fork with connections open; parent and child go on, in turns, and the child ends like any program."""
    store.append("log", "key", NOON, b"before")
    with store._connections.lend() as inherited:
        pass
    child = os.fork()
    if not child:
        for _ in range(50):
            store.append("log", "key", NOON, b"child")
        with store._connections.lend() as own:
            assert own is not inherited
        store.close()
        assert inherited.execute("SELECT 1").fetchone() == (1,)  # not closed
        sys.exit()
    for _ in range(50):
        store.append("log", "key", NOON, b"parent")
    _, status = os.waitpid(child, 0)
    store.append("log", "key", NOON, b"after")
    print(status, flush=True)


def fork_inside(store: SqliteStore) -> None:
    """Fork inside a transaction: the child looks around and leaves the block, the parent ends it."""
    child = None
    try:
        with store.transaction():
            store.append("log", "key", NOON, b"1")
            inherited = store._transactions.within
            child = os.fork()
            if child:
                _, status = os.waitpid(child, 0)
                store.append("log", "key", NOON, b"2")
                print(status, flush=True)
            else:
                assert store.read("log") == ()
    except StoreError:
        assert not child
        assert inherited.in_transaction
        sys.exit()
    assert child


def linger(store: SqliteStore) -> None:
    """Fork inside a transaction a child that lives on, and still write afterwards."""
    queue.PATIENCE_S = 5.0
    with store.transaction():
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
    try:
        print(store.append("log", "key", NOON, b"1"), flush=True)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def on_a_small_disk() -> None:
    """Make and fill stores on a file system of 400 KiB with less and less room; say what of that was not as it must be."""
    for filled in range(250_000, 409_600, 4096):
        folder = Path(f"{filled}")
        folder.mkdir()
        ballast = Path("ballast")
        ballast.write_bytes(b"x" * filled)
        store, kept, told = sqlite(path=folder / "capacity.db"), list[int](), ""
        try:
            for n in range(100):
                with store.transaction(durable=n % 2 == 0):
                    seq = store.append("log", "key", NOON, os.urandom(3000))
                    store.swap("count", str(n).encode(), store.get("count"))
                kept.append(seq)
        except StoreError as error:
            told = str(error)
        ballast.unlink()
        if "there is no room to write" not in told or "Make room" not in told:
            print(filled, "told", told or "nothing", flush=True)
        if kept != [record.seq for record in store.read("log")]:
            print(filled, "lost something, or kept half of it", flush=True)
        print("then", store.append("log", "key", NOON, b"y") and "written", flush=True)
        store.close()
        shutil.rmtree(folder)


if __name__ == "__main__":
    task, path = sys.argv[1:3]
    if task == "on_a_small_disk":
        os.chdir(path)
        on_a_small_disk()
        sys.exit()
    store = sqlite(path=path)
    globals()[task](store)
    store.close()
