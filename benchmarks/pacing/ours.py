"""The library's pacing: readings and commanded levels go into `assess`, the wanted level through `target` to the ladder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from benchmarks.pacing.fleet import Fleet
from benchmarks.pacing.scenario import Pool
from benchmarks.pacing.world import Setup, Sights
from capacity import assess
from capacity.core.headroom import Seen, fold, tuning
from capacity.core.pacing import target
from capacity.values.history import Level
from capacity.values.limits import Limit, Reading
from capacity.values.policy import Pacing, Policy, PoolPolicy

START = datetime(2026, 3, 2, tzinfo=UTC)


class Ours:
    """One tick: fold what was read, assess, command."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.fleet = pool, Fleet(pool)
        self.tick = timedelta(seconds=pool.tick_s)
        self.policy = Policy(
            pools={pool.name: PoolPolicy(pool.name, pool.name, "subscription")}, pacing=Pacing(tick=self.tick)
        )
        self.tuning = tuning(self.policy, pool.name)
        self.levels = [Level(pool.name, START, self.fleet.level)]
        self.seen: Mapping[str, Seen] = {}

    def __call__(self, tick: int, sights: Sights | None) -> Setup:
        at = START + tick * self.tick
        if sights is not None:
            self.seen = fold([self._reading(at, sights)], self.seen)
        known = assess((), self.levels, self.policy, at, start=self.seen).pools[self.pool.name]
        level = target(known.wanted, self.fleet.level, self.fleet.reach, self.tuning, jump=known.jump)
        if level is not None:
            before = self.fleet.setup
            if self.fleet.command(level) is not before:
                self.levels.append(Level(self.pool.name, at, self.fleet.level))
        return self.fleet.setup

    def _reading(self, at: datetime, sights: Sights) -> Reading:
        limits = (
            Limit(
                one.window.name,
                percent=one.percent,
                quantum=self.pool.gauge.quantum,
                resets_at=START + one.due * self.tick,
                window=timedelta(seconds=one.window.length_s),
            )
            for one in sights
        )
        return Reading(self.pool.name, "ok", "simulation", at, usual=self.tick, limits=tuple(limits))
