"""The rate-limit headers that come with an answer to a turn, whatever its body and status.

A subscription's windows are told as `unified`. An API key's caps refill within the minute: they bind nothing, since who
waits is served. Only a cap on requests at once is waited for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from decimal import Decimal

from capacity.ports import Document, Limit, Reading, Scope

from capacity_claude._turns import Turn, refuses, window
from capacity_claude._wire import fraction, instant, text, word

SOURCE = "headers"
PREFIX = "anthropic-ratelimit-"
UNIFIED = "unified-"

KEYS: Mapping[str, str] = {"5h": "five_hour", "7d": "seven_day", "7d_oi": "seven_day_overage_included"}
"""How headers shorten what a usage body and a claim write out."""

_WINDOW = re.compile(r"([0-9a-z]+(?:_[0-9a-z_]+)?)-(status|reset|utilization)")
_CAP = re.compile(r"([a-z][a-z-]{0,60})-(limit|remaining|reset)")
_COUNT = re.compile(r"[0-9]{1,15}")

AT_ONCE = "concurrent"
"""The word in a cap that requests under way fill, and whose end frees it."""


def is_turn(doc: Document) -> bool:
    """Whether a document carries such headers."""
    return any(name.lower().startswith(PREFIX) for name, _ in doc.headers)


def headers(doc: Document) -> Reading:
    """The reading that the headers of an answer make."""
    told = {name.lower().removeprefix(PREFIX): value for name, value in doc.headers if name.lower().startswith(PREFIX)}
    unified = {name.removeprefix(UNIFIED): value for name, value in told.items() if name.startswith(UNIFIED)}
    limits = (*_unified(unified).limits, *_caps(told.keys() - unified.keys(), told))
    if not limits:
        nothing = "the rate-limit headers hold no figure and no word that this version knows"
        return Reading("", "unrecognised", SOURCE, doc.at, detail=nothing)
    return Reading("", "ok", SOURCE, doc.at, detail=_detail(doc, unified), limits=limits)


def _detail(doc: Document, unified: Mapping[str, str]) -> str | None:
    status = refuses(unified.get("status"))
    reason = word(unified.get("overage-disabled-reason"))
    if status and reason is not None and re.fullmatch("[a-z_]{1,60}", reason):
        return f"extra usage does not pay: {reason}"
    burst = doc.status == 429 or (doc.status is None and doc.header("retry-after") is not None)
    return "the turn was refused for a burst, which says nothing of the quota" if burst and not status else None


def _unified(told: Mapping[str, str]) -> Turn:
    parts: dict[str, dict[str, str]] = {}
    for name, value in told.items():
        found = _WINDOW.fullmatch(name)
        if found and found[1] != "overage":
            parts.setdefault(_key(found[1]), {})[found[2]] = value
    windows = (
        window(key, fraction(one.get("utilization")), instant(one.get("reset")), one.get("status"))
        for key, one in parts.items()
    )
    claim = word(told.get("representative-claim"))
    return Turn(
        told.get("status"),
        None if claim is None else window(claim),
        instant(told.get("reset")),
        tuple(one for one in windows if one is not None and (one.percent is not None or one.blocked is not None)),
    )


def _key(short: str) -> str:
    """A window as a usage body names it: a shortened one with a word behind it is a week's of that word."""
    return KEYS.get(short) or (f"seven_day_{short.removeprefix('7d_')}" if short.startswith("7d_") else short)


def _caps(names: Set[str], told: Mapping[str, str]) -> Iterator[Limit]:
    caps: dict[str, dict[str, str]] = {}
    for name in sorted(names):
        found = _CAP.fullmatch(name)
        if found:
            caps.setdefault(found[1], {})[found[2]] = told[name]
    for name, one in caps.items():
        left, cap = _count(one.get("remaining")), _count(one.get("limit"))
        if left is not None or cap is not None:
            yield _cap(name, left, cap, one.get("reset"))


def _cap(name: str, left: Decimal | None, cap: Decimal | None, reset: str | None) -> Limit:
    at_once = AT_ONCE in name
    unit = "slots" if at_once else name.rpartition("-")[2]
    return Limit(
        "slots" if at_once else name,
        left={} if left is None else {unit: left},
        cap={} if cap is None else {unit: cap},
        resets_at=instant(reset),
        scope=None if at_once else Scope("feature", name),
    )


def _count(value: str | None) -> Decimal | None:
    told = text(value) or ""
    return Decimal(told) if _COUNT.fullmatch(told) else None
