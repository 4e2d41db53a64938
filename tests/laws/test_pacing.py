"""What pacing never does, whatever was read: order, repeats, stories of the future and units change nothing."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from capacity import Reading, assess
from capacity.core.headroom import fold
from capacity.core.pacing import Reach, target
from capacity.core.tuning import Tuning
from capacity.values.limits import Limit

from .pacing import NOW, POLICY, WINDOWS, Story, assessed, stories, with_a_cap

DAY = timedelta(days=1)


@given(stories(), st.randoms(use_true_random=False))
def test_order_repeats_and_a_republished_tail_change_nothing(story: Story, chance: Random) -> None:
    """Readings in any order, twice, and the newest again under a later publication."""
    mixed = [*story.readings, *story.readings[-3:]]
    mixed += [evolve(one, published_at=story.as_of) for one in story.readings[-2:]]
    chance.shuffle(mixed)
    levels = list(story.levels)
    chance.shuffle(levels)
    again = assessed(story._replace(readings=tuple(mixed), levels=tuple(levels)))

    assert again == assessed(story)


@given(stories(), st.integers(-300, 300))
def test_whole_days_change_only_instants(story: Story, days: int) -> None:
    """The same story some days later is paced alike."""
    by = days * DAY
    later = Story(
        tuple(
            evolve(one, observed_at=one.observed_at + by, limits=tuple(_later(limit, by) for limit in one.limits))
            for one in story.readings
        ),
        tuple(evolve(one, at=one.at + by) for one in story.levels),
        story.policy,
        story.as_of + by,
    )
    one, other = assessed(story), assessed(later)

    assert (one.pace, one.pressure, one.wanted, one.jump, one.binding) == (
        other.pace,
        other.pressure,
        other.wanted,
        other.jump,
        other.binding,
    )
    assert [known.rate for known in one.limits] == [known.rate for known in other.limits]


def _later(limit: Limit, by: timedelta) -> Limit:
    return evolve(limit, resets_at=None if limit.resets_at is None else limit.resets_at + by)


@given(stories())
def test_a_reading_from_the_future_changes_nothing(story: Story) -> None:
    """What is stamped ten minutes ahead is not believed."""
    assume(story.readings)
    ahead = evolve(
        story.readings[-1],
        observed_at=story.as_of + timedelta(minutes=10),
        limits=tuple(evolve(one, percent=99.0) for one in story.readings[-1].limits),
    )
    before, after = assessed(story), assessed(story._replace(readings=(*story.readings, ahead)))

    assert (before.wanted, before.jump) == (after.wanted, after.jump)
    assert [one.rate for one in before.limits] == [one.rate for one in after.limits]


@given(stories())
def test_a_scoped_cap_paces_nothing(story: Story) -> None:
    """A cap on one model, full or not, changes neither pace nor pressure nor the wanted level."""
    one, other = assessed(story), assessed(with_a_cap(story))

    assert (one.pace, one.pressure, one.wanted, one.binding) == (
        other.pace,
        other.pressure,
        other.wanted,
        other.binding,
    )


@given(stories(), st.sampled_from((0.5, 2.0, 4.0)))
def test_the_unit_of_a_level_is_free(story: Story, unit: float) -> None:
    """Told in another unit, the wanted level is in that unit; pressure and pace are the same."""
    scaled = tuple(evolve(one, level=one.level * unit) for one in story.levels)
    one, other = assessed(story), assessed(story._replace(levels=scaled))

    assert one.pace == other.pace
    if one.wanted is not None and story.levels:
        assert other.wanted == pytest.approx(one.wanted * unit)
    if one.pressure is not None and other.pressure is not None:
        assert other.pressure.middle == pytest.approx(one.pressure.middle)


@given(stories())
def test_a_verdict_is_proven(story: Story) -> None:
    """`over` has its low end above 1, `under` its high end below."""
    for one in assessed(story).limits:
        if one.pace == "over":
            assert one.pressure is not None
            assert one.pressure.low > 1
        if one.pace == "under":
            assert one.pressure is not None
            assert one.pressure.high < 1


@given(stories(smooth=True), st.integers(1, 5))
def test_more_used_is_more_pressure_and_less_wanted(story: Story, more: int) -> None:
    """A higher newest figure never relieves a limit."""
    assume(len(story.readings) > 1)
    last = story.readings[-1]
    assume(all(one.percent is not None and one.percent + more < 99 for one in last.limits))
    higher = evolve(last, limits=tuple(evolve(one, percent=(one.percent or 0) + more) for one in last.limits))
    before, after = assessed(story), assessed(story._replace(readings=(*story.readings[:-1], higher)))
    for one, other in zip(before.limits, after.limits, strict=True):
        if one.pressure is not None and other.pressure is not None:
            assert other.pressure.middle >= one.pressure.middle
    if before.wanted is not None and after.wanted is not None and story.levels:
        assert after.wanted <= before.wanted + 1e-9


@given(stories(smooth=True))
def test_another_limit_never_raises_the_wanted_level(story: Story) -> None:
    """The least of the levels counts: a week beside the session can only hold the pool back."""
    session = tuple(
        evolve(one, limits=tuple(limit for limit in one.limits if limit.name == "5h")) for one in story.readings
    )
    both, alone = assessed(story), assessed(story._replace(readings=session))
    assume(story.levels and both.wanted is not None and alone.wanted is not None and both.pace != "exhausted")

    assert both.wanted <= alone.wanted + 1e-9


@given(st.lists(st.floats(0, 9), min_size=4, max_size=24), st.sampled_from(("nearest", "down", "up")))
def test_the_mean_of_any_truth_is_within_the_rate(spent: list[float], rounding: str) -> None:
    """However bursty the load and however it is rounded, what was really spent an hour lies within the bounds."""
    truth = [sum(spent[: index + 1]) / 4 for index in range(len(spent))]
    assume(truth[-1] < 90)
    shown = {"nearest": round, "down": int, "up": lambda one: -int(-one // 1)}[rounding]
    readings = tuple(
        Reading(
            "p",
            "ok",
            "fake",
            NOW - timedelta(minutes=20 * (len(truth) - 1 - index)),
            limits=(Limit("weekly", float(shown(one)), resets_at=NOW + 3 * DAY, window=WINDOWS["weekly"]),),
        )
        for index, one in enumerate(truth)
    )
    rate = assessed(Story(readings, (), POLICY, NOW)).limits[0].rate
    look = min(len(truth) - 1, 25)  # 8.4 hours, the twentieth part of a week
    mean = (truth[-1] - truth[-1 - look]) / (look / 3)

    assert rate is not None
    assert rate.low - 1e-9 <= mean <= rate.high + 1e-9


@given(st.floats(-20, 200), st.floats(0, 50), st.floats(0.001, 20), st.floats(0, 30), st.booleans())
def test_the_target_is_within_the_reach_and_the_slew(
    wanted: float, level: float, low: float, span: float, jump: bool
) -> None:
    """Never outside what the seats can be commanded to, and never more than twice or less than a third in a tick."""
    reach, tuning = Reach(low, low + span), Tuning()
    goal = target(wanted, level, reach, tuning, jump=jump)

    if goal is not None:
        assert reach.low <= goal <= reach.high or goal == pytest.approx(reach.clip(goal))
        inside = reach.low <= level <= reach.high
        if not jump and level > 0 and inside:
            assert level / 3 * 0.999 <= goal <= level * 2 * 1.001 or goal == pytest.approx(reach.clip(0.0))


@given(stories(smooth=True), st.integers(1, 30))
def test_a_later_reset_is_no_less_pressure(story: Story, hours: int) -> None:
    """What is left has to last longer."""
    by = timedelta(hours=hours)
    later = story._replace(
        readings=tuple(evolve(one, limits=tuple(_later(limit, by) for limit in one.limits)) for one in story.readings)
    )
    before, after = assessed(story), assessed(later)
    for one, other in zip(before.limits, after.limits, strict=True):
        same = one.rate == other.rate and one.why == other.why
        if same and one.pressure is not None and other.pressure is not None:
            assert other.pressure.middle >= one.pressure.middle - 1e-12


@given(stories(smooth=True))
def test_a_lower_story_of_a_known_instant_changes_nothing(story: Story) -> None:
    """A second reading of the same instant that tells less is a cache's."""
    assume(story.readings)
    lower = tuple(
        evolve(
            one,
            source="a-cache",
            limits=tuple(evolve(limit, percent=max((limit.percent or 0) - 3, 0)) for limit in one.limits),
        )
        for one in story.readings[:-1]
    )
    before, after = assessed(story), assessed(story._replace(readings=(*story.readings, *lower)))

    assert [one.rate for one in before.limits] == [one.rate for one in after.limits]
    assert (before.wanted, before.jump, before.pace) == (after.wanted, after.jump, after.pace)


