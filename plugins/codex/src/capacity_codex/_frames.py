"""What the program's own server says, one JSON object a line: answers, errors and what it tells unasked, as readings.

An error's text may quote a whole answer of the service, so none of it is ever repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from attrs import evolve
from capacity.ports import Document, Reading

from capacity_codex._told import Told, snapshots
from capacity_codex._usage import BUDGET, failed
from capacity_codex._wire import ROWS_MOST, parsed_line, part

SOURCE = "app-server"
STREAM = "stream"

READ, UPDATED = "account/rateLimits/read", "account/rateLimits/updated"
EVENT = "codex.rate_limits"
"""Type of the event by which the service tells the same in the middle of a turn."""

ABOUT_LIMITS = re.compile(r"read rate limits|fetch codex rate limits")
"""What the two errors on our question have in common; an error on another question is nobody's business here."""

_STATUS = re.compile(r"failed: ([1-5][0-9]{2})\b")


def frames(doc: Document, body: Any) -> Iterator[dict[str, Any]]:
    """The objects of a conversation: the body, or each of its lines; what is none is left out."""
    if isinstance(body, dict):
        yield body
        return
    for line in islice(doc.text.splitlines() if body is None else (), ROWS_MOST):
        frame = parsed_line(line) if line.lstrip().startswith("{") else None
        if isinstance(frame, dict):
            yield frame


def spoken(doc: Document, body: Any) -> Reading | None:
    """The last reading that a conversation gives; None where nothing in it is about limits."""
    answers = (said(frame, doc.at) for frame in frames(doc, body))
    return next((found for found in reversed([*answers]) if found is not None), None)


def said(frame: dict[str, Any], at: datetime) -> Reading | None:
    """What one object says about limits; None where it says nothing."""
    error = frame.get("error")
    if isinstance(error, dict) and "id" in frame:
        message = error.get("message")
        return refused(error, at) if isinstance(message, str) and ABOUT_LIMITS.search(message) else None
    if frame.get("type") == EVENT:
        return snapshots(frame, at).reading(STREAM, at)
    result = frame.get("params") if frame.get("method") == UPDATED else frame.get("result")
    if part(result, "rate_limits") is None and part(result, "rate_limits_by_limit_id") is None:
        return None
    return snapshots(result, at).reading(SOURCE, at)


def answered(frame: dict[str, Any], at: datetime) -> Reading:
    """What the answer to our own question says, whatever it is."""
    if "error" in frame:
        return refused(frame["error"], at)
    return said(frame, at) or Told(()).reading(SOURCE, at)


def refused(error: object, at: datetime) -> Reading:
    """The reading that an error in place of limits makes."""
    message = part(error, "message")
    message = message.casefold() if isinstance(message, str) else ""
    if "refresh token" in message:
        return _failed(at, "login-required", "the refresh token is used up: log in again")
    if "chatgpt authentication required" in message:
        return _failed(at, "unsupported", "this login is an API key, which has no windows; it may still serve")
    if "authentication required" in message:
        return _failed(at, "login-required", "the program has no login: log in")
    status = _STATUS.search(message)
    return _by_status(status[1] if status else None, at)


def _by_status(status: str | None, at: datetime) -> Reading:
    """As the program was refused by the service, which it tells in its error."""
    if status == "401":
        return _failed(at, "stale-credentials", "the service refused the program's token, which it has to refresh")
    if status == "429":
        throttled = _failed(at, "throttled", "the service refused this probe, which says nothing of the quota")
        return evolve(throttled, retry_at=BUDGET.retry_at(Document(b"", at)))
    why = "the program's server gave an error" if status is None else f"the service answered the program {status}"
    return _failed(at, "unreachable", f"{why} and no limits")


def _failed(at: datetime, state: Any, detail: str) -> Reading:
    return failed(at, state, detail, SOURCE)
