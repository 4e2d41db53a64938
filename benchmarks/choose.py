"""CPU of one choice for one turn among N candidates, and of what peers take for the nearest thing they do.

    python -m benchmarks.choose [--json] [--rounds 3] [--broker DIR] [--litellm PYTHON]

Each figure is the median over many calls of `time.process_time` deltas, in microseconds, and of several rounds the least;
peers are measured between the rounds, in the same run. `--broker` is where `npm install --prefix DIR
opencode-broker@1.2.0` put it, `--litellm` an interpreter that can import it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from attrs import evolve

from benchmarks.decide import SHAPES, Figures, fresh_tick, median
from benchmarks.worlds import NOW, World, world
from capacity import Need, decide
from capacity.core.choose import choose
from capacity.values.failures import Circuit
from capacity.values.history import Holds
from capacity.values.leases import Lease
from capacity.values.seats import Candidate

ROOT = Path(__file__).parent.parent
NEED = Need(tier="second", floor="third", context=50_000, turn=True)
HERE = Candidate("cli", "pool-001", "pool-001-model-0000", "high")
FLIGHT = 50


def leases(pools: int, count: int = FLIGHT) -> tuple[Lease, ...]:
    """Leases in flight, spread over the pools."""
    names = [f"pool-{at % pools:03}" for at in range(count)]
    return tuple(
        Lease(f"lease-{at:03}", f"session-{at:03}", Candidate("cli", pool, f"{pool}-model-0000", "high"), "second",
              "any", "key", at, 1, NOW - timedelta(seconds=5), NOW + timedelta(hours=1))
        for at, pool in enumerate(names)
    )  # fmt: skip  # the fields of one value


def busy(given: World, holds: Holds) -> World:
    """The same world with something held."""
    inventory, headroom, policy, history = given
    return inventory, headroom, policy, evolve(history, holds=holds)


def moments(pools: int, models: int) -> Iterator[tuple[str, World, Callable[[World], object]]]:
    """What is measured: its name, the world, and the call."""
    given = world(pools, models, exhausted=True)
    sizes = itertools.cycle(range(1_000, 90_000, 37))
    stop = Circuit("refusal", "pool", "pool-001", "quota", NOW, NOW + timedelta(hours=1), known=True)
    yield "again", given, lambda one: choose(NEED, *one)
    yield "another size each", given, lambda one: choose(evolve(NEED, context=next(sizes)), *one)
    yield "50 in flight", busy(given, Holds(leases=leases(pools))), lambda one: choose(NEED, *one)
    yield "a circuit open", busy(given, Holds((stop,))), lambda one: choose(NEED, *one)
    yield "stays", given, lambda one: choose(evolve(NEED, here=HERE), *one)
    yield "decide, again", given, lambda one: decide(*one)


def measured(calls: int = 300) -> dict[str, Figures]:
    """N candidates → microseconds of CPU per choice, by what is going on."""
    found: dict[str, Figures] = {}
    for candidates, (pools, models) in SHAPES.items():
        figures = found[str(candidates)] = {}
        for word, given, call in moments(pools, models):
            call(given)
            figures[word] = round(median(call, lambda given=given: given, calls) * 1e6, 1)
        given = world(pools, models, exhausted=True)
        tick = median(lambda one: choose(NEED, *one), lambda given=given: fresh_tick(given), calls // 3)
        figures["tick"] = round(tick * 1e6, 1)
    return found


def least(rounds: Sequence[dict[str, Figures]]) -> dict[str, Figures]:
    """Of several rounds the least of each figure: what else the machine did only ever adds."""
    return {
        candidates: {word: min(one[candidates][word] for one in rounds) for word in figures}
        for candidates, figures in rounds[0].items()
    }


def peers(broker: str | None, litellm: str | None) -> Iterator[str]:
    """The lines of the peers that are installed."""
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    argvs = [
        ["node", "benchmarks/peers/broker.mjs", broker] if broker else [],
        [litellm, "-m", "benchmarks.peers.litellm_router"] if litellm else [],
    ]
    for argv in filter(None, argvs):
        done = subprocess.run(argv, cwd=ROOT, env=env, check=True, capture_output=True, text=True, timeout=300)
        yield from done.stdout.splitlines()


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=3, help="how often all of it is measured")
    parser.add_argument("--calls", type=int, default=300, help="calls of each figure")
    parser.add_argument("--broker", help="where opencode-broker is installed")
    parser.add_argument("--litellm", help="an interpreter with LiteLLM")
    asked = parser.parse_args(argv)
    rounds: list[dict[str, Figures]] = []
    lines: list[str] = []
    for _ in range(asked.rounds):
        rounds.append(measured(asked.calls))
        lines += peers(asked.broker, asked.litellm)
    found = least(rounds)
    if asked.json:
        print(json.dumps({"choose, us": found, "peers": lines}, indent=2))
        return
    for candidates, figures in found.items():
        print(
            f"among {candidates:>3}: " + ", ".join(f"{word} {figure:.0f}" for word, figure in figures.items()) + " us"
        )
    print("\n".join(lines))


if __name__ == "__main__":
    main()
