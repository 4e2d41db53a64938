"""Extra usage: money beside the windows, or the only limit of an account that has no window.

Amounts come in minor units of their currency. A purse that is switched off caps nothing and is no limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from capacity.ports import Limit, Scope

from capacity_claude._wire import money, percent, text

NAME = "extra-usage"

QUANTUM = 0.01
"""Points: the source tells this share to hundredths of a percent."""


def extra_usage(extra: object, *, beside: bool) -> tuple[Limit, ...]:
    """The limit that extra usage is, if it is one.

    Args:
        extra: the member of the body; every member of it may be null.
        beside: whether windows stand beside it: then it pays when one is full, and binds nothing itself.
    """
    if not isinstance(extra, dict) or extra.get("is_enabled") is False:
        return ()
    used, cap = _amounts(extra)
    share, unlimited = percent(extra.get("utilization")), _is_unlimited(extra)
    if share is None and not cap and not unlimited:
        return ()
    return (
        Limit(
            NAME,
            percent=share,
            quantum=QUANTUM,
            blocked=False if unlimited else None,
            left={unit: cap[unit] - used[unit] for unit in cap if unit in used},
            cap=cap,
            scope=Scope("feature", NAME) if beside else None,
        ),
    )


def _amounts(extra: Mapping[str, Any]) -> tuple[Mapping[str, Decimal], Mapping[str, Decimal]]:
    """Used and cap by currency; empty where no currency is told, since a bare figure is no amount."""
    unit, places = text(extra.get("currency")), extra.get("decimal_places")
    if unit is None:
        return {}, {}
    told = (money(extra.get(key), places) for key in ("used_credits", "monthly_limit"))
    used, cap = ({} if amount is None else {unit: amount} for amount in told)
    return used, cap


def _is_unlimited(extra: Mapping[str, Any]) -> bool:
    """A cap of null beside a sum already spent means that there is no cap; null beside nothing means nothing."""
    no_cap = "monthly_limit" in extra and extra["monthly_limit"] is None
    return extra.get("is_enabled") is True and no_cap and money(extra.get("used_credits"), None) is not None
