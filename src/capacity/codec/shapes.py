"""Values whose text is not their attributes: a candidate, a scope and a figure; and what may be words or a flag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, get_args, get_type_hints

from capacity.codec import leaves
from capacity.codec.faults import gathered, keyed, misplaced, wrong
from capacity.values.conditions import Figure
from capacity.values.limits import Scope
from capacity.values.seats import Candidate

Tree = Any


def read_candidate(tree: Tree, _: Any = None) -> Candidate:
    """A candidate of `[harness, pool, model, effort]`."""
    if isinstance(tree, Candidate):
        return tree
    if not isinstance(tree, list) or len(tree) != len(_PLACE):
        raise wrong("must be [harness, pool, model, effort]", "effort is null where none is set")
    harness, pool, model, effort = gathered(zip(range(len(tree)), _PLACE, tree, strict=True))
    return Candidate(str(harness), str(pool), str(model), effort)


def _effort(tree: Tree) -> str | None:
    return None if tree is None else leaves.text(tree)


_PLACE: tuple[Callable[[Tree], str | None], ...] = (leaves.text, leaves.text, leaves.text, _effort)


def write_candidate(candidate: Candidate) -> Tree:
    """The four parts of a candidate."""
    return [candidate.harness, candidate.pool, candidate.model, candidate.effort]


def read_scope(tree: Tree, _: Any = None) -> Scope:
    """A scope of `{"model": name}` or `{"feature": name}`."""
    table = keyed(tree, SCOPES)
    if len(table) != 1:
        raise wrong('must be {"model": name} or {"feature": name}')
    (kind,) = (word for word in SCOPES if word in table)
    (name,) = gathered([(kind, leaves.text, table[kind])])
    return Scope(kind, name)


def write_scope(scope: Scope) -> Tree:
    """A scope by its kind."""
    return {scope.kind: scope.name}


SCOPES: tuple[Literal["model", "feature"], ...] = get_args(get_type_hints(Scope)["kind"])


def read_words_or_flag(tree: Tree, _: Any = None) -> tuple[str, ...] | bool:
    """A list of words, or true or false."""
    if isinstance(tree, bool):
        return tree
    if not isinstance(tree, list | tuple):
        raise misplaced(tree, "a list of words, or true")
    return tuple(gathered((index, leaves.text, word) for index, word in enumerate(tree)))


def read_figure(tree: Tree, _: Any = None) -> Figure:
    """A figure whose `type` says how its value is told."""
    table = keyed(tree, FIGURE, FIGURE)
    (kind,) = gathered([("type", lambda word: leaves.one_of(word, tuple(TYPES)), table["type"])])
    name, unit, value = gathered(
        [
            ("name", leaves.text, table["name"]),
            ("unit", leaves.text, table["unit"]),
            ("value", TYPES[kind], table["value"]),
        ]
    )
    return Figure(name, value, unit)


def write_figure(figure: Figure) -> Tree:
    """A figure with the type of its value."""
    kind, value = _typed(figure.value)
    return {"name": figure.name, "type": kind, "unit": figure.unit, "value": value}


def _typed(value: float | int | Decimal | datetime | str) -> tuple[str, Tree]:
    match value:
        case str():
            return "word", value
        case datetime():
            return "instant", leaves.from_instant(value)
        case Decimal():
            return "decimal", str(value)
        case int():
            return "number", value
        case float():
            return "number", leaves.from_number(value)


def _number(tree: Tree) -> float | int:
    """A whole number stays one: a count of tokens is no measurement."""
    return tree if isinstance(tree, int) and not isinstance(tree, bool) else leaves.number(tree)


FIGURE = ("name", "type", "unit", "value")
TYPES: Mapping[str, Callable[[Tree], Any]] = {
    "decimal": leaves.amount,
    "instant": leaves.instant,
    "number": _number,
    "word": leaves.text,
}
"""Type of a figure → the reader of its value."""
