"""Quota told model by model: the local service's older form, and the remote one.

Each figure caps the model it names and nothing else, so none of it is a group's; it stands under no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from capacity.ports import Document, Limit, Reading, Scope

from capacity_agy._pools import Row, readings
from capacity_agy._wire import instant, number, objects, part, text, used, word

STATUS, CLOUD = "user-status", "cloud-quota"
"""Sources: the local service's; the remote one's."""

COARSE = 20.0
"""Points: the older form is told in fifths."""

FINE = 0.1
"""Points: the remote form is told with three digits."""

UNITS = frozenset({"requests", "tokens"})
"""What amounts are counted in. Of an amount in another word nobody knows what it pays for, so it is not told."""

AMOUNT_MOST = 10**12
"""Requests or tokens beyond which a number is no amount."""

CONFIGS = ("userStatus", "cascadeModelConfigData", "clientModelConfigs")
"""Where the older form keeps its models."""

BUCKET = frozenset({"remainingFraction", "remainingAmount", "resetTime", "tokenType"})
"""Members a bucket of the remote form has beside the model's id, one at least."""


def is_status(body: Mapping[str, Any]) -> bool:
    """Whether a body is the older form."""
    return isinstance(part(body, *CONFIGS), list)


def is_cloud(body: Mapping[str, Any]) -> bool:
    """Whether a body is the remote form."""
    return any("modelId" in row and BUCKET & row.keys() for row in objects(body.get("buckets")))


def status(doc: Document, body: Mapping[str, Any]) -> tuple[Reading, ...]:
    """The one reading of the older form. A model without a quota has no limit; one without a share an unknown one."""
    user = part(body, "userStatus")
    plan = text(part(user, "userTier", "name")) or text(part(user, "planStatus", "planInfo", "planName"))
    told = [(row, row["quotaInfo"]) for row in objects(part(body, *CONFIGS)) if isinstance(row.get("quotaInfo"), dict)]
    rows = [_row("quota", word(row.get("label")), quota, doc.at, COARSE) for row, quota in told]
    lost = [f"row {place} names no model" for place, row in enumerate(rows) if row is None]
    return readings(doc, STATUS, filter(None, rows), dropped=lost, plan=plan)


def cloud(doc: Document, body: Mapping[str, Any]) -> tuple[Reading, ...]:
    """The one reading of the remote form."""
    rows = list(_cloud_rows(body, doc.at))
    lost = [f"row {place} names no model" for place, row in enumerate(rows) if row is None]
    return readings(doc, CLOUD, filter(None, rows), dropped=lost)


def _cloud_rows(body: Mapping[str, Any], at: datetime) -> Iterator[Row | None]:
    for row in objects(body.get("buckets")):
        unit, amount = word(row.get("tokenType")), number(row.get("remainingAmount"), 0, AMOUNT_MOST)
        left = {unit: amount} if unit in UNITS and amount is not None else {}
        yield _row(unit or "quota", word(row.get("modelId")), row, at, FINE, left)


def _row(
    name: str,
    model: str | None,
    quota: Mapping[str, Any],
    at: datetime,
    quantum: float,
    left: Mapping[str, Decimal] | None = None,
) -> Row | None:
    """A model's cap; None where no model is named: such a figure must not pass for everybody's."""
    if model is None:
        return None
    limit = Limit(
        f"{name}:{model}",
        percent=used(quota.get("remainingFraction")),
        quantum=quantum,
        left=left or {},
        resets_at=instant(quota.get("resetTime"), at),
        scope=Scope("model", model),
    )
    return Row("", limit)
