"""Readings of one limit, cut into epochs: the one place where a reset, a grant or a drop is told from noise.

Every later figure reads epochs, so no rate is ever taken across a cut, and none is negative. A counter lags and never
leads: inside an epoch the highest figure stands. Each rule below is one line of `Cutter.take`, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Literal, NamedTuple

from attrs import frozen

from capacity.core.tuning import Tuning
from capacity.values.limits import Limit

Opening = Literal["first", "scheduled", "early", "started", "unstarted", "dropped"]

DAY = 86_400.0
"""Seconds in a day, and the length assumed of a window that nobody tells."""

AHEAD = 20
"""A stamp that jumped ahead by more than this part of the window is another window's."""

BEHIND = 4
"""A stamp that fell back by more than this part of the window is an older window's, published again."""

LEAST_JUMP = 600.0
"""Seconds: no window is so short that a smaller jump of its stamp means a new one."""

DROPS, MOVES = 2, 3
"""Readings in a row that make a deep fall a drop, and a stamp that runs ahead a sliding one."""

TRUSTED = 3
"""Figures of which the oldest is believed to be no later than now."""

HORIZON = timedelta(days=8)
"""How far back samples are kept: a week, so that the profile of the day has seen each hour often, and a day."""


class Sample(NamedTuple):
    """One figure of one limit, in the bare numbers a fold is quick with.

    Attributes:
        at: when it was true, seconds since 1970.
        percent: percent used, 0 to 100.
        resets_at: the stamp, seconds since 1970; `inf` = none was told.
        quantum: the step it is told in, points.
        window: length of the window, seconds; 0 = not told.
    """

    at: float
    percent: float
    resets_at: float
    quantum: float
    window: float


START = datetime(1970, 1, 1, tzinfo=UTC)


