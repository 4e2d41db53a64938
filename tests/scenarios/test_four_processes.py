"""Four processes ask for headroom at once for an hour. What the source is asked is what its budget allows, to the call."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from capacity.cli.fleets import plan_page, snapshot_page
from capacity.cli.screen import Screen
from capacity.codec import loads
from capacity.ports import Snapshot
from capacity.testing.clocks import FileClock
from capacity.testing.servers import Answer, LoopbackServer, Request
from capacity.values.limits import PoolHeadroom

from . import askers

pytestmark = pytest.mark.once

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
STEP = timedelta(seconds=30)
PROCESSES, HOMES = 4, ("one", "two")
PATIENCE = 120  # seconds until the processes are given up; they take a twentieth of that


class Source(LoopbackServer):
    """Tells two figures that only rise, one for each minute; while it is out it says something else."""

    outage: Answer | None = None

    def answer(self, request: Request) -> Answer:
        minutes = int((self.clock.now() - NOON).total_seconds()) // 60
        return self.outage or Answer(200, {"5h": 20 + minutes, "weekly:big": 30 + minutes})

    @property
    def minutes(self) -> list[float]:
        """When it was asked, in minutes after noon."""
        return [(asked.at - NOON) / timedelta(minutes=1) for asked in self.asked]


@frozen
class World:
    """A source, a clock, and four processes with two homes of one login.

    Attributes:
        folder: where store and clock are.
        clock: the clock of them all.
        source: what they ask.
        processes: those who ask.
    """

    folder: Path
    clock: FileClock
    source: Source
    processes: list[subprocess.Popen[str]] = field(factory=list)

    def start(self) -> None:
        for number in range(PROCESSES):
            home = self.folder / HOMES[number % len(HOMES)]
            home.mkdir(exist_ok=True)
            (home / "login").write_text("f1ngerpr1nt")
            argv = [sys.executable, askers.__file__, str(self.folder), self.source.url]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            self.processes.append(subprocess.Popen(argv, env={**os.environ, "HOME": str(home)}, **pipes))

    def kill(self) -> None:
        for process in self.processes:
            process.kill()

    def ask(self) -> list[PoolHeadroom]:
        """All of them at once; what each of them knows then."""
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        told = [process.stdout.readline() for process in self.processes if process.stdout is not None]
        assert all(told), "a process has ended"
        return [pool for line in told for pool in loads(Snapshot, line).pools]

    def until(self, minute: float) -> list[PoolHeadroom]:
        """Ask at every step before that minute after noon; what was known at the last one."""
        known: list[PoolHeadroom] = []
        while self.clock.now() < NOON + minute * askers.MINUTE:
            known = self.ask()
            assert PROCESSES == len(known)
            assert 1 == len(set(map(repr, known))), "they know different things"
            self.clock.advance(STEP)
        return known

    def pages(self) -> tuple[str, str]:
        """What `status` and `plan` show."""
        with askers.engine_of(self.folder, self.source.url) as engine:
            pages = (snapshot_page(askers.POLICY, engine.snapshot()), plan_page(engine.plan(), every=False))
            engine._store.close()
        shown = []
        for page in pages:
            out = io.StringIO()
            Screen(out=out).turn(page)
            shown.append(out.getvalue())
        return shown[0], shown[1]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    clock = FileClock(tmp_path / "clock", NOON)
    with Source(clock) as source:
        made = World(tmp_path, clock, source)
        made.start()
        watch = threading.Timer(PATIENCE, made.kill)
        watch.start()
        yield made
        watch.cancel()
        made.kill()
        for process in made.processes:
            process.communicate()


def used(pool: PoolHeadroom) -> dict[str, tuple[str, float, float]]:
    """Limit → how surely it is known, and within which bounds."""
    return {one.limit.name: (one.evidence, one.used.low, one.used.high) for one in pool.limits if one.used is not None}


def test_four_processes_make_the_calls_the_budget_allows(world: World) -> None:
    """One call each five minutes, whoever makes it, and everybody knows its answer."""
    known = world.until(60)

    assert [5.0 * n for n in range(12)] == world.source.minutes
    assert {"5h": ("fresh", 75.0, 75.0), "weekly:big": ("fresh", 85.0, 85.0)} == used(known[0])


@pytest.mark.parametrize(
    ("outage", "state"),
    [(Answer(503, b"gone fishing"), "unreachable"), (Answer(429, b"", {"retry-after": "0"}), "throttled")],
)
def test_an_outage_leaves_the_last_good_reading(world: World, outage: Answer, state: str) -> None:
    """From the 20th minute to the 40th nobody answers: ever fewer calls, and what was known stays a lower bound."""
    world.until(20)
    world.source.outage = outage
    known = world.until(40)
    status, plan = world.pages()
    world.source.outage = None
    after = world.until(60)

    assert [0, 5, 10, 15, 20, 27.5, 39, 56] == world.source.minutes
    for pool in known:
        assert (state, NOON + 15 * askers.MINUTE) == (pool.state, pool.observed_at)
        assert {"5h": ("stale", 35.0, 100.0), "weekly:big": ("stale", 45.0, 100.0)} == used(pool)
    for page in (status, plan):
        assert ("stale" in page, "25 min ago" in page, state in page) == (True, True, True)
    assert ("fresh", 76.0, 76.0) == used(after[0])["5h"]
