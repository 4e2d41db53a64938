"""A factory that imports its plugin when it is first asked for, and looks at what it makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import Signature, signature
from typing import TYPE_CHECKING, Any

from attrs import frozen

from capacity.codec.faults import quoted
from capacity.errors import PluginError
from capacity.plugins.ports import OPTIONAL, PORTS
from capacity.ports.secret import MASK

if TYPE_CHECKING:
    from importlib_metadata import EntryPoint

LONGEST_WHY = 200
"""Characters of an exception's text that are told: a sentence, never a body that was quoted in it."""

TOKEN = re.compile(r"(?=(?:[A-Za-z_+=-]*\d){3})[\w+=-]{20,}|(?<=://)[^/?#\s@]*@")
"""What may be a secret inside a sentence: a run of twenty signs or more with three digits in it, the user in a URL."""


@frozen
class PluginFailure:
    """A plugin that cannot be used.

    Attributes:
        group: its entry-point group; `""` where that could not be read.
        name: its name in the group; `""` likewise.
        distribution: who ships it, several joined by commas.
        version: of that distribution, likewise.
        why: what is wrong and what to do, without secrets.
    """

    group: str
    name: str
    distribution: str
    version: str
    why: str

    def __str__(self) -> str:
        what = f"{PORTS[self.group][0]} {quoted(self.name)}" if self.group else "the entry points"
        return f"{what} of {self.distribution} {self.version} cannot be used: {self.why}"


@frozen
class LazyFactory:
    """The factory an entry point names.

    Attributes:
        entry: the entry point.
        distribution: who ships it.
        version: of that distribution.
    """

    entry: EntryPoint
    distribution: str
    version: str

    @property
    def __signature__(self) -> Signature:
        return signature(self.load())

    def __call__(self, **options: Any) -> Any:
        """Make the port.

        Raises:
            PluginError: the plugin cannot be imported, or what it made is no such port.
            TypeError: it does not take those options.
        """
        made = self.load()(**options)
        missing = lacking(made, self.entry.group)
        if missing:
            raise PluginError(
                str(self.failed(f"it made a {type(made).__name__} without {', '.join(missing)}; mend the plugin"))
            )
        return made

    def load(self) -> Callable[..., Any]:
        """The factory itself. Python keeps a module it has imported, so that asking again is cheap.

        Raises:
            PluginError: it cannot be imported, or cannot be called.
        """
        failure = self.failure()
        if failure is not None:
            raise PluginError(str(failure))
        loaded: Callable[..., Any] = self.entry.load()
        return loaded

    def failure(self) -> PluginFailure | None:
        """What is wrong with the plugin; None where it can be imported and called."""
        try:
            loaded = self.entry.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a module does when it is imported stays its own trouble
            return self.failed(f"{said(error)}; reinstall it, or uninstall it")
        if not callable(loaded):
            return self.failed(f"{self.entry.value} is a {type(loaded).__name__}, not a factory; mend the plugin")
        return None

    def failed(self, why: str) -> PluginFailure:
        """The failure of this plugin."""
        return PluginFailure(self.entry.group, self.entry.name, self.distribution, self.version, why)


def lacking(made: Any, group: str) -> list[str]:
    """The members of a group's port that a thing does not have."""
    members = [name for name in vars(PORTS[group][1]) if not name.startswith("_")]
    abilities = getattr(made, "abilities", ())
    return [
        name
        for name in members
        if not hasattr(made, name) and (name not in OPTIONAL.get(group, ()) or name in abilities)
    ]


def said(error: BaseException) -> str:
    """An exception in a few words, without what may be a secret."""
    return f"{type(error).__name__}: {masked(str(error))}".rstrip(": ")


def masked(text: str) -> str:
    """The beginning of a foreign text, in one line, without what may be a secret."""
    return TOKEN.sub(MASK, " ".join(text[: 10 * LONGEST_WHY].split()))[:LONGEST_WHY]
