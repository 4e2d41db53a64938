"""The world: serves what is asked until a window is full, tells percents as a provider would, and keeps the score."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from attrs import define, frozen

from benchmarks.pacing.optimum import dearest
from benchmarks.pacing.scenario import Gauge, Pool, Span, Window

Setting = tuple[int, float]  # rung, cadence; a cadence of 0 is parked
Setup = tuple[Setting, ...]  # of every agent, in the pool's order


@frozen
class Sight:
    """One window as the provider tells it: percent used and the tick of its announced reset."""

    window: Window
    percent: float
    due: int


Sights = tuple[Sight, ...]
Controller = Callable[[int, Sights | None], Setup]
"""(tick, what was read just now or None in a gap) -> how every agent runs from now on."""


@frozen
class Score:
    """What a controller made of a pool.

    Attributes:
        value: of all work done: the fleet's, and the uncontrolled load's at the worth of the fleet's dearest point.
        unused: percent left at the resets of the longest window, the mean of them.
        parked_h: hours blocked or stopped while there was work.
        days: length of the run.
        rung_changes: per agent and day.
        cadence_changes: moves per day that changed a cadence.
    """

    value: float
    unused: float
    parked_h: float
    days: float
    rung_changes: float
    cadence_changes: float


def run(pool: Pool, controller: Controller) -> Score:
    """Every tick: reset, read, decide, serve."""
    provider, crew = _Provider(pool), _Crew(pool)
    value = parked = 0.0
    for tick, (demand, load) in enumerate(zip(pool.demand, pool.load, strict=True)):
        provider.reset(tick)
        crew.follow(controller(tick, provider.read(tick)))
        served = provider.serve(crew.level * demand + load)
        value += served * (crew.worth * demand + provider.dearest * load)
        if demand > 0:
            parked += 1.0 - served if crew.level > 0 else 1.0
    hours = pool.tick_s / 3600
    days = len(pool.demand) * hours / 24
    moves = crew.rung_changes / len(pool.agents) / days, crew.cadence_changes / days
    return Score(value, provider.unused(), parked * hours, days, *moves)


@define
class _Meter:
    """One window's counter, in points."""

    window: Window
    lives: Sequence[Span]
    used: float
    place: int = 0

    def left(self) -> float:
        """Percent left."""
        return 100.0 * (1.0 - self.used / self.window.cap)


class _Provider:
    """Counts, refuses, resets and tells."""

    def __init__(self, pool: Pool) -> None:
        self.gauge, self.dearest = pool.gauge, dearest(pool)
        self.meters = [_Meter(window, pool.spans[window.name], window.used) for window in pool.windows]
        self._told: Sights | None = None
        self._left: list[float] = []

    def reset(self, tick: int) -> None:
        """Start anew every window whose life ends."""
        for meter in self.meters:
            if tick == meter.lives[meter.place].end:
                if meter is self.meters[0]:
                    self._left.append(meter.left())
                meter.place, meter.used = meter.place + 1, 0.0

    def read(self, tick: int) -> Sights | None:
        """What a probe is told; None in a gap."""
        gauge = self.gauge
        if tick % gauge.every or tick in gauge.gaps:
            return None
        if self._told is None or tick not in gauge.lagged:
            self._told = tuple(_sight(meter, gauge) for meter in self.meters)
        return self._told

    def serve(self, asked: float) -> float:
        """Count what fits into every window; the share of the asked that is."""
        room = max(0.0, min(meter.window.cap - meter.used for meter in self.meters))
        served = 1.0 if asked <= room else room / asked
        for meter in self.meters:
            meter.used += served * asked
        return served

    def unused(self) -> float:
        """Percent left at resets, and at the end of the run."""
        left = [*self._left, self.meters[0].left()]
        return sum(left) / len(left)


class _Crew:
    """The agents as they run now, and how often they were changed."""

    def __init__(self, pool: Pool) -> None:
        self._agents = pool.agents
        self._setup: Setup | None = None
        self.level = self.worth = 0.0
        self.rung_changes = self.cadence_changes = 0

    def follow(self, new: Setup) -> None:
        """Run like this from now on. How a run begins is no change."""
        if new is self._setup:
            return
        if self._setup is not None:
            pairs = list(zip(new, self._setup, strict=True))
            self.rung_changes += sum(one[0] != other[0] for one, other in pairs)
            self.cadence_changes += any(one[1] != other[1] for one, other in pairs)
        self._setup = new
        settings = list(zip(self._agents, new, strict=True))
        self.level = sum(agent.rungs[rung].burn * cadence for agent, (rung, cadence) in settings)
        self.worth = sum(agent.value(rung, cadence) for agent, (rung, cadence) in settings)


def _sight(meter: _Meter, gauge: Gauge) -> Sight:
    steps = (100.0 - meter.left()) / gauge.quantum
    if gauge.rounding == "nearest":
        whole = math.floor(steps + 0.5)
    else:  # a hair of slack, so that a full window tells 100 whichever way it rounds
        whole = math.floor(steps + 1e-9) if gauge.rounding == "down" else math.ceil(steps - 1e-9)
    return Sight(meter.window, min(100.0, max(0.0, gauge.quantum * whole)), meter.lives[meter.place].due)
