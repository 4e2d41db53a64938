"""Clock times as a screen or a line shows them, in the zone of the host it was captured on, as instants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from capacity.ports import Document

from capacity_codex._windows import DAY, TOLERANCE

MONTHS: Mapping[str, int] = {
    month: number
    for number, month in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], start=1
    )
}

_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(?:\s*([AP])M)?(?:\s+on\s+(.+))?", re.IGNORECASE)
_DATED = re.compile(
    r"(?P<month>[a-z]{3})[a-z]* (?P<day>[0-9]{1,2})(?:st|nd|rd|th)?,? (?P<year>20[0-9]{2}),? (?P<time>[0-9].*)",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?P<day>[0-9]{1,2}) (?P<month>[a-z]{3})|(?P<month2>[a-z]{3}) (?P<day2>[0-9]{1,2})", re.IGNORECASE)


def next_time(text: str, doc: Document, longest: timedelta) -> datetime | None:
    """The next moment that a clock on the host shows this.

    Args:
        text: a time of either clock, and perhaps a day and a month in either order; or behind a whole date.
        doc: the screen or line: when it was seen, and in which zone.
        longest: the length of its window; a moment further away is no reset of it.

    Returns:
        The instant; None where the zone is unknown, the text is no time, or it is stale.
    """
    plain = " ".join(text.split())
    dated = _DATED.fullmatch(plain)
    zone, match = _zone(doc.zone), _TIME.fullmatch(dated["time"] if dated else plain)
    if zone is None or match is None:
        return None
    try:
        now = doc.at.astimezone(zone)
        moment = _on(dated, match, now) if dated else _moment(match, now)
    except ValueError:  # a 25th hour, a 31st of February
        return None
    return moment if moment is not None and moment - doc.at <= longest * (1 + TOLERANCE) else None


def _zone(name: str | None) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, LookupError):
        return None


def _moment(match: re.Match[str], now: datetime) -> datetime | None:
    hour = _hour(int(match[1]), match[3])
    # of an hour that comes twice the later one is meant: nothing may open too early
    clock = now.replace(hour=hour, minute=int(match[2]), second=0, microsecond=0, fold=1)
    if match[4] is None:
        return clock if clock > now else (clock + DAY)
    date = _DATE.fullmatch(match[4])
    month = MONTHS.get((date["month"] or date["month2"]).casefold()) if date else None
    if date is None or month is None:
        return None
    dated = clock.replace(month=month, day=int(date["day"] or date["day2"]))
    return dated if dated > now else dated.replace(year=dated.year + 1)


def _on(dated: re.Match[str], match: re.Match[str], now: datetime) -> datetime | None:
    """The moment of a whole date; None where it has passed."""
    month = MONTHS.get(dated["month"].casefold())
    if month is None or match[4] is not None:
        return None
    clock = now.replace(hour=_hour(int(match[1]), match[3]), minute=int(match[2]), second=0, microsecond=0, fold=1)
    moment = clock.replace(year=int(dated["year"]), month=month, day=int(dated["day"]))
    return moment if moment > now else None


def _hour(hour: int, half: str | None) -> int:
    """The hour of a day of twenty-four."""
    return hour if half is None else hour % 12 + (12 if half.casefold() == "p" else 0)
