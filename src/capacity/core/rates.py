"""How fast each limit of a pool is spent: per hour of its own epoch, and per unit of the commanded level.

Two figures, two uses. The *rate* is what the running epoch's own readings prove, two ends and one quantum. The *burn*
is what one unit of level spends, learned over all epochs with a half-life of a day, so that it survives a reset and a
change of ours is not taken for a change of theirs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import exp

from attrs import frozen

from capacity.core.epochs import seconds
from capacity.core.tuning import Tuning
from capacity.values.history import Level
from capacity.values.limits import Estimate

HOUR = 3600.0

SLACK = 1.0
"""Seconds by which spans are compared, so that no float's last bit decides."""

SHORTEST_LOOK, LONGEST_LOOK, LOOK = 2.0, 12.0, 20.0
"""The look-back of a rate, hours: the twentieth part of the window, within these."""


class Exposure:
    """The commanded level as an integral over time, in level-hours.

    Args:
        levels: steps of one pool, in any order; none = the level was 1 at all times, and nobody commanded it.
        until: steps later than this, seconds since 1970, are not known yet.

    Attributes:
        steps: (seconds since 1970, level), in order.
        known: whether there is any.
        begins: when the first was commanded; without any, at all times.
        changed_at: when the last was; None = never.
        level: in force.
    """

    def __init__(self, levels: Iterable[Level], until: float) -> None:
        steps = sorted(dict(sorted((seconds(one.at), one.level) for one in levels)).items())
        steps = [step for step in steps if step[0] <= until]
        self.steps = tuple(steps)
        self.known = bool(steps)
        self.begins = steps[0][0] if steps else float("-inf")
        self.changed_at = steps[-1][0] if steps else None
        self.level = steps[-1][1] if steps else 1.0
        self._times = [at for at, _ in steps]
        self._levels = [level for _, level in steps]
        self._sums = [0.0]
        for (begin, level), (end, _) in pairwise(steps):
            self._sums.append(self._sums[-1] + level * (end - begin) / HOUR)

    def dwells(self, now: float, tick: float) -> bool:
        """Whether the level changed within half a tick, so that no figure can have shown it yet."""
        return self.changed_at is not None and now - self.changed_at < tick / 2

    def between(self, begin: float, end: float) -> float:
        """Level-hours between two instants, none before the first step."""
        return self.upto(end) - self.upto(begin) if self.known else (end - begin) / HOUR

    def at(self, instants: Iterable[float]) -> dict[float, float]:
        """Instant → level-hours from the first step up to it; there has to be one."""
        found: dict[float, float] = {}
        for at in instants:
            if at not in found:
                found[at] = self.upto(at)
        return found

    def upto(self, at: float) -> float:
        """Level-hours from the first step to an instant; there has to be one."""
        index = max(bisect_right(self._times, at) - 1, 0)
        return self._sums[index] + self._levels[index] * (at - self._times[index]) / HOUR


@frozen
class Burn:
    """What one limit was seen to spend, newest intervals counting most.

    Attributes:
        spent: points.
        exposed: level-hours.
        hours: hours.
        taught: intervals that taught.
        span: hours they cover.
    """

    spent: float
    exposed: float
    hours: float
    taught: int
    span: float

    def enough(self, tuning: Tuning) -> bool:
        """Whether it is evidence: as many readings, as far apart, as a rate needs."""
        return self.taught >= tuning.min_samples - 1 and self.span * HOUR >= tuning.min_span - SLACK

    def per_level(self, uncontrolled: float, doubt: float) -> float | None:
        """Points per level-hour; None where no level was ever in force.

        Args:
            uncontrolled: what the others are worth, in units of level.
            doubt: points added: a coarse counter that has not moved yet is not free.
        """
        exposed = self.exposed + uncontrolled * self.hours
        return (self.spent + doubt) / exposed if exposed > 0 else None


