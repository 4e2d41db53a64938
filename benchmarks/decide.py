"""CPU of one decision: one seat among N candidates, and whole fleets.

    python -m benchmarks.decide [--json]

Each figure is the median over many calls of `time.process_time` deltas, in microseconds or milliseconds. Three states of
the inputs are told apart: *again* (the very same four values), *tick* (new headroom and history, as each tick brings) and
*cold* (everything new, so that policy and inventory have to be surveyed first).
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable

from attrs import evolve

from benchmarks.worlds import World, world
from capacity import decide
from capacity.core.sentences import sentence

SHAPES = {5: (5, 1), 50: (10, 5), 500: (20, 25)}
"""Candidates → (pools, models in each): the more pools, the harder for us."""

Figures = dict[str, float]


def median(run: Callable[[World], object], make: Callable[[], World], calls: int) -> float:
    """Median CPU seconds of a call; what it is given is made outside the watch."""
    spent = []
    for _ in range(calls):
        given = make()
        start = time.process_time()
        run(given)
        spent.append(time.process_time() - start)
    return statistics.median(spent)


def fresh_tick(given: World) -> World:
    """The same world with a new headroom and history."""
    inventory, headroom, policy, history = given
    return inventory, evolve(headroom), policy, evolve(history)


def fresh_all(given: World) -> World:
    """The same world, nothing of which was seen before."""
    inventory, headroom, policy, history = given
    pools = {name: evolve(pool) for name, pool in inventory.pools.items()}
    return evolve(inventory, pools=pools), evolve(headroom), evolve(policy), evolve(history)


def tell(given: World) -> None:
    """Decide, and render a sentence for every candidate that is refused."""
    decision = decide(*given)
    for _, verdict in decision.answers(0):
        if verdict.fact is not None:
            sentence(verdict.fact)


def one_seat() -> dict[str, Figures]:
    """N candidates → microseconds of CPU per decision, by state of the inputs."""
    found = {}
    for candidates, (pools, models) in SHAPES.items():
        given = world(pools, models, exhausted=True)
        decide(*given)
        calls = 400 if candidates < 500 else 100
        figures = {
            "again": median(lambda one: decide(*one), lambda given=given: given, calls),
            "again, every sentence": median(tell, lambda given=given: given, calls),
            "tick": median(lambda one: decide(*one), lambda given=given: fresh_tick(given), calls),
            "cold": median(lambda one: decide(*one), lambda given=given: fresh_all(given), calls // 2),
        }
        found[str(candidates)] = {name: round(seconds * 1e6, 1) for name, seconds in figures.items()}
    return found


def fleets() -> Figures:
    """Whole fleets → milliseconds of CPU per decision."""
    shapes = {"50 seats x 50": (10, 5, 50, 20), "1,000 seats x 20 pools x 200": (20, 200, 1_000, 20)}
    shapes |= {f"{seats:,} seats x 20 pools x 10": (20, 10, seats, 20) for seats in (100, 1_000, 10_000)}
    found = {}
    for name, shape in shapes.items():
        for word, exhausted in (("all keep", False), ("all move", True)):
            given = world(*shape, exhausted=exhausted)
            decide(*given)
            calls = 51 if shape[2] < 1_000 else 9
            for state, make in (("again", lambda given=given: given), ("tick", lambda given=given: fresh_tick(given))):
                found[f"{name}, {word}, {state}"] = round(median(lambda one: decide(*one), make, calls) * 1e3, 2)
    return found


def exponent(found: Figures) -> Figures:
    """How time grows with seats, from 100 to 10,000: 1 is linear."""
    return {
        word: round(
            math.log(found[f"10,000 seats x 20 pools x 10, {word}"] / found[f"100 seats x 20 pools x 10, {word}"], 100),
            3,
        )
        for word in ("all keep, again", "all keep, tick", "all move, again", "all move, tick")
    }


def size() -> int:
    """Bytes of the decision of the largest fleet as JSON."""
    from capacity.codec import dumps

    return len(dumps(decide(*world(20, 200, 1_000, 20, exhausted=True))))


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    seats, many = one_seat(), fleets()
    found = {
        "one seat, us": seats,
        "fleet, ms": many,
        "growth exponent": exponent(many),
        "decision JSON, bytes": size(),
    }
    if asked.json:
        print(json.dumps(found, indent=2))
        return
    for candidates, figures in seats.items():
        print(
            f"one seat among {candidates:>3}: " + ", ".join(f"{name} {value:.0f} us" for name, value in figures.items())
        )
    for name, value in many.items():
        print(f"{name}: {value:.2f} ms")
    print(f"growth exponent 100 to 10,000 seats: {found['growth exponent']}")
    print(f"decision JSON, 1,000 seats x 4,000 candidates x 20 needs: {found['decision JSON, bytes']:,} bytes")


if __name__ == "__main__":
    main()
