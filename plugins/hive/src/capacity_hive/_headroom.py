"""`/api/providers/headroom` as readings, one for each provider. Pure.

Whether a provider can serve is worked out from its windows; its own `available` counts caps on single models in, and is
true as well where nothing could be measured. `updated_at` is when the answer was written, and says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from attrs import evolve
from capacity.ports import Budget, Document, Limit, Reading, State

from capacity_hive._hive import READ
from capacity_hive._windows import limits
from capacity_hive._wire import instant, number, pick, rows, text

PATH = "/api/providers/headroom"
SOURCE = "headroom"

CAUSES: Mapping[str, State] = {
    "no_credentials": "login-required",
    "not_installed": "unsupported",
    "rate_limited": "throttled",
    "unrecognized_schema": "unrecognised",
}
"""A probe's cause → the state it stands for; any other could not be measured."""

BUDGET = Budget(
    floor=timedelta(seconds=30),
    usual=timedelta(minutes=5),
    idle=timedelta(minutes=10),
    deadline=2 * READ,
)
"""A hive measures every five minutes and keeps its model lists for thirty seconds; asking it spends nothing."""


def headroom(doc: Document) -> tuple[Reading, ...]:
    """What an answer of the headroom endpoint says, whatever it is."""
    if doc.status not in (None, 200):
        return (_refusal(doc),)
    body = table(doc)
    if not isinstance(body.get("providers"), list):
        return (_whole(doc, "unrecognised", "the hive tells no list of providers; its shape has changed"),)
    told = {name: row for row in rows(body["providers"]) if (name := text(row.get("provider")))}
    readings = tuple(_provider(row, name, doc) for name, row in told.items())
    if readings:
        return readings
    if body.get("enabled") is False and body.get("readings") in (False, None):
        return (_whole(doc, "unsupported", "this hive measures nothing: its rotation is switched off"),)
    return (_whole(doc, "unreachable", "this hive has measured no provider yet"),)


def table(doc: Document) -> dict[str, Any]:
    """The body where it is a JSON object, else an empty one."""
    try:
        body = doc.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _whole(doc: Document, state: State, detail: str) -> Reading:
    return Reading("", state, SOURCE, doc.at, detail=detail)


def _refusal(doc: Document) -> Reading:
    if doc.status in {401, 403}:
        return _whole(doc, "login-required", f"the hive shows its headroom to its owner only (HTTP {doc.status})")
    if doc.status == 429:
        return evolve(_whole(doc, "throttled", "the hive will not be asked so often"), retry_at=BUDGET.retry_at(doc))
    return _whole(doc, "unreachable", f"the hive's headroom answered HTTP {doc.status}")


def _provider(row: Mapping[str, Any], name: str, doc: Document) -> Reading:
    """One provider: a failed probe is a state, whatever else is said beside it."""
    error, measured = text(pick(row, "probe_error")), instant(pick(row, "captured_at"))
    cause = text(pick(row, "probe_error_cause")) or ""
    blank = Reading(name, "ok", SOURCE, min(measured or doc.at, doc.at), plan=text(pick(row, "plan_type")))
    if error or cause:
        return evolve(blank, state=CAUSES.get(cause, "unreachable"), observed_at=doc.at, detail=_unmeasured(cause))
    if row.get("stale") is True and measured is None:
        return evolve(blank, state="unreachable", detail="the hive calls its figures old, and not how old")
    try:
        found = (*limits(row.get("limits")), *_service(row))
    except ValueError as error:
        return evolve(blank, state="unrecognised", detail=str(error))
    if not found:
        return evolve(blank, **_nothing(row))
    return evolve(blank, limits=found, detail=None if measured else "the hive does not say when it measured")


def _unmeasured(cause: str) -> str:
    return f"the hive could not measure it ({cause.replace('_', ' ') or 'no cause given'})"


def _service(row: Mapping[str, Any]) -> tuple[Limit, ...]:
    """The provider's word about all of it, where that is more than what its windows say."""
    allowed, available = pick(row, "ordinary_usage_allowed"), row.get("available")
    if allowed is False or (available is False and not row.get("limits")):
        return (Limit("service", blocked=True),)
    remaining = number(pick(row, "pct_remaining"))
    state_only = available is True and not row.get("limits") and remaining is not None and remaining > 0
    return (Limit("service", blocked=False),) if state_only else ()


def _nothing(row: Mapping[str, Any]) -> dict[str, Any]:
    """Why a provider without a figure is not known: windows nobody can read, or a hive that lets everything pass."""
    if row.get("limits"):
        return {"state": "unrecognised", "detail": "no window of it tells how much is used"}
    return {"state": "unreachable", "detail": "the hive has not measured it, and lets it pass"}
