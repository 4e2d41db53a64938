"""How long a lease takes where eight processes share one SQLite file: offer and claim, and the end that follows.

    python -m benchmarks.leases [--json] [--folder FOLDER] [--processes N] [--every MS] [--leases N] [--pools N]

Wall-clock milliseconds of single calls. Each process leases for forty sessions of its own, at moments spaced exponentially
around the interval, and settles each lease with its usage before the next. Nothing is due to be asked while it runs. CPU is
that of all processes for one lease and its end, what they fold of each other's included.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from attrs import asdict, frozen

from capacity.engine import Broker, Engine
from capacity.plugins import INVENTORIES, PROBERS, Plugin, Plugins
from capacity.ports import Budget, Limit, Listing, Model, Reading
from capacity.store import sqlite
from capacity.testing.fakes import FakeInventory, FakeProber
from capacity.values.leases import Amount, Lease, Usage
from capacity.values.policy import AccountPolicy, HarnessPolicy, Policy, PoolPolicy
from capacity.values.seats import Need
from capacity.values.tiers import TierRow, Tiers

SESSIONS = 40  # of each process
MODELS = 4  # of each pool
HOURS = timedelta(hours=2)
BUDGET = Budget(floor=HOURS, usual=HOURS, idle=HOURS, slowest=HOURS, jitter=0.0)
USAGE = Usage(Amount(1), Amount(500), Amount(200), Amount(15_000), Amount(0))


Told = tuple[list[float], list[float], float]
"""What a process measured: seconds of each lease, of each end, and of CPU."""


@frozen
class Found:
    """What all of them measured.

    Attributes:
        lease: figures of a lease, milliseconds.
        settle: of its end.
        cpu_us: CPU of all processes for one of each, microseconds.
    """

    lease: dict[str, float]
    settle: dict[str, float]
    cpu_us: int


@frozen
class World:
    """What every process leases from.

    Attributes:
        pools: subscriptions, each with a window of five hours and one of a week.
    """

    pools: int

    @property
    def names(self) -> list[str]:
        return [f"pool-{n:02}" for n in range(self.pools)]

    def policy(self) -> Policy:
        rows = tuple(TierRow("top", "h", f"{name}-{n}") for name in self.names for n in range(MODELS))
        return Policy(
            tiers=Tiers(("top",), rows),
            accounts={name: AccountPolicy(name, "fake", options={"who": name}) for name in self.names},
            pools={name: PoolPolicy(name, name, "subscription") for name in self.names},
            harnesses={"h": HarnessPolicy("h", tuple(self.names))},
        )

    def plugins(self) -> Plugins:
        now = datetime.now(UTC)
        limits = (
            Limit("5h", percent=20.0, resets_at=now + timedelta(hours=4), window=timedelta(hours=5)),
            Limit("weekly", percent=30.0, resets_at=now + timedelta(days=4), window=timedelta(days=7)),
        )

        def prober(*, who: str, **_: object) -> FakeProber:
            return FakeProber((Reading("", "ok", "usage", now, limits=limits),), login=who, budget=BUDGET)

        def inventory(*, who: str, **_: object) -> FakeInventory:
            models = tuple(Model(f"{who}-{n}") for n in range(MODELS))
            return FakeInventory((Listing(None, "authoritative", "models", now, models=models),), budget=BUDGET)

        made = {PROBERS: prober, INVENTORIES: inventory}
        return Plugins([Plugin(group, "fake", "capacity-fake", "1", make) for group, make in made.items()])


def leasing(
    path: Path, world: World, at: int, every: float, count: int, told: multiprocessing.Queue[Told | None]
) -> None:
    """One process: so many turns, one after another."""
    chance, policy = random.Random(at), world.policy()
    need = Need(tier="top", context=20_000)
    with (
        Engine(policy, store=sqlite(path=path), plugins=world.plugins()) as engine,
        Broker(policy, engine=engine) as broker,
    ):
        for n in range(SESSIONS):
            turn(broker, f"s{at}-{n}", need)
        told.put(None)
        spans, ends, began = [], [], time.process_time()
        for n in range(count):
            time.sleep(chance.expovariate(1 / every))
            lease, end = turn(broker, f"s{at}-{n % SESSIONS}", need)
            spans.append(lease)
            ends.append(end)
        told.put((spans, ends, time.process_time() - began))


def turn(broker: Broker, session: str, need: Need) -> tuple[float, float]:
    """One lease and its end; seconds each took."""
    start = time.perf_counter()
    lease = broker.lease(session, need)
    granted = time.perf_counter()
    if not isinstance(lease, Lease):
        raise SystemExit(f"no lease: {lease}")
    broker.settle(lease, USAGE)
    return granted - start, time.perf_counter() - granted


def figures(spans: list[float]) -> dict[str, float]:
    """Seconds → p50, p90, p99 and the longest, in milliseconds."""
    found = sorted(spans)
    at = {"p50": len(found) // 2, "p90": len(found) * 9 // 10, "p99": len(found) * 99 // 100, "max": len(found) - 1}
    return {name: round(found[place] * 1000, 3) for name, place in at.items()}


def measured(folder: Path, world: World, processes: int, every: float, count: int) -> Found:
    """Everything at once; each process begins once all are warm, give or take."""
    path = folder / "capacity.db"
    with Engine(world.policy(), store=sqlite(path=path), plugins=world.plugins()) as engine:
        engine.probe()
    told: multiprocessing.Queue[Told | None] = multiprocessing.Queue()
    every_one = [
        multiprocessing.Process(target=leasing, args=(path, world, at, every, count, told)) for at in range(processes)
    ]
    for one in every_one:
        one.start()
    results = [result for _ in range(2 * processes) if (result := told.get(timeout=300)) is not None]
    for one in every_one:
        one.join()
    leases = [span for spans, _, _ in results for span in spans]
    ends = [span for _, spans, _ in results for span in spans]
    cpu = sum(used for _, _, used in results)
    return Found(figures(leases), figures(ends), round(cpu / len(leases) * 1e6))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--every", type=float, default=10.0, help="milliseconds between two leases of a process")
    parser.add_argument("--leases", type=int, default=1_000, help="of each process")
    parser.add_argument("--pools", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        found = measured(Path(folder), World(asked.pools), asked.processes, asked.every / 1000, asked.leases)
    if asked.json:
        print(json.dumps(asdict(found)))
        return
    for word, told in (("lease", found.lease), ("settle", found.settle)):
        print(f"{word:8}", "  ".join(f"{name} {figure:7.3f}" for name, figure in told.items()), "ms")
    print(f"CPU      {found.cpu_us} us for a lease and its end")


if __name__ == "__main__":
    main()