@given(st.integers(0, 40), st.floats(0.1, 4), st.integers(4, 24), st.sampled_from((1.0, 0.1)))
def test_a_finer_step_is_a_narrower_interval(begin: int, per_tick: float, ticks: int, quantum: float) -> None:
    """The bounds of a rate lie two steps apart, over the time between."""
    told = tuple(
        Reading(
            "p",
            "ok",
            "fake",
            NOW - timedelta(minutes=20 * (ticks - tick)),
            limits=(
                Limit(
                    "weekly",
                    begin + round(per_tick * tick / quantum) * quantum / 2,
                    quantum,
                    resets_at=NOW + 3 * DAY,
                    window=WINDOWS["weekly"],
                ),
            ),
        )
        for tick in range(ticks)
    )
    rate = assessed(Story(told, (), POLICY, NOW)).limits[0].rate
    hours = min(ticks - 1, 25) / 3

    assert rate is not None
    assert rate.high - rate.middle == pytest.approx(quantum / hours)
    assert rate.middle - rate.low <= quantum / hours + 1e-9


@given(stories(), st.integers(0, 24))
def test_a_fold_that_goes_on_gives_the_same(story: Story, cut: int) -> None:
    """Folded to some point, assessed there, and gone on with: to the last bit what comes of everything at once."""
    start = fold(story.readings[:cut])
    at = story.readings[cut - 1].observed_at if 0 < cut <= len(story.readings) else story.as_of
    assess((), [one for one in story.levels if one.at <= at], story.policy, at, start=start)

    assert assess(story.readings[cut:], story.levels, story.policy, story.as_of, start=start) == assess(
        story.readings, story.levels, story.policy, story.as_of
    )
