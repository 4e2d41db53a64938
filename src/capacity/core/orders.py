"""The order candidates are ranked by for a seat: observed before unknown, own tier, each lower one to the floor, above
last; then preference, used and load in bands of 2 points, then the candidate's key.

Rank moves a seat only when it has to move; nothing here is a reason to move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from attrs import frozen

from capacity.core.candidates import FIRST, Field
from capacity.core.findings import Finding
from capacity.core.rules import Asking
from capacity.core.sights import Sight
from capacity.values.decision import RunnerUp

BAND = 2.0
"""Width of a band, percent points: twice the step most providers tell, so that rounding decides nothing."""

KEYS = ("observed", "tier", "preference", "load", "key")
"""The keys of the order, first to last."""

Rank = tuple[int, int, int, int, int]
"""A bucket's place, one figure for each of `KEYS`; lower comes first."""


@frozen(eq=False, repr=False)
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

    def rank(self, load: float) -> Rank:
        """Its place with so many points newly placed on its pool."""
        used = self.sight.used
        if used is None:
            used = 100.0 if self.observed else 0.0  # unknown is never attractive; a balance has no percent
        band = int((used + load) // BAND)
        return self.observed, self.step, self.sight.pool.preference, band, self.first[0]


class Steps:
    """A need's eligible candidates in the steps of the order that no load changes; buckets are made when looked at.

    Attributes:
        ranked: the first steps, ranked while nothing is placed; filled as they are looked at.
        close: candidate → its runners-up while nothing is placed; likewise.
    """

    def __init__(
        self, asking: Asking, field: Field, sights: Mapping[str, Sight], worst: Sequence[Finding | None]
    ) -> None:
        self._field = field
        self._sights = sights
        groups: dict[tuple[int, int, int], list[int]] = {}
        for group, finding in enumerate(worst):
            if finding is None or finding.answer == "cannot-tell":
                place = field.places[group]
                at = (0 if finding is None else 1, step(asking, place.rank), place.preference)
                groups.setdefault(at, []).append(group)
        self._groups = sorted(groups.items())
        self._buckets: list[Sequence[Bucket]] = []
        self.ranked: list[list[Entry]] = []
        self.close: dict[int | None, tuple[RunnerUp, ...]] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def __getitem__(self, at: int) -> Sequence[Bucket]:
        """The buckets of a step; steps are asked for in turn."""
        if at == len(self._buckets):
            self._buckets.append(self._made(*self._groups[at]))
        return self._buckets[at]

    def _made(self, key: tuple[int, int, int], groups: Sequence[int]) -> Sequence[Bucket]:
        places, firsts = self._field.places, self._field.firsts
        found: dict[str, list[int]] = {}
        for group in groups:
            found.setdefault(places[group].pool, []).extend(firsts[group])
        observed, away, _ = key
        return [
            Bucket(observed, away, self._sights[pool], tuple(sorted(first)[:FIRST]))
            for pool, first in found.items()
            if first
        ]


class Load:
    """What was newly placed in this decision.

    Attributes:
        points: pool → percent points.
        placed: the pools that took a seat, one entry for each seat, in turn.
    """

    def __init__(self) -> None:
        self.points: dict[str, float] = {}
        self.placed: list[str] = []

    def add(self, pool: str, points: float) -> None:
        """A seat was placed on a pool."""
        self.points[pool] = self.points.get(pool, 0.0) + points
        self.placed.append(pool)


class Ladder:
    """One need's eligible candidates, in order."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._ranked, self._close = (
            steps.ranked,
            steps.close,
        )  # what holds while nothing is placed holds for every decision
        self._known = 0

    def ordered(self, load: Load) -> Iterator[Entry]:
        """The buckets, best first, under a load. Only as many are ranked as are looked at."""
        if self._known != len(load.placed):
            self._known, self._ranked, self._close = len(load.placed), [], {}
        for at in range(len(self._steps)):
            if at == len(self._ranked):
                self._ranked.append(self._rank(self._steps[at], load.points))
            yield from self._ranked[at]

    def _rank(self, buckets: Sequence[Bucket], points: Mapping[str, float]) -> list[Entry]:
        entries = [(bucket.rank(points.get(bucket.sight.pool.name, 0.0)), bucket) for bucket in buckets]
        if len(entries) > 1:
            entries.sort(key=_by_rank)
        return entries

    def runners_up(self, load: Load, field: Field, chosen: int | None) -> tuple[RunnerUp, ...]:
        """The runners-up to a candidate; looked up once while nothing more is placed."""
        if self._known != len(load.placed):
            self._known, self._ranked, self._close = len(load.placed), [], {}
        known = self._close.get(chosen)
        if known is None:
            known = self._close[chosen] = close(self.ordered(load), field, chosen)
        return known


Entry = tuple[Rank, Bucket]
"""A bucket with its place."""


def _by_rank(entry: Entry) -> Rank:
    return entry[0]


def close(entries: Iterator[Entry], field: Field, chosen: int | None) -> tuple[RunnerUp, ...]:
    """At most two candidates that came after the chosen one, with the key and the margin they lost by."""
    flat = [(rank, index) for rank, bucket in islice(entries, FIRST) for index in bucket.first]
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
