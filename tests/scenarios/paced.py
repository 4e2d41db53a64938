"""A pool that burns, and a fleet on it that is decided for every twenty minutes: the pure library in a loop, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from attrs import define, evolve, field

from capacity import Decision, Limit, Policy, Reading, assess, decide
from capacity.core.advance import advance
from capacity.core.steering import steps
from capacity.values.history import History, Level
from capacity.values.limits import PoolHeadroom
from capacity.values.models import Inventory, Model, PoolInventory
from capacity.values.policy import (
    AccountPolicy,
    FleetPolicy,
    HarnessPolicy,
    Pacing,
    PoolPolicy,
    SeatRule,
)
from capacity.values.seats import Fleet, Seat
from capacity.values.tiers import TierRow, Tiers

START = datetime(2026, 9, 21, tzinfo=UTC)
TICK = timedelta(minutes=20)
LARGE, SMALL = "sample-large", "sample-small"
BURN = {LARGE: 5.0, SMALL: 1.0}


def policy(*pools: PoolPolicy, floor: str = "low", mode: str = "level") -> Policy:
    """One harness that may draw on every pool; two tiers, a rung for each."""
    return Policy(
        tiers=Tiers(("high", "low"), rows=(TierRow("high", "cli", LARGE), TierRow("low", "cli", SMALL))),
        accounts={pool.account: AccountPolicy(pool.account, "fake") for pool in pools},
        pools={pool.name: pool for pool in pools},
        harnesses={"cli": HarnessPolicy("cli", tuple(pool.name for pool in pools))},
        fleets={"crew": FleetPolicy("crew", "file", "enforce")},
        seats=(SeatRule("default", tier="high", floor=floor),),
        pacing=Pacing(mode=mode, rungs=BURN),  # type: ignore[arg-type]  # a word of the policy
    )


@define
class Story:
    """One pool that is spent, others that stand still, and what was decided.

    Attributes:
        policy: of all pools.
        resets_at: when its week does.
        used: percent of it.
        still: what the other pools say, at every tick.
        others: percent an hour that somebody else spends, given what we do.
        per_level: percent an hour of one level.
        pool: the one that is spent.
    """

    policy: Policy
    seats: int
    resets_at: datetime
    used: float
    per_level: float
    still: Sequence[Reading] = ()
    others: Callable[[float], float] = lambda ours: 0.0
    cadence: timedelta | None = timedelta(hours=1)
    pool: str = "team"
    more: tuple[Limit, ...] = ()
    now: datetime = START
    readings: list[Reading] = field(factory=list)
    levels: list[Level] = field(factory=list)
    decisions: list[Decision] = field(factory=list)
    history: History = field(init=False)

    def __attrs_post_init__(self) -> None:
        seats = tuple(
            Seat("crew", f"s{n:02}", "cli", LARGE, pool=self.pool, cadence=self.cadence) for n in range(self.seats)
        )
        self.history = History(self.now, fleets=(Fleet("crew", self.now, seats, abilities=("cadence", "move")),))

    @property
    def ours(self) -> float:
        """The burn of the seats that run on the pool."""
        return sum(
            BURN[seat.model] * (timedelta(hours=1) / seat.cadence if seat.cadence else 1.0)
            for fleet in self.history.fleets
            for seat in fleet.seats
            if seat.pool == self.pool and seat.paused_by is None
        )

    def headroom(self) -> PoolHeadroom:
        """The pool as it is known now."""
        return assess(self.readings, self.levels, self.policy, self.now).pools[self.pool]

    def go(self, ticks: int) -> Story:
        """So many ticks."""
        for _ in range(ticks):
            self._tick()
        return self

    def _tick(self) -> None:
        week = Limit("weekly", float(round(min(self.used, 100.0))), resets_at=self.resets_at, window=timedelta(days=7))
        self.readings.append(Reading(self.pool, "ok", "fake", self.now, usual=TICK, limits=(week, *self.more)))
        known = assess(
            [*self.readings, *(evolve(one, observed_at=self.now) for one in self.still)],
            self.levels,
            self.policy,
            self.now,
        )
        fleets = tuple(evolve(one, observed_at=self.now) for one in self.history.fleets)
        history = evolve(self.history, as_of=self.now, fleets=fleets)
        made = decide(self.inventory(), known, self.policy, history)
        self.decisions.append(made)
        self.history = self._applied(history, made)
        level = self.history.journal.levels.get(self.pool)
        if level is not None and level not in self.levels:
            self.levels.append(level)
        if self.used < 100:
            self.used += (self.per_level * self.ours + self.others(self.per_level * self.ours)) / 3
        self.now += TICK
        if self.now >= self.resets_at:
            self.used, self.resets_at = 0.0, self.resets_at + timedelta(days=7)

    def _applied(self, history: History, made: Decision) -> History:
        """The world after it: enforced fleets do as told, shadowed ones stay as they are."""
        after = advance(history, made)
        shadow = [name for name, fleet in self.policy.fleets.items() if fleet.mode == "shadow"]
        levels = {**history.journal.levels, **{one.pool: one for one in steps(history, made, shadow)}}
        entries = tuple(one for one in after.journal.entries if one.fleet not in shadow)
        old = {fleet.name: fleet for fleet in history.fleets}
        fleets = tuple(old[fleet.name] if fleet.name in shadow else fleet for fleet in after.fleets)
        return evolve(after, fleets=fleets, journal=evolve(after.journal, entries=entries, levels=levels))

    def inventory(self) -> Inventory:
        models = tuple(Model(name) for name in BURN)
        return Inventory(
            self.now,
            {name: PoolInventory(name, "authoritative", True, self.now, models=models) for name in self.policy.pools},
        )


def balance(pool: str, amount: str) -> Reading:
    """A pool of money."""
    return Reading(pool, "ok", "fake", START, usual=TICK, limits=(Limit("balance", left={"USD": Decimal(amount)}),))


def full(pool: str, name: str, resets_at: datetime, window: timedelta) -> Reading:
    """A pool whose window is used up."""
    return Reading(
        pool, "ok", "fake", START, usual=TICK, limits=(Limit(name, 100.0, resets_at=resets_at, window=window),)
    )
