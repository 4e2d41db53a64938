"""One incident each: a turn fails, and who is left alone, for how long, and what ends it. The operator's text as a snapshot."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import frozen

from capacity import Engine, Limit, Model, Policy, Reading, classify, explain
from capacity.plugins import INVENTORIES, PROBERS, Plugin, Plugins
from capacity.ports import Candidate, Key, Listing, Seat
from capacity.store import memory
from capacity.testing.clocks import SettableClock
from capacity.testing.fakes import FakeActuator, FakeInventory, FakeProber
from capacity.values.failures import Stop
from capacity.values.policy import AccountPolicy, FleetPolicy, HarnessPolicy, PoolPolicy, SeatRule
from capacity.values.tiers import TierRow, Tiers

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
POOLS = ("north", "south")
MODELS = {"north": ("sample-a", "sample-b"), "south": ("sample-c",)}


def windows(short: float, week: float) -> Reading:
    """A subscription with a window of five hours, which resets at three, and a week."""
    limits = (
        Limit("5h", short, resets_at=NOON + 3 * HOUR, window=5 * HOUR),
        Limit("weekly", week, resets_at=NOON + 72 * HOUR, window=168 * HOUR),
    )
    return Reading("", "ok", "usage", NOON, limits=limits)


def rules() -> Policy:
    """Two subscriptions, one harness, one tier of every model, one fleet."""
    rows = tuple(TierRow("top", "cli", model) for models in MODELS.values() for model in models)
    return Policy(
        tiers=Tiers(("top",), rows),
        accounts={name: AccountPolicy(name, "fake", options={"who": name}) for name in POOLS},
        pools={name: PoolPolicy(name, name, "subscription") for name in POOLS},
        harnesses={"cli": HarnessPolicy("cli", POOLS)},
        fleets={"crew": FleetPolicy("crew", "fake", "enforce")},
        seats=(SeatRule("default", tier="top"),),
    )


@frozen
class Incident:
    """A fleet of one, what it is made of, and how far its clock has gone.

    Attributes:
        clock: moves when the story says so.
        probers: account → what tells its windows.
        engine: what is told of failures.
    """

    clock: SettableClock
    probers: dict[str, FakeProber]
    engine: Engine

    def fails(self, model: str, session: str = "s", **seen: Any) -> tuple[Stop, ...]:
        """A turn fails on a model of `north`; what that stops."""
        failure = classify(at=self.clock.now(), **seen)
        return self.engine.fail(Candidate("cli", "north", model), failure, session=session)

    def tick(self) -> str:
        """The text an operator reads of the next decision."""
        return explain(self.engine.tick().tick)

    @property
    def stopped(self) -> list[str]:
        """What is stopped."""
        return [one.name for one in self.engine.snapshot().circuits]


@pytest.fixture
def incident() -> Incident:
    """Everything is well, and was read at noon."""
    clock = SettableClock(NOON)
    probers = {name: FakeProber((windows(40.0, 20.0),), login=name) for name in POOLS}
    listings = {
        name: FakeInventory((Listing(None, "authoritative", "models", NOON, models=tuple(map(Model, models))),))
        for name, models in MODELS.items()
    }

    def prober(*, who: str, credentials: Key | None = None) -> FakeProber:
        return probers[who]

    def inventory(*, who: str, credentials: Key | None = None) -> FakeInventory:
        return listings[who]

    made = ((PROBERS, prober), (INVENTORIES, inventory))
    plugins = Plugins([Plugin(port, "fake", "capacity-fake", "1.0", make) for port, make in made])
    fleet = FakeActuator(fleet="crew", seats=[Seat("crew", "ada", "cli", "sample-a", pool="north")])
    engine = Engine(rules(), store=memory(clock=clock), plugins=plugins, clock=clock, actuators={"crew": fleet})
    engine.tick()
    return Incident(clock, probers, engine)


def test_a_spent_week_is_left_alone_until_it_resets_and_no_longer_where_it_was_reset_early(
    incident: Incident, snapshot: Any
) -> None:
    """Fourteen minutes after the refusal the page says that there is room: kept, since pages lag. Twenty minutes after it
    the page still says so: the provider has reset it days early, and the seat's old place is to be had again.
    """
    (stop,) = incident.fails("sample-a", status=429, text="You've hit your weekly limit · resets in 3 days")
    assert (NOON + timedelta(days=3), True) == (stop.until, stop.known)
    refused = incident.tick()
    incident.clock.advance(14 * MINUTE)
    kept = incident.tick()
    assert ["north"] == incident.stopped
    incident.clock.advance(6 * MINUTE)
    lifted = incident.tick()
    assert [] == incident.stopped
    assert snapshot == "\n".join((refused, kept, lifted))


def test_both_windows_are_full_and_the_refusal_tells_no_reset(incident: Incident) -> None:
    """It ends when the last of them does: the reset of the short one would open it four days early."""
    incident.probers["north"].script.say((windows(100.0, 100.0),))
    incident.clock.advance(10 * MINUTE)
    incident.engine.probe()
    (stop,) = incident.fails("sample-a", status=429, text="You've reached your usage limit.")
    assert ("quota", NOON + 72 * HOUR) == (stop.kind, stop.until)


@pytest.mark.parametrize(
    ("seen", "kind", "blames"),
    [
        ({"status": 429}, "rate", "candidate"),
        ({"status": 529}, "overload", "candidate"),
        ({"status": 401}, "auth", "candidate"),
        ({"transport": "unreached"}, "connect", "pool"),
        ({"transport": "aborted"}, "noop", "none"),
    ],
)
def test_what_is_over_within_minutes_moves_nobody(
    incident: Incident, seen: dict[str, Any], kind: str, blames: str
) -> None:
    """A burst, an overload, a token that is just renewed, a server that restarts: the seat stays where it is."""
    opened = incident.fails("sample-a", **seen)
    assert [(kind, blames)] * (blames != "none") == [(one.kind, one.subject) for one in opened]
    assert "crew/ada: keep" in incident.tick()


def test_a_provider_breaks_and_is_tried_again_by_one(incident: Incident, snapshot: Any) -> None:
    """One session on two models is only watched. A second session: the pool is put aside, loudly, half an hour; then one
    lease tries it. An operator who knows better does not wait for that.
    """
    incident.fails("sample-a", "one", transport="broken")
    incident.fails("sample-b", "one", status=500)
    assert "north" not in incident.stopped
    incident.fails("sample-b", "two", status=500)
    aside = incident.tick()
    assert "north" in incident.stopped

    incident.clock.advance(31 * MINUTE)
    tried = incident.tick()
    incident.engine.rearm("north")
    assert [] == incident.stopped
    assert snapshot == "\n".join((aside, tried, incident.tick()))
