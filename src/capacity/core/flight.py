"""What is in flight, and how much of a pool that leaves: the figures turns are ranked by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple, Self

from attrs import define, frozen

from capacity.core.rules import Place
from capacity.core.sights import Sight
from capacity.values.history import History
from capacity.values.limits import Limit
from capacity.values.seats import Candidate

NEAR_FULL = 90.0
"""Percent used from which a short window binds whatever its pace: a tenth of five hours is half an hour."""

FIRST_FIFTH = 0.2
"""Share of a short window before which its pace says nothing: the first turns of a session are its heaviest."""

SHORT = timedelta(hours=24)
"""A window shorter than this is a burst: it fills and is over within a day, so that what it has left is soon had again."""


class Head(NamedTuple):
    """What the order asks of a spot before its use, with its pool.

    Attributes:
        part: of the lane it is in; 0 = the lane itself.
        told: 0 = it is known to serve, 1 = nobody can tell.
        away: tiers away from the need's own.
        local: whether it is ours.
        preference: of the pool.
        pool: full name.
        limited: whether so many leases and no more run on it at once.
    """

    part: int
    told: int
    away: int
    local: bool
    preference: int
    pool: str
    limited: bool


class Flight:
    """What is in flight: leases per pool, per model of a pool, and per candidate."""

    def __init__(self, history: History) -> None:
        self._leases = history.holds.leases
        self.pools: Counter[str] = Counter([one.candidate.pool for one in self._leases])

    @cached_property
    def models(self) -> Counter[tuple[str, str]]:
        """(pool, model) → its leases."""
        return Counter([(one.candidate.pool, one.candidate.model) for one in self._leases])

    @cached_property
    def candidates(self) -> Counter[Candidate]:
        """Candidate → its leases."""
        return Counter([one.candidate for one in self._leases])

    def free(self, candidate: Candidate, spot: Spot) -> bool:
        """Whether a slot of a candidate is free, of what is declared and of what was read."""
        said = spot.place.serving
        if said.each is not None and self.candidates[candidate] >= said.each:
            return False
        if said.slots is not None:
            return self.models[candidate.pool, candidate.model] < said.slots
        return all(self.since(spot.sight) < slots for slots in _slots(spot.sight))

    def since(self, sight: Sight) -> int:
        """Leases of a pool that its newest reading cannot have seen."""
        seen = sight.headroom.observed_at
        if not self.pools[sight.pool.name] or seen is None:
            return self.pools[sight.pool.name]
        return sum(1 for one in self._leases if one.candidate.pool == sight.pool.name and one.offered_at > seen)


@define(eq=False, repr=False)  # not frozen: many are made in every tick, and freezing costs a call for each attribute
class Spot:
    """Candidates that could serve and that no rule can tell apart, with what the order asks first.

    Attributes:
        group: of the candidates.
        members: their indices, every one.
        place: the place.
        sight: its pool.
        head: all that is asked of it before its use, and its pool; what shares it stands in one row.
    """

    group: int
    members: Sequence[int]
    place: Place
    sight: Sight
    head: Head

    @property
    def part(self) -> int:
        """Of the lane it is in; 0 = the lane itself."""
        return self.head.part

    @property
    def stands(self) -> tuple[int, int, int]:
        """What is asked of it before anything of the moment."""
        return self.head.part, self.head.told, self.head.away

    @property
    def local(self) -> bool:
        """Whether it is ours."""
        return self.head.local

    @property
    def plain(self) -> bool:
        """Whether neither time nor other leases can keep it from serving."""
        return not (self.head.part or self.head.limited or self.tried)

    @property
    def tried(self) -> bool:
        """Whether its pool is on probation, so that one lease at a time tries it."""
        return self.sight.tried


def rows(spots: Iterable[Spot]) -> dict[Spot, Sequence[Spot]]:
    """Spots by what the order cannot tell apart before it has to pick one of a pool's: the first of each row → the row.

    Rows stand in the order of their heads, so that the first one's comes first.
    """
    found: dict[Head, list[Spot]] = {}
    for spot in spots:
        found.setdefault(spot.head, []).append(spot)
    return {row[0]: row for _, row in sorted(found.items())}


@frozen(eq=False, repr=False)
class Able:
    """What no rule refuses to one need at one moment.

    Attributes:
        spots: group → its spot.
        rows: the same in rows.
        plain: whether neither time nor other leases can keep any of it from serving.
    """

    spots: Mapping[int, Spot]
    rows: Mapping[Spot, Sequence[Spot]]
    plain: bool

    @classmethod
    def of(cls, spots: Iterable[Spot]) -> Self:
        """Spots, each of a group of its own."""
        known = {spot.group: spot for spot in spots}
        made = rows(known.values())
        return cls(known, made, all(spot.plain for spot in made))


def limited(sight: Sight) -> bool:
    """Whether a pool was read to have so many slots and no more."""
    return any(True for _ in _slots(sight))


def _slots(sight: Sight) -> Iterator[Decimal]:
    """The slots of a pool that were free when it was read."""
    limits = (one.limit for one, _ in sight.stands if one.limit.scope is None)
    return (limit.left["slots"] for limit in limits if "slots" in limit.left)


def bound(sight: Sight, as_of: datetime) -> float:
    """Percent used of what binds: the fullest of the long windows, or a short one nearly full or on the way there."""
    limits = [one for one, _ in sight.stands if one.limit.scope is None and one.used is not None]
    longest = max((one.limit.window for one in limits if one.limit.window is not None), default=None)
    binding = [one.used.high for one in limits if one.used and _binds(one.limit, one.used.high, longest, as_of)]
    return float(max(binding, default=0.0))


def _binds(limit: Limit, used: float, longest: timedelta | None, as_of: datetime) -> bool:
    window = limit.window
    if not window or window == longest or window >= SHORT or used >= NEAR_FULL:
        return True
    if limit.resets_at is None:
        return False
    elapsed = 1.0 - (limit.resets_at - as_of) / window
    return FIRST_FIFTH <= elapsed < 1.0 and used / 100.0 >= elapsed


def read(sight: Sight) -> bool:
    """Whether a pool has a figure in percent that is fresh; a local one has none that would rank it."""
    fresh = (one.limit.scope is None and one.used is not None and one.evidence == "fresh" for one, _ in sight.stands)
    return sight.pool.kind != "local" and any(fresh)
