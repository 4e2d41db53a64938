"""Looking at what is installed: metadata only, distribution by distribution, each within its own guard."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from capacity.plugins.factories import LazyFactory, PluginFailure, said
from capacity.plugins.ports import PORTS
from capacity.plugins.registry import Plugin, Plugins

CORE = "capacity-core"
"""The distribution of this library; its own actuators and stores are entry points like any other."""

UNKNOWN = "unknown"
"""What stands for a name or a version that the metadata does not tell."""


def load_plugins(*, only: Collection[str] | None = None) -> Plugins:
    """Everything installed that offers a port. Imports nothing.

    Args:
        only: names that may be used, besides what the core brings; None = all.
    """
    entries: dict[tuple[str, str], list[LazyFactory]] = defaultdict(list)
    failed: list[PluginFailure] = []
    for found in _installed():
        if isinstance(found, PluginFailure):
            failed.append(found)
        elif only is None or found.entry.name in only or found.distribution == CORE:
            entries[found.entry.group, found.entry.name].append(found)
    plugins = [_plugin(*factories) for factories in entries.values() if len(factories) == 1]
    return Plugins(plugins, [*failed, *(_duplicate(twice) for twice in entries.values() if len(twice) > 1)])


def made_by(plugins: Plugins | None = None) -> dict[str, str]:
    """Distribution → version of the core and of everything installed that offers a port.

    Args:
        plugins: what is installed; None = look.
    """
    from importlib_metadata import PackageNotFoundError, version  # loading it takes longer than importing this package

    try:
        core = version(CORE)
    except PackageNotFoundError:
        core = UNKNOWN
    found = load_plugins() if plugins is None else plugins
    return {CORE: core, **{plugin.distribution: plugin.version for plugin in found}}


def _plugin(factory: LazyFactory) -> Plugin:
    return Plugin(factory.entry.group, factory.entry.name, factory.distribution, factory.version, factory)


def _installed() -> Iterator[LazyFactory | PluginFailure]:
    """Every entry point of a port. Of two versions of one distribution the first on the path counts, as at import."""
    from importlib_metadata import distributions  # see made_by

    seen: set[str] = set()
    for distribution in distributions():
        entries = list(_entries(distribution))
        name = re.sub(r"[-_.]+", "-", entries[0].distribution).lower() if entries else ""
        if name == UNKNOWN or name not in seen:
            yield from entries
        seen.add(name)


def _entries(distribution: Any) -> Iterator[LazyFactory | PluginFailure]:
    try:
        # Most distributions offer nothing here, and their metadata takes long to read.
        if "capacity." not in (distribution.read_text("entry_points.txt") or ""):
            return
        entries = [entry for entry in distribution.entry_points if entry.group in PORTS]
    except Exception as error:  # noqa: BLE001 - one broken distribution must not hide the others
        yield PluginFailure("", "", *_who(distribution), f"{said(error)}; reinstall it, or uninstall it")
        return
    for entry in entries:
        yield LazyFactory(entry, *_who(distribution))


def _who(distribution: Any) -> tuple[str, str]:
    """Name and version, as far as the metadata tells them. Its type has another name in each version of the library."""
    try:
        return distribution.metadata["Name"] or UNKNOWN, distribution.metadata["Version"] or UNKNOWN
    except Exception:  # noqa: BLE001 - so have its errors for missing metadata
        return UNKNOWN, UNKNOWN


def _duplicate(twice: list[LazyFactory]) -> PluginFailure:
    """Two distributions that offer one name: nobody could say which was meant, so both are refused."""
    first = twice[0]
    who = sorted({(one.distribution, one.version) for one in twice})
    said_by = " and ".join(" ".join(one) for one in who)
    distributions, versions = (", ".join(part) for part in zip(*who, strict=True))
    why = f"it is offered by {said_by}; uninstall all but one"
    return PluginFailure(first.entry.group, first.entry.name, distributions, versions, why)
