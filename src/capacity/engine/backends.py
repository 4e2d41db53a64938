"""The accounts and fleets of the policy as ports: which plugin speaks for each of them, and what it can do.

Only the policy makes an account. An installed plugin or a key in the environment is none. A name that nobody offers is
refused before anything is asked; a plugin that is there and fails stands still while the others work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from attrs import frozen

from capacity.codec.faults import joined
from capacity.core.facts import fact
from capacity.errors import CapacityError, Fault, PluginError, PolicyError
from capacity.plugins import (
    ACTUATORS,
    INVENTORIES,
    PREPARERS,
    PROBERS,
    READERS,
    TIERS,
    Plugin,
    PluginFailure,
    Plugins,
    faults,
)
from capacity.plugins.factories import said
from capacity.plugins.ports import BACKEND
from capacity.ports import (
    Ability,
    Actuator,
    Budget,
    Candidate,
    Env,
    Fleet,
    Flow,
    InventorySource,
    Key,
    Outcome,
    Placement,
    Preparer,
    Prober,
    Read,
    Reader,
    Snapshot,
)
from capacity.values.conditions import Fact
from capacity.values.policy import AccountPolicy, Credentials, FleetPolicy, Policy

Kind = Literal["probe", "listing"]


@frozen(eq=False)
class Source:
    """One thing an account can be asked.

    Attributes:
        account: the account's name.
        kind: `probe` for what is left, `listing` for what can run.
        plugin: who answers.
        budget: how often it may be asked.
        ask: makes the flow that asks.
    """

    account: str
    kind: Kind
    plugin: Plugin
    budget: Budget
    ask: Callable[[], Flow[Any]]

    @property
    def name(self) -> str:
        """`<account> <kind>`."""
        return f"{self.account} {self.kind}"


@frozen(eq=False)
class Backend:
    """One account with what its plugin offers.

    Attributes:
        account: as the policy has it.
        reader: reads documents others saw; None = not offered, or failing.
        prober: tells its login; None = not offered, or failing.
        preparer: makes its models ready; None = not offered, or failing.
        sources: what it can be asked.
        faults: what is wrong with its plugin.
    """

    account: AccountPolicy
    reader: Reader | None
    prober: Prober | None
    preparer: Preparer | None
    sources: tuple[Source, ...]
    faults: tuple[Fact, ...]


def check(policy: Policy, plugins: Plugins, given: Mapping[str, Actuator]) -> None:
    """Refuse a policy that names what nobody offers, or gives options nobody takes; all of it at once.

    Raises:
        PolicyError: it does. That a plugin which is there fails is no fault of the policy.
    """
    there = {(one.group, one.name) for one in (*plugins, *plugins.failed)}
    named = [
        (joined("accounts", name, "plugin"), group, one.plugin)
        for name, one in policy.accounts.items()
        for group in BACKEND
    ]
    named += [(joined("fleets", name, "actuator"), ACTUATORS, one.actuator) for name, one in policy.fleets.items()]
    named += [
        (joined("tiers", "sources", name, "plugin"), TIERS, one.plugin or name)
        for name, one in policy.tiers.sources.items()
    ]
    of_plugins = {path for path, group, name in named if (group, name) in there}
    wrong = tuple(fault for fault in faults(policy, plugins, given=given.keys()) if fault.path not in of_plugins)
    if wrong:
        raise PolicyError("policy", wrong)


def backends(policy: Policy, plugins: Plugins) -> dict[str, Backend]:
    """Account name → its backend, for every account of a checked policy."""
    return {name: _backend(account, plugins) for name, account in policy.accounts.items()}


def actuators(policy: Policy, plugins: Plugins, given: Mapping[str, Actuator]) -> dict[str, Actuator]:
    """Fleet name → its actuator: the one given, else the one its plugin makes."""
    return {name: given[name] if name in given else _actuator(fleet, plugins) for name, fleet in policy.fleets.items()}


def failing(plugin: Plugin | PluginFailure, subject: str, because: str) -> Fact:
    """The fact that a plugin does not do what it should, with the distribution to report it to."""
    return fact(
        "plugin-failing",
        subject,
        plugin=plugin.name,
        distribution=plugin.distribution,
        version=plugin.version,
        because=because,
    )


def _backend(account: AccountPolicy, plugins: Plugins) -> Backend:
    offered = {group: plugin for group in BACKEND if (plugin := plugins.get(group, account.plugin)) is not None}
    wrong = [failing(one, account.name, one.why) for one in plugins.failures(account.plugin, BACKEND)]
    made: dict[str, Any] = {}
    for group, plugin in offered.items():
        options = {} if group == READERS else {**account.options, "credentials": _key(account.credentials)}
        try:
            made[group] = plugin.factory(**options)
        except ValueError as error:
            raise PolicyError("policy", (Fault(f"accounts.{account.name}.options", said(error)),)) from error
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises is its own trouble, and told as such
            wrong.append(failing(plugin, account.name, said(error)))
    sources = tuple(_sources(account, offered, made))
    return Backend(account, made.get(READERS), made.get(PROBERS), made.get(PREPARERS), sources, tuple(wrong))


def _sources(account: AccountPolicy, offered: Mapping[str, Plugin], made: Mapping[str, Any]) -> Iterator[Source]:
    prober: Prober | None = made.get(PROBERS)
    inventory: InventorySource | None = made.get(INVENTORIES)
    if prober is not None:
        yield Source(account.name, "probe", offered[PROBERS], prober.budget, prober.probe)
    if inventory is not None:
        yield Source(account.name, "listing", offered[INVENTORIES], inventory.budget, inventory.listings)


def _key(credentials: Credentials | None) -> Key | None:
    """The effect that a reference in the policy becomes; None = the plugin's own default place is meant."""
    if credentials is None:
        return None
    return Env(credentials.env) if credentials.env is not None else Read(credentials.file or "", secret=True)


def _actuator(fleet: FleetPolicy, plugins: Plugins) -> Actuator:
    try:
        made: Actuator = plugins.require(ACTUATORS, fleet.actuator).factory(fleet=fleet.name, **fleet.options)
    except ValueError as error:
        raise PolicyError("policy", (Fault(f"fleets.{fleet.name}.options", said(error)),)) from error
    except Exception as error:  # noqa: BLE001 - likewise; the fleet is left alone, and says why
        return _Broken(error if isinstance(error, CapacityError) else PluginError(f"{fleet.actuator}: {said(error)}"))
    return made


@frozen
class _Broken:
    """The actuator of a fleet whose plugin fails: nothing can be read or written, and it says why."""

    why: CapacityError
    abilities: frozenset[Ability] = frozenset()

    async def fleet(self) -> Fleet:
        raise self.why

    async def apply(self, placement: Placement) -> Outcome:
        return Outcome("rejected", f"{placement.id}: {self.why}")

    async def prepare(self, candidate: Candidate) -> Outcome:
        return Outcome("rejected", f"{candidate.model}: {self.why}")

    async def report(self, snapshot: Snapshot) -> Outcome:
        return Outcome("rejected", f"{snapshot.as_of}: {self.why}")
