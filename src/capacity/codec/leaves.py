"""The leaves of the text forms: how a text, a number, an instant, a span, an amount is told, and read back strictly.

Nothing is guessed: `"5"` is no number, `1` is no flag, a naive instant no instant, a float no amount of money.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from math import isfinite, isnan
from typing import Any

from capacity.codec.faults import misplaced, nearest, shown, wrong

AMOUNT = r"-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]+)?"
"""An amount of money, credits or slots, as text."""

UNBOUNDED: Mapping[str, float] = {"inf": float("inf"), "-inf": float("-inf")}
"""How JSON, which has no word for it, tells an unbounded figure."""

INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?"
"""What is read as an instant; without a zone it is one nobody can place, and refused with those words."""


def text(value: Any, _: Any = None) -> str:
    """A text."""
    if not isinstance(value, str):
        raise misplaced(value, "a text")
    return value


def flag(value: Any, _: Any = None) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise misplaced(value, "true or false")
    return value


def whole(value: Any, _: Any = None) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise misplaced(value, "a whole number")
    return value


def number(value: Any, _: Any = None) -> float:
    """A number, or the word for an unbounded one."""
    if isinstance(value, str) and value in UNBOUNDED:
        return UNBOUNDED[value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise misplaced(value, "a number")
    try:
        figure = float(value)
    except OverflowError:
        raise wrong("is too large a number") from None
    if not isfinite(figure):
        raise wrong(f"{value} is no figure")
    return figure


def amount(value: Any, _: Any = None) -> Decimal:
    """An amount, exact to the digit."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise wrong(
            f"{value!r} is a binary number, which cannot hold every amount exactly", f'write it as text: "{value}"'
        )
    if not re.fullmatch(AMOUNT, text(value)):
        raise wrong(f"{shown(value)} is no amount", 'write it like "14.37"')
    try:
        return Decimal(value)
    except InvalidOperation:
        raise wrong(f"{value} is no amount anybody could hold") from None


def instant(value: Any, _: Any = None) -> datetime:
    """An aware instant, in UTC. TOML brings its own."""
    when = value if isinstance(value, datetime) else _parsed(value)
    if when.tzinfo is None:
        raise wrong(f"{when.isoformat()} has no zone", f"write {when.isoformat()}Z if that is UTC")
    try:
        return when.astimezone(UTC)
    except OverflowError:
        raise wrong(f"{when.isoformat()} lies outside the calendar") from None


def _parsed(value: Any) -> datetime:
    if isinstance(value, date):
        raise wrong(f"{value.isoformat()} is a day, not an instant", f"write {value.isoformat()}T00:00:00Z")
    if not re.fullmatch(INSTANT, text(value)):
        raise wrong(f"{shown(value)} is no instant", "write it like 2026-09-20T12:00:00Z")
    try:
        return datetime.fromisoformat(value)
    except ValueError as error:
        raise wrong(f"{value} is no instant: {error}") from None


def span(value: Any, _: Any = None) -> timedelta:
    """A span, told in seconds."""
    seconds = number(value)
    try:
        return timedelta(seconds=seconds)
    except OverflowError:
        raise wrong(f"{value} seconds are longer than any span") from None


def items(value: Any, _: Any = None) -> list[Any]:
    """A list of anything."""
    if not isinstance(value, list):
        raise misplaced(value, "a list")
    return value


def one_of(value: Any, words: tuple[str, ...]) -> str:
    """A word of a closed list."""
    if text(value) not in words:
        raise wrong(f"{shown(value)} is not among its words", nearest(value, words))
    return value  # type: ignore[no-any-return]  # `text` saw that it is one


def from_number(value: float) -> float | str:
    """A float as JSON has it. Minus nought is nought, so that equal figures have equal texts."""
    if isnan(value):
        raise wrong("a figure is not a number", "an unknown one is None")
    return float(value) + 0.0 if isfinite(value) else str(float(value))


def from_instant(value: datetime) -> str:
    """An instant in UTC, with microseconds where there are any."""
    return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def from_span(value: timedelta) -> float:
    """A span in seconds."""
    return value.total_seconds()
