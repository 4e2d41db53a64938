"""Refusals of a turn: what the service's codes, its headers and the harness's own lines blame.

A code comes before a line, and a line counts only as a whole. A spent quota ends with the last of the windows that are
full; where only a model's is, or a line names one, no other model is blamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from attrs import evolve
from capacity.ports import Document, Fact, Failure, Figure, Limit

from capacity_codex._clock import next_time
from capacity_codex._headers import headed
from capacity_codex._usage import is_usage
from capacity_codex._windows import FULL, reset
from capacity_codex._wire import LONGEST, parsed, part, text, word

QUOTA, RATE, OVERLOAD = Failure.of("quota"), Failure.of("rate"), Failure.of("overload")
BALANCE, LOGIN = Failure.of("balance", human=True), Failure.of("auth", human=True)
"""Both end when somebody pays, or logs in."""

CODES: Mapping[str, Failure] = {
    **dict.fromkeys(("usage_limit_reached", "usage_limit_exceeded"), QUOTA),
    **dict.fromkeys((f"workspace_{who}_credits_depleted" for who in ("owner", "member")), BALANCE),
    **dict.fromkeys((f"workspace_{who}_usage_limit_reached" for who in ("owner", "member")), BALANCE),
    "insufficient_quota": BALANCE,
    "usage_not_included": Failure.of("entitlement", human=True),
    "rate_limit_exceeded": RATE,
    **dict.fromkeys(("server_is_overloaded", "server_overloaded", "service_unavailable_error", "slow_down"), OVERLOAD),
    **dict.fromkeys(("context_length_exceeded", "context_window_exceeded"), Failure.of("context")),
    **dict.fromkeys(("token_expired", "unauthorized"), Failure.of("auth")),
    **dict.fromkeys((f"refresh_token_{end}" for end in ("expired", "invalidated", "reused")), LOGIN),
}
"""Type or code of an error, as the service or the harness's own programs write it → the failure it is."""

MEMBERS = ("rate_limit_reached_type", "code", "type", "codex_error_info")
"""Where an error tells its code, the most exact first."""

LINES: Sequence[tuple[re.Pattern[str], Failure]] = (
    (re.compile(r"your workspace is out of credits\b.*"), BALANCE),
    (re.compile(r"you hit your spend cap set by\b.*"), BALANCE),
    (re.compile(r"quota exceeded\. check your plan and billing details\b.*"), BALANCE),
    (re.compile(r"to use codex with your chatgpt plan\b.*"), Failure.of("entitlement", human=True)),
    (re.compile(r"selected model is at capacity\b.*"), OVERLOAD),
    (re.compile(r"your access token could not be refreshed because\b.*"), LOGIN),
    (re.compile(r"exceeded retry limit, last status: 401\b.*"), Failure.of("auth")),
    (re.compile(r"exceeded retry limit, last status: 429\b.*"), RATE),
    (re.compile(r"exceeded retry limit, last status: (?:503|529)\b.*"), OVERLOAD),
    (re.compile(r"rate limit reached for \S{1,100} (?:in \S{1,100} )?on (?:tokens|requests) per \w+\b.*"), RATE),
    (re.compile(r"your input exceeds the context window of this model\b.*"), Failure.of("context")),
    (re.compile(r"codex ran out of room in the model's context window\b.*"), Failure.of("context")),
)
"""What the service and the harness say, casefolded, blanks made one."""

TALK = frozenset({"agent_message", "agent_reasoning", "user_message"})
"""Types of what a session's file tells people and models to have said: they may write about limits."""

LINE_MOST = 500
"""Characters of such a line; those seen have some two hundred."""

_SPENT = re.compile(
    r"You've hit your usage limit(?: for (?P<model>[\w. :/-]{1,80}?))?\.(?: .*?)??"
    r"(?: ?(?:or )?try again (?:at (?P<at>[^.]{1,40})|in (?P<span>[^.]{1,60})|later))?\.?",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"The '(?P<model>[\w.:/-]{1,100})' model is not supported when using Codex with a ChatGPT account\.?", re.IGNORECASE
)
_PREFIX = re.compile(r"(?:[■⚠✗]\ufe0f? ?)?(?:(?:stream |internal )?error: ?)?", re.IGNORECASE)
_AGAIN = re.compile(r"\btry again in ([0-9][0-9a-z. ]{0,30}?)\.?(?: |$)", re.IGNORECASE)
_PART = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,9})?) ?(ms|d|h|m|s)[a-z]*")
_UNITS: Mapping[str, timedelta] = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}


