"""What the usage endpoint answered, whatever its status, as one reading.

A refused or broken probe says nothing of the quota; a figure that is missing is unknown, and a scoped cap without a
name is dropped aloud.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from attrs import evolve
from capacity.ports import Budget, Document, Limit, Reading, Scope

from capacity_codex._purse import credits_left, depleted, resets_in_hand, spending_cap, switched_off
from capacity_codex._told import DEPLETED, Told, is_alone, plan_of, was_reached
from capacity_codex._windows import hyphened, limits, scope_of, unique
from capacity_codex._wire import ROWS_MOST, part, word

SOURCE = "usage"

PATHS = ("/wham/usage", "/api/codex/usage")
"""Where the endpoint is: under the service's own base, and under any other."""

OWN, ADDITIONAL, OTHERS = "rate_limit", "additional_rate_limits", "_rate_limit"
"""The account's windows; a list of those of single models; how a member is called that holds those of a product."""

OPENING = 4096
"""Bytes of a broken body that are searched for a member's name: the windows come first."""

BUDGET = Budget(
    floor=timedelta(seconds=60),
    usual=timedelta(seconds=300),
    idle=timedelta(seconds=600),
    deadline=timedelta(seconds=20),
)
"""The service publishes no limit; five minutes is what its own program and most others keep to. The deadline holds a
program's start, its answer and, where that fails, one request."""


def path_of(base_url: str) -> str:
    """The endpoint's path behind a base: the service's own has another one than whatever stands in for it."""
    return PATHS[0] if "/backend-api" in base_url else PATHS[1]


def is_usage(doc: Document, body: Any) -> bool:
    """Whether a document answers the usage endpoint: because it says so, or because nothing else looks like it."""
    if doc.asked is not None and doc.asked.startswith("/"):
        path = doc.asked.partition("?")[0].rstrip("/")
        if path.endswith(PATHS):
            return True
        if "/backend-api/" in path or path.startswith("/api/"):
            return False
    if doc.status is not None and not 200 <= doc.status < 300:
        return False
    if body is None:
        opening = doc.body[:OPENING].lstrip()
        return opening.startswith(b"{") and b'"rate_limit"' in opening and b'"plan_type"' in opening
    return isinstance(body, dict) and OWN in body and ("plan_type" in body or ADDITIONAL in body)


def usage(doc: Document, body: Any) -> Reading:
    """The reading that an answer of the usage endpoint makes.

    Args:
        doc: the answer.
        body: its body as `parsed` gives it.
    """
    status = doc.status or 200
    if 200 <= status < 300 and doc.body.lstrip()[:1] != b"<":
        if not isinstance(body, dict):
            return failed(doc.at, "unrecognised", "the usage endpoint's answer is no JSON object that can be read")
        return told(body, doc.at).reading(SOURCE, doc.at)
    if status == 429:
        refused = failed(doc.at, "throttled", "the usage endpoint refused this probe, which says nothing of the quota")
        return evolve(refused, retry_at=BUDGET.retry_at(doc))
    if status == 401:
        return failed(doc.at, "stale-credentials", "the token was refused: the program that owns it has to refresh it")
    return failed(doc.at, "unreachable", f"the usage endpoint answered {status} and no usage")


def failed(at: datetime, state: Any, detail: str, source: str = SOURCE) -> Reading:
    """A reading without figures."""
    return Reading("", state, source, at, detail=detail)


def told(body: dict[str, Any], at: datetime) -> Told:
    """What a usage body tells."""
    empty = depleted(body.get("rate_limit_reached_type"))
    windows = limits(body.get(OWN), at, refused=was_reached(body))
    scoped, notes = _scoped(body, at)
    alone = is_alone(body.get("plan_type"), windows)
    control = body.get("spend_control")
    beside = (
        credits_left(body.get("credits"), alone=alone),
        spending_cap(part(control, "individual_limit"), part(control, "reached"), at, alone=alone),
        resets_in_hand(body.get("rate_limit_reset_credits")),
        empty,
    )
    found = [*windows, *scoped, *switched_off(body.get("model_usage"), at), *(one for one in beside if one is not None)]
    return Told(unique(found), plan_of(body), (*([DEPLETED] if empty else []), *notes))


def _scoped(body: dict[str, Any], at: datetime) -> tuple[list[Limit], list[str]]:
    """The limits of single models and of products, and why others are none."""
    found: list[Limit] = []
    notes: list[str] = []
    for what, scope, row in _rows(body):
        if scope is None:
            notes.append(f"not read: {what} names neither a model nor a product")
        else:
            found += limits(row, at, scope)
    return found, notes


def _rows(body: dict[str, Any]) -> Iterator[tuple[str, Scope | None, Any]]:
    rows = body.get(ADDITIONAL)
    for place, row in enumerate(rows[:ROWS_MOST] if isinstance(rows, list) else ()):
        scope = scope_of(part(row, "metered_feature"), part(row, "limit_name"))
        yield f"additional limit {place}", scope, part(row, OWN)
    for key, row in islice(body.items(), ROWS_MOST):
        product = word(key.removesuffix(OTHERS)) if key.endswith(OTHERS) else None
        if product is not None and isinstance(row, dict):
            yield key, Scope("feature", hyphened(product)), row
