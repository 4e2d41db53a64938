"""How this wire spells things: bodies, words, numbers, money, instants.

What is no figure is None. Nothing is guessed, and a missing number is never zero.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from capacity.ports import Document

LINE_MOST = 10_000
"""Characters of a name or a token. Names have a few dozen, tokens a few hundred."""

ROWS_MOST = 1000
"""Rows of a list, or windows of a body, that are read: the most the service puts on one page of anything."""

PERCENT_MOST = 1000.0
"""Percent used beyond which a number is taken for a mistake: a little over 100 is seen, ten times the whole is not."""

DIGITS = 6
"""Decimal places of a percent made from a fraction: what a float adds to 0.57 × 100 lies far behind them."""

MONEY_MOST = 1e15
"""Minor units beyond which a number is no amount: every integer below it is exact in a float."""

PLACES = 2
"""Decimal places of an amount that does not tell its own: the currencies seen without them all have cents."""

EARLIEST, LATEST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
"""An instant outside is none: the service is younger than the first, and zero is how the wire says "never"."""

MILLISECONDS_FROM = 1e11
"""An epoch from here on counts milliseconds: as seconds it would be the year 5138."""


_NUMERAL = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


def parsed(doc: Document) -> Any:
    """The body as JSON; None where it is none, is too large, or is nested too deeply."""
    try:
        return doc.json()
    except ValueError:
        return None


def text(value: object) -> str | None:
    """A text of one short line, without white space at its ends; None where there is none."""
    line = value.strip() if isinstance(value, str) and len(value) <= LINE_MOST else ""
    return line if line and line.isprintable() else None


def word(value: object) -> str | None:
    """A text, casefolded."""
    line = text(value)
    return None if line is None else line.casefold()


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


def fraction(value: object) -> float | None:
    """Percent used, told as a fraction of the whole. Which of the two is told hangs on the source, never on the figure."""
    share = number(value, PERCENT_MOST / 100)
    return None if share is None else round(100 * share, DIGITS)


def money(value: object, places: object) -> Decimal | None:
    """An amount told in minor units, in whole units; None where either figure is none."""
    digits = float(PLACES) if places is None else number(places, most=18)
    if number(value, MONEY_MOST) is None or digits is None or not digits.is_integer():
        return None
    return Decimal(str(value).strip()).scaleb(-int(digits))


def instant(value: object) -> datetime | None:
    """An instant, UTC: RFC 3339 with its offset, or an epoch in seconds or milliseconds, also as a string."""
    try:
        moment = _moment(value)
    except (ValueError, OverflowError):
        return None
    return moment if moment is not None and EARLIEST <= moment < LATEST else None


def _moment(value: object) -> datetime | None:
    epoch = number(value, most=1000 * LATEST.timestamp())
    if epoch is not None:
        return datetime.fromtimestamp(epoch / 1000 if epoch >= MILLISECONDS_FROM else epoch, UTC)
    moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    # without an offset nobody knows which moment is meant
    return None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)
