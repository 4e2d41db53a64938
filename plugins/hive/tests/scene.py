"""Three pools, a hive whose agents run on them, and a real engine between: everything but the providers is as shipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import capacity_hive
from attrs import define, evolve, field
from capacity import explain
from capacity.core.sentences import sentence
from capacity.engine import Engine
from capacity.engine.tick import Report
from capacity.plugins import ACTUATORS, INVENTORIES, PROBERS, READERS, Plugin, Plugins
from capacity.ports import Key, Limit, Listing, Model, Reading
from capacity.store import memory
from capacity.testing.clocks import SettableClock
from capacity.testing.fakes import FakeInventory, FakeProber
from capacity.testing.servers import HiveAgent, HiveServer
from capacity.testing.servers.hive import TOKEN, Habits
from capacity.values.policy import (
    AccountPolicy,
    FleetPolicy,
    HarnessPolicy,
    Pacing,
    Policy,
    PoolPolicy,
    SeatRule,
)
from capacity.values.tiers import TierRow, Tiers
from capacity.wire import Host

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
MINUTES = timedelta(minutes=1)
TURN = 20 * MINUTES
HARNESSES = {"north": "loom", "south": "lathe", "east": "plane"}


def reading(percent: float) -> Reading:
    """A week of which so much is used."""
    limit = Limit("weekly", percent=percent, resets_at=NOON + timedelta(days=3), window=timedelta(days=7))
    return Reading("", "ok", "usage", NOON, limits=(limit,))


def policy(fleets: Mapping[str, Mapping[str, Any]], mode: str = "enforce", **parts: Any) -> Policy:
    """Three pools in order of preference, one model and one harness each, and fleets of hives."""
    made = Policy(
        tiers=Tiers(("top",), tuple(TierRow("top", harness, f"m-{pool}") for pool, harness in HARNESSES.items())),
        accounts={pool: AccountPolicy(pool, "fake", options={"who": pool}) for pool in HARNESSES},
        pools={
            pool: PoolPolicy(pool, pool, "subscription", preference=place) for place, pool in enumerate(HARNESSES, 1)
        },
        harnesses={harness: HarnessPolicy(harness, (pool,)) for pool, harness in HARNESSES.items()},
        fleets={name: FleetPolicy(name, "hive", mode, options=options) for name, options in fleets.items()},  # type: ignore[arg-type]  # a word of the policy
        seats=(SeatRule("default", tier="top"),),
        pacing=Pacing(mode="off"),  # what is told here is who runs where; nobody burns
    )
    return evolve(made, **parts)


def agent(name: str, pool: str = "north", **parts: Any) -> HiveAgent:
    """An agent on a pool's model."""
    return HiveAgent(name, HARNESSES[pool], f"m-{pool}", **parts)


