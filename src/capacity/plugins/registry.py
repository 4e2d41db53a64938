"""What is installed, as a value: known without importing it, imported one by one when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from inspect import Parameter, signature
from typing import Any

from attrs import field, frozen

from capacity.codec.faults import nearest, quoted
from capacity.errors import PluginError
from capacity.plugins.factories import LazyFactory, PluginFailure
from capacity.plugins.ports import PORTS


@frozen
class Plugin:
    """One thing a distribution offers.

    Attributes:
        group: its entry-point group.
        name: its name in the group.
        distribution: who ships it.
        version: of that distribution.
        factory: makes the port from keyword-only options. A TypeError means that it does not take those; a
            `PluginError` that it cannot be imported, or made something that is no such port.
    """

    group: str
    name: str
    distribution: str
    version: str
    factory: Callable[..., Any] = field(repr=False)

    @property
    def takes(self) -> Mapping[str, Parameter]:
        """The options its factory takes, by name. Imports the plugin.

        Raises:
            PluginError: it cannot be imported.
        """
        try:
            return signature(self.factory).parameters
        except ValueError:  # a factory in C may tell nobody what it takes
            return {"options": Parameter("options", Parameter.VAR_KEYWORD)}


class Plugins:
    """What is installed.

    Iterating gives every plugin that may be usable, sorted by group and name, and imports none.

    Args:
        found: the plugins.
        failed: what could not even be offered.
    """

    def __init__(self, found: Iterable[Plugin] = (), failed: Iterable[PluginFailure] = ()) -> None:
        self._found = {(plugin.group, plugin.name): plugin for plugin in sorted(found, key=_key)}
        self._failed = {(failure.group, failure.name, failure.distribution): failure for failure in failed}

    def __iter__(self) -> Iterator[Plugin]:
        return iter(self._found.values())

    @property
    def failed(self) -> tuple[PluginFailure, ...]:
        """What cannot be used, as far as is known: a plugin nobody asked for has not been imported yet."""
        return tuple(sorted(self._failed.values(), key=lambda failure: (failure.group, failure.name)))

    def get(self, group: str, name: str) -> Plugin | None:
        """The plugin of that name, imported; None where there is none that works (`failed` then knows why)."""
        plugin = self._found.get((group, name))
        if plugin is None or (group, name, plugin.distribution) in self._failed:
            return None
        failure = plugin.factory.failure() if isinstance(plugin.factory, LazyFactory) else None
        if failure is None:
            return plugin
        self._failed[group, name, plugin.distribution] = failure
        return None

    def require(self, group: str, name: str) -> Plugin:
        """The plugin of that name, imported.

        Raises:
            PluginError: there is none that works; says why, or which name is nearest and what to install.
        """
        plugin = self.get(group, name)
        if plugin is None:
            raise PluginError(self._why(group, name))
        return plugin

    def tried(self) -> tuple[PluginFailure, ...]:
        """Import every plugin there is; what failed. For a person who looks: an import may take its time."""
        for group, name in self._found:
            self.get(group, name)
        return self.failed

    def failures(self, name: str, groups: Collection[str]) -> tuple[PluginFailure, ...]:
        """What is known to be wrong with the plugins of one name."""
        return tuple(failure for failure in self.failed if failure.name == name and failure.group in groups)

    def _why(self, group: str, name: str) -> str:
        failures = self.failures(name, (group,))
        if failures:
            return "; ".join(map(str, failures))
        return f"no {PORTS[group][0]} {quoted(name)} is installed ({self.remedy(name, (group,))})"

    def remedy(self, name: str, groups: Collection[str]) -> str:
        """What to do about a name nobody offers: the nearest one that is offered, and what to install."""
        near = nearest(name, {found for group, found in self._found if group in groups})
        return f"install capacity-{name}" + (f"; {near}" if near else "")


def _key(plugin: Plugin) -> tuple[str, str]:
    return plugin.group, plugin.name
