"""How a source stands: what to go on with after an answer, good or bad, and what it contributed to a proposal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve

from capacity.values.evidence import Evidence
from capacity.values.methods import Method
from capacity.values.policy import Policy
from capacity.values.proposals import SourceReport
from capacity.values.rankings import ANSWERED, Rankings, SourceStatus


def standing(good: Rankings | None, latest: Rankings, method: Method) -> Rankings:
    """What to publish after an answer: it, if it is good, else the last good rows with what went wrong.

    Args:
        good: what was published before; None = nothing.
        latest: the answer.
        method: how much of the rows may be gone before they are not believed.
    """
    asked = latest.asked_at or latest.fetched_at or latest.as_of
    latest = evolve(latest, asked_at=asked)
    if latest.status in ANSWERED and (latest.rows or latest.known):
        if good is None or len(latest.rows) >= method.shrink * len(good.rows):
            return latest
        gone = f"{len(latest.rows)} rows where there were {len(good.rows)}: the last good answer stays in use"
        latest = evolve(latest, status="invalid", detail=gone)
    elif latest.status in ANSWERED:
        latest = evolve(latest, status="empty", detail=latest.detail or "the answer holds no row")
    if good is None:
        return evolve(latest, rows=(), known=())
    return evolve(
        good,
        status=latest.status,
        detail=latest.detail,
        missing=latest.missing,
        retry_at=latest.retry_at,
        asked_at=asked,
    )


def reports(
    rankings: Sequence[Rankings], rows: Sequence[Evidence], policy: Policy, as_of: datetime
) -> tuple[SourceReport, ...]:
    """What each source contributed, by name.

    Args:
        rankings: one answer for each source.
        rows: all evidence.
        policy: which source is required, and when one is dormant.
        as_of: the present, UTC.
    """
    ordered = sorted(rankings, key=lambda answer: answer.source)
    return tuple(_report(one, [row for row in rows if row.source == one.source], policy, as_of) for one in ordered)


def _report(answer: Rankings, rows: Sequence[Evidence], policy: Policy, as_of: datetime) -> SourceReport:
    fetched = answer.fetched_at or answer.as_of
    newest = max((row.measured_at for row in rows if row.measured_at is not None), default=None)
    source = policy.tiers.sources.get(answer.source)
    used = sum(row.use in ("decides", "informs", "held") for row in rows)
    return SourceReport(
        name=answer.source,
        status=_status(answer, newest, policy.tiers.method, as_of),
        required=source is not None and source.required,
        as_of=answer.as_of,
        fetched_at=fetched,
        asked_at=answer.asked_at or fetched,
        newest_at=newest,
        told=len(answer.rows) + len(answer.excluded) + answer.failed if answer.told is None else answer.told,
        used=used,
        excluded=len(rows) - used + len(answer.excluded),
        failed=answer.failed,
        missing=answer.missing,
        retry_at=answer.retry_at,
        detail=answer.detail,
        parser=answer.parser,
        digest=answer.digest,
        licence=answer.licence,
        attribution=answer.attribution,
    )


def _status(answer: Rankings, newest: datetime | None, method: Method, as_of: datetime) -> SourceStatus:
    dormant = newest is not None and as_of - newest > method.dormant_after
    return "dormant" if dormant and answer.status in ("fresh", "cached") else answer.status
