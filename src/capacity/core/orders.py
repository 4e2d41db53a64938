"""The order candidates are ranked by for a seat: observed before unknown, own tier, each lower one to the floor, above
last; then preference, used and load in bands of 2 points, then the candidate's key.

Rank moves a seat only when it has to move; nothing here is a reason to move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from capacity.core.candidates import FIRST, Field
from capacity.core.rules import Asking, Finding
from capacity.core.sights import Sight
from capacity.values.decision import RunnerUp

BAND = 2.0
"""Width of a band, percent points: twice the step most providers tell, so that rounding decides nothing."""

KEYS = ("observed", "tier", "preference", "load", "key")
"""The keys of the order, first to last."""

Rank = tuple[int, int, int, int, int]
"""A bucket's place, one figure for each of `KEYS`; lower comes first."""


@frozen(eq=False)
class Bucket:
    """Eligible candidates that only their own keys tell apart.

    Attributes:
        observed: 0 = the verdict is yes, 1 = cannot-tell.
        step: tiers away from the seat's own: 0 own, then each lower one, then those above.
        sight: the pool.
        first: indices of the first candidates, best first.
    """

    observed: int
    step: int
    sight: Sight
    first: tuple[int, ...]

    def rank(self, load: Mapping[str, float]) -> Rank:
        """Its place under a load: pool → points newly placed on it."""
        name = self.sight.pool.name
        used = self.sight.used
        if used is None:
            used = 100.0 if self.observed else 0.0  # unknown is never attractive; a balance has no percent
        band = int((used + load.get(name, 0.0)) // BAND)
        return self.observed, self.step, self.sight.pool.preference, band, self.first[0]


class Ladder:
    """One need's eligible candidates, in order."""

    def __init__(
        self, asking: Asking, field: Field, sights: Mapping[str, Sight], worst: Sequence[Finding | None]
    ) -> None:
        found: dict[tuple[int, int, str], list[int]] = {}
        for finding, place, first in zip(worst, field.places, field.firsts, strict=True):
            if first and (finding is None or finding.answer == "cannot-tell"):
                at = (0 if finding is None else 1, step(asking, place.rank), place.pool)
                found.setdefault(at, []).extend(first)
        self._buckets = [
            Bucket(observed, steps, sights[pool], tuple(sorted(first)[:FIRST]))
            for (observed, steps, pool), first in found.items()
        ]
        self._load: Mapping[str, float] | None = None
        self._sorted: list[tuple[Rank, Bucket]] = []
        self._close: dict[int | None, tuple[RunnerUp, ...]] = {}

    def ordered(self, load: Mapping[str, float]) -> Sequence[tuple[Rank, Bucket]]:
        """The buckets, best first, under a load; a load that changes is another mapping."""
        if load is not self._load:
            self._load = load
            self._sorted = sorted([(one.rank(load), one) for one in self._buckets], key=_rank)
            self._close = {}
        return self._sorted

    def runners_up(
        self, entries: Sequence[tuple[Rank, Bucket]], field: Field, chosen: int | None
    ) -> tuple[RunnerUp, ...]:
        """At most two candidates that came after the chosen one, with the key and the margin they lost by."""
        if entries is not self._sorted:
            return _close(entries, field, chosen)
        known = self._close.get(chosen)
        if known is None:
            known = self._close[chosen] = _close(entries, field, chosen)
        return known


def _rank(entry: tuple[Rank, Bucket]) -> Rank:
    return entry[0]


def _close(entries: Sequence[tuple[Rank, Bucket]], field: Field, chosen: int | None) -> tuple[RunnerUp, ...]:
    flat = [(rank, index) for rank, bucket in entries[:FIRST] for index in bucket.first]
    top = next((rank for rank, index in flat if index == chosen), flat[0][0] if flat else None)
    others = [(rank, index) for rank, index in flat if index != chosen][: FIRST - 1]
    return tuple(RunnerUp(field.candidates[index], *lost_by(top, rank)) for rank, index in others)


def step(asking: Asking, rank: int | None) -> int:
    """How many steps of the order a tier is away from the seat's own."""
    if asking.tier is None or rank is None:
        return 0
    if rank >= asking.tier:
        return rank - asking.tier
    lower = max((asking.floor if asking.floor is not None else asking.tier) - asking.tier, 0)
    return lower + asking.tier - rank


def lost_by(top: Rank | None, rank: Rank) -> tuple[str, float]:
    """The first key in which a rank comes after the top one, and by how much; 0 where only the key differs."""
    for at in range(len(KEYS) - 1):
        if top is not None and rank[at] != top[at]:
            return KEYS[at], float(rank[at] - top[at]) * (BAND if KEYS[at] == "load" else 1.0)
    return "key", 0.0
