"""The controllers to compare with. Each is made for one pool, is called once a tick, and sees readings only."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from benchmarks.pacing.fleet import Fleet, dear
from benchmarks.pacing.scenario import Pool
from benchmarks.pacing.world import Setup, Sight, Sights

LINE = 90.0
"""Percent used at which the first two stand still."""

BAND = 0.25
"""Half-width of the band round a pressure of 1 in which the one-notch pacer moves nobody."""

LEAST_SAMPLES, LEAST_SPAN_H = 3, 1.0
"""Readings and hours below which it fits no line."""

DROP = 5.0
"""Points a percent falls by before it is a reset and no lag."""

LOOK_H, KP, KI, CLAMP = 2.0, 0.1, 0.15, 2.0
"""PI: hours its rate is taken over, gains a tick, and the clamp of its error. The best of a coarse grid of each."""

ETA, SURPRISE = 0.05, 8.0
"""Dual descent: the step, and the clip that bounds what one reading may do."""


class Threshold:
    """Run dear; stand still while any window is at the line."""

    def __init__(self, pool: Pool) -> None:
        self.running = self.now = dear(pool)
        self.still = tuple((rung, 0.0) for rung, _ in self.running)

    def __call__(self, tick: int, sights: Sights | None) -> Setup:
        if sights is not None:
            self.now = self.still if _at_line(tick, sights) else self.running
        return self.now


def _at_line(tick: int, sights: Sights) -> bool:
    return any(one.percent >= LINE and one.due > tick for one in sights)


class Trace:
    """The readings of each window since its last rollover, in hours and percent."""

    def __init__(self, pool: Pool) -> None:
        self.tick_h = pool.tick_s / 3600
        self._points: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._due: dict[str, int] = {}

    def add(self, tick: int, sights: Sights) -> Iterator[tuple[Sight, list[tuple[float, float]], float]]:
        """Each window told of now, its readings, and the hours to its reset."""
        for one in sights:
            if one.due <= tick:
                continue
            name = one.window.name
            points = self._points[name]
            if points and (one.due > self._due[name] or one.percent < points[-1][1] - DROP):
                points.clear()
            self._due[name] = one.due
            points.append((tick * self.tick_h, one.percent))
            yield one, points, (one.due - tick) * self.tick_h


class OneNotch:
    """One agent, one rung a tick, outside of a band round a pressure taken from a least-squares slope; stops at the line."""

    def __init__(self, pool: Pool) -> None:
        self.trace = Trace(pool)
        self.tops = [len(agent.rungs) - 1 for agent in pool.agents]
        self.rungs = list(self.tops)
        self.now = dear(pool)

    def __call__(self, tick: int, sights: Sights | None) -> Setup:
        if sights is None:
            return self.now
        pressures = [
            rate * hours / (100.0 - one.percent)
            for one, points, hours in self.trace.add(tick, sights)
            if one.percent < 100.0 and (rate := slope(points)) is not None
        ]
        still = _at_line(tick, sights)
        if pressures and not still:
            self._step(max(pressures))
        new = tuple((rung, 0.0 if still else 1.0) for rung in self.rungs)
        self.now = self.now if new == self.now else new
        return self.now

    def _step(self, pressure: float) -> None:
        step = -1 if pressure > 1 + BAND else 1 if pressure < 1 - BAND else 0
        for place, top in enumerate(self.tops):
            if step and 0 <= self.rungs[place] + step <= top:
                self.rungs[place] += step
                return


def slope(points: list[tuple[float, float]]) -> float | None:
    """Least squares, percent per hour; None without evidence."""
    if len(points) < LEAST_SAMPLES or points[-1][0] - points[0][0] < LEAST_SPAN_H:
        return None
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


class PI:
    """Proportional and integral action on the logarithm of the pressure, in velocity form, clamped to the reach."""

    def __init__(self, pool: Pool) -> None:
        self.trace, self.fleet = Trace(pool), Fleet(pool)
        self.level = self.fleet.level
        self.last: float | None = None

    def __call__(self, tick: int, sights: Sights | None) -> Setup:
        if sights is None:
            return self.fleet.setup
        errors = [
            error
            for one, points, hours in self.trace.add(tick, sights)
            if (error := _error(points, one.percent, hours)) is not None
        ]
        if not errors:
            self.last = None
            return self.fleet.setup
        error = min(errors)
        step = KP * (error - (error if self.last is None else self.last)) + KI * error
        self.last = error
        self.level = self.fleet.reach.clip(self.level * math.exp(step))
        return self.fleet.command(self.level)


def _error(points: list[tuple[float, float]], percent: float, hours: float) -> float | None:
    """The logarithm of allowed rate over rate, in bounds; None while a window is young."""
    now = points[-1][0]
    first = next(point for point in points if point[0] >= now - LOOK_H - 1e-9)
    span = now - first[0]
    if span < LOOK_H / 2:
        return None
    rate = max(0.5, percent - first[1]) / span
    return max(-CLAMP, min(CLAMP, math.log(max(0.5, 100.0 - percent) / hours / rate)))


class DualDescent:
    """A price per window, moved by each reading's burn against its allowance; needs no rate and knows no level."""

    def __init__(self, pool: Pool) -> None:
        self.tick_h, self.fleet = pool.tick_s / 3600, Fleet(pool)
        self.prices = {window.name: 0.0 for window in pool.windows}
        self.prices[pool.windows[0].name] = math.log(self.fleet.reach.high / self.fleet.level)
        self.dearest = math.log(self.fleet.reach.high / self.fleet.reach.low)
        self.last: dict[str, tuple[int, float, int]] = {}

    def __call__(self, tick: int, sights: Sights | None) -> Setup:
        if sights is None:
            return self.fleet.setup
        for one in sights:
            if one.due > tick:
                self._price(tick, one)
        if (total := sum(self.prices.values())) > self.dearest:
            self.prices = {name: price * self.dearest / total for name, price in self.prices.items()}
        return self.fleet.command(self.fleet.reach.high * math.exp(-sum(self.prices.values())))

    def _price(self, tick: int, one: Sight) -> None:
        name = one.window.name
        before = self.last.get(name)
        self.last[name] = (tick, one.percent, one.due)
        if before is None or one.due > before[2] or one.percent < before[1] - DROP:
            return
        allowed = max(0.5, 100.0 - before[1]) / (one.due - before[0]) * (tick - before[0])
        over = (max(0.0, one.percent - before[1]) - allowed) / allowed
        self.prices[name] = max(0.0, self.prices[name] + ETA * max(-1.0, min(SURPRISE, over)))
