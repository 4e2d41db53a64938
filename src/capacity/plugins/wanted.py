"""What a policy asks of plugins, held against what is installed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from inspect import Parameter
from typing import Any

from capacity.codec.faults import joined, nearest, quoted
from capacity.errors import Fault, PluginError
from capacity.plugins.factories import masked, said
from capacity.plugins.ports import ACTUATORS, BACKEND, PORTS, PREPARERS, READERS, TIERS
from capacity.plugins.registry import Plugin, Plugins
from capacity.ports import Env, Key, Read
from capacity.values.methods import TierSourcePolicy
from capacity.values.policy import AccountPolicy, Credentials, FleetPolicy, Policy, PoolPolicy


def faults(policy: Policy, plugins: Plugins, *, given: Collection[str] = ()) -> tuple[Fault, ...]:
    """What a policy asks of plugins that nobody offers, or that they refuse.

    Imports the plugins the policy names, and no other, and makes their ports; nothing is asked of anybody.

    Args:
        policy: the policy.
        plugins: what is installed.
        given: fleets whose actuator the host brings itself.
    """
    # one whose plugin could not be read has been told of already
    named = [account for account in policy.accounts.values() if account.plugin]
    accounts = [fault for account in named for fault in _account_faults(account, plugins)]
    fleets = (fleet for fleet in policy.fleets.values() if fleet.actuator and fleet.name not in given)
    found = [*accounts, *(fault for fleet in fleets for fault in _fleet_faults(fleet, plugins))]
    found += [fault for source in policy.tiers.sources.values() for fault in _source_faults(source, plugins)]
    found += _unprepared(policy, plugins, given)
    return tuple(dict.fromkeys(found))  # what a prober and an inventory say alike is said once


def _account_faults(account: AccountPolicy, plugins: Plugins) -> Iterator[Fault]:
    path = joined("accounts", account.name)
    offered, wrong = _offered(account.plugin, BACKEND, plugins, f"{path}.plugin", "plugin")
    yield from wrong
    told = {"credentials": _key(account.credentials)}
    asking = [plugin for plugin in offered if plugin.group != READERS]
    for plugin in offered:
        if plugin.group == READERS:  # it knows no login: options and credentials are for whoever asks
            yield from _option_faults([plugin], {}, {}, f"{path}.options")
            yield from _refusals(plugin, {}, {}, path, "plugin")
    yield from _option_faults(asking, told, account.options, f"{path}.options")
    for plugin in asking:
        yield from _refusals(plugin, told, account.options, path, "plugin")
    if account.options and {plugin.group for plugin in offered} == {READERS}:
        yield Fault(f"{path}.options", f"{quoted(account.plugin)} asks nobody, and takes none", "take them out")


def _fleet_faults(fleet: FleetPolicy, plugins: Plugins) -> Iterator[Fault]:
    path = joined("fleets", fleet.name)
    offered, wrong = _offered(fleet.actuator, (ACTUATORS,), plugins, f"{path}.actuator", "actuator")
    yield from wrong
    told = {"fleet": fleet.name}
    yield from _option_faults(offered, told, fleet.options, f"{path}.options")
    for plugin in offered:
        yield from _refusals(plugin, told, fleet.options, path, "actuator")


def _source_faults(source: TierSourcePolicy, plugins: Plugins) -> Iterator[Fault]:
    path = joined("tiers", "sources", source.name)
    offered, wrong = _offered(source.plugin or source.name, (TIERS,), plugins, f"{path}.plugin", "tier source")
    yield from wrong
    told = told_to(source)
    if told:
        takes = ({**plugin.takes} for plugin in offered)
        if not all("credentials" in taken or _anything(taken) for taken in takes):
            yield Fault(f"{path}.credentials", f"{quoted(source.plugin or source.name)} takes none", "take it out")
            return
    yield from _option_faults(offered, told, source.options, f"{path}.options")
    for plugin in offered:
        yield from _refusals(plugin, told, source.options, path, "plugin")


def told_to(source: TierSourcePolicy) -> Mapping[str, Any]:
    """What the engine gives the factory of a tier source besides its options: where its secret lives, where that is said."""
    return {} if source.credentials is None else {"credentials": _key(source.credentials)}


def _unprepared(policy: Policy, plugins: Plugins, given: Collection[str]) -> Iterator[Fault]:
    """The pools whose models wait to be loaded by a plugin or a fleet, where neither loads any."""
    wanting = [pool for pool in policy.pools.values() if pool.prepare is True and pool.account in policy.accounts]
    if any(name in given or _may_load(fleet, plugins) for name, fleet in policy.fleets.items() if wanting):
        return
    for pool in wanting:
        plugin = policy.accounts[pool.account].plugin
        if plugins.get(PREPARERS, plugin) is None and not plugins.failures(plugin, (PREPARERS,)):
            yield Fault(prepare_path(pool), f"{quoted(plugin)} loads no models", "name a program that does")


def prepare_path(pool: PoolPolicy) -> str:
    """Where the policy says how a pool's models are loaded."""
    part = pool.name.removeprefix(pool.account).removeprefix("/")
    return joined("accounts", pool.account, *(("pools", part) if part else ()), "prepare")


