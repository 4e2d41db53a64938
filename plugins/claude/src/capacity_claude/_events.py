"""What a running harness tells programs: events of its stream, the input of a status line, the result of a run.

Of several events the last word on each window counts. A run may end well and bring nothing but the text of a limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve, frozen
from capacity.ports import Document, Limit, Reading

from capacity_claude._texts import hit
from capacity_claude._turns import Turn, window
from capacity_claude._windows import place
from capacity_claude._wire import ROWS_MOST, fraction, instant, percent, word

EVENT, RESULT = "rate_limit_event", "result"
MARK = re.compile(rb'"(?:rate_limit_event|rate_limits|result)"')
"""What a line of a stream holds that may be ours; a long stream is mostly others."""


@frozen
class Said:
    """What one item says.

    Attributes:
        source: which wire it came by.
        limits: what it tells.
    """

    source: str
    limits: tuple[Limit, ...]


def events(doc: Document, body: Any) -> Reading | None:
    """What the items of a document tell together; None where none of them speaks of limits."""
    said = [one for item in _items(doc, body) if (one := _said(item, doc)) is not None]
    if not said:
        return None
    limits: dict[str, Limit] = {}
    for limit in (limit for one in said for limit in one.limits):
        limits[limit.name] = _after(limits.get(limit.name), limit)
    return _reading(doc, said[-1].source, tuple(limits.values()))


def text(doc: Document) -> Reading | None:
    """A document that is the text of a limit and nothing else; None where it is not, or may be another program's."""
    found = hit(doc.text.strip(), doc) if len(doc.body) <= ROWS_MOST else None
    if found is None or not found.sure:
        return None
    return _reading(doc, "limit-text", found.limits)


def _reading(doc: Document, source: str, limits: tuple[Limit, ...]) -> Reading:
    if limits:
        return Reading("", "ok", source, doc.at, limits=limits)
    nothing = "nothing it says of limits is a figure or a word that still holds"
    return Reading("", "unrecognised", source, doc.at, detail=nothing)


def _after(before: Limit | None, limit: Limit) -> Limit:
    """The later word on a window; one without a figure of its own leaves that of the same window standing."""
    if before is None or limit.percent is not None or before.percent is None:
        return limit
    if limit.resets_at not in (None, before.resets_at):
        return limit
    return evolve(before, blocked=limit.blocked if limit.blocked is not None else before.blocked)


# --- items ------------------------------------------------------------------------------------


def _items(doc: Document, body: Any) -> Iterable[Any]:
    """The items of a document: it is one, a list of them, or has one on each line."""
    if isinstance(body, list):
        return body[-ROWS_MOST:]
    if body is not None:
        return (body,)
    marked = [line for line in doc.body.splitlines() if line and MARK.search(line)]
    return (_item(line) for line in marked[-ROWS_MOST:])


def _item(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _said(item: Any, doc: Document) -> Said | None:
    if not isinstance(item, dict):
        return None
    if item.get("type") == EVENT:
        return Said("stream-event", told(item.get("rate_limit_info")))
    if item.get("type") == RESULT:
        return _result(item.get("result"), doc)
    return _status_line(item.get("rate_limits"))


def _result(said: object, doc: Document) -> Said | None:
    found = hit(said.strip(), doc) if isinstance(said, str) else None
    return None if found is None else Said(RESULT, found.limits)


def _status_line(rows: object) -> Said | None:
    """The windows a status line is given; None where no window of ours is among them."""
    if not isinstance(rows, dict):
        return None
    ours = {key: row for key, row in rows.items() if place(key) and (row is None or _is_row(row))}
    if not ours:
        return None
    shares = ((key, row, percent(row.get("used_percentage"))) for key, row in ours.items() if row is not None)
    limits = (window(key, share, instant(row.get("resets_at"))) for key, row, share in shares if share is not None)
    return Said("status-line", tuple(limit for limit in limits if limit is not None))


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and "used_percentage" in row


def told(event: object) -> tuple[Limit, ...]:
    """The limits of an event: every window in it, and the one its word is about."""
    if not isinstance(event, dict):
        return ()
    claim = word(event.get("rateLimitType")) or ""
    claimed = window(claim, fraction(event.get("utilization")), instant(event.get("resetsAt")))
    windows = {one.name: one for one in _unified(event.get("unifiedWindows"))}
    if claimed is not None and (claimed.percent is not None or claimed.name in windows):
        windows[claimed.name] = _whole(claimed, windows.get(claimed.name))
    turn = Turn(event.get("status"), claimed, instant(event.get("resetsAt")), tuple(windows.values()))
    return turn.limits


def _whole(claimed: Limit, told: Limit | None) -> Limit:
    if told is None or claimed.percent is not None:
        return claimed
    return evolve(told, resets_at=told.resets_at or claimed.resets_at)


def _unified(rows: object) -> Iterable[Limit]:
    for key, row in list(rows.items())[:ROWS_MOST] if isinstance(rows, dict) else ():
        share = fraction(row.get("utilization")) if isinstance(row, dict) else None
        limit = None if share is None else window(key, share, _reset(row), row.get("status"))
        if limit is not None:
            yield limit


def _reset(row: Mapping[str, Any]) -> Any:
    return instant(row.get("resetsAt")) or instant(row.get("resets_at"))
