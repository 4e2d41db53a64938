"""What is told beside the windows: credits, a spending cap, resets in hand, models that are switched off.

Credits pay when a window is full and bind nothing themselves, unless the plan has no windows: then they are the limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from capacity.ports import Limit, Scope

from capacity_codex._windows import named, reset
from capacity_codex._wire import ROWS_MOST, amount, flag, instant, part, percent, word

CREDITS, CAP, RESETS = "credits", "individual_limit", "reset-credits"

USAGE_BASED = "usage_based"
"""Part of the word for a plan that has no windows."""

WORKSPACE = "workspace_"
"""How the word begins that says that a workspace, and no window, ran out."""


def credits_left(row: object, *, alone: bool) -> Limit | None:
    """Credits as a limit.

    Args:
        row: the member that tells them.
        alone: whether the plan has no windows: then they bind every model.
    """
    unlimited, has = flag(part(row, "unlimited")), flag(part(row, "has_credits", "available"))
    balance = None if unlimited else amount(part(row, "balance"))
    if not alone and not (has or unlimited):
        return None  # nothing in hand pays for nothing
    blocked = _blocked(row, has, unlimited)
    if blocked is None and balance is None:
        return None
    left = {} if balance is None else {CREDITS: balance}
    return Limit(CREDITS, blocked=blocked if alone else None, left=left, scope=_beside(CREDITS, alone=alone))


def _blocked(row: object, has: bool | None, unlimited: bool | None) -> bool | None:
    if unlimited:
        return False
    if flag(part(row, "overage_limit_reached")):
        return True
    return None if has is None else not has


def spending_cap(row: object, reached: object, at: datetime, *, alone: bool) -> Limit | None:
    """The cap somebody set on what one member may spend.

    Args:
        row: its size, what was used of it, its reset.
        reached: the flag that says that it is used up.
        at: when it was told.
        alone: as for `credits_left`.
    """
    whole, used, share = amount(part(row, "limit")), amount(part(row, "used")), _share(row)
    blocked = flag(reached) or None
    if blocked is None and share is None and (whole is None or used is None):
        return None
    return Limit(
        CAP,
        percent=share,
        blocked=blocked,
        left={} if whole is None or used is None else {CREDITS: whole - used},
        cap={} if whole is None else {CREDITS: whole},
        resets_at=reset(row, at),
        scope=_beside(CAP, alone=alone),
    )


def _share(row: object) -> float | None:
    left = percent(part(row, "remaining_percent"))
    return None if left is None or left > 100 else 100 - left


def resets_in_hand(row: object) -> Limit | None:
    """Resets the account may still ask for. Nothing here ever does."""
    count = amount(part(row, "available_count"))
    return None if count is None else Limit(RESETS, left={RESETS: count}, scope=Scope("feature", RESETS))


def switched_off(table: object, at: datetime) -> Iterator[Limit]:
    """The models of which the service says whether they may be used."""
    for name, row in islice(table.items(), ROWS_MOST) if isinstance(table, dict) else ():
        model, available = word(name), flag(part(row, "available"))
        if model is not None and available is not None:
            scope, back_at = Scope("model", model), instant(part(row, "available_at"), at)
            yield Limit(named("service", scope), blocked=not available, resets_at=back_at, scope=scope)


def depleted(reached: object) -> Limit | None:
    """A workspace that ran out: the service refuses, and no reset ends it."""
    is_workspace = (reached_word(reached) or "").startswith(WORKSPACE)
    return Limit("service", blocked=True) if is_workspace else None


def reached_word(reached: object) -> str | None:
    """The word for what was reached, alone or in a member `type`."""
    return word(part(reached, "type")) or word(reached)


def _beside(name: str, *, alone: bool) -> Scope | None:
    return None if alone else Scope("feature", name)
