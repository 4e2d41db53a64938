"""How this wire spells things: members, words, numbers, flags, instants, spans.

One source writes `used_percent`, the next `usedPercent`; both are one member here. What is no figure is None.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from capacity.ports import Document

LINE_MOST = 10_000
"""Characters of a name. Names have a few dozen."""

ROWS_MOST = 1000
"""Rows of a list, members of a table, lines of a conversation that are read: many times what any source sends."""

PERCENT_MOST = 1000.0
"""Percent used beyond which a number is taken for a mistake: a little over 100 is seen, ten times the whole is not."""

AMOUNT_MOST = 1e15
"""Credits beyond which a number is no amount: every integer below it is exact in a float."""

LONGEST = timedelta(days=400)
"""No window is longer than a year, so no reset is further away, either way. The rest is margin."""

MILLISECONDS_FROM = 1e11
"""An epoch from here on counts milliseconds: as seconds it would be the year 5138."""

_NUMERAL = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


def parsed(doc: Document) -> Any:
    """The body as JSON; None where it is none, is too large, or is nested too deeply."""
    try:
        return doc.json()
    except ValueError:
        return None


def parsed_line(line: str) -> Any:
    """One line as JSON; None where it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def part(row: object, *names: str) -> Any:
    """The first of these members that is there and not null, in either spelling; None where there is none."""
    if not isinstance(row, dict):
        return None
    spellings = (spelling for name in names for spelling in (name, humped(name)))
    return next((row[key] for key in spellings if row.get(key) is not None), None)


def humped(name: str) -> str:
    """`used_percent` as `usedPercent`."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def text(value: object) -> str | None:
    """A text of one short line, without white space at its ends; None where there is none."""
    line = value.strip() if isinstance(value, str) and len(value) <= LINE_MOST else ""
    return line if line and line.isprintable() else None


def word(value: object) -> str | None:
    """A text, casefolded."""
    line = text(value)
    return None if line is None else line.casefold()


def flag(value: object) -> bool | None:
    """A flag, also where a header spells it as a word."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().casefold())
    return value if isinstance(value, bool) else None


def number(value: object, most: float) -> float | None:
    """A number from 0 to `most`, also where it is spelt as a string; no flag, NaN, negative or absurd one."""
    if isinstance(value, str):
        value = value.strip()
        return number(float(value), most) if _NUMERAL.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return abs(float(value)) if 0 <= value <= most else None


def percent(value: object) -> float | None:
    """Percent used."""
    return number(value, PERCENT_MOST)


def amount(value: object) -> Decimal | None:
    """An amount of credits, as it was written."""
    return None if number(value, AMOUNT_MOST) is None else Decimal(str(value).strip())


def span(value: object, unit: timedelta) -> timedelta | None:
    """So many of a unit; None for nothing, and for more than any window has."""
    count = number(value, LONGEST / unit)
    return count * unit if count else None


def instant(value: object, near: datetime) -> datetime | None:
    """An instant, UTC: RFC 3339 with its offset, or an epoch in seconds or milliseconds, also as a string.

    Args:
        value: what is written there.
        near: when it was written; what is more than a year from it is no instant of this wire.
    """
    try:
        moment = _moment(value)
        return moment if moment is not None and abs(moment - near) <= LONGEST else None
    except (ValueError, OverflowError):
        return None


def _moment(value: object) -> datetime | None:
    epoch = number(value, most=1000 * MILLISECONDS_FROM)
    if epoch is not None:
        return datetime.fromtimestamp(epoch / 1000 if epoch >= MILLISECONDS_FROM else epoch, UTC)
    moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    # without an offset nobody knows which moment is meant
    return None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)
