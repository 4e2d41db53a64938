"""Starts one ticking child after another, each a fork that has imported everything already. Run by `test_kill.py`.

A line on standard input starts a child. What a child does it says on standard output, a word and what it is about; what
must be remembered of a killed one goes to a log that is only ever appended to. The clock stands in a file and moves
when a child moves it.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from capacity.actuators import file
from capacity.engine import Engine, Settings
from capacity.plugins import PROBERS, Plugin, Plugins
from capacity.ports import (
    Actuator,
    Budget,
    Candidate,
    Fleet,
    Key,
    Limit,
    Outcome,
    Pause,
    Placement,
    Reading,
    Snapshot,
    Store,
)
from capacity.store import memory, sqlite
from capacity.testing.clocks import FileClock
from capacity.values.policy import AccountPolicy, FleetPolicy, HarnessPolicy, Policy, PoolPolicy, SeatRule
from capacity.values.tiers import TierRow, Tiers

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TURN = timedelta(minutes=20)
WITHIN = 0.004  # seconds an apply lasts before and after it writes: long enough to be hit, and many times over
ACCOUNTS = ("even", "odd")

POLICY = Policy(
    tiers=Tiers(("top",), tuple(TierRow("top", "h", f"model-{name}") for name in ACCOUNTS)),
    accounts={name: AccountPolicy(name, "turns", options={"who": name}) for name in ACCOUNTS},
    pools={name: PoolPolicy(name, name, "subscription", models=(f"model-{name}",)) for name in ACCOUNTS},
    harnesses={"h": HarnessPolicy("h", ACCOUNTS)},
    fleets={"f": FleetPolicy("f", "file", "enforce")},
    seats=(SeatRule("default", tier="top"),),
)


class Turns:
    """One of two accounts that are full in turn, so that at every tick every seat has to move."""

    budget = Budget(floor=TURN / 4, usual=TURN / 2, idle=TURN / 2, jitter=0.0)

    def __init__(self, *, who: str, credentials: Key | None) -> None:
        self.who = who

    async def account(self) -> str:
        return self.who

    async def probe(self) -> tuple[Reading, ...]:
        at = (await Pause(timedelta(0))).at
        full = ACCOUNTS[((at - NOON) // TURN) % 2] == self.who
        limit = Limit("weekly", percent=99.0 if full else 1.0, resets_at=at + 9 * TURN, window=timedelta(days=7))
        return (Reading("", "ok", "turns", at, limits=(limit,)),)


class Slow:
    """The file actuator, with time to be killed in, and a log of what it carried out."""

    def __init__(self, inner: Actuator, log: int) -> None:
        self.inner, self.log, self.abilities = inner, log, inner.abilities

    async def fleet(self) -> Fleet:
        return await self.inner.fleet()

    async def apply(self, placement: Placement) -> Outcome:
        say("in", placement.id)
        linger()
        outcome = await self.inner.apply(placement)
        if outcome.word == "applied":
            os.write(self.log, f"carried {placement.id}\n".encode())
        linger()
        say("out", placement.id)
        return outcome

    async def prepare(self, candidate: Candidate) -> Outcome:
        return await self.inner.prepare(candidate)

    async def report(self, snapshot: Snapshot) -> Outcome:
        return await self.inner.report(snapshot)


def linger() -> None:
    time.sleep(WITHIN)  # real time, inside the flow: an effect would pass on the clock in the file, at once


def say(word: str, about: object = "") -> None:
    os.write(1, f"{word} {about}\n".encode())


def engine(folder: Path, log: int, store: Store | None = None) -> Engine:
    clock = FileClock(folder / "clock", NOON)
    return Engine(
        POLICY,
        store=store or sqlite(path=folder / "capacity.db", clock=clock),
        plugins=Plugins([Plugin(PROBERS, "turns", "capacity-turns", "1", Turns)]),
        clock=clock,
        actuators={"f": Slow(file(fleet="f", path=str(folder / "fleet.json")), log)},
        settings=Settings(probe_life=timedelta(seconds=1), fleet_life=timedelta(seconds=1)),
    )


def live(folder: Path) -> None:
    """Tick until killed. What the store acknowledged is logged; a seat nobody can tell of is taken as it stands."""
    log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    it, clock = engine(folder, log), FileClock(folder / "clock")
    say("up")
    while True:
        clock.advance(TURN)
        for reading in it.probe():
            os.write(log, f"published {reading.pool} {reading.observed_at.isoformat()}\n".encode())
        report = it.tick()
        for condition in report.conditions:
            if condition.fact.code == "core:indeterminate":
                it.accept(*condition.fact.subject.split("/"))
        say("ticked", report.tick.history.turn)


def warm() -> None:
    """Tick once in memory, so that no child has to import or build anything again."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "fleet.json").write_text('{"form": 1, "seats": {}}')
        engine(Path(folder), 2, memory(clock=FileClock(Path(folder) / "clock", NOON))).tick()


def main() -> None:
    folder = Path(sys.argv[1])
    warm()
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                live(folder)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        say("child", child)
        say("dead", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
