"""What one recorded body of llama.cpp says. Pure.

Slots carry what is free and how many there are, never a percent. A figure nobody told is left out, never taken as zero.
A server that loads its model waits; it does not refuse.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import final
from urllib.parse import parse_qs

from capacity.ports import Budget, Document, Failure, Limit, Listing, Reading, Scope, State

from capacity_llama_cpp._failures import failure
from capacity_llama_cpp._listing import listing
from capacity_llama_cpp._shapes import Answer, answer, mapping, metrics, props, rows, slots

BUDGET = Budget(
    floor=timedelta(seconds=5),
    usual=timedelta(seconds=15),
    idle=timedelta(seconds=30),
    deadline=timedelta(seconds=3),
    slowest=timedelta(seconds=60),
)
"""Our own machine or one near it: a question costs it nothing, it answers at once or is busy, and a slot is taken or freed
within seconds. Only a proxy before it names a wait."""

SERVES = Limit("service", blocked=False)
"""The server answers. Said of every server that does, so that one with nothing resident is not unknown."""

_FIGURES = ("/health", "/props", "/slots", "/metrics")
_STATES: Mapping[int, State] = {401: "login-required", 429: "throttled", 501: "unsupported"}
_REMEDIES: Mapping[int, str] = {401: "; it wants a valid API key", 501: "; it was started without that"}


@final
class LlamaCppReader:
    """Reads `/models`, `/health`, `/props`, `/slots` and `/metrics`. An error is taken only where it answers one."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """The one reading of the one pool; a list of models says nothing of slots and is left to `listing`."""
        given = answer(doc)
        told = loading(given) or refusal(given) or _figures(given)
        return (told,) if told else None

    def listing(self, doc: Document) -> Listing | None:
        """The models with their residency."""
        told = rows(answer(doc))
        return listing(doc.at, told, {}) if told else None

    def failure(self, doc: Document) -> Failure | None:
        """A refusal of a turn or of a request to load; None for what no llama.cpp server says."""
        return failure(doc)


def _figures(given: Answer) -> Reading | None:
    """A body that is not an error."""
    if given.good and mapping(given.tree).get("status") == "ok":
        return _reading(given, "health", SERVES)
    told = _props(given) or _slots(given) or _metrics(given)
    wanted = given.good and given.answers(*_FIGURES)
    return unrecognised(given) if wanted and told is None else told


def _props(given: Answer) -> Reading | None:
    """How many slots there are; the figures of a router itself are dummies."""
    told = props(given)
    if told is None:
        return None
    if told.router or told.slots is None:
        return _reading(given, "props", SERVES, None if told.router else "how many slots there are is not told")
    limit = slots_limit(asked_model(given), told.slots, None)
    return _reading(given, "props", limit, "how many slots are free is not told here")


def _slots(given: Answer) -> Reading | None:
    limit = told_slots(asked_model(given), None, given)
    if limit is None:
        return None
    return _reading(given, "slots", limit, None if limit.left else "a slot does not say whether it is busy")


def _metrics(given: Answer) -> Reading | None:
    """Requests without the number of slots: whether one is free cannot be said."""
    told = metrics(given)
    if told is None:
        return None
    running, waiting = ("unknown" if count is None else count for count in (told.processing, told.deferred))
    detail = f"requests running: {running}, waiting: {waiting}; how many slots there are is not told here"
    return _reading(given, "metrics", SERVES, detail)


def asked_model(given: Answer) -> str | None:
    """The model a router was asked about; None = the only one there is."""
    return parse_qs((given.doc.asked or "").partition("?")[2]).get("model", [None])[0]


def told_slots(model: str | None, total: int | None, given: Answer) -> Limit | None:
    """The limit that `/slots`, or `/metrics` with the total from elsewhere, gives; None where the body is neither."""
    busy = slots(given)
    if busy is not None:
        return slots_limit(model, len(busy), None if None in busy else busy.count(False))
    counted = metrics(given)
    if counted is None or counted.processing is None or total is None:
        return None
    return slots_limit(model, total, max(0, total - counted.processing))


def slots_limit(model: str | None, total: int | None, free: int | None) -> Limit:
    """The limit `slots`, scoped where a model is named."""
    left, cap = ({} if count is None else {"slots": Decimal(count)} for count in (free, total))
    if model is None:
        return Limit("slots", left=left, cap=cap)
    return Limit(f"slots:{model.casefold()}", left=left, cap=cap, scope=Scope("model", model))


def _reading(given: Answer, source: str, limit: Limit, detail: str | None = None) -> Reading:
    return Reading("", "ok", source, given.doc.at, detail=detail, limits=(limit,))


def loading(given: Answer) -> Reading | None:
    """The error that a single server answers to everything until its model is loaded."""
    message = mapping(mapping(given.tree).get("error")).get("message")
    if given.doc.status not in {None, 503} or not isinstance(message, str):
        return None
    if not message.casefold().startswith("loading model"):
        return None
    return _reading(given, "health", Limit("service"), "the server is loading its model: it waits, it does not refuse")


def refusal(given: Answer) -> Reading | None:
    """What a status says, where the document is known to answer one of our questions."""
    status = given.doc.status or 0
    state = _STATES.get(status, "unreachable" if status >= 500 else None)
    if state is None or not given.answers("/models", *_FIGURES):
        return None
    detail = f"the server answered HTTP {status}{_REMEDIES.get(status, '')}"
    retry_at = BUDGET.retry_at(given.doc) if state == "throttled" else None
    return Reading("", state, _source(given), given.doc.at, detail=detail, retry_at=retry_at)


def unrecognised(given: Answer) -> Reading:
    """The answer to one of our questions in a shape nobody knows."""
    return Reading(
        "", "unrecognised", _source(given), given.doc.at, detail="the answer has a shape no llama.cpp server gives"
    )


def _source(given: Answer) -> str:
    """The last word of the path asked."""
    return (given.doc.asked or "server").partition("?")[0].rpartition("/")[2]
