"""A usage body, in either shape, as limits.

The list of rows is preferred; the windows beside it are its twins and tell only whether a full one is enforced.
A scoped row stays scoped, an unscoped one stays binding, and what cannot be told apart is dropped aloud.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from itertools import islice
from typing import Any

from attrs import evolve, frozen
from capacity.ports import Limit, Scope

from capacity_claude._extra import extra_usage
from capacity_claude._wire import ROWS_MOST, instant, percent, word

SESSION, WEEK = timedelta(hours=5), timedelta(days=7)
KINDS: Mapping[str, tuple[str, timedelta]] = {
    "session": ("5h", SESSION),
    "weekly_all": ("weekly", WEEK),
    "weekly_scoped": ("weekly", WEEK),
}
"""Kind of a row → its name and window. Another kind keeps its own word."""

WHOLE = frozenset({"session", "weekly_all"})
"""Kinds that speak of the whole account, whatever an empty scope says."""

GROUPS: Mapping[str, timedelta] = {"session": SESSION, "weekly": WEEK}
"""Group of a row of another kind → its window."""

ALL_MODELS = "all models"
"""A scoped row of this name is the whole account's once more."""

SCOPED = "seven_day_"
"""How the key of a scoped top-level window begins; its word follows."""

FEATURES = frozenset({"oauth_apps", "cowork", "routines", "design"})
"""Words of top-level windows that name a product no seat runs on; every other word is taken for a model's."""

NAMED_MOST = 5
"""So many dropped things are named in a reading's detail; the rest is counted, so that it stays one sentence."""


@frozen
class Told:
    """What a usage body says.

    Attributes:
        limits: every limit it tells, each name once.
        dropped: what was not read, and why, in a few words each.
    """

    limits: tuple[Limit, ...]
    dropped: tuple[str, ...]

    @property
    def usable(self) -> bool:
        """Whether a figure or a flag speaks of something a seat runs on."""
        binding = [limit for limit in self.limits if limit.scope is None or limit.scope.kind == "model"]
        return any(limit.percent is not None or limit.blocked is not None or limit.left for limit in binding)

    @property
    def detail(self) -> str | None:
        """One sentence on what was dropped; None = nothing."""
        named, more = self.dropped[:NAMED_MOST], len(self.dropped) - NAMED_MOST
        return "not read: " + "; ".join([*named, *([f"{more} more"] if more > 0 else [])]) if named else None


def known(body: Mapping[str, Any]) -> bool:
    """Whether a body of unknown origin is ours: it has a window's or a purse's name, or rows as ours are."""
    rows = body.get("limits")
    listed = isinstance(rows, list) and any(isinstance(row, dict) and {"kind", "percent"} <= row.keys() for row in rows)
    return listed or "extra_usage" in body or any(place(key) for key in body)


def told(body: Mapping[str, Any]) -> Told:
    """The limits of a body, whichever of the two shapes it has."""
    rows, dropped = _rows(body.get("limits"))
    windows, unread = _windows(body)
    # a list without a figure for the whole account cannot stand in for windows that have one
    if any(limit.scope is None and limit.percent is not None for limit in rows):
        names = {limit.name for limit in rows}
        alone = {key: limit for key, limit in windows.items() if limit.name not in names}
        # a word of its own binds nobody else
        rows += [limit for limit in alone.values() if limit.scope is not None]
        unread += [f"{_quoted(key)} is not in the list" for key, limit in alone.items() if limit.scope is None]
    else:
        rows += windows.values()
    twins = {limit.name: limit.blocked for limit in windows.values()}
    limits = [
        evolve(limit, blocked=twins.get(limit.name) if limit.blocked is None else limit.blocked)
        for limit in _unique(rows)
    ]
    extra = extra_usage(body.get("extra_usage"), beside=bool(limits) or not _is_windowless(body))
    return Told((*limits, *extra), (*dropped, *unread))


def _is_windowless(body: Mapping[str, Any]) -> bool:
    """Whether an account has no windows; one whose windows or rows cannot be read has them."""
    windows = (window for key, window in body.items() if place(key))
    return body.get("limits", []) == [] and all(window is None for window in windows)


def _unique(limits: Iterable[Limit]) -> list[Limit]:
    """Each name once: what binds before what does not, then the fuller, then the one that lasts longer."""
    found: dict[str, Limit] = {}
    for limit in limits:
        found[limit.name] = max(limit, found.get(limit.name, limit), key=_weight)
    return list(found.values())


