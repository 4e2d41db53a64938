"""When a refusal ends: every way in which providers, their headers and their texts write it.

What was told is kept apart from what is guessed, from what lies in the past, from a clock in a zone nobody knows, and
from nonsense. No word of it at all is None. Nothing here decides what a reset is worth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Literal

from attrs import evolve, frozen

from capacity.core.clocks import wall

Telling = Literal["known", "guessed", "past", "zoneless", "invalid"]
"""Told as an instant or a span; told as a bound or a day; told, and over; told in a zone nobody knows; not to be believed."""

FURTHEST = timedelta(days=400)
"""Nothing that is further off is believed: no plan is known whose window is longer than a year."""

EPOCH, EPOCH_MS = 1e9, 1e11
"""From here up a number is seconds, or milliseconds, since 1970: as spans they would be longer than thirty years."""

FIRST_YEAR = 2000
"""An instant before it is a zero that somebody formatted: the epoch, or the year 1."""

SLACK = 1.05
"""A window may look longer than it is by so much: resets are rounded up, and lengths are told to five percent."""

Way = Literal["at", "s", "ms", "retry", "retry-ms"]
FIELDS: Mapping[str, Way] = {
    **dict.fromkeys(("resetat", "resetsat", "resettime", "resetdate", "resettimestamp", "quotaresettimestamp"), "at"),
    **dict.fromkeys(("quotaresetat", "nextresettime", "nextresetat", "renewat", "renewsat", "availableat"), "at"),
    **dict.fromkeys(("resetin", "resetsin", "resetinseconds", "resetsinseconds", "resetafter"), "s"),
    **dict.fromkeys(("resetafterseconds", "secondsuntilreset", "quotaresetdelay"), "s"),
    **dict.fromkeys(("resetinms", "resetsinms"), "ms"),
    **dict.fromkeys(("retryat", "retryafter", "retryafterseconds", "retrydelay", "retryinfo"), "retry"),
    **dict.fromkeys(("retryafterms",), "retry-ms"),
}
"""Name of a field, casefolded and without `_` and `-` → how it is read: an instant, a span, or a wish to be left alone."""

BEST: Sequence[frozenset[Way]] = (frozenset({"at"}), frozenset({"s", "ms"}), frozenset({"retry", "retry-ms"}))
"""What wins: a reset over the time until it, which was rounded, and both over a wish to be left alone."""

UNITS: Mapping[str, float] = {
    **dict.fromkeys(("ms", "msec", "msecs", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs"), 1e-6),
    **dict.fromkeys(("ns",), 1e-9),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3_600),
    **dict.fromkeys(("d", "day", "days"), 86_400),
    **dict.fromkeys(("w", "week", "weeks"), 604_800),
}
"""Unit as it is written → seconds."""

_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_STEP = rf"(\d{{1,9}}(?:\.\d{{1,12}})?)\s?({_UNIT})(?![a-zµ])"
_STEPS = re.compile(_STEP, re.IGNORECASE)
_SPAN = re.compile(
    rf"(?P<under>(?:in )?less than (?:a|1) minute)|(?:{_STEP}(?:,?\s?(?:and\s)?(?=\d))?){{1,8}}", re.IGNORECASE
)
_EPOCH = re.compile(r"\d{10}(?:\d{3})?(?!\d|[.:-]\d)")
_LEAD = re.compile(
    r"(?<![a-z])(?P<lead>resets?|refresh(?:es)?|renews?|renewal|(?:try|retry|trying|retrying|available) again|retry"
    r"|come back|wait|until)"
    r"(?:[\s:=~≈\"'_-]"
    r"|(?:after|in|at|on|by|is|will|be|date|time|your|quota|limit|it|the|for|about|approximately|another|next)(?![a-z])"
    r"|(?P<unit>seconds|ms)(?![a-z])){1,14}"
    r"(?P<begin>(?:in )?less than a|(?=[a-z0-9]))",
    re.IGNORECASE,
)
_LEADS = ("reset", "again", "retry", "renew", "refresh", "until", "wait", "come back")
_BARE = re.compile(r"\d{1,7}(?:\.\d{1,9})?(?![\w:/-]|\.\d)")
_PIPED = re.compile(r"\|\s?(\d{10}(?:\d{3})?)\b")


@frozen
class Reset:
    """What is said of a reset.

    Attributes:
        told: how far it may be trusted.
        at: when it is, UTC; None unless it is known or guessed.
    """

    told: Telling
    at: datetime | None = None


def reset(told: object, at: datetime, *, zone: str | None = None, window: timedelta | None = None) -> Reset | None:
    """What a number or a text says that is a time and nothing else.

    Args:
        told: an instant in any of its forms, a span, a clock time; a bare number is seconds, or since 1970 if it is large.
        at: when it was told, aware.
        zone: IANA zone of a clock without one; None = not known, and such a clock gives no instant.
        window: how long the window is that resets; what lies further off speaks of one that is over. None = not known.

    Returns:
        None where it tells nothing: a zero, a date that stands for none, no time at all.
    """
    if isinstance(told, bool) or not isinstance(told, int | float | str):
        return None
    number = told if isinstance(told, int | float) else _number(told)
    if number is not None:
        return _counted(number, at, window)
    text = " ".join(str(told).split())
    found, end = _expressed(text, 0, at, zone, window)
    return found if end == len(text) else None


def field_reset(name: str, told: object, at: datetime, *, zone: str | None = None) -> Reset | None:
    """What a field or a header of that name says; None where it is none that tells a reset, or tells none.

    Args:
        name: in any case; `retry-after`, `resets_at`, `quotaResetDelay`, `x-ratelimit-reset-tokens`, …
        told: its value.
        at: when it was told, aware.
        zone: as in `reset`.
    """
    way = way_of(name)
    if way is None:
        return None
    number = told if isinstance(told, int | float) and not isinstance(told, bool) else _number(told)
    if number is None or way == "at":
        return reset(told, at, zone=zone)
    return _after(number / 1e3 if way in ("ms", "retry-ms") else number, at, None)


def way_of(name: str) -> Way | None:
    """How a field or header of that name is read; None = it tells no reset."""
    plain = name.replace("-", "").replace("_", "").casefold()
    if plain in FIELDS:
        return FIELDS[plain]
    limits = "ratelimit" in plain and "reset" in plain
    return "at" if limits else None


def fields_reset(fields: Iterable[tuple[str, object]], at: datetime, *, zone: str | None = None) -> Reset | None:
    """What several fields or headers say together: the latest reset of the best way in which any tells an instant.

    Args:
        fields: names and values; those that tell no reset are passed over.
        at: when they were told, aware.
        zone: as in `reset`.
    """
    ways = [(way, name, value) for name, value in fields if (way := way_of(name)) is not None]
    first = None
    for best in BEST:
        found = latest(field_reset(name, value, at, zone=zone) for way, name, value in ways if way in best)
        if found is not None and found.at is not None:
            return found
        first = first or found
    return first


def reset_in(text: str, at: datetime, *, zone: str | None = None, window: timedelta | None = None) -> Reset | None:
    """What a sentence says of a reset: behind a word such as `resets`, `try again`, `retry after`, or an epoch behind `|`.

    Args:
        text: the sentence, its white space single blanks.
        at: when it was shown, aware.
        zone: as in `reset`.
        window: as in `reset`.
    """
    piped = _PIPED.search(text)
    if piped is not None:
        return _counted(float(piped[1]), at, window)
    folded = text.casefold()
    if not any(lead in folded for lead in _LEADS):  # most texts tell none, and this is fast
        return None
    for lead in _LEAD.finditer(text):
        start = lead.end() - len(lead["begin"])
        found, _ = _expressed(text, start, at, zone, window)
        found = found or _bare(lead, text, start, at, window)
        if found is not None:
            return found
    return None


def latest(resets: Iterable[Reset | None]) -> Reset | None:
    """Of several resets the one that counts: the latest that is an instant, else the first that tells anything."""
    told = [one for one in resets if one is not None]
    timed = [one for one in told if one.at is not None]
    if not timed:
        return told[0] if told else None
    return max(timed, key=lambda one: one.at or datetime.min.replace(tzinfo=UTC))


# --- the forms ----------------------------------------------------------------------------------


def _expressed(
    text: str, start: int, at: datetime, zone: str | None, window: timedelta | None
) -> tuple[Reset | None, int]:
    """The time that begins at one place of a text, and where it ends."""
    span = _SPAN.match(text, start)
    if span is not None:
        if span["under"]:
            most = _after(60, at, window)
            return most and evolve(most, told="guessed" if most.at else most.told), span.end()
        return _after(_seconds(span[0]), at, window), span.end()
    epoch = _EPOCH.match(text, start)
    if epoch is not None:
        return _counted(float(epoch[0]), at, window), epoch.end()
    found = wall(text, start, at, zone)
    if found is None:
        return None, -1
    return (_at(found.at, at, window, found.exact) if found.at else Reset("zoneless")), found.end


def _bare(lead: re.Match[str], text: str, start: int, at: datetime, window: timedelta | None) -> Reset | None:
    """A number without a unit behind words that are a header's or a field's: seconds, as there."""
    before = text[lead.start() : start].casefold()
    found = _BARE.match(text, start) if lead["unit"] or before.startswith(("retry after", "retry-after")) else None
    if found is None:
        return None
    return _after(float(found[0]) / (1e3 if lead["unit"] == "ms" else 1), at, window)


def _seconds(text: str) -> float:
    return sum(float(amount) * UNITS[unit.casefold()] for amount, unit in _STEPS.findall(text))


def _number(told: object) -> float | None:
    """A text that is a number, as one; None where it is none."""
    if not isinstance(told, str) or len(told) > 32:
        return None
    try:
        return float(told)
    except ValueError:
        return None


def _counted(number: float, at: datetime, window: timedelta | None) -> Reset | None:
    """Seconds from now or, where they are too many, seconds or milliseconds since 1970."""
    if isfinite(number) and number >= EPOCH:
        seconds = number / 1e3 if number >= EPOCH_MS else number
        span = seconds - at.timestamp()
        if abs(span) > FURTHEST.total_seconds():
            return Reset("past" if span < 0 else "invalid")
        return _at(datetime.fromtimestamp(seconds, UTC), at, window, exact=True)
    return _after(number, at, window)


def _after(seconds: float, at: datetime, window: timedelta | None) -> Reset | None:
    """So many seconds from now; none at all says nothing."""
    if seconds == 0:
        return None
    if not 0 < seconds <= FURTHEST.total_seconds():  # not a number is neither
        return Reset("invalid")
    try:
        return _at(at + timedelta(seconds=seconds), at, window, exact=True)
    except OverflowError:  # after the year 9999
        return Reset("invalid")


def _at(moment: datetime, at: datetime, window: timedelta | None, exact: bool) -> Reset | None:
    if moment <= at:
        return None if moment.year < FIRST_YEAR else Reset("past")
    if window is not None and moment - at > window * SLACK:
        return Reset("past")
    if moment - at > FURTHEST:
        return Reset("invalid")
    return Reset("known" if exact else "guessed", moment.astimezone(UTC))
