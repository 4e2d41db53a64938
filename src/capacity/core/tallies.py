"""One window of our own ledger as it is counted: what its turns spent, and the ceiling that a refusal teaches of it.

What nobody told is never nothing: such a turn counts as the mean of those that were told, and where none was the window
is unknown. A ceiling is learned never from little, and never for long.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from attrs import evolve, field, frozen

from capacity.values import _check
from capacity.values.leases import Amount

LEAST_TURNS = 20
"""Turns of a window before a refusal teaches its ceiling. The refused turn, which nobody can place on either side of the
ceiling, is then a twentieth of what is learned: half of the ten points between full and the line pools are left at."""

DOUBLINGS = 2
"""How often a learned ceiling doubles, once for each of its window's lengths that passes without another refusal, before
it is forgotten. One turn in a window is refused while a ceiling is found anew, whatever the growth; and doubling finds
the next larger plan, which vendors sell at five times the size, sooner than anything slower."""


@frozen
class Count:
    """What the turns of one team spent in one window.

    Attributes:
        amount: how much, of those that told.
        told: turns that told how much.
        untold: turns that did not.
        estimated: whether any of them only estimated it.
    """

    amount: Decimal = field(default=Decimal(0), converter=_check.decimal)
    told: int = 0
    untold: int = 0
    estimated: bool = False

    def and_one(self, told: Amount | None) -> Count:
        """With one more turn; None = it did not tell how much."""
        if told is None:
            return evolve(self, untold=self.untold + 1)
        estimated = self.estimated or told.told == "estimated"
        return Count(self.amount + told.value, self.told + 1, self.untold, estimated)


@frozen
class Tally:
    """One window of one pool, as far as it is counted.

    Attributes:
        pool: full pool name.
        window: the window's name.
        meter: what it counts.
        length: how long it is.
        began_at: when the last one began, UTC.
        counts: team that has a share → what it spent; `""` = everybody else.
        learned: the ceiling that a refusal taught; None = none did.
        learned_at: when, UTC.
    """

    pool: str
    window: str
    meter: str
    length: timedelta
    began_at: datetime = field(converter=_check.utc)
    counts: Mapping[str, Count] = field(factory=dict, converter=_check.by_key)
    learned: Decimal | None = None
    learned_at: datetime | None = field(default=None, converter=_check.utc_or_none)

    @property
    def key(self) -> tuple[str, str, str, timedelta]:
        """What makes two of them the same window: one that the policy changed is counted anew."""
        return self.pool, self.window, self.meter, self.length

    @property
    def ends_at(self) -> datetime:
        """When it ends, UTC."""
        return self.began_at + self.length

    @property
    def turns(self) -> int:
        """Turns in it, told or not."""
        return sum(one.told + one.untold for one in self.counts.values())

    def spent(self, *names: str) -> Decimal | None:
        """What some of its teams spent, the untold turns at the mean of all; None where nobody can tell."""
        counts = [self.counts[name] for name in names if name in self.counts]
        amount, untold = sum((one.amount for one in counts), Decimal(0)), sum(one.untold for one in counts)
        if not untold:
            return amount
        told, whole = sum(one.told for one in self.counts.values()), sum(one.amount for one in self.counts.values())
        return amount + untold * Decimal(whole) / told if told else None

    def estimates(self, *names: str) -> bool:
        """Whether any of what some of its teams spent was not told, or estimated."""
        return any(one.estimated or one.untold for name, one in self.counts.items() if name in names)

    # --- what it becomes --------------------------------------------------------------------------

    def counting(self, name: str, told: Amount | None, at: datetime) -> Tally:
        """With one more turn of a team; None = it did not tell how much. Spending past a learned ceiling raises it."""
        more = evolve(self, counts={**self.counts, name: self.counts.get(name, Count()).and_one(told)})
        ceiling = more.ceiling(at)
        amount = None if ceiling is None else more.spent(*more.counts)
        if ceiling is None or amount is None or amount <= ceiling:
            return more
        return evolve(more, learned=amount / 2 ** self._doublings(at))

    def refused(self, at: datetime) -> Tally:
        """After a refusal that says that it is full: what was spent by then is how much there was."""
        amount = self.spent(*self.counts)
        if self.turns < LEAST_TURNS or at >= self.ends_at or not amount:
            return self
        return evolve(self, learned=amount, learned_at=at)

    def ceiling(self, as_of: datetime) -> Decimal | None:
        """The ceiling that a refusal taught, as far as it is believed at an instant; None = nothing is."""
        doublings = self._doublings(as_of)
        return None if self.learned is None or doublings > DOUBLINGS else self.learned * 2**doublings

    def _doublings(self, at: datetime) -> int:
        return 0 if self.learned_at is None else max(0, (at - self.learned_at) // self.length)


Tallies = tuple[Tally, ...]
"""Every window that was counted, sorted by key."""
