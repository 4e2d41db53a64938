"""A policy while it is read: what can be read becomes a part of it, what cannot becomes a fault, and reading goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

from attrs import NOTHING, field, fields, frozen
from cattrs.errors import ClassValidationError

from capacity.codec import leaves
from capacity.codec.converter import converter
from capacity.codec.faults import BARE, Faulty, below, faults_of, joined, keyed, nearest
from capacity.codec.keys import hints_of, keys_of
from capacity.errors import Fault

V = TypeVar("V")
Tree = Any
Table = dict[str, Any]

LATER: Mapping[str, str] = {"service": "0.6"}
"""Key path → the release that brings it."""


@frozen
class Place:
    """Where a part of the policy is written.

    Attributes:
        path: the path of its table.
        inherited: key → path of the table it is written in instead.
    """

    path: str
    inherited: Mapping[str, str] = field(factory=dict)

    def moved(self, faults: Iterable[Fault]) -> list[Fault]:
        """Faults of the part, told from the top of the file."""
        return [Fault(below(self._home(fault), fault.path), fault.wrong, fault.remedy) for fault in faults]

    def _home(self, fault: Fault) -> str:
        key = BARE.match(fault.path)
        return self.inherited.get(key[0], self.path) if key else self.path


class Draft:
    """Gathers the parts of a policy, and its faults.

    Attributes:
        parts: every value, with its place; of one that is at fault, what remains of it.
        faults: everything that could not, in the order it was read.
    """

    def __init__(self) -> None:
        self.parts: list[tuple[Place, Any]] = []
        self.faults: list[Fault] = []

    def read(self, reader: Callable[[Tree], V], tree: Tree, place: Place) -> V | None:
        """What a reader makes of a tree; None where that is nothing but faults."""
        try:
            return reader(tree)
        except (Faulty, ClassValidationError) as error:
            self.faults += place.moved(faults_of(error))
            return None

    def table(self, tree: Tree, path: str, known: Collection[str] | None = None) -> Table:
        """A table without the keys that are not known; each of those is a fault."""
        whole = self.read(lambda inner: keyed(inner, inner), tree, Place(path)) or {}
        if known is None:
            return whole
        self.faults += [_unknown(below(path, joined(key)), key, known) for key in whole if key not in known]
        return {key: inner for key, inner in whole.items() if key in known}

    def value(self, cls: type[V], tree: Tree, place: Place, **told: Any) -> V | None:
        """A part of the policy; None where it is at fault.

        Args:
            cls: its class.
            tree: its table.
            place: where that is written.
            told: attributes that the place tells, and that the table may not.
        """
        if not isinstance(tree, dict):
            self.table(tree, place.path)
            return None
        known = [key for key in keys_of(cls).values() if key not in told]
        table = {**self.table(tree, place.path, known), **told}
        try:
            made: V = converter().structure(table, cls)
        except (Faulty, ClassValidationError) as error:
            faults = faults_of(error)
            self.faults += place.moved(faults)
            self.parts += [(place, part) for part in _remains(cls, table, faults)]
            return None
        self.parts.append((place, made))
        return made

    def named(self, cls: type[V], tree: Tree, path: str, name: str = "name", **told: Any) -> dict[str, V]:
        """The parts in a table of tables, by the name each stands under.

        Args:
            cls: their class.
            tree: the table of tables.
            path: its path.
            name: the attribute that is told by the name.
            told: as for `value`.
        """
        tables = self.table(tree, path).items()
        made = {
            key: self.value(cls, inner, Place(below(path, joined(key))), **{name: key}, **told) for key, inner in tables
        }
        return {key: value for key, value in made.items() if value is not None}

    def listed(self, cls: type[V], tree: Tree, path: str) -> list[V]:
        """The parts in a list of tables.

        Args:
            cls: their class.
            tree: the list.
            path: its path.
        """
        tables = self.read(leaves.items, tree, Place(path)) or []
        made = [self.value(cls, inner, Place(f"{path}[{index}]")) for index, inner in enumerate(tables)]
        return [value for value in made if value is not None]

    def check(self, faults: Iterable[Fault]) -> None:
        """Faults found by looking at the parts together, but for those about a key that could not be read at all."""
        told = [fault.path for fault in self.faults]
        whole = {place.path for place, _ in self.parts}
        for fault in faults:
            unread = any(path == fault.path or path.startswith((f"{fault.path}.", f"{fault.path}[")) for path in told)
            if fault.path in whole or not unread:
                self.faults.append(fault)


def _remains(cls: type[Any], table: Table, faults: list[Fault]) -> Iterator[Any]:
    """What can be read of a part that is at fault, so that whatever else is wrong with it is told as well."""
    hints, keys = hints_of(cls), keys_of(cls)
    required = [one.name for one in fields(cls) if one.default is NOTHING]
    bad = {key[0] for key in (BARE.match(fault.path) for fault in faults) if key}
    good = {key: inner for key, inner in table.items() if key not in bad}
    try:
        yield converter().structure({**{keys[name]: _stand_in(hints[name]) for name in required}, **good}, cls)
    except (Faulty, ClassValidationError):
        return


def _stand_in(hint: Any) -> str:
    return str(get_args(hint)[0]) if get_origin(hint) is Literal else StandIn()


class StandIn(str):
    """A word that stands where none could be read. Nothing is wrong with it that has not been told."""

    __slots__ = ()


def _unknown(path: str, key: str, known: Collection[str]) -> Fault:
    if path in LATER:
        return Fault(path, f"needs release {LATER[path]}", "take it out until then")
    return Fault(path, "no such key", nearest(key, known))
