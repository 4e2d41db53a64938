"""Deals: what spend on a pool counts at an instant. Pure, but that `zoneinfo` reads the host's table of zones.

Of several deals that hold the best one counts; none holds in a zone the host does not know. A day that ends before it
starts ends the next day: its clock is the one on the wall, so it keeps its hours when clocks are put back or forward.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from capacity.values.lanes import Deal


def multiplier(deals: Iterable[Deal], pool: str, names: Collection[str], as_of: datetime) -> float:
    """What spend on a model counts now: above 0, and 1 where no deal holds.

    Args:
        deals: the policy's.
        pool: full pool name.
        names: every name the model answers to, casefolded.
        as_of: the present, UTC.
    """
    return min((deal.multiplier for deal in deals if _holds(deal, pool, names, as_of)), default=1.0)


def _holds(deal: Deal, pool: str, names: Collection[str], as_of: datetime) -> bool:
    if deal.pool != pool or not (deal.model is None or deal.model.casefold() in names):
        return False
    begun = deal.since is None or deal.since <= as_of
    return begun and (deal.until is None or as_of < deal.until) and _at_its_hours(deal, as_of)


def _at_its_hours(deal: Deal, as_of: datetime) -> bool:
    if deal.start is None or deal.end is None:
        return True
    zone = _zone(deal.zone)
    if zone is None:
        return False
    wall = as_of.astimezone(zone)
    clock = timedelta(hours=wall.hour, minutes=wall.minute, seconds=wall.second)
    if deal.start < deal.end:
        return deal.start <= clock < deal.end
    return clock >= deal.start or clock < deal.end


def _zone(name: str) -> tzinfo | None:
    if name == "UTC":  # known also to a host without a table of zones
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return None
