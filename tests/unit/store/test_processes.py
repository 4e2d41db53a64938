"""Several processes at one file: nothing acknowledged is lost, nothing is seen half, no slot is given twice."""

from __future__ import annotations

import random
import time
from pathlib import Path

from capacity.ports import Store
from capacity.store import sqlite

from .conftest import NOON, Child


def test_what_was_acknowledged_outlives_kill(path: Path, child: Child) -> None:
    """A publisher is killed twenty times at a random moment: every number it was given is there, pairs are whole."""
    told: set[int] = set()
    for _ in range(20):
        publisher = child("publish")
        told |= {int(word) for word in publisher.stdout.readline().split()}
        time.sleep(random.uniform(0, 0.05))
        publisher.kill()
        rest, _ = publisher.communicate(timeout=30)
        told |= {int(word) for line in rest.splitlines(keepends=True) if line.endswith("\n") for word in line.split()}

    store = sqlite(path=path)
    pairs = store.read("pair")
    kept = {record.seq for record in (*store.read("single"), *pairs)}
    store.close()
    assert 40 < len(told)
    assert set() == told - kept
    assert [b"first", b"second"] * (len(pairs) // 2) == [record.body for record in pairs]


def test_eight_readers_lose_nothing(store: Store, child: Child) -> None:
    """While one publishes, each of eight processes reads every document once, in order."""
    store.append("log", "key", NOON, b"start")
    readers = [child("follow") for _ in range(8)]
    words = ["start", *map(str, range(300)), "end"]
    for word in words[1:]:
        store.append("log", "key", NOON, word.encode())
        time.sleep(0.002)

    assert [words] * 8 == [reader.communicate(timeout=60)[0].split() for reader in readers]


def test_one_slot_among_processes(store: Store, child: Child) -> None:
    """Four processes take and give back one slot as fast as they can: each time under a generation of its own."""
    children = [child("claim") for _ in range(4)]
    generations = [int(word) for each in children for word in each.communicate(timeout=60)[0].split()]

    assert [0, 0, 0, 0] == [each.returncode for each in children]
    assert sorted(generations) == list(range(1, len(generations) + 1))
    assert 4 < len(generations)


def test_the_file_is_made_once(path: Path, child: Child) -> None:
    """Eight processes that all find no file end up in one."""
    children = [child("append") for _ in range(8)]
    numbers = sorted(int(each.communicate(timeout=60)[0]) for each in children)

    assert list(range(1, 9)) == numbers


def test_a_fork_has_connections_of_its_own(store: Store, child: Child) -> None:
    """A process forked with the store open writes beside its parent, ends, and the parent's goes on."""
    forking = child("fork")
    assert "0\n" == forking.communicate(timeout=60)[0]

    bodies = [record.body for record in store.read("log")]
    assert (b"before", b"after", 50, 50) == (bodies[0], bodies[-1], bodies.count(b"parent"), bodies.count(b"child"))


def test_a_transaction_belongs_to_the_process_that_began_it(store: Store, child: Child) -> None:
    """A child forked inside sees nothing of it, and leaving the block there neither ends nor undoes it."""
    forking = child("fork_inside")
    assert "0\n" == forking.communicate(timeout=60)[0]

    assert [b"1", b"2"] == [record.body for record in store.read("log")]


def test_a_fork_does_not_keep_the_head_of_the_line(path: Path, child: Child) -> None:
    """A child forked inside a transaction holds nobody up by living on."""
    assert "1\n" == child("linger").communicate(timeout=60)[0]
