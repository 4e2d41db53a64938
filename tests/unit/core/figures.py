"""Figures of one limit for tests: what was read, at which hour, with which stamp."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from capacity.core.epochs import Course, Sample, ordered, sample
from capacity.core.rates import Exposure
from capacity.core.tracks import tracks
from capacity.core.tuning import Tuning
from capacity.values.limits import Limit

START = datetime(2026, 9, 2, 0, 0, tzinfo=UTC)
WEEK, FIVE = timedelta(days=7), timedelta(hours=5)


def at(hours: float) -> datetime:
    """So many hours after the start of the day."""
    return START + timedelta(hours=hours)


def limit(percent: float | None, resets: float | None, window: timedelta | None = WEEK, quantum: float = 1.0) -> Limit:
    """A weekly limit whose stamp is so many hours after the start of the day."""
    stamp = None if resets is None else at(resets)
    return Limit("weekly", percent, quantum, resets_at=stamp, window=window)


def samples(
    told: Iterable[tuple[float, float | None, float | None]], window: timedelta | None = WEEK, quantum: float = 1.0
) -> tuple[Sample, ...]:
    """Figures as (hour, percent, hour of the stamp)."""
    found = (sample(limit(percent, stamp, window, quantum), at(hour).timestamp(), {}) for hour, percent, stamp in told)
    return ordered(one for one in found if one is not None)


def worked(told: Sequence[Sample], now: float) -> list[Course]:
    """The course of those figures; none where no figure counts."""
    instant = at(now).timestamp()
    return [one.course for one in tracks({"weekly": told}, Exposure((), instant), instant, Tuning())]


def cut(
    *told: tuple[float, float | None, float | None],
    window: timedelta | None = WEEK,
    quantum: float = 1.0,
    now: float = 99,
) -> Course:
    """The figures, cut into epochs."""
    (found,) = worked(samples(told, window, quantum), now)
    return found


def shapes(one: Course) -> list[tuple[str, list[float]]]:
    """Each epoch as what opened it, and its percents."""
    return [(epoch.opening, [percent for _, percent in epoch.points]) for epoch in one.epochs]
