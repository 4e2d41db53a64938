"""How long the store takes: publishing a reading, reading the latest, claiming among eight processes.

    python -m benchmarks.store [--json] [--folder FOLDER]

Wall-clock milliseconds of single calls. The log holds 20,000 readings of ten pools before anything is measured. The disk
under the folder (by default a temporary one) decides what a durable write costs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from capacity.ports import Store
from capacity.store import memory, sqlite

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
POOLS = [f"pool-{n}" for n in range(10)]
BEFORE = 20_000  # readings in the log
CALLS = 2_000
PROCESSES = 8
CLAIMS = 200  # of each process
SLOTS = 64  # of the one key all of them claim, so that none is turned away

Figures = dict[str, float]


def reading(pool: str) -> bytes:
    """A document as long as a reading of four limits is."""
    limit = {"blocked": False, "cap": {}, "left": {}, "name": "weekly", "percent": 41.5, "quantum": 1.0}
    limit |= {"resets_at": "2026-03-04T12:00:00Z", "scope": None, "window_s": 604800}
    head = {
        "account": "9f3c" * 4,
        "detail": None,
        "form": 1,
        "limits": [limit] * 4,
        "observed_at": "2026-03-01T12:00:00Z",
    }
    head |= {"plan": None, "pool": pool, "published_at": None, "retry_at": None, "source": "usage", "state": "ok"}
    return json.dumps(head | {"usual_s": 300.0}, sort_keys=True, separators=(",", ":")).encode()


def figures(spans: Iterable[float]) -> Figures:
    """Spans in seconds → p50, p99 and the longest, in milliseconds."""
    found = sorted(spans)
    at = {"p50": len(found) // 2, "p99": len(found) * 99 // 100, "max": len(found) - 1}
    return {name: round(found[place] * 1000, 4) for name, place in at.items()}


def timed(call: Callable[[], object]) -> float:
    """Seconds one call took."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def durable(store: Store, body: bytes) -> None:
    """Publish, and wait for the disk."""
    with store.transaction(durable=True):
        store.append("journal", "seat", NOON, body)


def publishing(store: Store, pause: float) -> dict[str, Figures]:
    """One process: publish, read the latest of one pool, publish durably, in turns."""
    with store.transaction():
        for n in range(BEFORE):
            store.append("readings", POOLS[n % 10], NOON, reading(POOLS[n % 10]))

    spans: dict[str, list[float]] = {"publish": [], "read the latest": [], "publish durably": []}
    for n in range(CALLS):
        pool = POOLS[n % 10]
        spans["publish"].append(timed(partial(store.append, "readings", pool, NOON, reading(pool))))
        spans["read the latest"].append(timed(partial(store.read, "readings", key=pool, last=1)))
        if n % 10 == 0:
            spans["publish durably"].append(timed(partial(durable, store, reading(pool))))
        time.sleep(pause)
    return {name: figures(found) for name, found in spans.items()}


def claimer(path: str, gap: float, seed: int, results: multiprocessing.Queue[list[float]]) -> None:
    """One of the processes: claim and give back, a random gap between."""
    store, chance, spans = sqlite(path=path), random.Random(seed), []
    store.holder("key")  # open it
    for _ in range(CLAIMS):
        if gap:
            time.sleep(chance.expovariate(1 / gap))
        start = time.perf_counter()
        claim = store.claim("key", str(seed), SLOTS, timedelta(seconds=60))
        spans.append(time.perf_counter() - start)
        assert claim
        store.release(claim)
    store.close()
    results.put(spans)


def claiming(path: Path, gap: float) -> Figures:
    """All processes at once."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    children = [context.Process(target=claimer, args=(str(path), gap, n, results)) for n in range(PROCESSES)]
    for child in children:
        child.start()
    spans = [span for _ in children for span in results.get(timeout=300)]
    for child in children:
        child.join()
    return figures(spans)


def measure(folder: Path) -> dict[str, Figures]:
    """Every figure, by what was measured."""
    stores = {"memory": memory(), "sqlite": sqlite(path=folder / "capacity.db")}
    found: dict[str, Figures] = {}
    for name, store in stores.items():
        found |= {f"{name}: {what}": one for what, one in publishing(store, 0.0005).items()}
        store.close()
    for gap in (0.05, 0.01, 0.0):
        rhythm = f"one each {gap * 1000:.0f} ms" if gap else "without a pause"
        found[f"sqlite: claim, {PROCESSES} processes, {rhythm}"] = claiming(folder / "claims.db", gap)
    return found


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store", description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure; what is made there is removed")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = measure(Path(folder))
    about = {"python": sys.version.split()[0], "sqlite": sqlite3.sqlite_version, "cpus": os.cpu_count()}
    if options.json:
        print(json.dumps({"about": about, "milliseconds": found}, sort_keys=True))
        return
    print(
        ", ".join(f"{name} {value}" for name, value in about.items()),
        f"document {len(reading(POOLS[0]))} bytes",
        sep=", ",
    )
    print(f"{'ms':50s}{'p50':>10s}{'p99':>10s}{'max':>10s}")
    for what, one in found.items():
        print(f"{what:50s}" + "".join(f"{value:10.3f}" for value in one.values()))


if __name__ == "__main__":
    main()