def _may_load(fleet: FleetPolicy, plugins: Plugins) -> bool:
    """Whether the actuator of a fleet makes candidates ready. One that cannot be made might, and is told of elsewhere."""
    plugin = plugins.get(ACTUATORS, fleet.actuator)
    try:
        return plugin is None or "prepare" in plugin.factory(fleet=fleet.name, **fleet.options).abilities
    except Exception:  # noqa: BLE001 - likewise
        return True


def _offered(
    name: str, groups: Collection[str], plugins: Plugins, path: str, what: str
) -> tuple[list[Plugin], list[Fault]]:
    """The plugins of a name that work, and what is wrong with the others or with there being none."""
    offered = [plugin for group in groups if (plugin := plugins.get(group, name)) is not None]
    wrong = [Fault(path, str(failure)) for failure in plugins.failures(name, groups)]
    if not offered and not wrong:
        wrong = [Fault(path, f"no {what} {quoted(name)} is installed", plugins.remedy(name, groups))]
    return offered, wrong


def _key(credentials: Credentials | None) -> Key | None:
    if credentials is None:
        return None
    return Env(credentials.env) if credentials.env is not None else Read(credentials.file or "", secret=True)


def _refusals(plugin: Plugin, told: Mapping[str, Any], options: Mapping[str, Any], path: str, key: str) -> list[Fault]:
    """Why a plugin cannot be made as a policy asks, in its own words. One whose options do not fit is not tried.

    Args:
        plugin: the plugin.
        told: what the engine gives its factory.
        options: what the policy gives it.
        path: of the table in the policy.
        key: under which that names the plugin.
    """
    try:
        if not any(_misfits(plugin, told, options)):
            plugin.factory(**told, **options)
    except PluginError as error:
        return [Fault(f"{path}.{key}", str(error))]
    except ValueError as error:
        return [Fault(f"{path}.options", masked(str(error)))]
    except Exception as error:  # noqa: BLE001 - whatever a plugin raises is a fault to be told, not one of the check
        return [Fault(f"{path}.{key}", f"{plugin.distribution} {plugin.version} cannot be made: {said(error)}")]
    return []


def _option_faults(
    plugins: Iterable[Plugin], told: Mapping[str, Any], options: Mapping[str, Any], path: str
) -> Iterator[Fault]:
    """The options that do not fit, each once, whichever ports of a plugin say so."""
    who: dict[tuple[str, bool], list[Plugin]] = {}
    remedies: dict[str, str] = {}
    for plugin in plugins:
        for name, missing, remedy in _misfits(plugin, told, options):
            who.setdefault((name, missing), []).append(plugin)
            remedies.setdefault(name, remedy)
    for (name, missing), found in who.items():
        *others, last = (f"the {PORTS[plugin.group][0]}" for plugin in found)
        ports = f"{', '.join(others)} and {last}" if others else last
        subject, verb = f"{ports} {quoted(found[0].name)}", "takes" if len(found) == 1 else "take"
        wrong = f"is missing; {subject} cannot do without it" if missing else f"{subject} {verb} no such option"
        yield Fault(f"{path}.{joined(name)}", wrong, remedies[name])


def _misfits(plugin: Plugin, told: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[tuple[str, bool, str]]:
    """Each option that does not fit: its name, whether it is missing, and the remedy."""
    taken = {name: parameter for name, parameter in plugin.takes.items() if name not in told}
    for name in options:
        if name in told or not (_anything(taken) or name in taken):
            yield name, False, nearest(name, taken)
    for name, parameter in taken.items():
        if _needed(parameter) and name not in options:
            yield name, True, ""


def _anything(taken: Mapping[str, Parameter]) -> bool:
    """Whether a factory takes options of any name."""
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in taken.values())


def _needed(parameter: Parameter) -> bool:
    return parameter.default is Parameter.empty and parameter.kind is Parameter.KEYWORD_ONLY