def failure(doc: Document) -> Failure | None:
    """The refusal that a document is; None where it answers the usage endpoint, or is none that we know."""
    if is_usage(doc, parsed(doc)):
        return None
    said = (one for found in doc.objects() for one in (_coded(found, doc), *_spoken(found, doc)))
    return next((one for one in said if one is not None), None) or _headed(doc) or _last(doc)


def _coded(found: Mapping[str, Any], doc: Document) -> Failure | None:
    """What an error object's code says; an object without a message is no error."""
    message = text(found.get("message"))
    words = (part(found, member) for member in MEMBERS)
    told = (CODES.get(_snake(part(one, "type") or one)) for one in words)
    known = next((one for one in told if one is not None), None)
    if message is None or known is None:
        return None
    if known == QUOTA:
        return _quota(doc, message, reset(found, doc.at))
    return _waited(known, message, doc)


def _snake(told: object) -> str:
    """A code in one spelling: the program's server humps what the service underscores."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", told).casefold() if isinstance(told, str) and text(told) else ""


def _quota(doc: Document, message: str, ends_at: datetime | None) -> Failure:
    """A spent quota: what its headers, its error and its line say of what it binds, and when it ends."""
    line = _SPENT.fullmatch(_plain(message))
    model = word(line["model"]) if line else None
    headers = _full(doc)
    told = [ends_at, _ends(line, doc) if line else None, *(limit.resets_at for limit in headers)]
    ends = [one for one in told if one is not None and one > doc.at]
    scoped = model is not None or (bool(headers) and all(limit.scope is not None for limit in headers))
    named = [_named(limit) for limit in headers] if model is None else [Fact("codex:model", model)]
    reset_at = max(ends, default=None)
    return Failure.of("quota", blames="candidate" if scoped else "pool", reset_at=reset_at, facts=tuple(named))


def _named(limit: Limit) -> Fact:
    words = () if limit.scope is None else (Figure("scope", limit.scope.name, "word"),)
    return Fact("codex:limit", limit.name, words)


def _full(doc: Document) -> list[Limit]:
    """The windows that headers tell as full: the account's, or where none of those is, a model's."""
    reading = headed(doc)
    limits = [limit for limit in reading.limits if limit.blocked or (limit.percent or 0) >= FULL] if reading else []
    return [limit for limit in limits if limit.scope is None] or limits


def _headed(doc: Document) -> Failure | None:
    """What headers alone say of a refusal for too many."""
    return _quota(doc, "", None) if doc.status == 429 and _full(doc) else None


def _waited(known: Failure, message: str, doc: Document) -> Failure:
    """A failure that passes by itself, for as long as the service asks to stay away."""
    again = _AGAIN.search(_plain(message))
    wait = doc.retry_after or (_span(again[1]) if again else None)
    return evolve(known, hold=wait or known.hold) if known in (RATE, OVERLOAD) else known


# --- lines --------------------------------------------------------------------------------------


def _spoken(found: Mapping[str, Any], doc: Document) -> Iterator[Failure | None]:
    """What the texts say that tell an error in an object."""
    keys = () if word(found.get("type")) in TALK else ("message", "detail", "error")
    for told in (found.get(key) for key in keys):
        if isinstance(told, str):
            yield _line(told, doc)


def _last(doc: Document) -> Failure | None:
    """What a program says last before it gives up."""
    lines = doc.text[-10 * LINE_MOST :].strip().splitlines()
    return _line(lines[-1], doc) if lines else None


def _line(told: str, doc: Document) -> Failure | None:
    line = _plain(told)
    line = line[_PREFIX.match(line).end() :]  # type: ignore[union-attr]  # it matches nothing too
    if _SPENT.fullmatch(line):
        return _quota(doc, line, None)
    model = _MODEL.fullmatch(line)
    if model is not None:
        return Failure.of("model", facts=(Fact("codex:model", model["model"]),))
    known = next((known for pattern, known in LINES if pattern.fullmatch(line.casefold())), None)
    return None if known is None else _waited(known, line, doc)


def _plain(told: str) -> str:
    """A line as the patterns are written; blank where it is too long for any of them."""
    return " ".join(told.replace("’", "'").split()) if len(told) <= LINE_MOST else ""


def _ends(line: re.Match[str], doc: Document) -> datetime | None:
    """When a line says that it ends: a clock time of its host, or after a span."""
    if line["at"]:
        return next_time(line["at"], doc, LONGEST)
    span = _span(line["span"]) if line["span"] else None
    return None if span is None else doc.at + span


def _span(words: str) -> timedelta | None:
    """A span in words (`3 days 4 hours 12 minutes`, `1.898s`); None where none is told, or an absurd one."""
    told = [float(count) * _UNITS[unit] for count, unit in _PART.findall(words.casefold())]
    span = sum(told, timedelta(0))
    return span if timedelta(0) < span <= LONGEST else None
