"""Refusals of a turn: what DeepSeek's messages and statuses blame. Its codes say the same of everything.

A balance that is spent ends with a payment, and no wait helps. How many requests may run at once is a matter of account
and model: a 429 blames the one model that was asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve
from capacity.ports import Document, Fact, Failure, Figure

BALANCE = Failure.of("balance", human=True)

LINES: Sequence[tuple[re.Pattern[str], Failure]] = (
    (re.compile(r"insufficient balance\.?"), BALANCE),
    (re.compile(r"model not exist\.?"), Failure.of("model")),
    (re.compile(r"authentication fails\b.*"), Failure.of("auth", human=True)),
    (re.compile(r"failed to deserialize the json body\b.*"), Failure.of("payload")),
    (re.compile(r"rate limit reached\b.*"), Failure.of("rate")),
    (
        re.compile(
            r"this model's maximum context length is (?P<window>[0-9]{1,12}) tokens\."
            r" however, you requested (?P<asked>[0-9]{1,12}) tokens\b.*"
        ),
        Failure.of("context"),
    ),
)
"""What a message says, casefolded, blanks made one."""

LINE_MOST = 500
"""Characters of such a message; the longest seen has some two hundred."""


def failure(doc: Document) -> Failure | None:
    """The refusal that a document is; None where it is none that we know.

    A 402 is a spent balance whatever its body says: the body's own code calls it a bad request.
    """
    said = (_error(found, doc) for found in doc.objects())
    told = next((one for one in said if one is not None), None)
    return BALANCE if doc.status == 402 else told


def _error(found: Mapping[str, Any], doc: Document) -> Failure | None:
    message = found.get("message")
    if not isinstance(message, str) or len(message) > LINE_MOST:
        return None
    line = " ".join(message.replace("’", "'").casefold().split())
    matches = ((known, pattern.fullmatch(line)) for pattern, known in LINES)
    known, match = next(((known, match) for known, match in matches if match is not None), (None, None))
    if known is None or match is None:
        return None
    figures = tuple(Figure(name, int(count), "tokens") for name, count in sorted(match.groupdict().items()))
    told = evolve(known, facts=(Fact("deepseek:context", figures=figures),)) if figures else known
    return evolve(told, hold=doc.retry_after or told.hold) if told.kind == "rate" else told
