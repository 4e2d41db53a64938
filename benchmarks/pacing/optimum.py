"""What somebody who knows all the future could get out of a pool: the bound every controller is held against.

Windows nest, so the burns that fit into them form a laminar polymatroid, and the worth of a point falls along the fleet's
ladder alike in every tick. Greed is then exact: let each step of the ladder burn as much as still fits, dearest first.
A point of the uncontrolled load is somebody's work and counts as much as the fleet's dearest: nobody gains by starving it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from benchmarks.pacing.scenario import Agent, Pool

Step = tuple[float, float]  # burn, value per unit of burn


def hull(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The upper concave hull of (burn, value) points, from none on, as long as it rises."""
    kept: list[tuple[float, float]] = [(0.0, 0.0)]
    for x, y in sorted(points):
        if y <= kept[-1][1]:
            continue
        while len(kept) > 1 and (y - kept[-1][1]) * (kept[-1][0] - kept[-2][0]) >= (kept[-1][1] - kept[-2][1]) * (
            x - kept[-1][0]
        ):
            kept.pop()
        kept.append((x, y))
    return kept


def steps(agents: Sequence[Agent]) -> list[Step]:
    """The fleet's ladder from standstill: burns by falling worth; equal worths are one step."""
    found: dict[float, float] = {}
    for agent in agents:
        points = [
            (rung.burn * cadence, agent.value(place, cadence))
            for place, rung in enumerate(agent.rungs)
            for cadence, _ in agent.cadences
        ]
        line = hull(points)
        for (x0, y0), (x1, y1) in pairwise(line):
            worth = round((y1 - y0) / (x1 - x0), 12)
            found[worth] = found.get(worth, 0.0) + x1 - x0
    return [(found[worth], worth) for worth in sorted(found, reverse=True)]


def fits(pool: Pool, burns: Sequence[float]) -> float:
    """The most of these burns, points per tick, that fits into the windows."""
    totals = list(burns)
    edges = list(range(len(burns) + 1))  # `totals[i]` lies between edges i and i + 1
    for window in reversed(pool.windows):
        spans = pool.spans[window.name]
        inside, place = [], 0
        for span in spans:
            total = 0.0
            while place < len(totals) and edges[place] < span.end:
                total += totals[place]
                place += 1
            inside.append(min(total, window.cap - (window.used if span.start == 0 else 0.0)))
        totals, edges = inside, [0, *(span.end for span in spans)]
    return sum(totals)


def optimum(pool: Pool) -> float:
    """The largest value of all work: the uncontrolled load's, which is as dear as the fleet's dearest, and the fleet's."""
    level, before = 0.0, fits(pool, pool.load)
    value = dearest(pool) * before
    for burn, worth in steps(pool.agents):
        level += burn
        now = fits(pool, [load + level * demand for load, demand in zip(pool.load, pool.demand, strict=True)])
        value += worth * (now - before)
        before = now
    return value


def dearest(pool: Pool) -> float:
    """The worth of the fleet's dearest point."""
    return steps(pool.agents)[0][1]
