"""Refusals of a turn: what the service's errors, its headers, a stream's events and the harness's own lines blame.

What is worded exactly comes before what is typed. A 429 is a spent quota only where the account's own headers, or the
line itself, say so; else it is a burst, and no matter of the account.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve
from capacity.ports import Document, Fact, Failure, Figure, Limit

from capacity_claude._events import EVENT, RESULT, told
from capacity_claude._headers import headers, is_turn
from capacity_claude._texts import LONGEST, hit
from capacity_claude._turns import refuses
from capacity_claude._usage import is_usage
from capacity_claude._wire import parsed

Words = Sequence[tuple[re.Pattern[str], Failure]]
"""What a whole line says → the failure it is."""

RATE = Failure.of("rate")
BALANCE, LOGIN = Failure.of("balance", human=True), Failure.of("auth", human=True)
"""Both end when somebody pays, or logs in."""

TYPES: Mapping[str, Failure] = {
    "api_error": Failure.of("overload"),
    "authentication_error": Failure.of("auth"),
    "billing_error": BALANCE,
    "overloaded_error": Failure.of("overload"),
    "permission_error": Failure.of("auth"),
    "rate_limit_error": RATE,
    "request_too_large": Failure.of("payload"),
}
"""Type of an error → the failure it is. Whether one is evidence against the service, its status says to the core."""

WORDED = frozenset({"invalid_request_error", "not_found_error", *TYPES})
"""Types of errors whose message may say more than the type does."""

LINES: Words = (
    (re.compile(r"(?:your )?credit balance is too low\b.*"), BALANCE),
    (re.compile(r"you(?:'re| are) out of usage credits\b.*"), BALANCE),
    (re.compile(r"extra usage is required for long context requests\b.*"), Failure.of("context-tier")),
    (re.compile(r"invalid (?:x-)?api[- ]key\b.*"), LOGIN),
    (re.compile(r"[^:]{1,100} [·∙•] please run /login\.?"), LOGIN),
    (re.compile(r"oauth token (?:has been )?revoked\b.*"), LOGIN),
    (re.compile(r"oauth token has expired\b.*"), Failure.of("auth")),
    (re.compile(r"this organization has been disabled\b.*"), Failure.of("lapsed", human=True)),
    (re.compile(r"overloaded\.?"), Failure.of("overload")),
    (re.compile(r"this request would exceed your (?:account|organization)'s rate limit\b.*"), RATE),
)
"""What the service and the harness say, casefolded, blanks made one."""

ERRORS: Words = (
    (re.compile(r".*\bfast mode\b.{0,80}\busage credits?\b.*"), Failure.of("entitlement", human=True)),
    (re.compile(r".*\busage credits?\b.{0,80}\bfast mode\b.*"), Failure.of("entitlement", human=True)),
)
"""What only an error of the service says so: a line of a run may hold anything. Faster variants are paid apart."""

_CONTEXT = re.compile(
    r"prompt is too long(?:: (?P<asked>[0-9]{1,12}) tokens > (?P<window>[0-9]{1,12}) maximum)?\b.*"
    r"|input length and `?max_tokens`? exceed context limit: (?P<input>[0-9]{1,12}) \+ (?P<output>[0-9]{1,12})"
    r" > (?P<limit>[0-9]{1,12})\b.*"
)
_MODEL = re.compile(r"model: (?P<model>[\w.:@/\[\]-]{1,100})\.?")
_PREFIX = re.compile(r"(?:(?:api |internal )?error: ?)?(?:[45][0-9]{2} )?")


def failure(doc: Document) -> Failure | None:
    """The refusal that a document is; None where it answers the usage endpoint, or is none that we know."""
    if is_usage(doc, parsed(doc)):
        return None
    found = [*doc.objects()]
    said = (_error(one, doc) or _spoken(one, doc) for one in found)
    return next((one for one in said if one is not None), None) or _headed(doc) or _streamed(found, doc) or _last(doc)


def _error(found: Mapping[str, Any], doc: Document) -> Failure | None:
    """What an error object of the service says: its message, else its type."""
    kind, message = found.get("type"), found.get("message")
    if not isinstance(kind, str) or not isinstance(message, str) or kind not in WORDED:
        return None
    line = _plain(message)
    model = _MODEL.fullmatch(line) if kind == "not_found_error" else None
    if model is not None:
        return Failure.of("model", facts=(Fact("claude:model", model["model"]),))
    known = _context(line) or _match(ERRORS, line) or _match(LINES, line) or TYPES.get(kind)
    return _limited(doc) if known == RATE else _waited(known, doc)


def _limited(doc: Document) -> Failure:
    """What a 429 is: the spent quota that the account's headers tell, else a burst."""
    return _refused(doc) or evolve(RATE, hold=doc.retry_after or RATE.hold)


