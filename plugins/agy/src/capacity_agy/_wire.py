"""How this wire spells things: bodies, lines, words, numbers, shares, instants, spans.

Everything is told as what is LEFT and becomes what is USED here, once. What is no figure is None: nothing is guessed,
and a missing number is neither zero nor the whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from capacity.ports import DOCUMENT_CAP, Document

LINE_MOST = 200
"""Characters of a name or a title; the longest seen have some thirty."""

ROWS_MOST = 1000
"""Rows of anything that are read: groups, buckets, models, lines. The longest list seen has a few dozen."""

TEXT_MOST = 2**18
"""Bytes of a text that is read line by line: a thousand rows of the longest name. A longer one is no screen and no list."""

LEFT_LEAST = Decimal(-9)
"""A share left below this is a mistake: a little under nothing happens, ten times the whole used does not."""

NEAR = timedelta(days=400)
"""An instant further from the answer than this is none: the longest window is a week, and zero means "not told"."""

MILLISECONDS_FROM = 10**11
"""An epoch from here on counts milliseconds: as seconds it would be the year 5138."""

_NUMERAL = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_PERCENT = re.compile(r"(?<![0-9.,-])([0-9]{1,4}(?:\.([0-9]{1,9}))?) ?%")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)
_PART = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,9})?) ?(ms|d|h|m|s)[a-z]*")
_UNITS: Mapping[str, str] = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}


def tree(doc: Document) -> dict[str, Any] | None:
    """The JSON object of a body, also behind lines a program said before it; None where there is none."""
    try:
        found = doc.json()
    except ValueError:
        found = _behind_chatter(doc)
    return found if isinstance(found, dict) else None


def _behind_chatter(doc: Document) -> Any:
    text = doc.text if len(doc.body) <= DOCUMENT_CAP else ""
    begin = _OBJECT.search(text)
    try:
        return json.JSONDecoder().raw_decode(text, begin.end() - 1)[0] if begin else None
    except (ValueError, RecursionError):
        return None


def part(value: object, *path: str) -> Any:
    """What stands at a path of a JSON value; None where the path breaks off."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; other rows say nothing."""
    return [row for row in value[:ROWS_MOST] if isinstance(row, dict)] if isinstance(value, list) else []


def lines(doc: Document) -> list[str]:
    """The lines of a text, without what only a terminal understands, and without the blank ones."""
    plain = _ESCAPE.sub("", doc.text if len(doc.body) <= TEXT_MOST else "")
    told = (line.strip(" \f\v\u200b") for line in re.split(r"[\r\n]+", plain))
    return [line for line in told if line.strip()][:ROWS_MOST]


def text(value: object) -> str | None:
    """A text of one short line, without white space at its ends; None where there is none."""
    line = value.strip() if isinstance(value, str) and len(value) <= LINE_MOST else ""
    return line if line and line.isprintable() else None


def word(value: object) -> str | None:
    """A text, casefolded."""
    line = text(value)
    return None if line is None else line.casefold()


def number(value: object, least: Decimal | int, most: Decimal | int) -> Decimal | None:
    """A number within bounds, also where it is spelt as a string; no flag, and nothing that is not finite."""
    if isinstance(value, str):
        numeral = value.strip()
        found = Decimal(numeral) if _NUMERAL.fullmatch(numeral) else None
        return found if found is not None and least <= found <= most else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return Decimal(str(value)) if least <= value <= most else None


def used(share: object) -> float | None:
    """Percent used, from the share that is left, 1 being the whole."""
    left = number(share, LEFT_LEAST, 1)
    return None if left is None else float(100 - 100 * left)


def used_in(line: str) -> tuple[float, float] | None:
    """Percent used and the step it is told in, from the first percentage left in a line; None where there is none."""
    found = _PERCENT.search(line)
    left = number(found[1], 0, 100) if found else None
    return None if found is None or left is None else (float(100 - left), 10.0 ** -len(found[2] or ""))


def instant(value: object, at: datetime) -> datetime | None:
    """An instant, UTC: RFC 3339 with its offset, or an epoch in seconds or milliseconds, also as a string.

    Args:
        value: what is told.
        at: when it was told; what is further away than `NEAR` is no instant.
    """
    try:
        moment = _moment(value)
        return moment if moment is not None and abs(moment - at) < NEAR else None
    except (ValueError, OverflowError):
        return None


def _moment(value: object) -> datetime | None:
    epoch = number(value, 1, 1000 * MILLISECONDS_FROM)
    if epoch is not None:
        return datetime.fromtimestamp(float(epoch / 1000 if epoch >= MILLISECONDS_FROM else epoch), UTC)
    moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    # without an offset nobody knows which moment is meant
    return None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)


def span(words: str) -> timedelta | None:
    """A span of time in words (`167h 57m`, `1 day, 21 hours`, `91226.17s`, `479.4ms`); None where none is told."""
    told = {_UNITS[unit]: float(count) for count, unit in _PART.findall(words.casefold())}
    return timedelta(**told) if told else None
