"""Refusals of a turn, or of a request to load: what a llama.cpp server's errors blame.

A model that loads, or is not resident, and a server without a free slot are waited for; they refuse nothing. What the
server was not started with is no fault of a model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve
from capacity.ports import Document, Fact, Failure, Figure

LOADING, BUSY, MODEL = Failure.of("loading"), Failure.of("busy"), Failure.of("model")
CONTEXT, PAYLOAD, NOOP = Failure.of("context"), Failure.of("payload"), Failure.of("noop")

TYPES: Mapping[str, Failure] = {"exceed_context_size_error": CONTEXT, "not_supported_error": PAYLOAD}
"""Type of an error that says what it is; most types are those of others too."""

LINES: Sequence[tuple[re.Pattern[str], Failure]] = (
    (re.compile(r"loading model\b.*"), LOADING),
    (re.compile(r"model is not loaded\.?"), LOADING),
    (re.compile(r"no slot available\.?"), BUSY),
    (re.compile(r"model limit reached, try again later\.?"), BUSY),
    (re.compile(r"model '(?P<model>[^']{1,200})' not found\.?"), MODEL),
    (re.compile(r"model (?:is )?not found\.?"), MODEL),
    (re.compile(r"model name is missing from the request\.?"), PAYLOAD),
    (re.compile(r"model is (?:already|not) running\.?"), NOOP),
    (re.compile(r"input is too large to process\. increase the physical batch size\b.*"), CONTEXT),
    (re.compile(r"invalid api key\.?"), Failure.of("auth", human=True)),
)
"""What a message says, casefolded, blanks made one."""

LINE_MOST = 500
"""Characters of such a message; the longest seen has some hundred."""

FIGURES: Mapping[str, str] = {"n_prompt_tokens": "asked", "n_ctx": "window"}
"""Member of a context error → the figure it is, in tokens."""


def failure(doc: Document) -> Failure | None:
    """The refusal that a document is; None where it is none that we know."""
    said = (_error(found, doc) for found in doc.objects())
    return next((one for one in said if one is not None), None)


def _error(found: Mapping[str, Any], doc: Document) -> Failure | None:
    """What an error object says: its type where that is plain, else its message."""
    kind, message = found.get("type"), found.get("message")
    if not isinstance(kind, str) or not isinstance(message, str) or len(message) > LINE_MOST:
        return None
    line = " ".join(message.casefold().split())
    matches = ((known, pattern.fullmatch(line)) for pattern, known in LINES)
    known, match = next(((known, match) for known, match in matches if match is not None), (TYPES.get(kind), None))
    if known == BUSY:
        return evolve(BUSY, hold=doc.retry_after or BUSY.hold)
    if known == CONTEXT:
        return evolve(CONTEXT, facts=_figures(found))
    named = match.groupdict().get("model") if match is not None else None
    return known if known is None or named is None else evolve(known, facts=(Fact("llama-cpp:model", named),))


def _figures(found: Mapping[str, Any]) -> tuple[Fact, ...]:
    """How long the prompt is and how long it may be, where both are told."""
    told = [(name, found[member]) for member, name in FIGURES.items() if type(found.get(member)) is int]
    figures = tuple(Figure(name, count, "tokens") for name, count in told if count > 0)
    return (Fact("llama-cpp:context", figures=figures),) if len(figures) == len(FIGURES) else ()
