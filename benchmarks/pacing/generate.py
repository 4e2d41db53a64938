"""Seeded scenarios. Every figure is drawn from a range wide enough to hold the fleets that have been described."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from benchmarks.pacing.scenario import Agent, Gauge, Pool, Reset, Rung, Scenario, Window

KINDS = ("general", "demand", "five-hour", "uncontrolled")
TICK_S, DAY, WEEK, SESSION = 1200, 72, 504, 15  # the last three in ticks
SURPRISES = 0.18  # share of pools that are reset once when nobody expects it


def scenario(seed: int, kind: str = "general") -> Scenario:
    """The scenario of a seed; `kind` narrows what is drawn."""
    chance = random.Random(f"{kind}/{seed}")
    return Scenario(f"{kind}-{seed}", TICK_S, (_pool(chance, kind),), kind)


def _pool(chance: random.Random, kind: str) -> Pool:
    shape = "five-hour" if kind == "five-hour" else chance.choices(("both", "weekly", "five-hour"), (70, 15, 15))[0]
    first = chance.randint(DAY, WEEK)
    ticks = first + WEEK
    resets: tuple[Reset, ...] = ()
    if chance.random() < SURPRISES:
        whose = "5h" if shape == "five-hour" else "weekly"
        resets = (Reset(chance.randint(SESSION, ticks - SESSION), (whose,), chance.random() < 0.5),)
        if whose == "weekly" and resets[0].moved:
            ticks = resets[0].tick + WEEK  # the run ends with a window
    windows = tuple(_windows(chance, shape, first))
    agents = _agents(chance)
    busy = _activity(chance, ticks)
    longest = windows[-1]
    whole = longest.cap * ticks * TICK_S / longest.length_s
    dear = sum(agent.rungs[-1].burn for agent in agents)
    asked = math.exp(chance.uniform(math.log(5.0 if kind == "demand" else 0.5), math.log(8.0)))
    scale = asked * whole / (dear * sum(busy))
    demand = tuple(round(one * scale, 6) for one in busy)
    return Pool(
        "pool",
        windows,
        agents,
        demand,
        tuple(_uncontrolled(chance, kind, ticks, whole)),
        resets,
        _gauge(chance, ticks),
        TICK_S,
    )


def _windows(chance: random.Random, shape: str, first: int) -> Iterator[Window]:
    if shape != "weekly":
        cap = 100.0 if shape == "five-hour" else round(chance.uniform(5.0, 20.0), 2)
        yield Window("5h", SESSION * TICK_S, cap, chance.randint(1, SESSION) * TICK_S)
    if shape != "five-hour":
        gone = 1.0 - first / WEEK
        yield Window(
            "weekly", WEEK * TICK_S, 100.0, first * TICK_S, round(min(90.0, 100 * gone * chance.uniform(0, 1.2)), 1)
        )


def _agents(chance: random.Random) -> tuple[Agent, ...]:
    cheap, extra = chance.uniform(0.35, 0.8), chance.uniform(0.15, 0.4)
    rungs = (Rung(1.0, round(cheap, 3)), Rung(5.0, 1.0))
    cadences = ((0.1, 0.1), (1.0, 1.0), (2.0, round(1.0 + extra, 3)))
    return tuple(Agent(f"a{n:02}", rungs, cadences) for n in range(chance.randint(3, 22)))


def _activity(chance: random.Random, ticks: int) -> list[float]:
    """Day and night, the working week, slow wander, bursts of hours, and no two ticks alike."""
    swing, weekend, noon = chance.uniform(0.0, 0.95), chance.uniform(0.3, 1.0), chance.uniform(0.0, 1.0)
    wander, slow, quick = 0.0, chance.uniform(0.1, 0.5), chance.uniform(0.1, 0.5)
    left, times, rate = 0, 1.0, chance.uniform(0.0, 3.0) / DAY
    found = []
    for tick in range(ticks):
        wander = 0.95 * wander + slow * math.sqrt(1 - 0.95**2) * chance.gauss(0.0, 1.0)
        if left:
            left -= 1
        elif chance.random() < rate:
            left, times = chance.randint(3, 18), chance.uniform(1.5, 3.5)
        day = 1.0 + swing * math.cos(2 * math.pi * (tick / DAY - noon))
        rest = weekend if (tick // DAY) % 7 in (5, 6) else 1.0
        found.append(day * rest * math.exp(wander + chance.gauss(0.0, quick)) * (times if left else 1.0))
    return found


def _uncontrolled(chance: random.Random, kind: str, ticks: int, whole: float) -> Iterator[float]:
    if kind != "uncontrolled" and chance.random() < 0.25:
        return
    share = chance.uniform(0.5, 0.8) if kind == "uncontrolled" else chance.uniform(0.05, 0.4)
    shape = _activity(chance, ticks)
    scale = share * whole / sum(shape)
    yield from (round(one * scale, 6) for one in shape)


def _gauge(chance: random.Random, ticks: int) -> Gauge:
    gaps: set[int] = set()
    for tick in range(ticks):
        if chance.random() < 0.01:
            gaps.update(range(tick, min(ticks, tick + chance.randint(1, 9))))
    lagged = frozenset(tick for tick in range(ticks) if chance.random() < 0.03)
    return Gauge(rounding=chance.choice(("nearest", "down", "up")), gaps=frozenset(gaps), lagged=lagged)
