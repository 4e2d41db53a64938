"""What a hive writes, leaf by leaf: instants, spans, flags. Pure. What cannot be read is None, never zero."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
"""Between these lies every instant a hive can mean; what was never set is Go's zero time, in the year 1."""

MILLISECONDS = 1e11
"""From here on a number that tells an instant counts milliseconds: in seconds it would lie in the year 5138."""

_RFC_3339 = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}\S*")

LARGEST = 1e15
"""Beyond this a number is no figure of a hive's; not-a-number is never below it."""

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
    return figure if abs(figure) < LARGEST else None


def instant(value: Any) -> datetime | None:
    """An instant of RFC 3339, or since 1970; what has no zone is told in UTC, what was never set is none."""
    seconds = number(value)
    try:
        if seconds is not None:
            at = datetime.fromtimestamp(seconds / 1000 if seconds >= MILLISECONDS else seconds, UTC)
        elif isinstance(value, str) and _RFC_3339.fullmatch(value):
            at = datetime.fromisoformat(value)
        else:
            return None
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return at if FIRST <= at < LAST else None


def cadence(value: Any) -> timedelta | None:
    """A span between two turns: `1h30m`, or seconds; `paused`, `on demand` and whatever else are none."""
    seconds = number(value)
    if seconds is None:
        found = _CADENCE.fullmatch(value) if isinstance(value, str) else None
        hours, minutes, rest = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
        seconds = 3600 * hours + 60 * minutes + rest
    return timedelta(seconds=seconds) if 0 < seconds < 1e9 else None
