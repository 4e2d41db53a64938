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
from typing import NamedTuple

from attrs import frozen

from capacity.core.epochs import Course, seconds
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
    """

    def __init__(self, levels: Iterable[Level], until: float) -> None:
        steps = sorted(dict(sorted((seconds(one.at), one.level) for one in levels)).items())
        steps = [step for step in steps if step[0] <= until]
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
        return self._upto(end) - self._upto(begin) if self.known else (end - begin) / HOUR

    def _upto(self, at: float) -> float:
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


class Interval(NamedTuple):
    """What passed between two readings of one limit.

    Attributes:
        begins: seconds since 1970.
        ends: likewise.
        spent: points.
        exposed: level-hours.
    """

    begins: float
    ends: float
    spent: float
    exposed: float

    @property
    def hours(self) -> float:
        """How long it was."""
        return (self.ends - self.begins) / HOUR


def full_at(courses: Iterable[Course]) -> frozenset[float]:
    """The instants at which some limit of the pool was full: what ends or begins there was cut short, and teaches nothing."""
    return frozenset(
        at
        for one in courses
        for epoch in one.epochs
        if epoch.points[-1][1] >= 100.0 - one.quantum / 2
        for at, percent in epoch.points
        if percent >= 100.0 - one.quantum / 2
    )


def intervals(one: Course, exposure: Exposure, full: frozenset[float], max_gap: float) -> list[Interval]:
    """The intervals of a limit that teach, in order: none across a cut, into or out of fullness, or too long."""
    found = []
    longest, begins = max_gap + SLACK, exposure.begins
    for epoch in one.epochs:
        before: float | None = None
        was = 0.0
        for at, percent in epoch.points:
            teaches = before is not None and at - before <= longest and before >= begins
            if before is not None and teaches and not (full and (before in full or at in full)):
                found.append(Interval(before, at, percent - was, exposure.between(before, at)))
            before, was = at, percent
    return found


def burn(taught: Sequence[Interval], half_life: float) -> Burn:
    """Intervals, weighted by age."""
    spent = exposed = hours = 0.0
    half = half_life / HOUR
    for one in taught:
        span = one.hours
        fade = 2.0 ** (-span / half)
        spent = spent * fade + one.spent
        exposed = exposed * fade + one.exposed
        hours = hours * fade + span
    return Burn(spent, exposed, hours, len(taught), sum(one.hours for one in taught))


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


def activity(taught: Sequence[Interval], known: Burn, uncontrolled: float, now: float, tuning: Tuning) -> Activity:
    """The activity behind a pool's finest limit.

    Args:
        taught: its intervals.
        known: its burn.
        uncontrolled: what the others are worth, in units of level.
        now: the instant, seconds since 1970.
        tuning: the controller's figures.
    """
    per_level = known.per_level(uncontrolled, 0.0)
    if not per_level or not known.hours:
        return FLAT
    prior = tuning.profile_prior_days * known.exposed / known.hours
    profile = _profile(taught, per_level, prior, tuning) if tuning.profile else FLAT.profile
    seen = expected = 0.0
    for one in reversed(taught):
        if one.begins < now - tuning.burst_look - SLACK:
            break
        hour = int((one.begins + one.ends) / 2 // HOUR) % 24
        seen += one.spent
        expected += per_level * (one.exposed + uncontrolled * one.hours) * profile[hour]
    burst = (seen + tuning.burst_prior) / (expected + tuning.burst_prior)
    clipped = min(max(burst, 1 / tuning.burst_clip), tuning.burst_clip)
    return Activity(profile, clipped, tuning.burst_decay / HOUR)


def _profile(taught: Sequence[Interval], per_level: float, prior: float, tuning: Tuning) -> Sequence[float]:
    spent, exposed = [0.0] * 24, [0.0] * 24
    for one in taught:
        hour = int((one.begins + one.ends) / 2 // HOUR) % 24
        spent[hour] = tuning.profile_keep * spent[hour] + one.spent
        exposed[hour] = tuning.profile_keep * exposed[hour] + one.exposed
    raw = [
        (seen + per_level * prior) / (per_level * (through * (1 + tuning.share) + prior))
        for seen, through in zip(spent, exposed, strict=True)
    ]
    return [(raw[hour - 1] + 2 * raw[hour] + raw[(hour + 1) % 24]) / 4 for hour in range(24)]


def look_back(points: Sequence[tuple[float, float]], window: float, tuning: Tuning) -> Sequence[tuple[float, float]]:
    """The newest points of an epoch that a rate is taken over, further back where they would be no evidence."""
    look = min(max(window / HOUR / LOOK, SHORTEST_LOOK), LONGEST_LOOK)
    last = points[-1][0]
    first = len(points) - 1
    while first > 0:
        within = points[first - 1][0] >= last - look * HOUR - SLACK
        if not within and enough(points[first:], tuning):
            break
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
