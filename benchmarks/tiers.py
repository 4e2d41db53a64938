"""CPU of a proposal: 600 rows of 30 models in 5 harnesses at 5 benchmarks, which make 260 unknowns.

*Again* is the refresh that brings nothing new: digests are compared, and nothing is computed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

from capacity.codec import dumps
from capacity.core.tiering import adopt, propose, unchanged
from capacity.core.tiering.chance import share
from capacity.values.models import Inventory, Model, PoolInventory
from capacity.values.policy import HarnessPolicy, Policy
from capacity.values.proposals import Docket, Proposal
from capacity.values.rankings import RankingRow, Rankings
from capacity.values.tiers import Tiers, TierSet

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
MODELS, HARNESSES, BENCHMARKS, ROWS = 30, 5, 5, 600
POLICY = Policy(
    tiers=Tiers(("high", "mid", "low")),
    harnesses={f"harness-{one}": HarnessPolicy(f"harness-{one}", ("pool",)) for one in range(HARNESSES)},
)


def rankings(seed: int = 1) -> Rankings:
    """Rows of an additive world, with the noise of 300 trials; every model in half of the harnesses."""
    chance = Random(seed)
    worth = [chance.gauss(0, 0.6) for _ in range(MODELS)]
    effect = [chance.gauss(0, 0.2) for _ in range(HARNESSES)]
    ease = [chance.gauss(0, 0.8) for _ in range(BENCHMARKS)]
    homes = [chance.sample(range(HARNESSES), 2 + model % 2) for model in range(MODELS)]
    rows = []
    for number in range(ROWS):
        model, benchmark = number % MODELS, number // MODELS % BENCHMARKS
        harness = homes[model][number // (MODELS * BENCHMARKS) % len(homes[model])]
        right = share(worth[model] + effect[harness] + ease[benchmark] + chance.gauss(0, 0.3))
        rows.append(_row(number, model, harness, benchmark, sum(chance.random() < right for _ in range(300))))
    return Rankings("made", "fresh", NOW, tuple(rows))


def _row(number: int, model: int, harness: int, benchmark: int, passed: int) -> RankingRow:
    return RankingRow(
        f"harness-{harness}",
        f"model-{model}",
        f"bench-{benchmark}",
        passed / 3,
        "percent",
        n=300,
        id=str(number),
        provenance="benchmark-owner",
        measured_at=NOW - timedelta(days=number % 90),
    )


def inventory() -> Inventory:
    """All models, listed by one pool."""
    models = tuple(Model(f"model-{number}", pool="pool") for number in range(MODELS))
    return Inventory(NOW, {"pool": PoolInventory("pool", "authoritative", fresh=True, observed_at=NOW, models=models)})


def figures(calls: int) -> dict[str, float]:
    """Milliseconds of a first proposal, of the one against the set it made, and of a refresh without news."""
    told, listed = [rankings()], inventory()
    first = propose(told, Docket(), listed, POLICY, NOW)
    docket = Docket(adopt(first, TierSet(), POLICY, "nobody", NOW), previous=first)
    later = propose(told, docket, listed, POLICY, NOW)
    again = Docket(docket.adopted, previous=later)
    return {
        "first": median(lambda: propose(told, Docket(), listed, POLICY, NOW), calls),
        "next": median(lambda: propose(told, docket, listed, POLICY, NOW), calls),
        "again": median(lambda: unchanged(told, again, listed, POLICY, NOW), calls),
        "again, as a proposal": median(lambda: propose(told, again, listed, POLICY, NOW), calls),
        "pairs": float(len(first.estimates)),
        "megabytes": len(dumps(first)) / 1e6,
    }


def median(run: Callable[[], Proposal | bool], calls: int) -> float:
    """Milliseconds of CPU of the middle one of so many calls."""
    spans = []
    for _ in range(calls):
        begun = time.process_time()
        run()
        spans.append(time.process_time() - begun)
    return statistics.median(spans) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    measured = figures(given.calls)
    if given.json:
        print(json.dumps(measured))
        return
    for name, figure in measured.items():
        print(f"{name:<24} {figure:>10.1f}")


if __name__ == "__main__":
    main()
