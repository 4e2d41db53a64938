"""One of several processes that ask for headroom: `python askers.py FOLDER URL`. Not a test itself.

For each line it is sent it asks once and says what it then knows. Store and clock are those of the folder; its home, and
in it the file that tells its login, are its own.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

from attrs import frozen

from capacity.codec import dumps
from capacity.engine import Engine
from capacity.plugins import PROBERS, Plugin, Plugins
from capacity.ports import Budget, Get, Key, Limit, Read, Reading, Scope
from capacity.store import sqlite
from capacity.testing.clocks import FileClock
from capacity.values.policy import AccountPolicy, Policy, PoolPolicy

MINUTE = timedelta(minutes=1)
BUDGET = Budget(floor=3 * MINUTE, usual=5 * MINUTE, idle=10 * MINUTE, jitter=0.0, deadline=timedelta(seconds=30))
POLICY = Policy(accounts={"toy": AccountPolicy("toy", "toy")}, pools={"toy": PoolPolicy("toy", "toy", "subscription")})
WINDOWS = (("5h", timedelta(hours=5), None), ("weekly:big", timedelta(days=7), Scope("model", "big")))


@frozen
class Prober:
    """Asks a server for two figures; its login is the name in a file of its home."""

    url: str
    budget: Budget = BUDGET

    async def account(self) -> str:
        return (await Read("~/login")).document.text.strip()

    async def probe(self) -> tuple[Reading, ...]:
        doc = (await Get(f"{self.url}/quota")).document
        if doc.status == 429:
            at = self.budget.retry_at(doc)
            return (Reading("", "throttled", "quota", doc.at, retry_at=at),)
        if doc.status != 200:
            return (Reading("", "unreachable", "quota", doc.at, detail=f"answered {doc.status}"),)
        used = doc.json()
        limits = tuple(Limit(name, used[name], window=window, scope=scope) for name, window, scope in WINDOWS)
        return (Reading("", "ok", "quota", doc.at, limits=limits),)


def engine_of(folder: Path, url: str) -> Engine:
    """An engine as each of these processes has it. Whoever makes it closes its store with it."""
    clock = FileClock(folder / "clock")

    def made(*, credentials: Key | None = None) -> Prober:
        return Prober(url)

    plugins = Plugins([Plugin(PROBERS, "toy", "capacity-toy", "1", made)])
    return Engine(POLICY, store=sqlite(path=folder / "capacity.db", clock=clock), plugins=plugins, clock=clock)


def main(folder: Path, url: str) -> None:
    """Ask when told to."""
    engine = engine_of(folder, url)
    for _ in sys.stdin:
        engine.probe()
        sys.stdout.buffer.write(dumps(engine.snapshot()))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
