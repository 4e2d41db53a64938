"""Stories of one pool for the pacing laws: readings of a session and a week, with the oddities that were seen in the wild."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from capacity import Limit, Policy, Reading, Scope, assess
from capacity.values.history import Level
from capacity.values.limits import PoolHeadroom
from capacity.values.policy import AccountPolicy, Pacing, PoolPolicy

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
POLICY = Policy(
    accounts={"p": AccountPolicy("p", "fake")}, pools={"p": PoolPolicy("p", "p", "subscription")}, pacing=Pacing()
)
WINDOWS = {"5h": timedelta(hours=5), "weekly": timedelta(days=7)}


class Story(NamedTuple):
    """What was read of one pool, and what was commanded.

    Attributes:
        readings: in order.
        levels: in order.
        policy: its policy.
        as_of: the present.
    """

    readings: tuple[Reading, ...]
    levels: tuple[Level, ...]
    policy: Policy
    as_of: datetime


def assessed(story: Story) -> PoolHeadroom:
    """The pool as it is known."""
    return assess(story.readings, story.levels, story.policy, story.as_of).pools["p"]


@st.composite
def stories(draw: DrawFn, *, smooth: bool = False) -> Story:
    """A pool that is read for some hours.

    Args:
        draw: given by hypothesis.
        smooth: without anything odd: whole figures, no gaps, no lag, stamps in place.
    """
    ticks = draw(st.integers(4, 24))
    wanders = st.just(0) if smooth else st.sampled_from((0, 0, 0, -2, 2, 600, 18_000))
    percents = {name: draw(st.integers(0, 60)) for name in WINDOWS}
    resets = {name: NOW + draw(st.integers(-60, 400)) * timedelta(minutes=5) for name in WINDOWS}
    readings = []
    for tick in range(ticks):
        at = NOW - timedelta(minutes=20 * (ticks - 1 - tick))
        limits = []
        for name, window in WINDOWS.items():
            if resets[name] <= at:
                resets[name] += window
                percents[name] = 0
            percents[name] = min(100, percents[name] + draw(st.integers(0, 6)))
            shown = percents[name] if smooth else max(0, percents[name] - draw(st.sampled_from((0, 0, 0, 0, 3, 40))))
            stamp = resets[name] + timedelta(seconds=draw(wanders))
            limits.append(Limit(name, float(shown), resets_at=stamp, window=window))
        if not smooth and draw(st.integers(0, 9)) == 0:
            continue
        readings.append(Reading("p", "ok", "fake", at, limits=tuple(limits)))
    levels = draw(st.lists(st.tuples(st.integers(0, 30), st.floats(0.5, 20)), max_size=4, unique_by=lambda one: one[0]))
    steps = tuple(Level("p", NOW - ago * timedelta(minutes=20), level) for ago, level in levels)
    return Story(tuple(readings), steps, POLICY, NOW + draw(st.sampled_from((0, 1, 20, 400))) * timedelta(minutes=1))


def with_a_cap(story: Story) -> Story:
    """The same, with a full cap on one model in every reading."""
    cap = Limit(
        "weekly:big", 100.0, resets_at=NOW + timedelta(days=2), window=WINDOWS["weekly"], scope=Scope("model", "big")
    )
    return story._replace(readings=tuple(evolve(one, limits=(*one.limits, cap)) for one in story.readings))
