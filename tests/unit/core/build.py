"""A small world for the tests of the core, built up by keyword: two subscriptions, one metered pool, one local."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from attrs import evolve

from capacity import Decision, Headroom, History, Inventory, Limit, Model, Policy, Reading, Seat, decide
from capacity.core.headroom import assess
from capacity.values.conditions import Condition
from capacity.values.failures import Circuit
from capacity.values.history import Entry, Holds, Journal
from capacity.values.models import Missed, PoolInventory
from capacity.values.policy import (
    AccountPolicy,
    FleetPolicy,
    HarnessPolicy,
    HighVolume,
    Kind,
    PoolPolicy,
    Profile,
    SeatRule,
)
from capacity.values.seats import Candidate, Fleet
from capacity.values.tiers import TierRow, Tiers

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
SOON = NOW + timedelta(hours=2)
LATER = NOW + timedelta(days=2)

KINDS: dict[str, Kind] = {"north": "subscription", "south": "subscription", "paid": "metered", "box": "local"}
TIERS = ("top", "good", "fair")


def windows(short: float | None = 20.0, week: float | None = 30.0, *more: Limit) -> tuple[Limit, ...]:
    """The two windows of a subscription, and more limits."""
    return (
        Limit("5h", short, resets_at=SOON, window=timedelta(hours=5)),
        Limit("weekly", week, resets_at=LATER, window=timedelta(days=7)),
        *more,
    )


LIMITS: dict[str, tuple[Limit, ...]] = {
    "north": windows(),
    "south": windows(40.0, 50.0),
    "paid": (Limit("balance", left={"USD": Decimal("14.37")}, blocked=False),),
    "box": (Limit("slots", left={"slots": Decimal(2)}, cap={"slots": Decimal(2)}),),
}

MODELS: dict[str, tuple[Model, ...]] = {
    "north": (Model("north-big-2", names={"big"}), Model("north-mid-2", names={"mid"}), Model("north-small-2")),
    "south": (Model("south-big-1"), Model("south-mid-1")),
    "paid": (Model("paid-mid-3", context=64_000),),
    "box": (Model("box-small-9", residency="resident", context=16_000),),
}

ROWS = tuple(
    TierRow(tier, "cli", model)
    for tier, models in {
        "top": ("north-big-2", "south-big-1"),
        "good": ("north-mid-2", "south-mid-1", "paid-mid-3"),
        "fair": ("north-small-2", "box-small-9"),
    }.items()
    for model in models
)


def reading(pool: str, **more: Any) -> Reading:
    """A good reading of a minute ago."""
    given: dict[str, Any] = {"limits": LIMITS[pool], "usual": timedelta(minutes=5)}
    return Reading(pool, "ok", "test", NOW - timedelta(minutes=1), **{**given, **more})


def policy(*rules: SeatRule, **more: Any) -> Policy:
    """A policy over the four pools and one harness; the default seat belongs to `good` and may fall to `fair`."""
    pools = {
        name: PoolPolicy(name, name, kind, preference=at, egress="lan" if kind == "local" else "any")
        for at, (name, kind) in enumerate(KINDS.items())
    }
    return evolve(
        Policy(
            tiers=Tiers(TIERS, ROWS),
            accounts={name: AccountPolicy(name, name) for name in KINDS},
            pools=pools,
            harnesses={"cli": HarnessPolicy("cli", tuple(KINDS))},
            fleets={"main": FleetPolicy("main", "file", "enforce")},
            seats=rules or (SeatRule("default", tier="good", floor="fair"),),
            profiles={"private": Profile("private", "lan")},
            high_volume=HighVolume(timedelta(minutes=5)),
        ),
        **more,
    )


def inventory(models: dict[str, tuple[Model, ...]] | None = None, **missed: tuple[Missed, ...]) -> Inventory:
    """Authoritative, fresh listings of every pool."""
    listed = {**MODELS, **(models or {})}
    return Inventory(
        NOW,
        {
            pool: PoolInventory(pool, "authoritative", True, NOW, found, missed.get(pool, ()))
            for pool, found in listed.items()
        },
    )


def headroom(rules: Policy, **readings: Reading | None) -> Headroom:
    """The usual readings, but those given; None takes one away."""
    told = {**{pool: reading(pool) for pool in KINDS}, **readings}
    return assess([one for one in told.values() if one is not None], (), rules, NOW)


def seat(name: str = "ada", model: str = "north-mid-2", **more: Any) -> Seat:
    """A seat of the fleet `main`."""
    return Seat("main", name, "cli", model, **more)


def place(model: str = "north-mid-2", effort: str | None = None) -> Candidate:
    """The candidate of a model; its pool is the first word of its name."""
    return Candidate("cli", model.partition("-")[0], model, effort)


def history(
    *seats: Seat,
    entries: tuple[Entry, ...] = (),
    circuits: tuple[Circuit, ...] = (),
    conditions: tuple[Condition, ...] = (),
    **fleet: Any,
) -> History:
    """One fleet of those seats."""
    fleets = (Fleet("main", NOW, seats or (seat(),), **fleet),)
    return History(NOW, fleets=fleets, journal=Journal(entries), holds=Holds(circuits), conditions=conditions)


def decided(
    *seats: Seat, rules: Policy | None = None, stock: Inventory | None = None, past: History | None = None,
    **readings: Reading | None,
) -> Decision:  # fmt: skip  # the four inputs, each with a default
    """A decision in this world."""
    rules = rules or policy()
    return decide(stock or inventory(), headroom(rules, **readings), rules, past or history(*seats))


def full(pool: str = "north") -> Reading:
    """A reading of a pool whose week is used up."""
    return reading(pool, limits=windows(20.0, 100.0))


def parked(name: str = "ada", home: Candidate | None = None, until: datetime | None = None) -> tuple[Seat, Entry]:
    """A seat that we parked, and its journal entry of a day ago."""
    there = home or place()
    where = seat(name, there.model, pool=there.pool, effort=there.effort, paused_by="capacity")
    entry = Entry(f"t/main/{name}", "main", name, "park", "applied", NOW - timedelta(days=1), None, there, there, until)
    return where, entry
