"""Session files: the newest word on each limit, true when it was written and not when it is read.

Order of lines and age of files mean nothing; the events carry their own time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from attrs import evolve, frozen
from capacity.ports import Document, Limit, Reading, Scope

from capacity_codex._told import Told, plan_of, snapshot, usable
from capacity_codex._windows import scope_of
from capacity_codex._wire import instant, parsed_line, part

SOURCE = "rollout"

LINES_MOST = 20_000
"""Lines of one file that are looked at, from its end: a day of one session."""

TOGETHER = timedelta(minutes=15)
"""Words on several limits this close are one picture; by the harness's own rule older figures may be stale."""


@frozen
class Event:
    """What one line says of one limit.

    Attributes:
        at: when it was written, UTC.
        scope: what the limit binds; None = the whole account.
        limits: its windows.
        plan: the service's word for the plan.
    """

    at: datetime
    scope: Scope | None
    limits: tuple[Limit, ...]
    plan: str | None


def is_rollout(doc: Document) -> bool:
    """Whether a document is a session file: lines that carry a time and a payload."""
    lines = (line for line in doc.body.splitlines()[:LINES_MOST] if line.lstrip().startswith(b"{"))
    return any(b'"timestamp"' in line and b'"payload"' in line for line in lines)


def events(docs: Iterable[Document]) -> list[Event]:
    """Every word on a limit in these files, oldest first."""
    return sorted((event for doc in docs for event in _events(doc)), key=lambda event: event.at)


def remembered(found: list[Event], at: datetime) -> Reading | None:
    """The reading that the newest words make; None where there are none.

    Args:
        found: the words, oldest first.
        at: the present: a window that has reset since tells nothing.
    """
    newest = {event.scope: event for event in found}
    own = newest.get(None)
    known_at = own.at if own is not None else max((event.at for event in found), default=None)
    if known_at is None:
        return None
    together = [event for event in newest.values() if known_at - event.at <= TOGETHER]
    limits = [_still(limit, at) for event in together for limit in event.limits]
    over = [limit.name for limit, was in zip(limits, _all(together), strict=True) if limit != was]
    notes = (f"reset since: {', '.join(sorted(over))}",) if over else ()
    told = Told(tuple(limits), plan_of(*({"plan_type": event.plan} for event in reversed(together))), notes)
    return Reading("", "ok", SOURCE, min(known_at, at), plan=told.plan, detail=told.detail, limits=told.limits)


def _all(together: list[Event]) -> list[Limit]:
    return [limit for event in together for limit in event.limits]


def _still(limit: Limit, at: datetime) -> Limit:
    """The limit as far as it is still known: nothing of a window that has reset."""
    is_over = limit.resets_at is not None and limit.resets_at <= at
    return evolve(limit, percent=None, blocked=None, resets_at=None) if is_over else limit


def _events(doc: Document) -> Iterator[Event]:
    for line in doc.text.splitlines()[-LINES_MOST:]:
        row = parsed_line(line) if "rate_limits" in line else None
        event = _event(row, doc.at)
        if event is not None:
            yield event


def _event(row: Any, near: datetime) -> Event | None:
    told, at = part(part(row, "payload"), "rate_limits"), instant(part(row, "timestamp"), near)
    if at is None or not isinstance(told, dict):
        return None
    found = snapshot(told, at)
    scope = scope_of(part(told, "limit_id"), part(told, "limit_name"))
    return Event(at, scope, found, plan_of(told)) if usable(found) else None
