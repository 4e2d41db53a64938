"""What a hive writes, leaf by leaf: instants, spans, flags. Pure. What cannot be read is None, never zero."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

UNSET = 1
"""The year of an instant that was never set: Go writes its zero time."""

_CADENCE = re.compile(r"(?:([0-9]{1,5})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,7})s)?")


def pick(table: Mapping[str, Any], name: str) -> Any:
    """A member under its name, written `like_this` or `likeThis`; None where it is under neither."""
    head, *rest = name.split("_")
    return table.get(name, table.get(head + "".join(word.title() for word in rest)))


def text(value: Any) -> str | None:
    """A text that says something."""
    return value.strip() or None if isinstance(value, str) else None


def rows(value: Any) -> Iterator[dict[str, Any]]:
    """The tables of a list."""
    yield from (row for row in value if isinstance(row, dict)) if isinstance(value, list) else ()


def names(value: Any) -> frozenset[str]:
    """The texts of a list."""
    return frozenset(filter(None, map(text, value))) if isinstance(value, list) else frozenset()


def number(value: Any) -> float | None:
    """A number, or a text that is one; a flag is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        figure = float(value)
    except (ValueError, OverflowError):
        return None
    return figure if abs(figure) < 1e15 else None


def instant(value: Any) -> datetime | None:
    """An instant of RFC 3339; what has no zone is told in UTC, what was never set is none."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        if at is None or at.year <= UNSET:
            return None
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def cadence(value: Any) -> timedelta | None:
    """A span between two turns: `1h30m`, or seconds; `paused`, `on demand` and whatever else are none."""
    seconds = number(value)
    if seconds is None:
        found = _CADENCE.fullmatch(value) if isinstance(value, str) else None
        hours, minutes, rest = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
        seconds = 3600 * hours + 60 * minutes + rest
    return timedelta(seconds=seconds) if 0 < seconds < 1e9 else None
