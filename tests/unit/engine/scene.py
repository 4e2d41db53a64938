"""A small world for the engine: two accounts on one harness, one fleet, everything fake but the engine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import define, evolve, field

from capacity.engine import Engine, Settings
from capacity.plugins import INVENTORIES, PREPARERS, PROBERS, READERS, Plugin, Plugins
from capacity.ports import Actuator, Key, Limit, Listing, Model, Reading, Seat, Store
from capacity.store import memory
from capacity.testing.clocks import SettableClock
from capacity.testing.fakes import FakeActuator, FakeInventory, FakePreparer, FakeProber, FakeReader
from capacity.values.policy import (
    AccountPolicy,
    FleetPolicy,
    HarnessPolicy,
    Policy,
    PoolPolicy,
    SeatRule,
)
from capacity.values.tiers import TierRow, Tiers

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
MODEL = "model-of-{}"


def reading(percent: float = 10.0, part: str = "", **parts: Any) -> Reading:
    """A window of five hours, used so far, that resets at four."""
    limit = Limit("5h", percent=percent, resets_at=NOON + 4 * HOUR, window=5 * HOUR)
    return evolve(Reading(part, "ok", "usage", NOON, limits=(limit,)), **parts)


def listing(account: str, *more: str, authority: str = "authoritative") -> Listing:
    """The model of an account, and others."""
    models = tuple(Model(id) for id in (MODEL.format(account), *more))
    return Listing(None, authority, "models", NOON, models=models)  # type: ignore[arg-type]  # a word of the port


def seat(name: str, account: str = "a", **parts: Any) -> Seat:
    """A seat on the model of an account."""
    return evolve(Seat("f", name, "h", MODEL.format(account), pool=account), **parts)


def policy(mode: str = "enforce", accounts: tuple[str, ...] = ("a", "b"), **parts: Any) -> Policy:
    """Accounts with one pool each, a harness that draws on all of them, one tier, one fleet."""
    rows = tuple(TierRow("top", "h", MODEL.format(name)) for name in accounts)
    made = Policy(
        tiers=Tiers(("top",), rows),
        accounts={name: AccountPolicy(name, "fake", options={"who": name}) for name in accounts},
        pools={name: PoolPolicy(name, name, "subscription") for name in accounts},
        harnesses={"h": HarnessPolicy("h", accounts)},
        fleets={"f": FleetPolicy("f", "fake", mode)},  # type: ignore[arg-type]  # a word of the policy
        seats=(SeatRule("default", tier="top"),),
    )
    return evolve(made, **parts)


@define
class Scene:
    """Everything an engine is made of, and the clock it lives by.

    Attributes:
        probers: account → what tells its readings.
        inventories: account → what tells its models.
        preparer: loads the models of both; None = their backend loads none.
        fleet: the seats.
        reader: knows bodies by heart.
        clock: moves when a test says so.
        store: kept between engines.
    """

    probers: dict[str, FakeProber] = field(factory=dict)
    inventories: dict[str, FakeInventory] = field(factory=dict)
    preparer: FakePreparer | None = None
    fleet: FakeActuator = field(factory=lambda: FakeActuator(fleet="f", seats=[seat("s1"), seat("s2", "b")]))
    reader: FakeReader = field(factory=FakeReader)
    clock: SettableClock = field(factory=lambda: SettableClock(NOON))
    store: Store = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.store = memory(clock=self.clock)
        for name in ("a", "b"):
            self.probers.setdefault(name, FakeProber((reading(),), login=f"login-{name}"))
            self.inventories.setdefault(name, FakeInventory((listing(name),)))

    def plugins(self) -> Plugins:
        """One distribution with everything a backend can offer."""

        def prober(*, who: str, credentials: Key | None = None) -> FakeProber:
            return self.probers[who]

        def inventory(*, who: str, credentials: Key | None = None) -> FakeInventory:
            return self.inventories[who]

        makers: dict[str, Any] = {READERS: lambda: self.reader, PROBERS: prober, INVENTORIES: inventory}
        if self.preparer is not None:
            makers[PREPARERS] = lambda *, who, credentials: self.preparer
        return Plugins([Plugin(group, "fake", "capacity-fake", "1.2", make) for group, make in makers.items()])

    def engine(
        self, policy_: Policy | None = None, *, actuators: Mapping[str, Actuator] | None = None, **parts: Any
    ) -> Engine:
        """An engine on the scene's store and clock."""
        return Engine(
            policy() if policy_ is None else policy_,
            store=parts.pop("store", self.store),
            plugins=self.plugins(),
            clock=self.clock,
            actuators={"f": self.fleet} if actuators is None else actuators,
            settings=parts.pop("settings", Settings()),
            **parts,
        )

    def probes(self) -> int:
        """How often any account was probed."""
        return sum(prober.script.told for prober in self.probers.values())
