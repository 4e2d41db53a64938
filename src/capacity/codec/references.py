"""A decision refers: facts, verdicts and candidates stand once in a table, everything else names them by index.

For a thousand seats among four thousand candidates that is the difference between half a gigabyte and half a megabyte.
`REFERENCES` says where an index may stand, for writing, for reading and for the schema alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cattrs.errors import ClassValidationError

from capacity.codec.faults import Faulty, Step, faults_of, joined, moved
from capacity.errors import Fault
from capacity.values.conditions import Fact
from capacity.values.decision import Decision, Verdict
from capacity.values.seats import Candidate

Tree = Any

TABLES: Mapping[str, Fact | Candidate | Verdict] = {
    "facts": Fact(""),
    "candidates": Candidate("", "", ""),
    "verdicts": Verdict("yes"),
}
"""Table → what stands in for a member that cannot be read, so that the rest can be looked at before all is refused.

A fact is always in its table; a candidate or a verdict that is in none stands in full.
"""

REFERENCES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("facts", ("verdicts", "*", "fact")),
    ("facts", ("seats", "*", "verdict", "fact")),
    ("facts", ("seats", "*", "placement", "fact")),
    ("facts", ("conditions", "*", "fact")),
    ("candidates", ("seats", "*", "placement", "candidate")),
    ("candidates", ("seats", "*", "placement", "expected")),
    ("candidates", ("seats", "*", "placement", "home")),
    ("candidates", ("seats", "*", "runners_up", "*", "candidate")),
    ("verdicts", ("seats", "*", "verdict")),
)
"""(table, where its members are referred to), facts first: two verdicts are compared by the index of their fact."""


def referring(tree: dict[str, Tree]) -> dict[str, Tree]:
    """The tree of a decision with everything shared in tables. Changes and returns the tree it is given."""
    tables = {"facts": Shelf((), open_ended=True)}
    for name, path in REFERENCES:
        if name not in tables:
            tables[name] = Shelf(tree[name])
        for place, key, _ in places(tree, path):
            place[key] = tables[name].index(place[key])
    return {**tree, "facts": tables["facts"].members}


class Shelf:
    """A table while it is written: what stands in it, and where."""

    def __init__(self, members: Any, *, open_ended: bool = False) -> None:
        self.members = list(members)
        self._open = open_ended
        self._found = {_mark(member): index for index, member in enumerate(self.members)}

    def index(self, tree: Tree) -> Tree:
        """Where a tree stands; itself where it has no place here; None where there is nothing to refer to."""
        if tree is None:
            return None
        mark = _mark(tree)
        if self._open and mark not in self._found:
            self._found[mark] = len(self.members)
            self.members.append(tree)
        return self._found.get(mark, tree)


def _mark(tree: Tree) -> str:
    return json.dumps(tree, sort_keys=True)


def resolved(tree: dict[str, Tree], read: Callable[[Tree, type[Any]], Any]) -> tuple[dict[str, Tree], list[Fault]]:
    """The tree of a decision with the values of its tables where it refers to them, and what was wrong with those.

    Args:
        tree: as it was written. It is changed.
        read: structures one member of a table.
    """
    faults: list[Fault] = []
    for name, stand_in in TABLES.items():
        written = tree.get(name, [])
        if isinstance(written, list):
            tree[name] = [
                _member(member, stand_in, read, joined(name, at), faults) for at, member in enumerate(written)
            ]
            faults += _put(tree, name, stand_in)
    return {key: inner for key, inner in tree.items() if key != "facts"}, faults


def _member(tree: Tree, stand_in: Any, read: Callable[[Tree, type[Any]], Any], path: str, faults: list[Fault]) -> Any:
    try:
        return read(tree, type(stand_in))
    except (Faulty, ClassValidationError) as error:
        faults += moved(faults_of(error), path)
        return stand_in


def _put(tree: dict[str, Tree], name: str, stand_in: Any) -> Iterator[Fault]:
    """Put the members of a table where the tree refers to them."""
    members = tree[name]
    for place, key, steps in (spot for table, path in REFERENCES if table == name for spot in places(tree, path)):
        index = place[key]
        if not isinstance(index, int) or isinstance(index, bool):
            continue
        known = 0 <= index < len(members)
        place[key] = members[index] if known else stand_in
        if not known:
            yield Fault(joined(*steps), f"there is no {index} in {name}", f"it has {len(members)}, counted from 0")


def places(
    tree: Tree, path: tuple[str, ...], steps: tuple[Step, ...] = ()
) -> Iterator[tuple[Any, str, tuple[Step, ...]]]:
    """Where a path leads: (the table it ends in, the key there, every step to it). `*` is every index of a list."""
    head, *rest = path
    if head == "*":
        for index, inner in enumerate(tree if isinstance(tree, list | tuple) else ()):
            yield from places(inner, tuple(rest), (*steps, index))
    elif isinstance(tree, dict) and head in tree:
        if rest:
            yield from places(tree[head], tuple(rest), (*steps, head))
        else:
            yield tree, head, (*steps, head)


def inconsistencies(decision: Decision) -> Iterator[Fault]:
    """The indices of a decision that lead nowhere, and rows that are no row."""
    if len(decision.groups) != len(decision.candidates):
        yield Fault("groups", f"has {len(decision.groups)} for {len(decision.candidates)} candidates")
    groups = max(decision.groups, default=-1) + 1
    for index, table in enumerate(decision.tables):
        if len(table.verdicts) < groups:
            yield Fault(joined("tables", index, "verdicts"), f"has {len(table.verdicts)} for {groups} groups")
        yield from _within(table.verdicts, len(decision.verdicts), "verdicts", "tables", index, "verdicts")
    for index, seat in enumerate(decision.seats):
        needs = () if seat.need is None else (seat.need,)
        yield from _within(needs, len(decision.tables), "tables", "seats", index, "need")


def _within(indices: tuple[int, ...], count: int, table: str, *steps: Step) -> Iterator[Fault]:
    if indices and not 0 <= min(indices) <= max(indices) < count:
        yield Fault(joined(*steps), f"leads outside of {table}", f"it has {count}, counted from 0")
