"""One rate limit of any source, a pair of windows and a word about them, as limits.

What kind a window is follows from its length, never from its slot. A word of the service outranks every percentage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from attrs import evolve
from capacity.ports import Limit, Scope

from capacity_codex._wire import flag, instant, part, percent, span, word

DAY = timedelta(days=1)
KINDS: Mapping[str, timedelta] = {
    "5h": timedelta(hours=5),
    "daily": DAY,
    "weekly": 7 * DAY,
    "monthly": 30 * DAY,
    "annual": 365 * DAY,
}
"""Name → length of the windows that the harness has a label for."""

TOLERANCE = 0.05
"""Share by which a window may be longer or shorter than its kind: 299 and 10079 minutes are seen."""

SLOTS = ("primary", "secondary")
LENGTHS: Mapping[str, timedelta] = {
    "limit_window_seconds": timedelta(seconds=1),
    "window_minutes": timedelta(minutes=1),
    "window_duration_mins": timedelta(minutes=1),
}
"""Members that tell a window's length → their unit."""

AGREEING = timedelta(minutes=5)
"""A length that no kind has and that ends so near the reset is the time left: some programs wrote that in its place."""

FULL = 99.5
"""Percent from which a window that is told in whole percents is full."""

ACCOUNT = "codex"
"""What the service calls the limit of the whole account."""

FEATURES = frozenset({"code-review"})
"""Words of limits on something no seat runs on; every other word is taken for a model's."""


def kind(length: timedelta | None) -> str | None:
    """The name of the windows of about this length; None where it is nobody's."""
    if length is None:
        return None
    return next((name for name, usual in KINDS.items() if abs(length - usual) <= TOLERANCE * usual), None)


def scope_of(ident: object, name: object) -> Scope | None:
    """What a limit binds, by its id and its name; None = the whole account."""
    words = [label for label in (word(name), word(ident)) if label not in {None, ACCOUNT}]
    if not words:
        return None
    slug = hyphened(words[0] or "")
    return Scope("feature", slug) if slug in FEATURES else Scope("model", words[0] or "")


def hyphened(label: str) -> str:
    """A label of several words as one."""
    return label.replace("_", "-").replace(" ", "-")


def limits(row: object, at: datetime, scope: Scope | None = None, *, refused: bool | None = None) -> list[Limit]:
    """The windows of one rate limit, and whether the service serves.

    Args:
        row: its two windows, and flags.
        at: when it was told.
        scope: what it binds.
        refused: what was said of it elsewhere; None = nothing.
    """
    refused = worst(refused, refusal(row))
    windows = [found for slot in SLOTS if (found := _window(row, slot, at, scope)) is not None]
    if refused is None:
        return windows
    if not windows:
        return [Limit(named("service", scope), blocked=refused, scope=scope)]
    at_fault = culprits(windows) if refused else windows
    return [evolve(limit, blocked=refused) if limit in at_fault else limit for limit in windows]


def culprits(windows: list[Limit]) -> list[Limit]:
    """The windows a refusal is about: the full ones, or the fullest where none is full."""
    most = max(_used(limit) for limit in windows)
    return [limit for limit in windows if _used(limit) >= min(FULL, most)]


def refusal(row: object) -> bool | None:
    """Whether the service says that it refuses; None = it says neither."""
    refuses, allows = flag(part(row, "limit_reached")), flag(part(row, "allowed"))
    ordinary = flag(part(row, "ordinary_usage_allowed"))
    return worst(refuses, *(None if serves is None else not serves for serves in (allows, ordinary)))


def worst(*refusals: bool | None) -> bool | None:
    """Of several words on one thing the refusing one; None where there is none."""
    return next((word_on_it for word_on_it in (True, False) if word_on_it in refusals), None)


def unique(found: Iterable[Limit]) -> tuple[Limit, ...]:
    """Each name once: what binds before what does not, then what refuses, then the fuller, then what lasts longer."""
    once: dict[str, Limit] = {}
    for limit in found:
        once[limit.name] = max(limit, once.get(limit.name, limit), key=_weight)
    return tuple(once.values())


def named(name: str, scope: Scope | None) -> str:
    """A limit's name, with the word of its scope behind it."""
    return name if scope is None else f"{name}:{scope.name}"


def reset(row: object, at: datetime) -> datetime | None:
    """When it resets: the instant, or so long after it was told."""
    absolute = instant(part(row, "reset_at", "resets_at"), at)
    after = span(part(row, "reset_after_seconds", "resets_in_seconds"), timedelta(seconds=1))
    return at + after if absolute is None and after is not None else absolute


def _window(row: object, slot: str, at: datetime, scope: Scope | None) -> Limit | None:
    window: Any = part(row, f"{slot}_window", slot)
    if not isinstance(window, dict) or not window:
        return None
    resets_at = reset(window, at)
    length = _length(window, at, resets_at)
    name = named(kind(length) or slot, scope)
    return Limit(name, percent(part(window, "used_percent")), resets_at=resets_at, window=length, scope=scope)


def _length(window: object, at: datetime, resets_at: datetime | None) -> timedelta | None:
    """How long the window is; None where it is not told, or cannot be true."""
    told = (span(part(window, member), unit) for member, unit in LENGTHS.items())
    length = next((one for one in told if one is not None), None)
    if length is None or resets_at is None:
        return length
    left = resets_at - at
    is_left = kind(length) is None and abs(left - length) <= AGREEING
    return None if is_left or left > length * (1 + TOLERANCE) else length


def _used(limit: Limit) -> float:
    return -1.0 if limit.percent is None else limit.percent


def _weight(limit: Limit) -> tuple[bool, bool, float, float]:
    resets_at = 0.0 if limit.resets_at is None else limit.resets_at.timestamp()
    binds = limit.scope is None or limit.scope.kind == "model"
    return binds, limit.blocked is True, _used(limit), resets_at
