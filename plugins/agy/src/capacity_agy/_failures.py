"""Refusals of a turn: what the services' reasons, their statuses and the command line's own lines blame.

A reason comes before a line, a line before a status. What names a model blames that model alone: the others of its group
are for their next reading to tell. A 429 that gives no reason is a burst, or a client that was turned away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import evolve
from capacity.ports import Document, Fact, Failure, Figure

from capacity_agy._login import is_prompt
from capacity_agy._refusals import asks_usage
from capacity_agy._wire import NEAR, instant, lines, objects, part, span, text, tree

RATE, OVERLOAD = Failure.of("rate"), Failure.of("overload")
LOGIN = Failure.of("auth", human=True)
"""It ends when somebody logs in, or verifies the account."""

REASONS: Mapping[str, Failure] = {
    "QUOTA_EXHAUSTED": Failure.of("quota"),
    "RATE_LIMIT_EXCEEDED": RATE,
    "MODEL_CAPACITY_EXHAUSTED": OVERLOAD,
    "SUBSCRIPTION_REQUIRED": Failure.of("entitlement", human=True),
    "VALIDATION_REQUIRED": LOGIN,
    "INSUFFICIENT_G1_CREDITS_BALANCE": Failure.of("balance", human=True),
}
"""Reason of an error → the failure it is."""

STATUSES: Mapping[str, Failure] = {"RESOURCE_EXHAUSTED": RATE, "UNAUTHENTICATED": Failure.of("auth")}
"""Status of an error that gives no reason → the failure it is."""

LINES: Sequence[tuple[re.Pattern[str], Failure]] = (
    (re.compile(r"our servers are experiencing high traffic right now\b.*"), OVERLOAD),
    (re.compile(r"no capacity available for model (?P<model>[\w.:/-]{1,100}) on the server\.?"), OVERLOAD),
    (re.compile(r"requested entity was not found\.?"), Failure.of("model")),
    (re.compile(r"you are not (?:signed|logged) in\b.*"), LOGIN),
    (
        re.compile(
            r"the input token count \((?P<asked>[0-9]{1,12})\)"
            r" exceeds the maximum number of tokens allowed \((?P<window>[0-9]{1,12})\)\.?"
        ),
        Failure.of("context"),
    ),
)
"""What the services and the command line say, casefolded, blanks made one."""

LINE_MOST = 500
"""Characters of such a line; those seen have some hundred."""

_SPENT = re.compile(
    r"(?:individual quota reached\.(?: [^.]{1,200}\.)?"
    r"|you have exhausted your capacity on (?P<model>this model)\."
    r"|you've reached your [\w -]{1,40} usage limit)"
    r"(?: ?\(?(?:your quota will reset after|resets in) (?P<span>[0-9][\w. ]{0,40}?)\)?)?\.?"
)
_MODEL = re.compile(r"[\w.:/-]{1,100}")
_PREFIX = re.compile(r"(?:error: ?)?")


def failure(doc: Document) -> Failure | None:
    """The refusal that a document is; None where it answers a question about quota, or is none that we know."""
    if asks_usage(doc, tree(doc) or {}):
        return None
    said = (
        one for found in doc.objects() for one in (_reasoned(found, doc), *_spoken(found, doc), _status(found, doc))
    )
    return next((one for one in said if one is not None), None) or _last(doc)


def _reasoned(error: Mapping[str, Any], doc: Document) -> Failure | None:
    """What an error's reason says."""
    rows = ((row, REASONS.get(text(row.get("reason")) or "")) for row in objects(error.get("details")))
    row, known = next(((row, known) for row, known in rows if known is not None), ({}, None))
    if known is None:
        return None
    if known.kind != "quota":
        return _waited(known, error, doc)
    ends_at, model = _ends(row.get("metadata"), error, doc), text(part(row, "metadata", "model"))
    if model is None or not _MODEL.fullmatch(model):
        return evolve(known, reset_at=ends_at, reset_known=ends_at is not None)
    return Failure.of("quota", blames="candidate", reset_at=ends_at, facts=(Fact("agy:model", model),))


def _ends(metadata: object, error: Mapping[str, Any], doc: Document) -> datetime | None:
    """When a quota is there again: the instant, else after the delay; None where neither is told, or it has passed."""
    told = instant(part(metadata, "quotaResetTimeStamp"), doc.at)
    ends_at = told or _after(part(metadata, "quotaResetDelay"), doc) or _after(_delay(error), doc)
    return ends_at if ends_at is not None and ends_at > doc.at else None


def _after(told: object, doc: Document) -> datetime | None:
    wait = span(told) if isinstance(told, str) and len(told) <= LINE_MOST else None
    return doc.at + wait if wait is not None and wait < NEAR else None


def _delay(error: Mapping[str, Any]) -> object:
    """How long the service asks to stay away."""
    told = (part(row, "retryDelay") for row in objects(error.get("details")))
    return next((one for one in told if one is not None), None)


def _status(error: Mapping[str, Any], doc: Document) -> Failure | None:
    """What an error's status says where it gave no reason."""
    status = error.get("status")
    known = STATUSES.get(status) if isinstance(status, str) and isinstance(error.get("message"), str) else None
    return None if known is None else _waited(known, error, doc)


def _waited(known: Failure, error: Mapping[str, Any], doc: Document) -> Failure:
    """A failure that passes by itself, for as long as the service asks to stay away."""
    ends_at = _after(_delay(error), doc)
    wait = doc.retry_after if ends_at is None else ends_at - doc.at
    return evolve(known, hold=wait or known.hold) if known in (RATE, OVERLOAD) else known


# --- lines --------------------------------------------------------------------------------------


def _spoken(found: Mapping[str, Any], doc: Document) -> Iterator[Failure | None]:
    """What the texts say that tell an error in an object."""
    for told in (found.get(key) for key in ("message", "detail", "error")):
        if isinstance(told, str):
            yield _line(told, doc)


def _last(doc: Document) -> Failure | None:
    """What a program says last before it gives up, or waits for ever."""
    told = lines(doc)
    if not told:
        return None
    return LOGIN if is_prompt(told) else _line(told[-1], doc)


def _line(told: str, doc: Document) -> Failure | None:
    line = " ".join(told.replace("’", "'").casefold().split()) if len(told) <= LINE_MOST else ""
    line = _PREFIX.sub("", line, count=1)
    spent = _SPENT.fullmatch(line)
    if spent is not None:
        ends_at = _after(spent["span"], doc)
        return Failure.of("quota", blames="candidate" if spent["model"] else "pool", reset_at=ends_at)
    matches = ((known, pattern.fullmatch(line)) for pattern, known in LINES)
    known, found = next(((known, found) for known, found in matches if found is not None), (None, None))
    return known if known is None or found is None else evolve(known, facts=(*known.facts, *_facts(found.groupdict())))


def _facts(told: Mapping[str, str]) -> Iterator[Fact]:
    """What a line names."""
    if "model" in told:
        yield Fact("agy:model", told["model"])
    figures = tuple(Figure(name, int(count), "tokens") for name, count in told.items() if name in {"asked", "window"})
    if figures:
        yield Fact("agy:context", figures=figures)
