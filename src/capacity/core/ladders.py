"""A level spread over seats. Worth first: rungs and cadences are bought in order of what they are worth per burn.

A rung changes only where trimming cadences instead would cost more than 3 % of the worth, since that change is the dearer
one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from attrs import frozen

from capacity.core.pacing import Reach

ENOUGH = 0.97
"""Share of the ideal worth at which no further rung is changed: 1 buys 0.004 and a third more changes."""

BELOW, ABOVE = 2.5, 1.5
"""A level this near to everybody cheap at their own pace, below it or above it, is set to that: worth bends there, and below
it every turn is worth the same, so that spending early costs nothing. 1.5 below costs 0.005 of the optimum, 2.0 above more."""

SLACK = 0.05
"""How far beside a split's own reach a level may lie and still be met by it."""


@frozen(cache_hash=True)
class Rung:
    """One model a seat may run on.

    Attributes:
        burn: level of it at the seat's own cadence.
        worth: of what it does at that cadence.
    """

    burn: float
    worth: float


Cadences = tuple[tuple[float, float], ...]
"""(cadence, worth) points of a concave curve, the slowest first: a cadence is a multiple of the seat's own, its worth a
multiple of the rung's; linear between. One point = the cadence cannot be changed."""

STEADY: Cadences = ((1.0, 1.0),)
"""A seat that keeps its cadence."""


@frozen(cache_hash=True)
class Ladder:
    """What one seat can be commanded to.

    Attributes:
        rungs: the cheapest first, worth rising with burn, never more quickly than before.
        cadences: its cadences.
    """

    rungs: tuple[Rung, ...]
    cadences: Cadences = STEADY


Gear = tuple[int, float]
"""One seat's rung, an index into its ladder, and its cadence."""


class Spread:
    """A pool's seats, as they are, and as they would be at another level.

    Args:
        ladders: of each seat.
        rungs: where each stands now.
    """

    def __init__(self, ladders: Sequence[Ladder], rungs: Sequence[int]) -> None:
        self._ladders, self._now = ladders, tuple(rungs)
        self._lines: dict[int, Line] = {}

    @cached_property
    def reach(self) -> Reach:
        """From everybody cheap and slow to everybody dear and fast."""
        low = sum(one.rungs[0].burn * one.cadences[0][0] for one in self._ladders)
        high = sum(one.rungs[-1].burn * one.cadences[-1][0] for one in self._ladders)
        return Reach(low, high)

    @cached_property
    def raises(self) -> Sequence[tuple[float, int, int]]:
        """Every step up a ladder, the best bought first: (burn for one worth, seat, rung it starts from)."""
        steps = (
            (_price(lower, upper), index, rung)
            for index, one in enumerate(self._ladders)
            for rung, (lower, upper) in enumerate(pairwise(one.rungs))
        )
        return sorted(steps)

    @property
    def here(self) -> int:
        """How many steps up are taken now."""
        return sum(self._now)

    def split(self, steps: int) -> tuple[int, ...]:
        """The rungs with so many steps taken, nearest to those of now: the dearest fall first, the best rise first."""
        rungs = list(self._now)
        short = steps - self.here
        for _, index, rung in self.raises if short > 0 else reversed(self.raises):
            if not short:
                break
            if short > 0 and rungs[index] == rung:
                rungs[index], short = rung + 1, short - 1
            elif short < 0 and rungs[index] == rung + 1:
                rungs[index], short = rung, short + 1
        return tuple(rungs)

    def at(self, level: float) -> tuple[Gear, ...]:
        """Every seat's rung and cadence at a level."""
        nominal = sum(one.rungs[0].burn for one in self._ladders)
        if nominal / BELOW <= level <= nominal * ABOVE:
            level = nominal
        level = min(max(level, self.reach.low), self.reach.high)
        split = self._split(level)
        kinds = [_kind(*one) for one in zip(self._ladders, split, strict=True)]
        return tuple(zip(split, _paces(kinds, level), strict=True))

    def _split(self, level: float) -> tuple[int, ...]:
        """The rungs for a level: those of now with the fewest changes, unless others altogether would do far more."""
        steps, anew = self._steps(level), Spread(self._ladders, [0] * len(self._ladders))
        best = anew._ideal(level)  # of its own kind
        if best is None or self._worth(steps, level) >= ENOUGH * anew._worth(best, level):
            return self.split(steps)
        return anew.split(best)

    def _steps(self, level: float) -> int:
        """How many steps to take: from those of now towards the ideal, no further than nearly all its worth needs."""
        ideal = self._ideal(level)
        if ideal is None:
            return self.here
        enough, here = ENOUGH * self._worth(ideal, level), self.here
        if here <= ideal:
            return here + bisect_left(range(ideal - here), enough, key=lambda more: self._worth(here + more, level))
        return here - bisect_left(range(here - ideal), enough, key=lambda less: self._worth(here - less, level))

    def _ideal(self, level: float) -> int | None:
        """The steps at which a level is worth most; None where no cadences meet it."""
        every = range(len(self.raises) + 1)
        first = bisect_left(every, level, key=lambda steps: self._line(steps).high * (1 + SLACK))
        last = bisect_right(every, level, key=lambda steps: self._line(steps).low * (1 - SLACK)) - 1
        if first > last:
            return None
        return first + bisect_left(range(last - first), True, key=lambda more: self._falls(first + more, level))

    def _falls(self, steps: int, level: float) -> bool:
        """Whether one step more is worth no more."""
        return self._worth(steps + 1, level) <= self._worth(steps, level)

    def _worth(self, steps: int, level: float) -> float:
        """What a level is worth with so many steps taken; nothing where no cadences meet it."""
        line = self._line(steps)
        return line.worth(level) if line.meets(level) else 0.0

    def _line(self, steps: int) -> Line:
        found = self._lines.get(steps)
        if found is None:
            kinds = Counter(_kind(*one) for one in zip(self._ladders, self.split(steps), strict=True))
            found = self._lines[steps] = Line(kinds)
        return found


