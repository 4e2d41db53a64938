"""Wall clocks: the moment a day and a clock time mean in a zone. Pure, but that `zoneinfo` reads the host's table of zones.

A clock time is its next occurrence; a day without a year is the nearest one; of an hour that comes twice, or never, the
later reading counts, so that nothing opens too early. A zone nobody knows gives no moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from attrs import frozen

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY = timedelta(days=1)

ZONES: Mapping[str, str] = {
    "z": "UTC",
    "utc": "UTC",
    "gmt": "UTC",
    "beijing time": "Asia/Shanghai",
    "china standard time": "Asia/Shanghai",
    "pacific time": "America/Los_Angeles",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "eastern time": "America/New_York",
    "est": "America/New_York",
    "edt": "America/New_York",
}
"""What providers write in place of a zone's name → its name. Words that stand for several zones (CST, IST) are not here."""

LOCAL = frozenset({"local", "local time", "your time", "your local time"})
"""What means the zone of whoever was told."""

_ORDINAL = r"(?:st|nd|rd|th)?"
_MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]{{0,6}}\.?"
_YEAR = r"(?:,?\s(?P<{0}>(?:19|20)\d\d))?"
_DAY = (
    rf"(?:(?P<date>\d{{4}}-\d\d-\d\d)"
    rf"|(?P<word>today|tomorrow)"
    rf"|(?:(?P<weekday>{'|'.join(WEEKDAYS)})[a-z]{{0,6}},?\s?)?"
    rf"(?:(?P<month>{_MONTH})\s?(?P<day>\d{{1,2}}){_ORDINAL}(?!\d|:|[ap]m){_YEAR.format('year')}"
    rf"|(?P<day_>\d{{1,2}}){_ORDINAL}\s(?P<month_>{_MONTH}){_YEAR.format('year_')})?)"
)
_CLOCK = (
    r"(?:(?P<named>midnight|noon)"
    r"|(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.(?P<part>\d{1,9}))?)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?(?!\d|:))"
)
_ZONE = (
    r"(?:\s?(?:\((?P<quoted{0}>[^()]{{1,40}})\)"
    r"|(?P<bare{0}>Z\b|(?:UTC|GMT)(?:\s?[+-]\d{{1,2}}(?::?\d\d)?)?\b|[+-]\d\d:?\d\d\b"
    r"|[A-Z][a-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?|[A-Z]+ (?:standard )?time\b|[EP][SD]T\b)))?"
)
_DAY_FIRST = re.compile(rf"{_DAY}(?:,?\s?(?:at\s|T)?{_CLOCK})?{_ZONE.format('')}{_ZONE.format('_')}", re.IGNORECASE)
_CLOCK_FIRST = re.compile(rf"{_CLOCK}{_ZONE.format('')}(?:,?\s(?:on\s)?{_DAY}{_ZONE.format('_')})?", re.IGNORECASE)
_OFFSET = re.compile(r"(?:utc|gmt)?\s?([+-])(\d{1,2})(?::?(\d\d))?", re.IGNORECASE)


@frozen
class Wall:
    """What a text says of a day and a clock.

    Attributes:
        at: the moment, UTC; None = nobody can tell which, for want of a zone.
        exact: false where the text names a day alone: its end is meant then.
        end: where in the text it ends.
    """

    at: datetime | None
    exact: bool
    end: int


def wall(text: str, start: int, now: datetime, zone: str | None) -> Wall | None:
    """The day and clock time that begin at one place of a text; None where none does.

    Args:
        text: the text, with single blanks.
        start: where they begin.
        now: the instant from which the next one is looked for, aware.
        zone: IANA name for a text without one; None = not known.
    """
    for pattern in (_CLOCK_FIRST, _DAY_FIRST):
        found = pattern.match(text, start)
        if found is not None and _says_something(found):
            return _placed(found, now, zone)
    return None


