"""The controller that knows demand and load to come, and no surprise: what is left to gain by forecasting."""

from __future__ import annotations

from itertools import accumulate

from benchmarks.pacing.fleet import Fleet
from benchmarks.pacing.scenario import Pool, Span, Window
from benchmarks.pacing.world import Setup, Sights


class _Future:
    """What the windows would burn at a level, were there no surprise; `used` is kept as the world keeps it."""

    def __init__(self, pool: Pool, most: float) -> None:
        self.pool, self.most = pool, most
        self.demand = [0.0, *accumulate(pool.demand)]
        self.load = [0.0, *accumulate(pool.load)]
        self.used = {window.name: window.used for window in pool.windows}
        self.place = dict.fromkeys(self.used, 0)

    def live(self, window: Window) -> Span:
        return self.pool.spans[window.name][self.place[window.name]]

    def serve(self, tick: int, level: float) -> None:
        """One tick passes."""
        asked = level * self.pool.demand[tick] + self.pool.load[tick]
        room = max(0.0, min(window.cap - self.used[window.name] for window in self.pool.windows))
        for window in self.pool.windows:
            self.used[window.name] += min(asked, room)
            if self.live(window).end == tick + 1:
                self.used[window.name] = 0.0
                self.place[window.name] += 1

    def burn(self, depth: int, start: int, end: int, level: float, *, anew: bool) -> float:
        """What window `depth` burns from start to end at a level, its own cap and those inside it kept."""
        if depth == len(self.pool.windows):
            return level * (self.demand[end] - self.demand[start]) + self.load[end] - self.load[start]
        window = self.pool.windows[depth]
        total, at = 0.0, start
        while at < end:
            first = at == start and not anew
            stop = min(end, self.live(window).due if first else at + round(window.length_s / self.pool.tick_s))
            room = window.cap - (self.used[window.name] if first else 0.0)
            total += min(room, self.burn(depth + 1, at, stop, level, anew=not first))
            at = stop
        return total

    def level(self, depth: int, tick: int) -> float:
        """The level that lands the live window at its reset."""
        window = self.pool.windows[depth]
        end = min(self.live(window).due, len(self.pool.demand))
        room = window.cap - self.used[window.name]
        low, high = 0.0, self.most
        if self.burn(depth + 1, tick, end, high, anew=False) <= room:
            return high
        for _ in range(24):
            middle = (low + high) / 2
            low, high = (low, middle) if self.burn(depth + 1, tick, end, middle, anew=False) > room else (middle, high)
        return low


class PerfectForecast:
    """In every tick the level that the demand to come allows; outer windows are solved anew as inner ones start."""

    def __init__(self, pool: Pool) -> None:
        self.fleet = Fleet(pool)
        self.future = _Future(pool, self.fleet.reach.high)
        self.windows = pool.windows
        self.solved: dict[int, float] = {}

    def __call__(self, tick: int, _: Sights | None) -> Setup:
        inner, anew = len(self.windows) - 1, self.future.live(self.windows[-1]).start == tick
        for depth in range(len(self.windows)):
            if anew or depth == inner or depth not in self.solved:
                self.solved[depth] = self.future.level(depth, tick)
        self.fleet.command(min(self.solved.values()))
        self.future.serve(tick, self.fleet.level)
        return self.fleet.setup
