"""What a policy asks of plugins, held against what is installed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from inspect import Parameter
from typing import Any

from capacity.codec.faults import joined, nearest, quoted
from capacity.errors import Fault
from capacity.plugins.ports import ACTUATORS, BACKEND, PORTS, READERS
from capacity.plugins.registry import Plugin, Plugins
from capacity.values.policy import AccountPolicy, FleetPolicy, Policy


def faults(policy: Policy, plugins: Plugins, *, given: Collection[str] = ()) -> tuple[Fault, ...]:
    """What a policy asks of plugins that nobody offers. Imports the plugins it names, and no other.

    Args:
        policy: the policy.
        plugins: what is installed.
        given: fleets whose actuator the host brings itself.
    """
    accounts = (fault for account in policy.accounts.values() for fault in _account_faults(account, plugins))
    fleets = (fleet for fleet in policy.fleets.values() if fleet.name not in given)
    return (*accounts, *(fault for fleet in fleets for fault in _fleet_faults(fleet, plugins)))


def _account_faults(account: AccountPolicy, plugins: Plugins) -> Iterator[Fault]:
    path = joined("accounts", account.name)
    offered, wrong = _offered(account.plugin, BACKEND, plugins, f"{path}.plugin", "plugin")
    yield from wrong
    # A reader knows no login: options and credentials are for whoever asks.
    asking = [plugin for plugin in offered if plugin.group != READERS]
    yield from _option_faults(asking, account.options, {"credentials"}, path)
    if offered and not asking and account.options:
        yield Fault(f"{path}.options", f"{quoted(account.plugin)} asks nobody, and takes none", "take them out")


def _fleet_faults(fleet: FleetPolicy, plugins: Plugins) -> Iterator[Fault]:
    path = joined("fleets", fleet.name)
    offered, wrong = _offered(fleet.actuator, (ACTUATORS,), plugins, f"{path}.actuator", "actuator")
    yield from wrong
    yield from _option_faults(offered, fleet.options, {"fleet"}, path)


def _offered(
    name: str, groups: Collection[str], plugins: Plugins, path: str, what: str
) -> tuple[list[Plugin], list[Fault]]:
    """The plugins of a name that work, and what is wrong with the others or with there being none."""
    offered = [plugin for group in groups if (plugin := plugins.get(group, name)) is not None]
    wrong = [Fault(path, str(failure)) for failure in plugins.failures(name, groups)]
    if not offered and not wrong:
        wrong = [Fault(path, f"no {what} {quoted(name)} is installed", plugins.remedy(name, groups))]
    return offered, wrong


def _option_faults(
    asked: list[Plugin], options: Mapping[str, Any], told: Collection[str], path: str
) -> Iterator[Fault]:
    """Options that one of them does not take or cannot do without: each is given all. `told` the engine gives."""
    for plugin in asked:
        taken = {name: parameter for name, parameter in plugin.takes.items() if name not in told}
        anything = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in taken.values())
        for name in [] if anything else [name for name in options if name not in taken]:
            wrong = f"the {PORTS[plugin.group][0]} {quoted(plugin.name)} takes no such option"
            yield Fault(f"{path}.options.{joined(name)}", wrong, nearest(name, taken))
        for name in [name for name, parameter in taken.items() if _needed(parameter) and name not in options]:
            wrong = f"is missing; the {PORTS[plugin.group][0]} {quoted(plugin.name)} cannot do without it"
            yield Fault(f"{path}.options.{joined(name)}", wrong)


def _needed(parameter: Parameter) -> bool:
    return parameter.default is Parameter.empty and parameter.kind is Parameter.KEYWORD_ONLY