def _says_something(found: re.Match[str]) -> bool:
    """Whether there is a day, or a clock time that is more than a bare number."""
    day = found["date"] or found["word"] or found["weekday"] or found["month"] or found["month_"]
    clock = found["named"] or found["minute"] or found["half"]
    return bool(day or clock) and (clock is not None or found["hour"] is None)


def _placed(found: re.Match[str], now: datetime, zone: str | None) -> Wall | None:
    place = _place(found["quoted"] or found["bare"] or found["quoted_"] or found["bare_"], zone)
    exact = _has_clock(found)
    if place is None:
        return Wall(None, exact, found.end())
    try:
        moment = _moment(found, now.astimezone(place))
    except (ValueError, OverflowError):  # a 25th hour, a 31st of February, the year 10000
        return None
    return None if moment is None else Wall(moment, exact, found.end())


def _has_clock(found: re.Match[str]) -> bool:
    return bool(found["named"] or found["hour"])


def _place(name: str | None, zone: str | None) -> tzinfo | None:
    """The zone of that name, or where none is told the host's; None = nobody knows it."""
    told = (name or "").strip()
    folded = told.casefold()
    if not told or folded in LOCAL:
        return _zone(zone) if zone else None
    offset = _OFFSET.fullmatch(folded)
    if offset is None:
        return _zone(ZONES.get(folded, told))
    span = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
    return timezone(span if offset[1] == "+" else -span) if span < DAY else None


def _zone(name: str) -> tzinfo | None:
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # no such zone, or a name that is no path of one
        return None


def _moment(found: re.Match[str], now: datetime) -> datetime | None:
    """The moment that is meant, UTC."""
    clock = _clock(found)
    midnight = datetime(now.year, now.month, now.day, tzinfo=now.tzinfo)
    if found["month"] or found["month_"]:
        day = min(_dated(found, midnight), key=lambda day: abs(day + clock - now), default=None)
        return None if day is None else _on(day, clock)
    if found["date"]:
        return _on(datetime.fromisoformat(found["date"]).replace(tzinfo=now.tzinfo), clock)
    moments = (_on(midnight + timedelta(days=days), clock) for days in _ahead(found, midnight))
    return next((at for at in moments if at > now or found["word"]), None)


def _ahead(found: re.Match[str], midnight: datetime) -> tuple[int, int]:
    """In how many days it may be: the first day that is meant, and the one after it if the first is over."""
    if found["weekday"]:
        first = (WEEKDAYS.index(found["weekday"].casefold()) - midnight.weekday()) % 7
        return first, first + 7
    first = int((found["word"] or "").casefold() == "tomorrow")
    return first, first + 1


def _dated(found: re.Match[str], midnight: datetime) -> Iterator[datetime]:
    """The day of a month in its year, or in the years around this one."""
    month = MONTHS.index((found["month"] or found["month_"])[:3].casefold()) + 1
    day, told = int(found["day"] or found["day_"]), found["year"] or found["year_"]
    for year in (int(told),) if told else (midnight.year - 1, midnight.year, midnight.year + 1):
        try:
            yield midnight.replace(year=year, month=month, day=day)
        except ValueError:  # a 29th of February
            if told:
                raise


def _clock(found: re.Match[str]) -> timedelta:
    """The time of day; the day's end where none is told."""
    if found["named"]:
        return timedelta(hours=12) if found["named"].casefold() == "noon" else DAY
    if not found["hour"]:
        return DAY
    hour, half = int(found["hour"]), (found["half"] or "").casefold()
    if hour > (12 if half else 24) or (half and not hour):
        raise ValueError("no such hour")
    hours = hour % 12 + 12 * (half == "p") if half else hour
    part = timedelta(seconds=float(f"0.{found['part']}") if found["part"] else 0)
    return timedelta(hours=hours, minutes=int(found["minute"] or 0), seconds=int(found["second"] or 0)) + part


def _on(midnight: datetime, clock: timedelta) -> datetime:
    """A clock time of a day, as the wall shows it whatever happened in the night: the later of two readings."""
    shown = midnight + clock
    return max(shown.astimezone(UTC), shown.replace(fold=1).astimezone(UTC))
