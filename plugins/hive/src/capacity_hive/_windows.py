"""A hive's windows as limits. Pure.

A cap on some models is told apart from what binds all; a label is no scope. A figure that is missing is None, and a window
without one is left out: never taken for unused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from capacity.ports import Limit, Scope

from capacity_hive._wire import instant, number, pick, rows, text

KINDS: Mapping[str, timedelta] = {
    "session": timedelta(hours=5),
    "five_hour": timedelta(hours=5),
    "daily": timedelta(days=1),
    "weekly": timedelta(days=7),
    "weekly_all": timedelta(days=7),
    "weekly_scoped": timedelta(days=7),
    "seven_day": timedelta(days=7),
}
"""A window's word where its length is not told, as a hive's own probers write it."""

LENGTHS: tuple[tuple[str, timedelta], ...] = (
    ("5h", timedelta(hours=5)),
    ("daily", timedelta(days=1)),
    ("weekly", timedelta(days=7)),
    ("monthly", timedelta(days=30)),
)
SLACK = 0.05
"""Share by which a window may be longer or shorter than the length it is named by."""

MONEY = frozenset({"credits", "balance", "extra_usage"})
"""Kinds that pay for a window that is full, and bind nothing by themselves."""

SCOPED = "weekly_scoped"
"""The kind of a cap on some models, of which older probers do not say which."""


def limits(table: Any) -> tuple[Limit, ...]:
    """The windows of one provider; of two with one name the fuller one speaks.

    Raises:
        ValueError: one that tells how much is used does not tell what it binds.
    """
    found: dict[str, Limit] = {}
    for limit in _limits(rows(table)):
        other = found.get(limit.name)
        if other is None or (other.percent or 0) < (limit.percent or 0):
            found[limit.name] = limit
    return tuple(found.values())


def _limits(windows: Iterable[Mapping[str, Any]]) -> Iterable[Limit]:
    for window in windows:
        percent = used(window)
        if percent is not None:
            if text(window.get("kind")) is None:
                raise ValueError("a window of it has no kind")
            scope, length = _scope(window), _length(window)
            name = _name(window, length) + (f":{scope.name}" if scope and scope.kind == "model" else "")
            yield Limit(name, percent=percent, resets_at=_resets_at(window), window=length, scope=scope)


def used(window: Mapping[str, Any]) -> float | None:
    """Percent used, as told or from what remains."""
    percent, remaining = number(pick(window, "percent_used")), number(pick(window, "pct_remaining"))
    if percent is None and remaining is not None:
        percent = 100.0 - remaining
    return percent if percent is not None and percent >= 0 else None


def _resets_at(window: Mapping[str, Any]) -> datetime | None:
    """When it resets, UTC; a published reading may tell it in milliseconds alone."""
    return instant(pick(window, "resets_at")) or instant(pick(window, "reset_epoch"))


def _length(window: Mapping[str, Any]) -> timedelta | None:
    minutes = number(pick(window, "duration_mins"))
    if minutes is not None and 0 < minutes < 1e6:
        return timedelta(minutes=minutes)
    return KINDS.get(_kind(window))


def _kind(window: Mapping[str, Any]) -> str:
    return (text(window.get("kind")) or "").casefold()


def _name(window: Mapping[str, Any], length: timedelta | None) -> str:
    if length is None:
        return _kind(window)
    return next((name for name, usual in LENGTHS if abs(length / usual - 1) <= SLACK), _kind(window))


def _scope(window: Mapping[str, Any]) -> Scope | None:
    """What it binds: a model's word, a marked cap that does not say whose, or money beside the windows."""
    scope = window.get("scope")
    table = scope if isinstance(scope, dict) else {}
    word = text(table.get("model")) or text(pick(table, "model_class"))
    kind, own = _kind(window), (text(window.get("id")) or "").casefold()
    unbinding = str(table.get("binding")).casefold() == "false"
    if word is None and not unbinding and SCOPED not in (kind, own):
        return None
    if word is None and kind in MONEY:
        return Scope("feature", kind.replace("_", "-"))
    label = word or text(table.get("scope")) or text(pick(table, "limit_name"))
    return Scope("model", label or own.removeprefix("seven_day_") or kind)
