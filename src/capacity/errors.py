"""Every error `capacity` raises.

One tree, one clear sentence each: it names the file, key or value at fault and says what to do.
Nothing here ever carries a secret: messages are built from names, paths and figures only.
"""

from __future__ import annotations


class CapacityError(Exception):
    """Base of every error raised on purpose by the library or a plugin."""


class FormError(CapacityError):
    """A text is not the form it claims to be.

    Attributes:
        faults: every fault found, each with the path of the key, what is wrong and the remedy.
    """

    def __init__(self, source: str, faults: tuple[Fault, ...]) -> None:
        self.source = source
        self.faults = faults
        lines = "; ".join(str(fault) for fault in faults)
        super().__init__(f"{source}: {lines}")

    def __reduce__(self) -> tuple[type[FormError], tuple[str, tuple[Fault, ...]]]:
        return type(self), (self.source, self.faults)


class PolicyError(FormError):
    """The policy file, or the adopted set it names, has faults. All of them are listed."""


class NoSuch(CapacityError):
    """A name that was asked for is not there. The message lists those that are."""


class PluginError(CapacityError):
    """A plugin a policy names is missing, refused, broken, or broke its contract."""


class StaleBase(CapacityError):
    """A proposal was made against another adopted set than the one in force. Propose again."""


class StoreError(CapacityError):
    """The store cannot be opened, read or written. The message names the file and the remedy."""


class ReplayError(CapacityError):
    """A flow asks something else than its cassette holds. Never thrown into the flow: no flow falls back on it."""


class WireError(CapacityError):
    """The world gave no answer. Thrown *into* a flow where it awaits; an answer of any status is a value.

    Args:
        asked: what was asked, without any secret: a URL's path, an argv's program, a file's path.
        why: what happened, in a few words.
    """

    def __init__(self, asked: str, why: str) -> None:
        self.asked = asked
        self.why = why
        super().__init__(f"{asked}: {why}")

    def __reduce__(self) -> tuple[type[WireError], tuple[str, str]]:
        return type(self), (self.asked, self.why)


class Refused(WireError):
    """The other side refused or broke the connection, or permission was denied."""


class TimedOut(WireError):
    """Nothing came within the effect's time or the flow's deadline."""


class TooLarge(WireError):
    """The answer outgrew its size cap."""


class NotFound(WireError):
    """No such file, program, host or variable."""


class Ended(WireError):
    """The child has ended, or closed its pipe, before it said what was awaited."""


class Fault:
    """One thing wrong with a text: where, what, and what to do.

    Args:
        path: the key path, dotted (`accounts.claude.kind`), or `""` for the whole text.
        wrong: what is wrong, in a few words.
        remedy: what to do; the nearest valid key or name where there is one.
    """

    __slots__ = ("path", "remedy", "wrong")

    def __init__(self, path: str, wrong: str, remedy: str = "") -> None:
        self.path = path
        self.wrong = wrong
        self.remedy = remedy

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.wrong}" + (f" ({self.remedy})" if self.remedy else "")

    def __repr__(self) -> str:
        return f"Fault({self.path!r}, {self.wrong!r}, {self.remedy!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fault) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str, str]:
        return self.path, self.wrong, self.remedy