@define
class Scene:
    """One clock, one store, some hives, and the engine over them.

    Attributes:
        folder: where the hives' pauses are noted.
        clock: everybody's.
        hives: fleet → its hive, listening.
        options: given to every fleet besides where its hive is.
        given: parts of the policy that are otherwise.
        models: pool → what it lists, where that is otherwise.
    """

    folder: Path
    clock: SettableClock
    hives: dict[str, HiveServer]
    options: dict[str, Any] = field(factory=dict)
    given: dict[str, Any] = field(factory=dict)
    models: Mapping[str, tuple[str, ...]] = field(factory=dict)
    probers: dict[str, FakeProber] = field(init=False)
    store: Any = field(init=False)
    _engine: Engine | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.store = memory(clock=self.clock)
        self.probers = {pool: FakeProber((reading(10),), login=pool) for pool in HARNESSES}

    @property
    def hive(self) -> HiveServer:
        (only,) = self.hives.values()
        return only

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            self._engine = self.begin()
        return self._engine

    def begin(self) -> Engine:
        """An engine as a new process makes it."""
        environ = {"HIVE_TOKEN": TOKEN, "HOME": str(self.folder)}
        return Engine(
            policy({name: self.option(name) for name in self.hives}, **self.given),
            store=self.store,
            plugins=self.plugins(),
            clock=self.clock,
            host=Host(clock=self.clock, environ=environ),
        )

    def option(self, name: str) -> dict[str, Any]:
        where = {"base_url": self.hives[name].url, "path": str(self.folder / f"{name}.json")}
        return {"credentials": {"env": "HIVE_TOKEN"}, **where, **self.options}

    def plugins(self) -> Plugins:
        def prober(*, who: str, credentials: Key | None = None) -> FakeProber:
            return self.probers[who]

        def inventory(*, who: str, credentials: Key | None = None) -> FakeInventory:
            models = tuple(Model(id_) for id_ in self.models.get(who, (f"m-{who}",)))
            return FakeInventory((Listing(None, "authoritative", "models", NOON, models=models),))

        fake = {PROBERS: prober, INVENTORIES: inventory}
        shipped = {
            READERS: capacity_hive.reader,
            PROBERS: capacity_hive.prober,
            INVENTORIES: capacity_hive.inventory,
            ACTUATORS: capacity_hive.actuator,
        }
        made = [Plugin(group, "fake", "capacity-fake", "1", maker) for group, maker in fake.items()]
        return Plugins(
            [*made, *(Plugin(group, "hive", "capacity-hive", "1", maker) for group, maker in shipped.items())]
        )

    def use(self, pool: str, percent: float) -> None:
        """From now on, so much of a pool is used."""
        self.probers[pool].script.say((reading(percent),))

    def tick(self, after: timedelta = TURN) -> Report:
        """Let time pass, and tick."""
        self.clock.advance(after)
        return self.engine.tick()

    def forget(self) -> None:
        """Begin a new process: what only a process knew is gone."""
        self._engine = self.begin()


@contextmanager
def scene(
    folder: Path,
    *agents: HiveAgent,
    habits: Habits | None = None,
    options: dict[str, Any] | None = None,
    models: Mapping[str, tuple[str, ...]] | None = None,
    **given: Any,
) -> Iterator[Scene]:
    """A scene with one hive, `reef`."""
    clock = SettableClock(NOON)
    with HiveServer(clock, agents, habits=habits) as hive:
        made = Scene(folder, clock, {"reef": hive}, options or {}, given, models or {})
        yield made
        made.engine.close()
        made.store.close()


def two(harness: str, model: str, effort: str | None = None) -> dict[str, Any]:
    """A scene in which the second pool is reached by another harness, with another model."""
    rows = (TierRow("top", "loom", "m-north"), TierRow("top", harness, model, effort=effort))
    return {
        "tiers": Tiers(("top",), rows),
        "harnesses": {"loom": HarnessPolicy("loom", ("north",)), harness: HarnessPolicy(harness, ("south",))},
        "models": {"south": (model,)},
    }


def words(report: Report) -> dict[str, str]:
    """Seat → what became of its placement."""
    return {placement.seat: outcome.word for placement, outcome in report.outcomes}


def acts(report: Report) -> dict[str, str]:
    """Seat → what was decided for it."""
    assert report.tick.decision is not None
    return {placement.seat: placement.act for placement in report.tick.decision.placements}


def sent(hive: HiveServer) -> list[str]:
    """Every change that was asked of a hive, in order."""
    return [f"{asked.method} {asked.path}" for asked in hive.changes]


def place(hive: HiveServer, name: str) -> tuple[str, str]:
    """Where an agent is launched."""
    return hive.agents[name].place


def operator(report: Report) -> str:
    """What an operator reads about fleets: the act of each seat and why, what became of it, and what needs attention."""
    fleets = tuple(fleet.name for fleet in report.tick.history.fleets)
    decided = [line.strip() for line in explain(report.tick).splitlines() if line.strip().startswith(fleets)]
    outcomes = [f"{one.seat}: {outcome.word}. {outcome.detail}".rstrip(" .") for one, outcome in report.outcomes]
    about = [one for one in report.conditions if one.fact.subject.startswith(fleets)]
    stands = [f"{one.fact.code}{' (loud)' if one.loud else ''}: {sentence(one.fact)}" for one in about]
    return "\n".join([*decided, *outcomes, *stands])
