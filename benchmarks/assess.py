"""CPU of telling how much is left and how fast: pools with three windows, three days of figures, and hourly levels.

*Cold* folds all of it; *warm* goes on from a fold that was assessed before, with one reading more, as each tick does.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from capacity import Policy, Reading, assess
from capacity.core.headroom import fold
from capacity.core.ladders import Ladder, Rung, Spread
from capacity.values.history import Level
from capacity.values.limits import Limit
from capacity.values.policy import AccountPolicy, PoolPolicy

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
TICK, DAY = timedelta(minutes=20), timedelta(days=1)
READINGS = 216
"""Three days of them."""

CURVE = ((0.25, 0.25), (1.0, 1.0), (2.0, 1.25))


def readings(pool: str) -> list[Reading]:
    """Three days of one pool: a session that rolls over fourteen times, a day, a week."""
    return [
        Reading(pool, "ok", "made", NOW - TICK * (READINGS - 1 - n), usual=TICK, limits=_limits(n))
        for n in range(READINGS)
    ]


def _limits(n: int) -> tuple[Limit, ...]:
    at = NOW - TICK * (READINGS - 1 - n)
    return (
        Limit("5h", float(n % 15 * 4), resets_at=at + timedelta(hours=5) - TICK * (n % 15), window=timedelta(hours=5)),
        Limit("daily", float(n % 72), resets_at=at + DAY - TICK * (n % 72), window=DAY),
        Limit("weekly", float(n * 70 // READINGS), resets_at=NOW + 3 * DAY, window=7 * DAY),
    )


def median(run: Callable[[], object], calls: int) -> float:
    """Milliseconds of CPU of the middle one of so many calls."""
    spans = []
    for _ in range(calls):
        begun = time.process_time()
        run()
        spans.append(time.process_time() - begun)
    return statistics.median(spans) * 1e3


def figures(pools: int, calls: int) -> dict[str, float]:
    """Cold and warm, for so many pools."""
    names = [f"pool-{number}" for number in range(pools)]
    policy = Policy(
        accounts={name: AccountPolicy(name, "made") for name in names},
        pools={name: PoolPolicy(name, name, "subscription") for name in names},
    )
    told = [one for name in names for one in readings(name)]
    last = [one for one in told if one.observed_at == NOW]
    levels = [Level(name, NOW - timedelta(hours=ago), 5.0 + ago % 3) for name in names for ago in range(72)]
    start = fold(one for one in told if one.observed_at < NOW)
    assess((), levels, policy, NOW - TICK, start=start)
    return {
        "cold": median(lambda: assess(told, levels, policy, NOW), calls),
        "warm": median(lambda: assess(last, levels, policy, NOW, start=start), calls),
    }


def spreading(seats: int, calls: int) -> float:
    """A level spread over so many seats of two rungs and three cadences, all of them dear before."""
    ladders = [Ladder((Rung(1.0, 0.45), Rung(5.0, 1.0)), CURVE)] * seats
    return median(lambda: Spread(ladders, [1] * seats).at(2.0 * seats), calls)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = {
        "1 pool": figures(1, 51),
        "20 pools": figures(20, 11),
        "spread": {f"{seats} seats": spreading(seats, 11) for seats in (10, 1000)},
    }
    if given.json:
        print(json.dumps(found, sort_keys=True))
        return
    for title, told in found.items():
        print(title, *(f"{name} {value:.2f} ms" for name, value in told.items()), sep="  ")


if __name__ == "__main__":
    main()
