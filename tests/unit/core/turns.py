"""A fleet of pools and lanes in which turns are chosen: five subscriptions, and a box with two local models.

Every model stands in the lowest tier that a lane needs it in; the lanes name them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from attrs import evolve

from capacity import Headroom, History, Inventory, Limit, Model, Need, Policy, Reading
from capacity.core.choose import choose
from capacity.core.headroom import assess
from capacity.values.budgets import Spent
from capacity.values.choice import Choice
from capacity.values.failures import Circuit
from capacity.values.history import Holds
from capacity.values.lanes import Lane, Lanes, Pick, Serving, Step
from capacity.values.leases import Lease
from capacity.values.models import PoolInventory
from capacity.values.policy import AccountPolicy, HarnessPolicy, PoolPolicy, Profile
from capacity.values.seats import Candidate
from capacity.values.tiers import TierRow, Tiers

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
WEEK, BURST = timedelta(days=7), timedelta(hours=5)

CLOUD: Mapping[str, tuple[str, ...]] = {
    "amber": ("amber-large", "amber-small"),
    "opal": ("opal-large", "opal-small"),
    "quartz": ("quartz-large",),
    "topaz": ("topaz-small",),
    "beryl": ("beryl-small",),
}
SMART = ("amber-large", "opal-large", "quartz-large")
WORKER = ("amber-small", "opal-small", "nine")


def pick(*models: str) -> tuple[Pick, ...]:
    """Picks by model."""
    return tuple(Pick(model=model) for model in models)


LANES = Lanes(
    tiers={"smart": Lane("smart", pick(*SMART)), "worker": Lane("worker", pick(*WORKER), local_share=0.25)},
    profiles={
        "deep": Lane("deep", pick("amber-large"), (Step(pick("opal-large")), Step(pick("quartz-large")))),
        "private": Lane(
            "private",
            pick("nine"),
            (
                Step(pick("opal-small"), timedelta(seconds=5)),
                Step(pick("big"), timedelta(seconds=9)),
            ),
        ),
        "memory": Lane("memory", pick("big"), (Step(pick("opal-large"), timedelta(seconds=5)),)),
    },
)


def policy(lanes: Lanes = LANES, **more: Any) -> Policy:
    """The policy of this fleet."""
    pools = {name: PoolPolicy(name, name, "subscription") for name in CLOUD}
    serving = (
        Serving("nine", slots=3, each=4, context=32_768),
        Serving("big", slots=1, context=131_072, reserve=24_576, least=8_000),
    )
    pools["box"] = PoolPolicy("box", "box", "local", egress="lan", serving=serving)
    rows = [TierRow("smart", "cli", model) for model in (*SMART, "big")]
    rows += [TierRow("worker", "cli", model) for model in (*WORKER, "topaz-small", "beryl-small")]
    return evolve(
        Policy(
            tiers=Tiers(("smart", "worker"), tuple(rows)),
            accounts={name: AccountPolicy(name, name) for name in pools},
            pools=pools,
            harnesses={"cli": HarnessPolicy("cli", tuple(pools))},
            profiles={
                "deep": Profile("deep"),
                "private": Profile("private", "lan"),
                "memory": Profile("memory", "lan", allow=("opal",)),
                "offline": Profile("offline", "lan", offline=True),
                "manual": Profile("manual", manual=True),
            },
            lanes=lanes,
        ),
        **more,
    )


def inventory(resident: tuple[str, ...] = ("nine", "big")) -> Inventory:
    """Authoritative, fresh listings."""
    listed = {pool: tuple(Model(model, context=200_000) for model in models) for pool, models in CLOUD.items()}
    residency = {name: "resident" if name in resident else "loadable" for name in ("nine", "big")}
    listed["box"] = tuple(Model(name, residency=residency[name]) for name in residency)  # type: ignore[arg-type]  # both are words of the list
    return Inventory(
        NOW, {pool: PoolInventory(pool, "authoritative", True, NOW, found) for pool, found in listed.items()}
    )


def week(percent: float, left: timedelta = timedelta(days=3), **more: Any) -> Limit:
    """A weekly window."""
    return Limit("weekly", percent, resets_at=NOW + left, window=WEEK, **more)


def burst(percent: float, left: timedelta) -> Limit:
    """A five-hour window."""
    return Limit("5h", percent, resets_at=NOW + left, window=BURST)


def headroom(rules: Policy, **limits: float | tuple[Limit, ...] | None) -> Headroom:
    """Readings of a minute ago: percent of the week, or limits; None = nobody could read the pool."""
    told = []
    for pool, said in limits.items():
        if said is not None:
            found = said if isinstance(said, tuple) else (week(said),)
            told.append(
                Reading(pool, "ok", "test", NOW - timedelta(minutes=1), usual=timedelta(minutes=5), limits=found)
            )
    slots = Limit("slots", left={"slots": Decimal(4)}, cap={"slots": Decimal(4)})
    told.append(Reading("box", "ok", "test", NOW - timedelta(minutes=1), usual=timedelta(minutes=5), limits=(slots,)))
    return assess(told, (), rules, NOW)


def spent(pool: str, percent: float) -> Spent:
    """Our own count of a pool."""
    return Spent(pool, "weekly", "tokens", Decimal(str(percent)), NOW - WEEK / 2, NOW + WEEK / 2, Decimal(100))


def lease(model: str, pool: str, session: str = "other", life: timedelta = timedelta(hours=2)) -> Lease:
    """A lease in flight."""
    there = Candidate("cli", pool, model)
    return Lease(
        f"{session} {model}", session, there, "lane", "any", "key", 0, 1, NOW - timedelta(seconds=9), NOW + life
    )


def at(model: str) -> Candidate:
    """The candidate of a model."""
    pool = next((pool for pool, models in CLOUD.items() if model in models), "box")
    return Candidate("cli", pool, model)


def chosen(
    need: Need,
    rules: Policy | None = None,
    *,
    leases: tuple[Lease, ...] = (),
    circuits: tuple[Circuit, ...] = (),
    ledger: tuple[Spent, ...] = (),
    granted: Mapping[str, int] | None = None,
    resident: tuple[str, ...] = ("nine", "big"),
    seed: int = 0,
    **limits: float | tuple[Limit, ...] | None,
) -> Choice:
    """The choice for a need in this fleet."""
    rules = rules or policy()
    history = History(NOW, seed=seed, holds=Holds(circuits, leases), spent=ledger, granted=granted or {})
    return choose(need, inventory(resident), headroom(rules, **limits), rules, history)


def smart(**more: Any) -> Need:
    """A turn of the tier `smart`."""
    return Need(tier="smart", turn=True, **{"context": 10_000, **more})


def worker(**more: Any) -> Need:
    """A turn of the tier `worker`."""
    return Need(tier="worker", turn=True, **{"context": 10_000, **more})


def profiled(name: str, **more: Any) -> Need:
    """A turn under a profile with a lane of its own."""
    return Need(profile=name, turn=True, **{"context": 10_000, **more})
