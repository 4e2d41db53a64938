"""Faults while a tree of JSON or TOML becomes a value: all of them, each with its key path and the nearest valid word.

A leaf raises `Faulty`; cattrs gathers what the attributes of a class raise, `gathered` what the parts of a list or table
do; `faults_of` turns either into a flat list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from difflib import get_close_matches
from typing import Any, TypeVar

from cattrs.errors import AttributeValidationNote, ClassValidationError, ForbiddenExtraKeysError

from capacity.codec.keys import keys_of
from capacity.errors import Fault

BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key TOML takes without quotes."""

V = TypeVar("V")
Step = str | int
"""One step of a key path: a key, or an index."""


class Faulty(ValueError):
    """What is wrong with one place of a tree, and with places below it.

    Args:
        faults: their paths begin at the place this is raised for.
    """

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("; ".join(map(str, faults)))


def wrong(what: str, remedy: str = "") -> Faulty:
    """One fault of the place it is raised for."""
    return Faulty(Fault("", what, remedy))


def nearest(word: str, known: Iterable[str]) -> str:
    """The remedy for an unknown word: the nearest known one, else all of them where they are few, else nothing."""
    names = sorted({name for name in known if name.strip()})
    close = get_close_matches(word, names, n=1)
    if close:
        return f"did you mean {quoted(close[0])}?"
    return f"known: {', '.join(map(quoted, names))}" if 0 < len(names) <= 12 else ""


def quoted(word: str) -> str:
    """A word as it is shown in a sentence."""
    return json.dumps(word, ensure_ascii=False)


def misplaced(value: Any, wanted: str) -> Faulty:
    """The fault of a value that is of another kind than its place asks for. A text is not repeated: it may be a secret."""
    return wrong(f"must be {wanted}, not {_kind(value)}")


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "a text"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return str(value)[:40]


def shown(word: str) -> str:
    """A text that is no secret as it is shown in a fault."""
    return quoted(word) if len(word) <= 40 else f"a text of {len(word)} characters"


def joined(*steps: Step) -> str:
    """The key path of some steps: `limits[0].left.USD`, `seats.names."team/ann"`."""
    path = ""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path = below(path, step if BARE.fullmatch(step) else quoted(step))
    return path


def below(path: str, rest: str) -> str:
    """A path that continues another one."""
    return f"{path}.{rest}" if path and rest and not rest.startswith("[") else path + rest


def moved(faults: Iterable[Fault], path: str) -> list[Fault]:
    """The same faults, told from further up."""
    return [Fault(below(path, fault.path), fault.wrong, fault.remedy) for fault in faults]


def gathered(parts: Iterable[tuple[Step, Callable[[Any], V], Any]]) -> list[V]:
    """Read parts of one place, each by its reader.

    Args:
        parts: (step to the part, its reader, what stands there).

    Raises:
        Faulty: some could not be read; every fault of every part.
    """
    read: list[V] = []
    faults: list[Fault] = []
    for step, reader, tree in parts:
        try:
            read.append(reader(tree))
        except (Faulty, ClassValidationError) as error:
            faults += moved(faults_of(error), joined(step))
    if faults:
        raise Faulty(*faults)
    return read


def keyed(tree: Any, known: Collection[str], required: Collection[str] = ()) -> dict[str, Any]:
    """A table that has no key but the known ones, and all the required ones.

    Raises:
        Faulty: it is none, or keys are unknown or missing; every one of them.
    """
    if not isinstance(tree, dict):
        raise misplaced(tree, "a table")
    unknown = [Fault(joined(key), "no such key", nearest(key, known)) for key in tree if key not in known]
    missing = [Fault(joined(key), "is missing") for key in required if key not in tree]
    if unknown or missing:
        raise Faulty(*unknown, *missing)
    return tree


def faults_of(error: Exception) -> list[Fault]:
    """Every fault in what a structuring raised."""
    match error:
        case Faulty():
            return list(error.faults)
        case ClassValidationError():
            return [fault for inner in error.exceptions for fault in moved(faults_of(inner), _step(error.cl, inner))]
        case ForbiddenExtraKeysError():
            known = keys_of(error.cl).values()
            return [Fault(joined(key), "no such key", nearest(key, known)) for key in sorted(error.extra_fields)]
        case KeyError():
            return [Fault("", "is missing")]
        case _:
            return [Fault("", str(error))]


def _step(cls: type[Any], inner: Exception) -> str:
    """The key of the attribute an exception was raised for; nothing where it is about the whole value."""
    names = (note.name for note in getattr(inner, "__notes__", ()) if isinstance(note, AttributeValidationNote))
    return next((joined(keys_of(cls)[name]) for name in names), "")
