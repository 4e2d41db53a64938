"""From benchmark rows to tiers: estimates, proposals and the chain of adopted sets. Pure, and no part of a decision.

`propose` reads top to bottom in `propose.py`; everything else here is one of its steps, or what a person does about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from capacity.core.tiering.adopting import adopt, pin, rollback
from capacity.core.tiering.digests import identity
from capacity.core.tiering.field import shelf
from capacity.core.tiering.impact import impact as _impact
from capacity.core.tiering.names import Names
from capacity.core.tiering.propose import propose, unchanged
from capacity.core.tiering.reports import standing
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.proposals import Impact
from capacity.values.seats import Seat
from capacity.values.tiers import TierSet

__all__ = ["adopt", "identity", "impact", "pin", "propose", "rollback", "standing", "unchanged"]


def impact(
    before: TierSet, after: TierSet, inventory: Inventory, policy: Policy, seats: Iterable[Seat], as_of: datetime
) -> tuple[Impact, ...]:
    """What another adopted set would mean for each seat; of those it changes nothing for, only those in want.

    Args:
        before: the set in force.
        after: the set it would be.
        inventory: what can run.
        policy: seat rules and harnesses.
        seats: the seats.
        as_of: the present, UTC.
    """
    return _impact(before, after, shelf(inventory, policy, Names(inventory, (), ())), seats, as_of)
