"""Tiers: operator-named ranks of competence, and the rows adopted into them.

Cost is another attribute and never ranks. Rows are adopted by a person or by a rule the person set; none is shipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from attrs import field, frozen

from capacity.values import _check

Adoption = Literal["offer", "auto"]


@frozen
class TierRow:
    """One adopted place on the ladder.

    Attributes:
        tier: the tier's name.
        harness: the harness the competence was shown in.
        model: any name the model answers to.
        effort: the effort word it was shown with; None = the harness sets none.
        source: where the evidence came from.
        adopted_at: when it was adopted, UTC.
        adopted_by: who adopted it.
    """

    tier: str
    harness: str
    model: str
    effort: str | None = None
    source: str = "operator"
    adopted_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    adopted_by: str = "operator"

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies it: (harness, model, effort)."""
        return self.harness, self.model.casefold(), self.effort or ""


def _by_key(rows: Iterable[TierRow]) -> tuple[TierRow, ...]:
    """Rows in the order of their keys."""
    return tuple(sorted(rows, key=lambda row: (row.key, row.tier)))


@frozen
class Tiers:
    """The ladder and what was adopted into it.

    Attributes:
        names: tier names, best first; their order has meaning.
        rows: the adopted set, sorted by (harness, model, effort).
        adoption: `offer` proposes and waits for a person; `auto` adopts behind every veto.
        file: the file the adopted set was read from, as the policy names it; None = no set adopted.
    """

    names: tuple[str, ...] = ()
    rows: tuple[TierRow, ...] = field(default=(), converter=_by_key)
    adoption: Adoption = "offer"
    file: str | None = None
