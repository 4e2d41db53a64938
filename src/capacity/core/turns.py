"""The order candidates are ranked by for one turn of a session, and the only file that knows it.

1  part        the lane itself, then each step of its fallback that has opened
2  told        what is known to serve, before what nobody can tell whether it can
3  tier        the need's own, then each lower one to the floor, then those above
4  local       local pools or the others, by the lane's local share, where both can serve
5  preference  the lower number of the policy
6  use         least used, leases in flight included; what lies within 2 points of the least is level
7  weight      the lane's highest
8  deal        the cheapest now
9  pool        the pools that are level take turns
10 fit         among one pool's candidates, the lane's best
11 load        the fewest leases in flight for each slot
12 candidate   those that are level take turns

Nothing from 7 on moves a session; it only says where one goes that has to go somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING, TypeVar

from capacity.core.deals import multiplier
from capacity.core.facts import fact
from capacity.core.findings import Finding
from capacity.core.flight import Able, Flight, Head, Spot, limited, rows
from capacity.core.orders import BAND, Bucket, step
from capacity.core.orders import Entry as Ranked
from capacity.values.conditions import Fact
from capacity.values.decision import RunnerUp
from capacity.values.lanes import Lane
from capacity.values.seats import Need

if TYPE_CHECKING:
    from capacity.core.desk import Desk
    from capacity.core.moment import Standing

T = TypeVar("T")

KEYS = ("part", "told", "tier", "local", "preference", "use", "weight", "deal", "pool", "fit", "load", "candidate")
"""The keys of the order, first to last."""


class Turns:
    """The order of one need at one moment."""

    def __init__(
        self, desk: Desk, standing: Standing, need: Need | None = None, spots: Sequence[Spot] | None = None
    ) -> None:
        self.desk = desk
        self.need: Need = need or standing.asking.need
        self.lane: Lane = standing.asking.lane or Lane(self.need.tier or "")
        self.reasons: list[Fact] = []
        self.draws: list[str] = []
        self.tied: tuple[str, ...] = ()
        self._standing = standing
        self._flight = Flight(desk.history)
        self._only = spots

    # --- what could serve -----------------------------------------------------------------------

    @cached_property
    def rows(self) -> Mapping[Spot, Sequence[Spot]]:
        """What could serve now, in rows: the first of each → all of it."""
        if self._only is not None:
            return rows(self._only)
        if self.able.plain:
            return self.able.rows
        opened = (row for first, row in self.able.rows.items() if not self.tried(first) and self.opened(first))
        free = (([one for one in row if self.free(one)] if row[0].head.limited else row) for row in opened)
        return {row[0]: row for row in free if row}

    @property
    def spots(self) -> Iterator[Spot]:
        """What no rule refuses and no other turn holds, in parts of the lane that have opened."""
        return (spot for row in self.rows.values() for spot in row)

    @property
    def able(self) -> Able:
        """What no rule refuses, whether or not its slots are free and its part has opened."""
        kept = self._standing.able
        if not kept:
            kept.append(Able.of(self._able()))
        return kept[0]

    def _able(self) -> Iterator[Spot]:
        asking, lane, sights = self._standing.asking, self.lane, self.desk.sights
        places, members = self.desk.field.places, self.desk.field.members
        slots = {name: limited(sight) for name, sight in sights.items()}
        for group, finding in enumerate(self._standing.worst):
            if not members[group] or (finding is not None and finding.answer != "cannot-tell"):
                continue
            place = places[group]
            part = asking.stage(place) if lane.candidates or lane.fallback else 0
            if part is not None:
                told = 1 if finding is not None and self._doubtful(group, finding) else 0
                away = 0 if lane.candidates else step(asking, place.rank)
                bounded = slots[place.pool] or place.serving.slots is not None or place.serving.each is not None
                head = Head(part, told, away, place.kind == "local", place.preference, place.pool, bounded)
                yield Spot(group, members[group], place, sights[place.pool], head)

    def _doubtful(self, group: int, finding: Finding) -> bool:
        """Whether more than its headroom cannot be told: an unread pool is only taken for fuller than it may be."""
        if finding.rule not in ESTIMATED:
            return True
        place = self.desk.field.places[group]
        found = self._standing.asking.against(place, self.desk.moment.said(group))
        return any(one.rule not in ESTIMATED for one in found)

    def tried(self, spot: Spot) -> bool:
        """Whether its pool is on probation and somebody is trying it already."""
        return self.trying(spot.head.pool)

    def trying(self, pool: str) -> bool:
        """Whether a pool is on probation and somebody is trying it already."""
        return self._flight.pools[pool] > 0 and self.desk.sights[pool].tried

    def opened(self, spot: Spot) -> bool:
        """Whether its part of the lane has opened."""
        return spot.part == 0 or self.lane.fallback[spot.part - 1].after <= self.need.waited

    def free(self, spot: Spot) -> Sequence[int]:
        """Indices of those of its candidates that have a slot free."""
        if not spot.head.limited:
            return spot.members
        candidates = self.desk.field.candidates
        return [index for index in spot.members if self._flight.free(candidates[index], spot)]

    # --- how much is used -----------------------------------------------------------------------

    @cached_property
    def use(self) -> Mapping[str, float]:
        """Pool → percent it is ranked by, leases in flight included. One nobody could read is taken for no better than
        the best that was read; a local pool, and one that is told in money, has no figure.
        """
        known = self.desk.moment.known
        loaded = {name: used + self._load(name) for name, used in known.items()} if self._flight.pools else dict(known)
        best = min((loaded[spot.head.pool] for spot in self.rows if spot.head.pool in loaded), default=None)
        mean = sum(known.values()) / len(known) if known else 0.0
        for name, sight in self.desk.sights.items():
            if name not in known and not sight.observed and sight.pool.kind != "local":
                guess = max(self._counted(name), mean) + self._load(name)
                loaded[name] = guess if best is None else max(guess, best)
        return loaded

    def _counted(self, pool: str) -> float:
        """Percent used of a pool by our own count; nought where nobody counts."""
        figures = (one.percent for one in self.desk.history.spent if one.pool == pool and one.share is None)
        return max((percent for percent in figures if percent is not None), default=0.0)

    def _load(self, pool: str) -> float:
        return self._flight.pools[pool] * self.desk.policy.seat_points

    # --- which one ------------------------------------------------------------------------------

    @cached_property
    def best(self) -> tuple[int, Spot] | None:
        """The first of the order and its group; None where nothing can serve.

        What decided is in `reasons`, what took turns in `draws`.
        """
        left = list(self.rows)
        if not left:
            return None
        if not any(spot.head.local or spot.sight.observed or spot.head.pool in self.desk.moment.known for spot in left):
            self.reasons.append(fact("nothing-observed"))
        for narrowed in (self._by_class, self._by_share, self._by_preference, self._by_use):
            left = narrowed(left)
        self.tied = tuple(sorted({spot.head.pool for spot in left}))
        left = [spot for first in self._by_weight(left) for spot in self.rows[first]]
        for narrowed in (self._by_deal, self._by_pool, self._by_fit):
            left = narrowed(left)
        return self._by_turn(self._by_load(left))

    def _by_class(self, left: list[Spot]) -> list[Spot]:
        first = left[0].head[:3]
        if first[0]:
            self.reasons.append(fact("fallback-step", self.lane.name, step=first[0]))
        return [spot for spot in left if spot.head[:3] == first]

    def _by_share(self, left: list[Spot]) -> list[Spot]:
        ours = [spot for spot in left if spot.head.local]
        others = [spot for spot in left if not spot.head.local]
        if not ours or not others:
            return left
        share = self.lane.local_share
        if share is None:
            return others
        drawn = self._drawn("local")
        chosen = ours if -int(-(drawn + 1) * share // 1) > -int(-drawn * share // 1) else others
        self.reasons.append(fact("local-share", self.lane.name, side="local" if chosen is ours else "other"))
        return chosen

    def _by_preference(self, left: list[Spot]) -> list[Spot]:
        return _least(left, lambda spot: spot.head.preference)

    def _by_use(self, left: list[Spot]) -> list[Spot]:
        told = [spot for spot in left if spot.head.pool in self.use]
        if not told:
            return left
        least = min(self.use[spot.head.pool] for spot in told)
        level = [spot for spot in told if self.use[spot.head.pool] <= least + BAND]
        if len(level) < len(left):
            self.reasons.append(fact("most-headroom", level[0].sight.pool.name, used=least))
        return level

    def _by_weight(self, left: list[Spot]) -> list[Spot]:
        weights = self.lane.weights
        return self._said(left, lambda spot: -weights.get(spot.head.pool, 1.0), "weight") if weights else left

    def _by_deal(self, left: list[Spot]) -> list[Spot]:
        return self._said(left, self._multiplier, "deal") if self.desk.policy.deals else left

    def _multiplier(self, spot: Spot) -> float:
        return multiplier(self.desk.policy.deals, spot.head.pool, spot.place.names, self.desk.history.as_of)

    def _by_pool(self, left: list[Spot]) -> list[Spot]:
        pools = sorted({spot.head.pool for spot in left})
        chosen = pools[self._turn("pools", len(pools))] if len(pools) > 1 else pools[0]
        if len(pools) > 1:
            self.reasons.append(fact("pools-take-turns", chosen, among=", ".join(pools)))
        return [spot for spot in left if spot.head.pool == chosen]

    def _by_fit(self, left: list[Spot]) -> list[Spot]:
        return self._said(left, self._fit, "fit") if self.lane.fit else left

    def _fit(self, spot: Spot) -> float:
        known = [fit for name, fit in self.lane.fit.items() if name.casefold() in spot.place.names]
        return -max(known) if known else -1.0

    def _by_load(self, left: list[Spot]) -> list[tuple[int, Spot]]:
        one_by_one = sorted((index, spot) for spot in left for index in self.free(spot))
        if len(one_by_one) == 1 or not any(spot.place.serving.slots for spot in left):
            return one_by_one
        return _least(one_by_one, lambda one: self._share_in_use(*one))

    def _share_in_use(self, index: int, spot: Spot) -> float:
        candidate, slots = self.desk.field.candidates[index], spot.place.serving.slots
        return self._flight.models[candidate.pool, candidate.model] / slots if slots else 0.0

    def _by_turn(self, left: list[tuple[int, Spot]]) -> tuple[int, Spot]:
        if len(left) == 1:
            return left[0]
        return left[self._turn(left[0][1].sight.pool.name, len(left))]

    def _said(self, left: list[Spot], key: Callable[[Spot], float], word: str) -> list[Spot]:
        """The least of those left, and a reason where that told any of them apart."""
        first = _least(left, key)
        if len(first) < len(left):
            figure = abs(key(first[0]))
            self.reasons.append(fact(f"by-{word}", first[0].sight.pool.name, by=f"{figure:g}"))
        return first

    def _turn(self, word: str, among: int) -> int:
        """Whose turn it is. The seed says who begins, and every counter is drawn on by nobody else."""
        return (self._drawn(word) + self.desk.history.seed) % among

    def _drawn(self, word: str) -> int:
        counter = f"{self.lane.name} {word}"
        self.draws.append(counter)
        return self.desk.history.granted.get(counter, 0)

    # --- all of them, in order ------------------------------------------------------------------

    def ordered(self) -> Iterator[Ranked]:
        """What could serve, the best first: a candidate of its own, then its like."""
        for at, (index, spot) in enumerate(self._ordered()):
            yield (
                (spot.head.told, spot.head.away, spot.head.preference, at, index),
                Bucket(spot.head.told, spot.head.away, spot.sight, (index,)),
            )

    def _ordered(self) -> Iterator[tuple[int, Spot]]:
        best = self.best
        if best is None:
            return
        yield best
        for _, level in groupby(self.rows, lambda spot: spot.head[:5]):
            for first in sorted(level, key=self._used):
                row = self.rows[first]
                for spot in sorted(row, key=self._fit) if self.lane.fit else row:
                    yield from ((index, spot) for index in self.free(spot) if index != best[0])

    def _used(self, spot: Spot) -> float:
        return self.use.get(spot.head.pool, float("inf"))

    def runners_up(self) -> tuple[RunnerUp, ...]:
        """At most two candidates that came after the best one, with the key and the margin they lost by."""
        if self.best is None:
            return ()
        candidates, top = self.desk.field.candidates, self._figures(self.best[1])
        close = list(islice(self._ordered(), 1, 3))
        return tuple([RunnerUp(candidates[index], *_lost(top, self._figures(spot))) for index, spot in close])

    def _figures(self, spot: Spot) -> tuple[float, ...]:
        return *spot.head[:5], self._used(spot), self._fit(spot)


LOST = ("part", "told", "tier", "local", "preference", "use", "fit")
"""The keys by which one that could serve comes after another, whosever turn it is."""

ESTIMATED = frozenset({"headroom", "circuit"})
"""Rules whose *cannot tell* is answered by an estimate, or by a trial, and is no doubt about the place itself."""


def _least(left: list[T], key: Callable[[T], float]) -> list[T]:
    figures = [key(one) for one in left]
    least = min(figures)
    return [one for one, figure in zip(left, figures, strict=True) if figure == least]


def _lost(top: tuple[float, ...], other: tuple[float, ...]) -> tuple[str, float]:
    """The first key by which one comes after another, and by how much."""
    for word, one, two in zip(LOST, top, other, strict=True):
        if one != two and one < float("inf") > two:
            return word, float(two - one)
    return "candidate", 0.0