@frozen
class Activity:
    """How busy the hours of a day are against the mean, and how busy the last one was against its usual.

    Attributes:
        profile: hour of the day (UTC) → share of the mean; 1 = as ever.
        burst: the last hour against what was to be expected.
        decay: hours in which a burst dies off.
    """

    profile: Sequence[float]
    burst: float
    decay: float = 4.0

    def at(self, at: float) -> float:
        """The profile at an instant."""
        return self.profile[int(at // HOUR) % 24]

    def ahead(self, now: float, hours: float) -> float:
        """Hours of mean activity in the hours to come: the profile, and what is left of the burst."""
        total, begin, end = 0.0, now, now + hours * HOUR
        days = int(hours // 24)
        if days > 1:  # whole days are all alike
            total += (days - 1) * sum(self.profile)
            end -= (days - 1) * 24 * HOUR
        while begin < end:
            following = min((begin // HOUR + 1) * HOUR, end)
            total += self.at(begin) * (following - begin) / HOUR
            begin = following
        decay = self.decay * (1.0 - exp(-hours / self.decay))
        return total + (self.burst - 1.0) * self.at(now) * decay


FLAT = Activity((1.0,) * 24, 1.0)
"""Every hour as the next."""


def profile(
    spent: Sequence[float], exposed: Sequence[float], per_level: float, prior: float, share: float
) -> Sequence[float]:
    """Hour of the day → share of the mean activity, smoothed with its neighbours.

    Args:
        spent: hour → points.
        exposed: hour → level-hours.
        per_level: points per level-hour.
        prior: level-hours of a flat profile that it starts from.
        share: what others spend, as a share of ours.
    """
    raw = [
        (seen + per_level * prior) / (per_level * (through * (1 + share) + prior))
        for seen, through in zip(spent, exposed, strict=True)
    ]
    return [(raw[hour - 1] + 2 * raw[hour] + raw[(hour + 1) % 24]) / 4 for hour in range(24)]


def look_back(points: Sequence[tuple[float, float]], window: float, tuning: Tuning) -> Sequence[tuple[float, float]]:
    """The newest points of an epoch that a rate is taken over, further back where they would be no evidence."""
    look = min(max(window / HOUR / LOOK, SHORTEST_LOOK), LONGEST_LOOK)
    last, count = points[-1][0], len(points)
    begins = last - max(look * HOUR, tuning.min_span) - SLACK
    first = count - 1
    while first > 0 and (points[first - 1][0] >= begins or count - first < tuning.min_samples):
        first -= 1
    while first > 0 and last - points[first][0] < tuning.min_span - SLACK:
        first -= 1
    return points[first:]


def enough(points: Sequence[tuple[float, float]], tuning: Tuning) -> bool:
    """Whether points are evidence of a rate."""
    return len(points) >= tuning.min_samples and points[-1][0] - points[0][0] >= tuning.min_span - SLACK


def rate(
    points: Sequence[tuple[float, float]], quantum: float, exposure: Exposure, uncontrolled: float
) -> Estimate | None:
    """Percent per hour at the level in force: the two ends and a quantum, which no rounding and no burst makes wrong.

    Args:
        points: of one epoch.
        quantum: the step they are told in.
        exposure: the commanded level; where it begins later than the points, plain hours are taken.
        uncontrolled: what the others are worth, in units of level.

    Returns:
        None where there are not two instants, or no level was in force between them.
    """
    if len(points) < 2:
        return None
    (begin, was), (end, top) = points[0], points[-1]
    hours, level = (end - begin) / HOUR, 1.0
    if exposure.known and begin >= exposure.begins - SLACK:
        hours = exposure.between(begin, end) + uncontrolled * hours
        level = exposure.level + uncontrolled
    if hours <= 0:
        return None
    risen = top - was
    return Estimate(max(risen - quantum, 0.0) / hours * level, risen / hours * level, (risen + quantum) / hours * level)


def steady(points: Sequence[tuple[float, float]], quantum: float) -> bool:
    """Whether one straight line explains the points: the least and the greatest slope any two of them allow agree."""
    low, high = 0.0, float("inf")
    for index, (at, percent) in enumerate(points):
        for later, risen in points[index + 1 :]:
            span = later - at
            if span > 0:
                low = max(low, (risen - percent - quantum) / span)
                high = min(high, (risen - percent + quantum) / span)
    return low <= high + 1e-12


def steps_of(levels: Iterable[Level]) -> Mapping[str, list[Level]]:
    """Pool → its steps."""
    found: dict[str, list[Level]] = {}
    for one in levels:
        found.setdefault(one.pool, []).append(one)
    return found
