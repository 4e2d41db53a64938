"""Strategies made from a value's own annotations, so that a field added to a value is drawn from that day on.

Invariants an annotation cannot tell (a percent is not negative, low is not above high) are given by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from capacity.values.history import Level
from capacity.values.lanes import PoolBudget
from capacity.values.limits import PoolHeadroom
from capacity.values.models import PoolInventory

V = TypeVar("V")

CORNERS = (0.0, 0.4, 42.0, 79.9, 89.4, 89.5, 90.0, 99.0, 99.4, 99.5, 100.0, 130.0)
"""Percents used round the two default lines (90, 100), each with its half quantum of half a point, and beyond."""


def instants() -> SearchStrategy[datetime]:
    """Aware UTC instants of 2020 to 2039; most on a full second, as providers tell them."""
    whole = st.datetimes(datetime(2020, 1, 1), datetime(2039, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001 - the zone is the next argument
    return st.one_of(whole.map(lambda at: at.replace(microsecond=0)), whole)


def spans() -> SearchStrategy[timedelta]:
    """Spans from none to 90 days; most in whole seconds."""
    seconds = st.integers(0, 90 * 86_400).map(lambda s: timedelta(seconds=s))
    return st.one_of(seconds, st.integers(0, 10**9).map(lambda us: timedelta(microseconds=us)))


def words() -> SearchStrategy[str]:
    """Names and words: mostly plain, sometimes any text that is not empty and can be told in UTF-8."""
    plain = st.sampled_from(("a", "b-1", "one/part", "x.y", "Größe", "Straße 2"))
    return st.one_of(plain, st.text(st.characters(codec="utf-8"), min_size=1, max_size=8))


def percents() -> SearchStrategy[float]:
    """Percents used: the corners of the default lines, and anything from 0 to 400."""
    return st.one_of(st.sampled_from(CORNERS), st.floats(0, 400))


def money() -> SearchStrategy[Decimal]:
    """Amounts with two places, in debt too."""
    return st.decimals(-1000, 1000, places=2)


def jsons() -> SearchStrategy[Any]:
    """What a plugin's options may hold: texts, numbers, flags, lists and tables."""
    leaf = st.one_of(words(), st.integers(-1000, 1000), st.booleans(), st.floats(-10, 10))
    return st.recursive(leaf, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words(), inner, max_size=2))


def of(cls: type[V], **given: SearchStrategy[Any]) -> SearchStrategy[V]:
    """Instances of an attrs class: each field as given, else by its annotation.

    Args:
        cls: the class.
        given: field → its strategy, where the annotation says too little.

    Raises:
        TypeError: an annotation has no strategy; give one.
    """
    hints = get_type_hints(cls)
    fields = attrs.fields_dict(cls)  # type: ignore[arg-type]  # every value is an attrs class
    return st.builds(cls, **{name: given[name] if name in given else by_hint(hints[name]) for name in fields})


def by_hint(hint: Any) -> SearchStrategy[Any]:
    """The strategy for one annotation."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]()
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in {Union, UnionType}:
        return st.one_of(*map(by_hint, arguments))
    if origin is tuple:
        return st.lists(by_hint(arguments[0]), max_size=2).map(tuple)
    if origin is frozenset:
        return st.frozensets(by_hint(arguments[0]), max_size=2)
    if origin is Mapping:
        return _mappings(*arguments)
    if isinstance(hint, type) and attrs.has(hint):
        return _named(hint)
    raise TypeError(f"no strategy for {hint!r}; give one by the field's name")


def _named(cls: type[Any]) -> SearchStrategy[Any]:
    """The strategy this package exports for a class, so that its invariants hold wherever it is a part."""
    from capacity.testing.strategies.values import value  # the named ones are built with `of`

    return value(cls)


def _mappings(key: Any, inner: Any) -> SearchStrategy[Mapping[str, Any]]:
    """Word → value; a value that knows its own name is filed under it."""
    name = NAMED_BY.get(inner, "name") if isinstance(inner, type) and attrs.has(inner) else ""
    if name and name in attrs.fields_dict(inner):
        return st.lists(by_hint(inner), max_size=2).map(lambda values: {getattr(v, name): v for v in values})
    return st.dictionaries(by_hint(key), jsons() if inner is Any else by_hint(inner), max_size=2)


NAMED_BY: Mapping[type[Any], str] = dict.fromkeys((PoolBudget, Level, PoolHeadroom, PoolInventory), "pool")
"""What is filed under something else than its name."""

PLAIN: Mapping[Any, Callable[[], SearchStrategy[Any]]] = {
    NoneType: st.none,
    bool: st.booleans,
    bytes: lambda: st.binary(max_size=16),
    datetime: instants,
    Decimal: money,
    float: lambda: st.one_of(st.floats(0, 1000), st.sampled_from((0.15, 1.0, 1e-9))),
    int: lambda: st.integers(0, 1_000_000),
    str: words,
    timedelta: spans,
}