Kind = tuple[Rung, Cadences]


def _kind(ladder: Ladder, rung: int) -> Kind:
    return ladder.rungs[rung], ladder.cadences


def _price(lower: Rung, upper: Rung) -> float:
    worth = upper.worth - lower.worth
    return (upper.burn - lower.burn) / worth if worth > 0 else float("inf")


def _stretches(kinds: Iterable[Kind]) -> list[tuple[float, Kind, int]]:
    """Every stretch of cadence between two points of a curve, the best bought first: (burn for one worth, whose, which)."""
    found = [
        ((then - now) * rung.burn / ((more - less) * rung.worth) if more > less and rung.worth > 0 else float("inf"),
         (rung, cadences), index)
        for rung, cadences in kinds
        for index, ((now, less), (then, more)) in enumerate(pairwise(cadences))
    ]  # fmt: skip  # one price, one row
    return sorted(found, key=lambda one: (one[0], one[1][0].burn, one[1][0].worth, one[1][1], one[2]))


class Line:
    """One split: its worth as a function of the level, cadence by cadence.

    Args:
        kinds: seats that are alike → how many.
    """

    def __init__(self, kinds: Mapping[Kind, int]) -> None:
        self.low = sum(count * rung.burn * cadences[0][0] for (rung, cadences), count in kinds.items())
        base = sum(count * rung.worth * cadences[0][1] for (rung, cadences), count in kinds.items())
        self._points = [(self.low, base)]
        for _, kind, index in _stretches(kinds):
            rung, cadences = kind
            (now, less), (then, more) = cadences[index : index + 2]
            level, worth = self._points[-1]
            count = kinds[kind]
            self._points.append((level + count * rung.burn * (then - now), worth + count * rung.worth * (more - less)))
        self.high = self._points[-1][0]

    def meets(self, level: float) -> bool:
        """Whether its cadences can make the level."""
        return self.low * (1 - SLACK) <= level <= self.high * (1 + SLACK)

    def worth(self, level: float) -> float:
        """What is done at a level."""
        for (before, less), (after, more) in pairwise(self._points):
            if level <= after:
                share = (level - before) / (after - before) if after > before else 0.0
                return less + (more - less) * max(share, 0.0)
        return self._points[-1][1]


def _paces(kinds: Sequence[Kind], level: float) -> list[float]:
    """The cadence of each seat at a level: stretches are bought best first, and the last one in part, by one seat."""
    cadences = [one[0][0] for _, one in kinds]
    rest = level - sum(rung.burn * pace for (rung, _), pace in zip(kinds, cadences, strict=True))
    for _, kind, index in _stretches(dict.fromkeys(kinds)):
        rung, curve = kind
        now, then = curve[index][0], curve[index + 1][0]
        for seat, other in enumerate(kinds):
            if rest <= 0:
                return cadences
            if other == kind and rung.burn > 0:
                step = min(then - now, rest / rung.burn)
                cadences[seat] += step
                rest -= step * rung.burn
    return cadences