def seconds(at: datetime) -> float:
    """An instant as seconds since 1970, cut to 1/1024: a float holds that exactly, so that a shift by days is exact too."""
    since = at - START
    return since.days * DAY + since.seconds + (since.microseconds * 1024 // 1_000_000) / 1024


NONE = float("inf")
"""A stamp that was not told; it compares without a special case."""


def gauge(limit: Limit) -> tuple[float, float] | None:
    """Percent used and its quantum, where a limit can be paced; None where it cannot.

    Money or credits of a known cap are a percent with a fine quantum. What is scoped binds no pool, and what frees on
    release or payment has no reset to land at.
    """
    percent = limit.percent
    if limit.scope is not None or (limit.resets_at is None and limit.window is None):
        return None
    if percent is not None:
        return (float(percent) if percent < 100.0 else 100.0), limit.quantum
    if limit.frees_on == "release":
        return None
    for unit, cap in limit.cap.items():
        left = limit.left.get(unit)
        if left is not None and cap > 0:
            exponents = [int(exponent) for exponent in (left.as_tuple().exponent, cap.as_tuple().exponent)]
            used = float(100 * (cap - left) / cap)
            return min(max(used, 0.0), 100.0), float(100 * 10.0 ** min(exponents) / float(cap))
    return None


def ordered(samples: Iterable[Sample]) -> tuple[Sample, ...]:
    """Samples by instant, one each: of two the larger figure, then the later stamp, since a counter only lags."""
    found = sorted(samples)
    kept = [one for one, following in pairwise(found) if one[0] != following[0]]
    return (*kept, found[-1]) if found else ()


def pruned(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Samples no older than the horizon; what is dropped hangs on the set alone.

    The horizon is counted from the third newest, so that a clock that was wrong once or twice costs nothing, and from the
    beginning of its day, so that the oldest one stays the same until the next.
    """
    if len(samples) < TRUSTED:
        return samples
    oldest = (samples[-TRUSTED].at - HORIZON.total_seconds()) // DAY * DAY
    return samples if samples[0].at >= oldest else tuple(one for one in samples if one.at >= oldest)


@frozen
class Epoch:
    """One stretch of a limit between two cuts.

    Attributes:
        opening: what cut it off from the one before.
        points: (seconds since 1970, highest percent so far), in order; never empty.
        resets_at: its newest stamp, seconds since 1970; None = none was told.
    """

    opening: Opening
    points: Sequence[tuple[float, float]]
    resets_at: float | None

    @property
    def top(self) -> float:
        """The highest percent seen."""
        return self.points[-1][1]


@frozen
class Course:
    """One limit as its epochs.

    Attributes:
        name: the limit's name.
        window: its length in seconds; a day where nobody tells.
        quantum: the step of its newest figure, points.
        epochs: in order; never empty.
        doubted: the newest figure fell deep and nothing has confirmed it yet.
        sliding: its stamp runs ahead from reading to reading, so that it names no instant.
    """

    name: str
    window: float
    quantum: float
    epochs: Sequence[Epoch]
    doubted: bool
    sliding: bool

    @property
    def last(self) -> Epoch:
        """The epoch that is running, or ran last."""
        return self.epochs[-1]


def sample(limit: Limit, at: float, stamps: dict[datetime, float]) -> Sample | None:
    """What a limit said at an instant; None where it cannot be paced.

    Args:
        limit: the limit.
        at: seconds since 1970.
        stamps: resets that were turned into seconds before; a new one is put there.
    """
    found = gauge(limit)
    if found is None:
        return None
    resets_at, stamp = limit.resets_at, NONE
    if resets_at is not None:
        known = stamps.get(resets_at)
        stamp = stamps[resets_at] = seconds(resets_at) if known is None else known
    return Sample(at, found[0], stamp, found[1], limit.window.total_seconds() if limit.window else 0.0)


Point = tuple[float, float, int]
"""A figure that counts: seconds since 1970, the highest percent of its epoch so far, and the number of that epoch."""


class Cutter:
    """The state of the cut while samples come in."""

    def __init__(self, window: float, tuning: Tuning) -> None:
        self.window, self.tuning = window, tuning
        self.jitter = tuning.jitter
        self.epochs: list[Epoch] = []
        self.opening: Opening = "first"
        self.points: list[tuple[float, float]] = []
        self.stamp = NONE
        self.quantum = 1.0
        self.moves = 0
        self.dips = 0
        self.held: list[tuple[float, float]] = []

    @property
    def full(self) -> float:
        """From where on a figure is full: within half a step of the top."""
        return 100.0 - self.quantum / 2

    def copy(self) -> Cutter:
        """Another that may go on by itself."""
        other = Cutter(self.window, self.tuning)
        other.epochs, other.points, other.held = list(self.epochs), list(self.points), list(self.held)
        other.opening, other.stamp, other.quantum = self.opening, self.stamp, self.quantum
        other.moves, other.dips = self.moves, self.dips
        return other

    def run(self, samples: Iterable[Sample]) -> list[Point]:
        """More samples, in order and not before those taken; those that count, each as the point it makes."""
        found: list[Point] = []
        for one in samples:
            at, percent, stamp, quantum, _ = one
            points = self.points
            # as nearly always: the same window, still running, and more of it spent
            if points and stamp == self.stamp and at < stamp and percent >= points[-1][1] and not self.held:
                self.quantum, self.moves, self.dips = quantum, 0, 0
                points.append((at, percent))
            elif not self.take(one):
                continue
            found.append((at, self.points[-1][1], len(self.epochs)))
        return found

    def take(self, sample: Sample) -> bool:
        """One more sample, not before those taken; whether it counts now."""
        at, percent, stamp, quantum, _ = sample
        was = self.stamp
        if stamp <= at - self.jitter or (stamp < was - self.window / BEHIND and was < NONE):
            return False  # a window that is over, or an older one published again
        self.quantum = quantum
        opening = self._opening(at, percent, stamp)
        if opening is not None:
            self._open(opening, [(at, percent)], stamp)
            return True
        if stamp < NONE:
            self.moves = self.moves + 1 if stamp > was + self.jitter else 0
            self.stamp = stamp
        return self._rise(at, percent)

    def _opening(self, at: float, percent: float, stamp: float) -> Opening | None:
        """What opens a new epoch here; None where nothing does."""
        if not self.points:
            return "first"
        was = self.stamp
        if at >= was - self.jitter and stamp > was + self.window / AHEAD:
            return "scheduled"
        if (stamp < NONE) != (was < NONE):
            return "started" if stamp < NONE else "unstarted"
        jumped = stamp < NONE and stamp > was + max(LEAST_JUMP, self.window / AHEAD)
        return "early" if jumped and percent < self.points[-1][1] - self.quantum else None

    def _rise(self, at: float, percent: float) -> bool:
        """A figure inside the epoch: a rise, a lag, or a fall that has to be confirmed."""
        top = self.points[-1][1]
        fall = top - percent
        if fall > self.tuning.dip_quanta * self.quantum:
            self.held.append((at, percent))
            confirmed = len(self.held) >= DROPS
            if confirmed:
                self._open("dropped", self.held, self.stamp)
            return confirmed
        self.held = []
        self.dips = self.dips + 1 if fall >= self.quantum else 0
        if self.dips >= self.tuning.dip_confirm:
            self._open("dropped", [(at, percent)], self.stamp)
        else:
            self.points.append((at, max(top, percent)))
        return True

    def _open(self, opening: Opening, points: list[tuple[float, float]], stamp: float) -> None:
        self._close()
        top = 0.0
        self.points = []
        for at, percent in points:
            top = max(top, percent)
            self.points.append((at, top))
        self.opening, self.stamp = opening, stamp
        self.moves, self.dips, self.held = 0, 0, []

    def _close(self) -> None:
        if self.points:
            self.epochs.append(self._epoch())

    def _epoch(self) -> Epoch:
        return Epoch(self.opening, self.points, self.stamp if self.stamp < NONE else None)

    def course(self, name: str) -> Course | None:
        """Everything cut so far; None where nothing was."""
        if not self.points:
            return None
        sliding = self.moves >= MOVES and self.points[-1][1] > 0
        return Course(name, self.window, self.quantum, [*self.epochs, self._epoch()], bool(self.held), sliding)
