"""Worlds of any size for the benchmarks: every figure is made from its index, so a run can be repeated exactly."""

from __future__ import annotations

from datetime import UTC, datetime

from capacity import Headroom, History, Inventory, Limit, Model, Policy, Seat
from capacity.values.limits import Interval, LimitHeadroom, PoolHeadroom
from capacity.values.models import PoolInventory
from capacity.values.policy import AccountPolicy, FleetPolicy, HarnessPolicy, PoolPolicy, SeatRule
from capacity.values.seats import Fleet
from capacity.values.tiers import TierRow, Tiers

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
TIERS = ("first", "second", "third")

World = tuple[Inventory, Headroom, Policy, History]


def world(pools: int, models: int, seats: int = 1, needs: int = 1, *, exhausted: bool = False) -> World:
    """The four inputs of a decision.

    Args:
        pools: how many pools, each with a short and a long window.
        models: how many models each lists; a third of them in each tier, with four sizes of context.
        seats: how many seats; all run in the first pool.
        needs: how many distinct needs they have.
        exhausted: the first pool is full, so that every seat has to go elsewhere.
    """
    names = [f"pool-{number:03}" for number in range(pools)]
    policy = Policy(
        tiers=Tiers(TIERS, tuple(_row(name, at, number) for at, name in enumerate(names) for number in range(models))),
        accounts={name: AccountPolicy(name, "bench") for name in names},
        pools={name: PoolPolicy(name, name, "subscription", preference=at % 3) for at, name in enumerate(names)},
        harnesses={"cli": HarnessPolicy("cli", tuple(names))},
        fleets={"main": FleetPolicy("main", "file")},
        seats=tuple(_rule(number) for number in range(needs)),
    )
    inventory = Inventory(NOW, {name: _listed(name, models) for name in names})
    used = [100.0 if exhausted and not at else float(at * 7 % 80) for at in range(pools)]
    headroom = Headroom(NOW, {name: _left(name, used[at]) for at, name in enumerate(names)})
    crew = tuple(_seat(number, needs) for number in range(seats))
    return inventory, headroom, policy, History(NOW, fleets=(Fleet("main", NOW, crew),))


def _row(pool: str, at: int, number: int) -> TierRow:
    return TierRow(TIERS[(at + number + 1) % len(TIERS)], "cli", f"{pool}-model-{number:04}", "high")


def _rule(number: int) -> SeatRule:
    return SeatRule("role", f"role-{number}", tier="second", floor="third", context=50_000 + 1_000 * number)


def _listed(pool: str, models: int) -> PoolInventory:
    listed = tuple(
        Model(
            f"{pool}-model-{number:04}",
            names={f"model-{number}"},
            pool=pool,
            efforts=("low", "high"),
            context=100_000 + number % 4 * 50_000,
            tools=True,
        )
        for number in range(models)
    )
    return PoolInventory(pool, "authoritative", True, NOW, listed)


def _left(pool: str, used: float) -> PoolHeadroom:
    windows = (("5h", used), ("weekly", used / 2))
    limits = tuple(LimitHeadroom(Limit(name, share), "fresh", Interval(share, share)) for name, share in windows)
    return PoolHeadroom(pool, "ok", observed_at=NOW, source="bench", limits=limits)


def _seat(number: int, needs: int) -> Seat:
    return Seat(
        "main", f"seat-{number:05}", "cli", "pool-000-model-0000", "high", "pool-000", role=f"role-{number % needs}"
    )
