"""When a limit resets, as the harness words it: a clock time, with or without a day, in a zone or in that of its host.

A moment is found only where it can be: without a zone nobody knows it, and one that lies further off than its window is
long has passed already. Of two moments that one clock time means the later counts.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from attrs import frozen

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

LONGEST = timedelta(days=31)
"""The window of a limit that does not tell its own: no window seen is longer than a month."""

SLACK = 1.05
"""A window may look longer than it is by so much: resets are rounded up, and its length is told to five percent."""

YEARS = 8
"""How far the next 29th of February can be."""

WORDED = (
    r"(?:(?P<month>[a-z]{3})[a-z]*\.?(?P<day>[0-9]{1,2})(?:,?(?P<year>20[0-9]{2}))?)?(?:,|at)*"
    r"(?:(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-5][0-9]))?(?P<half>[ap]m)?)?(?:\((?P<zone>[A-Za-z0-9_+/-]{1,64})\))?"
)
"""A reset without any white space: captures of a terminal lose theirs."""

_WORDED = re.compile(WORDED, re.IGNORECASE)


@frozen
class Reset:
    """What a text says of a reset.

    Attributes:
        at: when it is, UTC; None = it cannot be told.
        past: it was before the text was seen, so the text speaks of a window that is over.
    """

    at: datetime | None = None
    past: bool = False


def reset(text: str, seen_at: datetime, zone: str | None, window: timedelta | None) -> Reset:
    """A worded reset.

    Args:
        text: what follows the word `resets`.
        seen_at: when it was shown, UTC.
        zone: IANA zone of the host it was shown on, for a text without one; None = not known.
        window: how long the window of its limit is; None = not known.
    """
    found = _WORDED.fullmatch("".join(text.split()))
    place = _zone(found["zone"] or zone) if found else None
    if found is None or place is None or not (found["month"] or found["hour"]):
        return Reset()
    moment = _moment(found, seen_at.astimezone(place))
    if moment is None:
        return Reset()
    ends_at = moment.astimezone(UTC)
    past = not seen_at < ends_at <= seen_at + (window or LONGEST) * SLACK
    return Reset(None if past else ends_at, past)


def _zone(name: str | None) -> tzinfo | None:
    try:
        return None if name is None else ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # no such zone, or a name that is no path of one
        return None


def _moment(found: re.Match[str], now: datetime) -> datetime | None:
    """The clock time as the next moment it can mean; of a day without a clock time its end."""
    clock = _clock(found)
    if clock is None:
        return None
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0, fold=1)
    if not found["month"]:
        return next((at for days in (0, 1) if (at := _after(midnight + timedelta(days=days), clock)) > now), None)
    month = found["month"].casefold()
    if month not in MONTHS:
        return None
    years = (int(found["year"]),) if found["year"] else range(now.year, now.year + YEARS + 1)
    days = (_day(midnight, year, MONTHS.index(month) + 1, int(found["day"])) for year in years)
    moments = [_after(day, clock) for day in days if day is not None]
    return next((at for at in moments if at > now), moments[0] if found["year"] and moments else None)


def _clock(found: re.Match[str]) -> timedelta | None:
    if not found["hour"]:
        return timedelta(days=1)
    hour, half = int(found["hour"]), (found["half"] or "").casefold()
    if hour > (12 if half else 23) or (half and not hour):
        return None
    if not half and not found["minute"]:
        return None  # a bare number is no clock time
    return timedelta(hours=hour % 12 + 12 * (half == "pm") if half else hour, minutes=int(found["minute"] or 0))


def _day(midnight: datetime, year: int, month: int, day: int) -> datetime | None:
    try:
        return midnight.replace(year=year, month=month, day=day)
    except ValueError:
        return None


def _after(midnight: datetime, clock: timedelta) -> datetime:
    """A clock time of a day: by the clock on the wall, whatever happened to it in the night."""
    return (midnight + clock).replace(fold=1)