def _headed(doc: Document) -> Failure | None:
    """What headers alone say, where the answer was a refusal as far as is known."""
    if not is_turn(doc) or doc.status not in {None, 429}:
        return None
    burst = doc.status == 429 or doc.retry_after is not None
    return _limited(doc) if burst else _refused(doc)


def _refused(doc: Document) -> Failure | None:
    """The spent quota that headers tell; a word that the turn is allowed outranks that of a window."""
    if not is_turn(doc) or refuses(doc.header("anthropic-ratelimit-unified-status")) is False:
        return None
    return _spent(headers(doc).limits, doc)


def _streamed(found: Iterable[Mapping[str, Any]], doc: Document) -> Failure | None:
    """What the last event of a stream says of its limits, unless the run went well all the same."""
    last: Any = None
    for one in found:
        if one.get("type") == EVENT:
            last = one.get("rate_limit_info")
        elif one.get("type") == RESULT and one.get("is_error") is False:
            last = None
    if not isinstance(last, dict) or not refuses(last.get("status")) or last.get("isUsingOverage") is True:
        return None
    return _spent(told(last), doc)


def _spent(limits: Iterable[Limit], doc: Document) -> Failure | None:
    """The quota that refuses: until the last of its windows resets, and of one model where no other is full."""
    full = [limit for limit in limits if limit.blocked]
    whole = [limit for limit in full if limit.scope is None]
    binding = whole or full
    if not binding:
        return None
    ends = [limit.resets_at for limit in binding if limit.resets_at is not None]
    ends_at = max(ends) if len(ends) == len(binding) else None
    return Failure.of(
        "quota",
        blames="pool" if whole else "candidate",
        reset_at=ends_at if ends_at is not None and ends_at > doc.at else None,
        facts=tuple(_named(limit) for limit in binding),
    )


def _named(limit: Limit) -> Fact:
    words = () if limit.scope is None else (Figure("scope", limit.scope.name, "word"),)
    return Fact("claude:limit", limit.name, words)


# --- lines --------------------------------------------------------------------------------------


def _spoken(found: Mapping[str, Any], doc: Document) -> Failure | None:
    """What a text that another program puts in an object says: of its error, or as the result of a run."""
    keys = ("message", "error", *(["result"] if found.get("type") == RESULT else []))
    texts = (found.get(key) for key in keys)
    said = (_line(text, doc) for text in texts if isinstance(text, str))
    return next((one for one in said if one is not None), None)


def _last(doc: Document) -> Failure | None:
    """What a program says last before it gives up."""
    lines = doc.text[-10 * LONGEST :].strip().splitlines()
    return _line(lines[-1], doc) if lines else None


def _line(text: str, doc: Document) -> Failure | None:
    line = text.strip()
    line = line[_prefix(line) :]
    found = hit(line, doc)
    if found is not None:
        return _spent((found.limit,), doc)
    plain = _plain(line)
    return _context(plain) or _waited(_match(LINES, plain), doc)


def _prefix(line: str) -> int:
    """Where a line begins, behind the word that it is an error, and a status."""
    found = _PREFIX.match(line.casefold())
    return 0 if found is None else found.end()


def _plain(text: str) -> str:
    """A line as the patterns are written; blank where it is too long for any of them."""
    return " ".join(text.replace("’", "'").casefold().split()) if len(text) <= LONGEST else ""


def _match(words: Words, line: str) -> Failure | None:
    return next((known for pattern, known in words if pattern.fullmatch(line)), None)


def _context(line: str) -> Failure | None:
    """A prompt that is too long, with how long it is and how long it may be, where that is told."""
    found = _CONTEXT.fullmatch(line)
    if found is None:
        return None
    asked = found["asked"] or (found["input"] and int(found["input"]) + int(found["output"]))
    window = found["window"] or found["limit"]
    if not asked or not window:
        return Failure.of("context")
    figures = (Figure("asked", int(asked), "tokens"), Figure("window", int(window), "tokens"))
    return Failure.of("context", facts=(Fact("claude:context", figures=figures),))


def _waited(known: Failure | None, doc: Document) -> Failure | None:
    """A failure that passes by itself, for as long as the service asks to stay away."""
    passes = known is not None and known.kind in {"rate", "overload"}
    return evolve(known, hold=doc.retry_after or known.hold) if known is not None and passes else known
