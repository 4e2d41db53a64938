"""The order candidates are ranked by for a seat: observed before unknown, own tier, each lower one to the floor, above
last; then preference, used and load in bands of 2 points, then the candidate's key.

Rank moves a seat only when it has to move; nothing here is a reason to move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from capacity.core.candidates import Field
from capacity.core.rules import Asking, Finding
from capacity.core.sights import Sight
from capacity.values.decision import Answer, RunnerUp

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
        for group, finding in enumerate(worst):
            answer: Answer = "yes" if finding is None else finding.answer
            if answer not in ("yes", "cannot-tell"):
                continue
            place = field.places[group]
            at = (0 if answer == "yes" else 1, step(asking, place.rank), place.pool)
            found.setdefault(at, []).extend(field.firsts[group])
        self._buckets = [
            Bucket(observed, steps, sights[pool], tuple(sorted(first)[:3]))
            for (observed, steps, pool), first in found.items()
        ]
        self._load: dict[str, float] = {}
        self._sorted: list[tuple[Rank, Bucket]] = []

    def ordered(self, load: Mapping[str, float]) -> list[tuple[Rank, Bucket]]:
        """The buckets, best first, under a load."""
        if not self._sorted or load != self._load:
            self._load = dict(load)
            self._sorted = sorted(((one.rank(load), one) for one in self._buckets), key=_rank)
        return self._sorted


def _rank(entry: tuple[Rank, Bucket]) -> Rank:
    return entry[0]


def step(asking: Asking, rank: int | None) -> int:
    """How many steps of the order a tier is away from the seat's own."""
    if asking.tier is None or rank is None:
        return 0
    if rank >= asking.tier:
        return rank - asking.tier
    lower = max((asking.floor if asking.floor is not None else asking.tier) - asking.tier, 0)
    return lower + asking.tier - rank


def runners_up(entries: Sequence[tuple[Rank, Bucket]], field: Field, chosen: int | None) -> Iterator[RunnerUp]:
    """At most two candidates that came after the chosen one, with the key and the margin they lost by."""
    flat = [(rank, index) for rank, bucket in entries[:3] for index in bucket.first]
    top = next((rank for rank, index in flat if index == chosen), flat[0][0] if flat else None)
    others = [(rank, index) for rank, index in flat if index != chosen][:2]
    for rank, index in others:
        by, margin = lost_by(top, rank)
        yield RunnerUp(field.candidates[index], by, margin)


def lost_by(top: Rank | None, rank: Rank) -> tuple[str, float]:
    """The first key in which a rank comes after the top one, and by how much; 0 where only the key differs."""
    for at in range(len(KEYS) - 1):
        if top is not None and rank[at] != top[at]:
            return KEYS[at], float(rank[at] - top[at]) * (BAND if KEYS[at] == "load" else 1.0)
    return "key", 0.0
