"""What another adopted set would mean for each seat: what it may run on, how many alternatives it has, whether it is below its floor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from attrs import frozen

from capacity.core.needs import Resolver
from capacity.core.tiering.field import Shelf
from capacity.values.evidence import Pair
from capacity.values.proposals import Impact
from capacity.values.seats import Need, Seat
from capacity.values.tiers import TierRow, TierSet

ENOUGH = 2
"""Alternatives under which a seat is told of: with one, a single exhausted pool leaves it nowhere to go."""


@frozen(eq=False)
class Set:
    """An adopted set as seats see it.

    Attributes:
        rows: pair → row, those in force.
        ranks: tier → rank, 0 the best.
    """

    rows: Mapping[Pair, TierRow]
    ranks: Mapping[str, int]

    def floor(self, need: Need) -> int:
        """The worst rank that will do."""
        return self.ranks.get(need.floor or need.tier or "", len(self.ranks))

    def reaches(self, pair: Pair, need: Need) -> bool:
        """Whether a pair is proven to reach the floor."""
        row = self.rows.get(pair)
        return row is not None and self.ranks.get(row.proven or row.tier, len(self.ranks)) <= self.floor(need)


def impact(before: TierSet, after: TierSet, shelf: Shelf, seats: Iterable[Seat], as_of: datetime) -> tuple[Impact, ...]:
    """What would change for each seat; of the others only those in want are told.

    Args:
        before: the set in force.
        after: the set it would be.
        shelf: what could run.
        seats: the seats.
        as_of: the present, UTC.
    """
    old, new = _set(before, shelf, as_of), _set(after, shelf, as_of)
    resolver = Resolver(shelf.policy)
    found = [_of_seat(seat, resolver.ask(seat).need, old, new, shelf) for seat in seats]
    return tuple(sorted((one for one in found if _worth_telling(one)), key=lambda one: one.seat))


def _set(adopted: TierSet, shelf: Shelf, as_of: datetime) -> Set:
    ranks = {name: rank for rank, name in enumerate(shelf.policy.tiers.names)}
    living = (row for row in adopted.rows if row.expires_at is None or row.expires_at > as_of)
    return Set({shelf.adopted(row): row for row in living}, ranks)


def _of_seat(seat: Seat, need: Need, old: Set, new: Set, shelf: Shelf) -> Impact:
    own = shelf.adopted(TierRow("", seat.harness, seat.model, seat.effort))
    ones = [pair for pair in (own, Pair(own.harness, own.model)) if pair in old.rows or pair in new.rows]
    own = ones[0] if ones else own
    was, will = ({pair for pair in _allowed(need, rows, shelf) if pair != own} for rows in (old, new))
    asks = need.tier is not None or need.floor is not None
    return Impact(
        seat=f"{seat.fleet}/{seat.name}",
        entering=[str(pair) for pair in will - was],
        leaving=[str(pair) for pair in was - will],
        alternatives_before=len(was),
        alternatives=len(will),
        below_floor=asks and not new.reaches(own, need),
        below_floor_before=asks and not old.reaches(own, need),
    )


def _allowed(need: Need, rows: Set, shelf: Shelf) -> Sequence[Pair]:
    """The pairs that reach its floor, are on its lists, and could run."""
    return [pair for pair in rows.rows if rows.reaches(pair, need) and _listed(need, pair) and shelf.available(pair)]


def _listed(need: Need, pair: Pair) -> bool:
    if need.effort is not None and pair.effort != need.effort:
        return False
    harness = need.harnesses is None or pair.harness in need.harnesses
    return harness and (need.models is None or pair.model.casefold() in {name.casefold() for name in need.models})


def _worth_telling(one: Impact) -> bool:
    return bool(one.entering or one.leaving or one.below_floor or one.below_floor_before or one.alternatives < ENOUGH)
