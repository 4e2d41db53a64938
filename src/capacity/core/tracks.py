"""The figures of a pool, worked through in order of time: cut into epochs, and what each interval teaches of the burn.

What was worked through is kept beside the figures, so that a fold that goes on works only through what is new. It is
worked in the same order either way, so that both ways give the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from attrs import frozen

from capacity.core.epochs import DAY, Course, Cutter, Point, Sample, ordered
from capacity.core.rates import HOUR, SLACK, Burn, Exposure
from capacity.core.tuning import Tuning


class Stretch(NamedTuple):
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


@frozen
class Track:
    """One limit, worked through.

    Attributes:
        course: its epochs.
        burn: what it was seen to spend, over all of them.
        spent: hour of the day (UTC) → points, older ones counting less.
        exposed: hour of the day → level-hours, likewise.
        recent: the intervals of late that taught, in order.
    """

    course: Course
    burn: Burn
    spent: Sequence[float]
    exposed: Sequence[float]
    recent: Sequence[Stretch]


def tracks(
    samples: Mapping[str, Sequence[Sample]],
    exposure: Exposure,
    now: float,
    tuning: Tuning,
    kept: dict[str, Work] | None = None,
) -> list[Track]:
    """The limits of a pool, worked through; without those none of whose figures speaks of a window of its time.

    Args:
        samples: limit → its figures, as `ordered` gives them.
        exposure: the level commanded so far.
        now: seconds since 1970. A figure a little later was taken now, by a clock that is ahead; one much later never.
        tuning: the controller's figures.
        kept: what was worked through before; what is worked through now is put there instead.
    """
    if any(told and told[-1].at > now for told in samples.values()):
        believed = {name: _believed(told, now, tuning) for name, told in samples.items()}
        return Work(believed, exposure, tuning).tracks()
    was = None if kept is None else kept.get("work")
    work = Work(samples, exposure, tuning, was if was is not None and was.leads_to(samples, exposure, tuning) else None)
    if kept is not None:
        kept["work"] = work
    return work.tracks()


def _believed(told: Sequence[Sample], now: float, tuning: Tuning) -> Sequence[Sample]:
    return ordered(one._replace(at=min(one.at, now)) for one in told if one.at <= now + tuning.skew)


class Work:
    """The figures of a pool worked through once; never changed after it is made.

    Args:
        samples: limit → its figures.
        exposure: the level commanded so far.
        tuning: the controller's figures.
        was: work that leads to this one, to go on from.
    """

    def __init__(
        self, samples: Mapping[str, Sequence[Sample]], exposure: Exposure, tuning: Tuning, was: Work | None = None
    ) -> None:
        self.samples, self.tuning = samples, tuning
        self.windows = {name: _window(told) for name, told in samples.items()}
        self.steps = exposure.steps
        self.ends = max((told[-1].at for told in samples.values() if told), default=0.0)
        self.meters: dict[str, Meter] = {
            name: was.meters[name].copy() if was is not None else Meter(Cutter(window, tuning), tuning)
            for name, window in self.windows.items()
        }
        done = {name: len(was.samples[name]) if was is not None else 0 for name in samples}
        fresh = {name: meter.cutter.run(samples[name][done[name] :]) for name, meter in self.meters.items()}
        full = frozenset(
            at for name, points in fresh.items() for at, top, _ in points if top >= self.meters[name].cutter.full
        )
        passed = exposure.at(at for points in fresh.values() for at, _, _ in points) if exposure.known else None
        for name, points in fresh.items():
            self.meters[name].learn(points, full, passed, exposure.begins)

    def leads_to(self, samples: Mapping[str, Sequence[Sample]], exposure: Exposure, tuning: Tuning) -> bool:
        """Whether working on from here gives what working from the start would: nothing older has changed."""
        return (
            self.tuning == tuning
            and self.samples.keys() == samples.keys()
            and all(_continues(self.samples[name], told) for name, told in samples.items())
            and all(self.windows[name] == _window(told) for name, told in samples.items())
            and bool(self.steps) is exposure.known  # without any level hours were counted, and none before the first
            and self.steps == exposure.steps[: len(self.steps)]
            and all(at >= self.ends for at, _ in exposure.steps[len(self.steps) :])
        )

    def tracks(self) -> list[Track]:
        """Each limit that has an epoch, by name."""
        found = ((self.meters[name], self.meters[name].cutter.course(name)) for name in sorted(self.meters))
        return [meter.track(course) for meter, course in found if course is not None]


def _window(told: Sequence[Sample]) -> float:
    return next((one.window for one in reversed(told) if one.window), DAY)


def _continues(known: Sequence[Sample], told: Sequence[Sample]) -> bool:
    """Whether figures are those known and newer ones; whoever folds them puts nothing between."""
    count = len(known)
    return len(told) >= count and (not count or (told[0] == known[0] and told[count - 1] == known[-1]))


class Meter:
    """One limit while its figures come in."""

    __slots__ = ("at", "burn", "cutter", "epoch", "exposed", "passed", "recent", "spent", "stopped", "top", "tuning")

    def __init__(self, cutter: Cutter, tuning: Tuning) -> None:
        self.cutter, self.tuning = cutter, tuning
        self.burn = (0.0, 0.0, 0.0, 0, 0.0)
        self.spent, self.exposed = [0.0] * 24, [0.0] * 24
        self.recent: list[tuple[float, float, float, float]] = []
        self.at = self.top = self.passed = 0.0
        self.epoch = -1
        self.stopped = False

    def copy(self) -> Meter:
        """Another that may go on by itself."""
        other = Meter(self.cutter.copy(), self.tuning)
        other.burn, other.spent, other.exposed = self.burn, list(self.spent), list(self.exposed)
        other.recent, other.at, other.top, other.passed = list(self.recent), self.at, self.top, self.passed
        other.epoch, other.stopped = self.epoch, self.stopped
        return other

    def learn(
        self, points: Sequence[Point], full: Collection[float], passed: Mapping[float, float] | None, begins: float
    ) -> None:
        """Learn from the intervals that these figures end, unless there is a cut in one, or too long a wait.

        Args:
            points: the figures that count, in order.
            full: instants at which some limit of the pool was full: the pool was stopped, and what begins or ends then
                teaches nothing.
            passed: instant → level-hours up to it; None = no level was ever recorded, and hours count.
            begins: when levels begin to be known, seconds since 1970.
        """
        tuning, spent, exposed = self.tuning, self.spent, self.exposed
        longest, keep, half = tuning.max_gap + SLACK, tuning.profile_keep, tuning.half_life
        was, top, epoch, stopped, before = self.at, self.top, self.epoch, self.stopped, self.passed
        points_spent, level_hours, lasted, taught, span = self.burn
        for at, percent, number in points:
            here, stops = passed[at] if passed is not None else 0.0, at in full
            if number == epoch and at - was <= longest and not (stops or stopped) and was >= begins:
                hours, rise = (at - was) / HOUR, percent - top
                through = hours if passed is None else here - before
                fade = 2.0 ** (-hours * HOUR / half)
                points_spent, level_hours = points_spent * fade + rise, level_hours * fade + through
                lasted, taught, span = lasted * fade + hours, taught + 1, span + hours
                hour = int((was + at) / 2 // HOUR) % 24
                spent[hour] = keep * spent[hour] + rise
                exposed[hour] = keep * exposed[hour] + through
                self.recent.append((was, at, rise, through))
            was, top, epoch, stopped, before = at, percent, number, stops, here
        self.burn = (points_spent, level_hours, lasted, taught, span)
        self.at, self.top, self.epoch, self.stopped, self.passed = was, top, epoch, stopped, before
        oldest = was - tuning.burst_look - SLACK
        self.recent = [one for one in self.recent if one[1] >= oldest]

    def track(self, course: Course) -> Track:
        """It, as it stands."""
        return Track(
            course, Burn(*self.burn), tuple(self.spent), tuple(self.exposed), [Stretch(*one) for one in self.recent]
        )
