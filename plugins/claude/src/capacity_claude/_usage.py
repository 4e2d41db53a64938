"""What the usage endpoint answered, whatever its status, as one reading.

A refused or broken probe says nothing of the quota; only a login that is gone says that the account cannot serve.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from attrs import evolve
from capacity.ports import Budget, Document, Reading, State

from capacity_claude._windows import known, told

PATH = "/api/oauth/usage"
SOURCE = "oauth-usage"

BUDGET = Budget(
    floor=timedelta(seconds=180),
    usual=timedelta(seconds=300),
    idle=timedelta(seconds=600),
    deadline=timedelta(seconds=10),
    jitter=0.1,
    growth=1.5,
    slowest=timedelta(seconds=1800),
    wary=timedelta(hours=1),
    wait_least=timedelta(seconds=300),
    wait_margin=timedelta(seconds=900),
    wait_most=timedelta(seconds=4500),
)
"""Some 13 requests an hour of the 28 or so that everybody with this login shares, and never more than twenty. The figures
are third parties' measurements of July and August 2026: the hour is a rolling one, so that a refusal is remembered for as
long; 20 of 35 blocks were renewed within 15 minutes of their own deadline; a block lasts an hour, and the margin."""

SCOPE = "user:profile"
"""What a login must be allowed before its usage can be read. Tokens made for one machine's inference never are."""

STATUSES: Mapping[str, int] = {"rate_limit_error": 429, "permission_error": 403, "authentication_error": 401}
"""Type of an error body → the status it comes with, for a body recorded without one."""

ELSEWHERE = re.compile(r"/(v1|api)/")
"""How a path asked of the service begins; another text (a file's name) says nothing of the origin of a body."""

OPENING = 4096
"""Bytes of a broken body that are searched for a window's name: the windows come first."""


def is_usage(doc: Document, body: Any) -> bool:
    """Whether a document answers the usage endpoint: because it says so, or because nothing else looks like it."""
    if doc.asked is not None and PATH in doc.asked:
        return True
    if is_elsewhere(doc):
        return False
    if body is None:
        return _is_torn(doc)
    if not isinstance(body, dict):
        return False
    error, message = _error(body)
    if error:
        return _is_scope(error, message) or _is_throttle(doc, error, message)
    return (not body or known(body)) and (doc.status is None or 200 <= doc.status < 300)


def is_elsewhere(doc: Document) -> bool:
    """Whether a document says that it answers another path of the service."""
    return doc.asked is not None and ELSEWHERE.match(doc.asked) is not None and PATH not in doc.asked


def _is_torn(doc: Document) -> bool:
    """Whether a body that is no JSON began as ours. Events of a stream name the same windows, and say what they are."""
    opening = doc.body[:OPENING].lstrip()
    if b'"rate_limit' in opening:
        return False
    return opening.startswith(b"{") and (b'"five_hour"' in opening or b'"seven_day' in opening)


def _is_scope(error: str, message: str) -> bool:
    return error == "permission_error" and SCOPE in message


def _is_throttle(doc: Document, error: str, message: str) -> bool:
    """Whether an unasked refusal is the probe's own.

    Answers to a model's turn carry the account's rate-limit headers and speak of "this request"; the usage endpoint
    has neither. Without a status nobody knows that a request was refused at all.
    """
    turn = any(name.lower().startswith("anthropic-ratelimit-") for name, _ in doc.headers)
    return doc.status == 429 and error == "rate_limit_error" and not turn and message.startswith("rate limit")


def _error(body: Any) -> tuple[str, str]:
    """Type and message of an error body, the message casefolded; two blanks for another body."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return "", ""
    kind, message = error.get("type"), error.get("message")
    return kind if isinstance(kind, str) else "", message.casefold() if isinstance(message, str) else ""


def usage(doc: Document, body: Any) -> Reading:
    """The reading that an answer of the usage endpoint makes.

    Args:
        doc: the answer.
        body: its body as `parsed` gives it.
    """
    error, message = _error(body)
    status = doc.status or STATUSES.get(error, 200)
    if status == 429:
        refused = _reading(doc, "throttled", "the usage endpoint refused this probe, which says nothing of the quota")
        return evolve(refused, retry_at=BUDGET.retry_at(doc))
    if 200 <= status < 300 and doc.body.lstrip()[:1] != b"<":
        return _windows(doc, body)
    return _reading(doc, *_refusal(status, error, message))


def _refusal(status: int, error: str, message: str) -> tuple[State, str]:
    if status in {401, 403} and "revoked" in message:
        return "login-required", "this login was revoked: log in again"
    if status == 403 and SCOPE in message:
        return "unsupported", f"this login lacks the scope {SCOPE}, so its usage can never be read; it may still serve"
    if status == 401 and "not supported" not in message:
        return "stale-credentials", "the token was refused: the program that owns it has to refresh it"
    named = f" ({error})" if re.fullmatch(r"[a-z_]{1,40}", error) else ""
    return "unreachable", f"the usage endpoint answered {status}{named} and no usage"


def _windows(doc: Document, body: Any) -> Reading:
    if not isinstance(body, dict):
        return _reading(doc, "unrecognised", "the usage endpoint's answer is no JSON object that can be read")
    found = told(body)
    if not found.usable:
        nothing = "the usage endpoint's answer holds no figure that this version knows"
        return _reading(doc, "unrecognised", "; ".join(filter(None, [nothing, found.detail])))
    return evolve(_reading(doc, "ok", found.detail), limits=found.limits)


def _reading(doc: Document, state: State, detail: str | None) -> Reading:
    return Reading("", state, source=SOURCE, observed_at=doc.at, detail=detail)
