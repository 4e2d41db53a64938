"""Sixteen processes share three slots and are killed at random; no slot has two holders, none is lost, none settled twice.

`KILL_TEST_LEASES` says how many leases are granted in all. By default so few that it takes seconds; 10,000 take a minute.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from attrs import frozen

from capacity.codec import loads
from capacity.core.leases import Entered
from capacity.engine import Reply
from capacity.engine.ledger import Ledger
from capacity.store import sqlite
from capacity.values.leases import Lease

from . import leasers

pytestmark = pytest.mark.once

LEASES = int(os.environ.get("KILL_TEST_LEASES", "1000"))
STILL = timedelta(seconds=3)  # a busy machine lets nobody run for a while, once in a run


@frozen
class Aftermath:
    """What is left of all those lives.

    Attributes:
        kills: how many were ended by force.
        failed: exit codes of the others, summed.
        said: lines of their log.
        lines: of the log of leases.
        settled: of the log of settlements.
        count: leases that were granted.
    """

    kills: int
    failed: int
    said: list[str]
    lines: list[Entered]
    settled: list[Reply]
    count: int

    @property
    def granted(self) -> list[Lease]:
        """Every lease, in the order they were granted."""
        return [line.granted for line in self.lines if line.granted is not None]


@pytest.fixture(scope="module")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> Aftermath:
    """All of it; the chance is drawn from a fixed seed, the moments are the machine's."""
    folder: Path = tmp_path_factory.mktemp("leases")
    command = [sys.executable, leasers.__file__, str(folder), str(LEASES)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=leasers.patience_for(LEASES) + 30, check=True
    )
    kills, failed = map(int, done.stdout.split())
    assert "" == done.stderr
    with closing(sqlite(path=folder / "capacity.db")) as store:
        lines = [loads(Entered, record.body) for record in store.read("leases")]
        settled = [loads(Reply, record.body) for record in store.read("settled")]
        count = Ledger(store).leasing.book().count
    log = folder / "log"
    return Aftermath(kills, failed, log.read_text().splitlines() if log.exists() else [], lines, settled, count)


def test_so_many_were_granted_and_so_many_died(aftermath: Aftermath) -> None:
    """Enough leases and enough deaths for it to mean something; whoever was not killed ended well."""
    assert aftermath.count >= LEASES
    assert aftermath.kills > LEASES // 200
    assert 0 == aftermath.failed
    endings = {line.ending for line in aftermath.lines if line.doing == "ended"}
    assert {"used", "released", "failed", "expired"} <= endings


def test_no_slot_ever_has_two_holders(aftermath: Aftermath) -> None:
    """Whoever has a lease has its slot alone, but for one whose lease was over before the machine let it run again."""
    over = {line.lease for line in aftermath.lines if line.ending == "expired"}
    clashes = [line.removeprefix("clash ").split() for line in aftermath.said]

    assert [] == [both for both in clashes if over.isdisjoint(both)]


def test_a_slot_is_granted_after_it_was_given_back(aftermath: Aftermath) -> None:
    """In the log the leases of one slot follow each other: each ends before the next begins, and no fence is used twice."""
    ends = {line.lease: at for at, line in enumerate(aftermath.lines) if line.doing == "ended"}
    starts = {line.lease: at for at, line in enumerate(aftermath.lines) if line.granted is not None}
    assert {0, 1, 2} == {lease.slot for lease in aftermath.granted}
    for leases in by_slot(aftermath.granted).values():
        for earlier, later in pairwise(leases):
            assert ends[earlier.id] < starts[later.id]
            assert earlier.generation < later.generation


def test_no_slot_is_lost_for_longer_than_a_lease_lives(aftermath: Aftermath) -> None:
    """A dead holder's slot is granted again one life later, for there is always somebody who wants it."""
    until = {lease.id: lease.expires_at for lease in aftermath.granted}
    for line in aftermath.lines:
        if line.until is not None:
            until[line.lease] = line.until
        if line.doing == "ended":
            assert line.at < until[line.lease] + STILL
    for leases in by_slot(aftermath.granted).values():
        for earlier, later in pairwise(leases):
            assert later.offered_at < until[earlier.id] + STILL


def test_nothing_is_settled_twice(aftermath: Aftermath) -> None:
    """Every lease that ended was settled once, whoever told its end and however often."""
    settled = [reply.settled.lease for reply in aftermath.settled]
    ended = [line.lease for line in aftermath.lines if line.doing == "ended"]

    assert len(set(settled)) == len(settled)
    assert sorted(settled) == sorted(ended)


def by_slot(leases: list[Lease]) -> dict[int, list[Lease]]:
    """Slot → its leases, in the order they were granted."""
    found = defaultdict[int, list[Lease]](list)
    for lease in leases:
        found[lease.slot].append(lease)
    return dict(found)
