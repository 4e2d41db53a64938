"""How answers go bad on their way, and what must never come of it: a figure of zero that nobody told."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from capacity.ports import Reading

DEEP = 100_000
"""Brackets that make Python's JSON parser give up."""

LONG = 200_000
"""Signs of one kind in a row: a pattern that tries each against all the others hangs over them."""

HOPELESS: Mapping[str, bytes] = {
    "empty": b"",
    "blank": b" \r\n",
    "html": b"<!doctype html><html><head><title>Just a moment...</title></head><body>0% 0 $0.00</body></html>",
    "deep": b"[" * DEEP,
    "binary": bytes(range(256)) * 4,
    "newlines": b"\n" * LONG,
    "blanks": b" " * LONG,
    "tabs": b"\t" * LONG,
    "gap": b"%" + b" " * LONG + b"%",
}
"""Bodies nothing can be read from."""

STRANGE: Mapping[str, bytes] = {"null": b"null", "zero": b"0", "list": b"[]", "text": b'"0"', "table": b"{}"}
"""JSON that says nothing."""

EMPTY_LISTS = (b'{"data": []}', b'{"data": [], "has_more": false}', b'{"models": []}')
"""Lists of models without a model, as services that speak JSON spell them."""


def cut(body: bytes) -> Iterator[bytes]:
    """The body, broken off at its middle and before its last byte."""
    yield body[: len(body) // 2]
    yield body[:-1]


def drifted(body: bytes) -> Iterator[bytes]:
    """The body with one of its parts gone or null, in every way; nothing where it is no JSON."""
    try:
        tree = json.loads(body)
    except ValueError:
        return
    for path in _paths(tree):
        for change in (_null, _drop):
            changed = copy.deepcopy(tree)
            change(_parent(changed, path), path[-1])
            yield json.dumps(changed).encode()


def _paths(tree: Any, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps: Iterable[tuple[Any, Any]] = ()
    if isinstance(tree, dict):
        steps = tree.items()
    elif isinstance(tree, list):
        steps = enumerate(tree)
    for step, inner in steps:
        yield (*so_far, step)
        yield from _paths(inner, (*so_far, step))


def _parent(tree: Any, path: tuple[Any, ...]) -> Any:
    for step in path[:-1]:
        tree = tree[step]
    return tree


def _null(parent: Any, step: Any) -> None:
    parent[step] = None


def _drop(parent: Any, step: Any) -> None:
    del parent[step]


def zeros(readings: Iterable[Reading] | None) -> set[tuple[str, str]]:
    """The limits that say nothing is used, or nothing is left: (pool, limit or its unit)."""
    found: set[tuple[str, str]] = set()
    for reading in readings or ():
        for limit in reading.limits:
            if limit.percent == 0:
                found.add((reading.pool, limit.name))
            found |= {(reading.pool, f"{limit.name} {unit}") for unit, amount in limit.left.items() if amount == 0}
    return found
