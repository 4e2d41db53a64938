"""What answers a question about quota and is not the quota: one reading that says why, and never a figure.

Only a document that says what it answers is read so: a refusal without that may be a model's, and is nobody's here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from attrs import evolve
from capacity.ports import Budget, Document, Reading, State

from capacity_agy._cli import COLD
from capacity_agy._login import SAYS_SO
from capacity_agy._pools import readings
from capacity_agy._wire import number, objects, part, span

SOURCE = "print-usage"

ASKED = re.compile(r"(?:^|\s)/usage$|retrieveUserQuota|GetUserStatus|GetCommandModelConfigs", re.IGNORECASE)
"""What a document says it answers, where that is the quota: the command, or a service's method."""

BUDGET = Budget(
    floor=timedelta(seconds=300),
    usual=timedelta(seconds=300),
    idle=timedelta(seconds=600),
    deadline=COLD,
)
"""Every five to ten minutes, as other programs ask that read the same command; after a refusal that names no wait, as
long again."""

REFUSED = re.compile(r"\b429\b|resource_exhausted|rate.?limit", re.IGNORECASE)
"""How a text tells that a question came too often."""

UNAUTHENTICATED = frozenset({16, 401, "UNAUTHENTICATED"})
"""Codes and statuses of a login that is not accepted; 16 is gRPC's."""


def asks_usage(doc: Document, body: Mapping[str, Any]) -> bool:
    """Whether a document says that it answers a question about quota, or its body does."""
    return part(body, "command", "name") == "usage" or ASKED.search(doc.asked or "") is not None


def error_of(body: Mapping[str, Any]) -> Any:
    """The error of a body; None where there is none. A success may carry a blank one."""
    code = body.get("code")
    failed = number(code, 1, 999) is not None or (isinstance(code, str) and code not in {"", "0", "ok"})
    return body.get("error") or (body if failed else None)


def refusal(doc: Document, body: Mapping[str, Any]) -> tuple[Reading, ...]:
    """The reading of an answer without quota.

    Args:
        doc: what answers a question about quota.
        body: its JSON object; an empty one where it is none.
    """
    error = error_of(body)
    state, why = _state(doc, error)
    if state == "unrecognised":
        return readings(doc, SOURCE, (), dropped=())
    retry_at = _retry_at(doc, error) if state == "throttled" else None
    return (Reading("", state, SOURCE, doc.at, detail=why, retry_at=retry_at),)


def _state(doc: Document, error: Any) -> tuple[State, str]:
    words = error if isinstance(error, str) else ""
    marks = {*filter(None, (doc.status, *_marks(error)))}
    reasons = {part(row, "reason") for row in objects(part(error, "details"))}
    if words.casefold().startswith(SAYS_SO):
        return "login-required", "nobody is logged in: log in with the command line"
    if "VALIDATION_REQUIRED" in reasons:
        return "login-required", "the account has to be verified by its owner: log in with the command line"
    if marks & {429, "RESOURCE_EXHAUSTED"} or REFUSED.search(words):
        return "throttled", "the service will not be asked so often"
    if marks & UNAUTHENTICATED:
        return "stale-credentials", "the login was not accepted: its owner has to refresh it"
    if marks & {403, "PERMISSION_DENIED"}:
        return "unsupported", "this login may not read its quota; it may still serve"
    if error or (doc.status or 200) >= 400:
        return "unreachable", "the service answered with an error and no quota"
    if doc.exit_code:
        return "unreachable", f"the command line ended with exit code {doc.exit_code} and told no quota"
    return "unrecognised", ""


def _marks(error: Any) -> tuple[int | str, ...]:
    """Code and status of an error, as far as they are words and numbers."""
    told = [part(error, key) for key in ("code", "status")]
    numbers = (number(mark, 1, 999) for mark in told)
    return (*(int(code) for code in numbers if code), *(mark.upper() for mark in told if isinstance(mark, str)))


def _retry_at(doc: Document, error: Any) -> datetime:
    """When it may be asked again: what the header says or, where there is none, the error's own details."""
    delays = (part(row, "retryDelay") for row in objects(part(error, "details")))
    waits = [wait for delay in delays if isinstance(delay, str) and (wait := span(delay)) is not None]
    told = (("retry-after", str(wait.total_seconds())) for wait in waits)
    return BUDGET.retry_at(evolve(doc, headers=(*doc.headers, *told)))
