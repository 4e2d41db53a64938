"""What was spent by our own count: per pool and window, and per team where shares are declared."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from attrs import field, frozen

from capacity.values import _check


@frozen
class Spent:
    """One window of our own ledger, as it stands at an instant.

    Attributes:
        pool: full pool name.
        window: the window's name.
        meter: what is counted: `requests`, `tokens`, or a unit of money.
        amount: how much was spent in it.
        began_at: when it began, UTC; None = nothing was spent in one yet.
        resets_at: when it ends, UTC; None likewise.
        ceiling: how much there is; None = not known.
        learned: whether that ceiling was learned from a refusal, not declared.
        name: the team, agent or task whose part it is; `""` = the whole, or with a share everybody who is not named.
        share: share of the ceiling that is theirs; None for the whole.
        estimated: whether any of it was estimated.
        stops: nothing more is granted once it is spent.
    """

    pool: str
    window: str
    meter: str
    amount: Decimal = field(converter=_check.decimal)
    began_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    resets_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    ceiling: Decimal | None = None
    learned: bool = False
    name: str = ""
    share: float | None = None
    estimated: bool = False
    stops: bool = False

    @property
    def key(self) -> tuple[str, str, str, bool]:
        """(pool, window, name, whether it is a part)."""
        return self.pool, self.window, self.name, self.share is not None

    @property
    def percent(self) -> float | None:
        """Percent of the ceiling, or of their share of it, that is spent; None where no ceiling is known."""
        if self.ceiling is None:
            return None
        whole = float(self.ceiling) * (1.0 if self.share is None else self.share)
        return 100.0 * float(self.amount) / whole if whole > 0 else 100.0