def _weight(limit: Limit) -> tuple[bool, float, float]:
    return (
        limit.scope is None or limit.scope.kind == "model",
        -1.0 if limit.percent is None else limit.percent,
        0.0 if limit.resets_at is None else limit.resets_at.timestamp(),
    )


def _limit(row: Mapping[str, Any], used: object, name: str, window: timedelta | None, scope: Scope | None) -> Limit:
    share = percent(used)
    return Limit(
        name if scope is None else f"{name}:{scope.name}",
        percent=share,
        blocked=_locked(row, share),
        resets_at=instant(row.get("resets_at")) or instant(row.get("reset_at")),
        window=window,
        scope=scope,
    )


def _locked(window: Mapping[str, Any], share: float | None) -> bool | None:
    """Whether the provider enforces a window: a reason says so, and a reason of null at 100 % says that it does not."""
    if "locked_reason" not in window:
        return None
    if window["locked_reason"] is not None:
        return True
    return False if share is not None and share >= 100 else None


def _quoted(key: str) -> str:
    return f"window {key[:40]!r}"


# --- the list of rows -------------------------------------------------------------------------


def _rows(rows: object) -> tuple[list[Limit], list[str]]:
    """The rows as limits, and why the others are none. A row of all models gives way to the account's own."""
    kept: list[Limit] = []
    again: list[Limit] = []
    dropped: list[str] = []
    for index, row in enumerate(rows[:ROWS_MOST] if isinstance(rows, list) else ()):
        limit = _row(row)
        if isinstance(limit, str):
            dropped.append(f"row {index} {limit}")
        else:
            (again if _is_all_models(row.get("scope")) else kept).append(limit)
    if isinstance(rows, list) and len(rows) > ROWS_MOST:
        dropped.append(f"rows from {ROWS_MOST} on")
    names = {limit.name for limit in kept}
    return kept + [limit for limit in again if limit.name not in names], dropped


def _row(row: object) -> Limit | str:
    """The row as a limit, or why it is none."""
    if not isinstance(row, dict):
        return "is no object"
    kind = word(row.get("kind"))
    if kind is None:
        return "has no kind"
    scope = _scope(row.get("scope"), kind)
    if isinstance(scope, str):
        return scope
    name, window = KINDS.get(kind) or (kind, GROUPS.get(word(row.get("group")) or ""))
    return _limit(row, row.get("percent"), name, window, scope)


def _scope(scope: object, kind: str) -> Scope | str | None:
    """What a row binds. A text says why that cannot be told; such a row must not pass for unscoped."""
    parts = scope if isinstance(scope, dict) else {}
    model, surface = _label(parts.get("model")), _label(parts.get("surface"))
    if model is not None:
        return None if model == ALL_MODELS else Scope("model", model)
    if surface is not None:
        return Scope("feature", surface)
    empty = scope is None or (isinstance(scope, dict) and not any(parts.values()))
    if kind in WHOLE or (empty and not kind.endswith("_scoped")):
        return None
    return "names neither model nor surface"


def _is_all_models(scope: object) -> bool:
    return isinstance(scope, dict) and _label(scope.get("model")) == ALL_MODELS


def _label(part: object) -> str | None:
    """The word for a model or surface: its name, not its id, which has always been null and would rename the limit."""
    return word(part.get("display_name")) or word(part.get("id")) if isinstance(part, dict) else word(part)


# --- top-level windows ------------------------------------------------------------------------


def _windows(body: Mapping[str, Any]) -> tuple[dict[str, Limit], list[str]]:
    """Key → limit, and which windows are none we know."""
    limits: dict[str, Limit] = {}
    unread: list[str] = []
    for key, window in islice(body.items(), ROWS_MOST):
        found = place(key)
        if found and isinstance(window, dict):
            limits[key] = _limit(window, window.get("utilization"), *found)
        elif found and window is not None:
            unread.append(f"{_quoted(key)} is no object")
        elif isinstance(window, dict) and "utilization" in window and key != "extra_usage":
            unread.append(f"{_quoted(key)} is unknown")
    return limits, unread


def place(key: str) -> tuple[str, timedelta, Scope | None] | None:
    """Name, window and scope of a top-level window; None for a key that is none."""
    if key == "five_hour":
        return "5h", SESSION, None
    if key == "seven_day":
        return "weekly", WEEK, None
    named = word(key.removeprefix(SCOPED)) if key.startswith(SCOPED) else None
    return None if named is None else ("weekly", WEEK, Scope("feature" if named in FEATURES else "model", named))
