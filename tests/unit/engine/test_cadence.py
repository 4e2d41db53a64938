"""When a source is due is a function of what is remembered, and of nothing else."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from attrs import evolve

from capacity.core.circuits import LONGEST
from capacity.engine.cadence import Asked, due, due_at
from capacity.ports import Budget

from .scene import HOUR, NOON

MINUTE = timedelta(minutes=1)
BUDGET = Budget(floor=3 * MINUTE, usual=5 * MINUTE, idle=10 * MINUTE, slowest=30 * MINUTE, jitter=0.0)
ASKED = Asked(count=1, asked_at=NOON)


def at(asked: Asked, *, idle: bool = False, budget: Budget = BUDGET) -> timedelta:
    """How long after noon a source is due."""
    found = due_at(budget, asked, "probe:x/login", idle=idle)
    assert found is not None
    return found - NOON


def test_never_asked_is_due_now() -> None:
    """A source nobody ever asked is asked at once."""
    assert due_at(BUDGET, Asked(), "s", idle=True) is None
    assert due(BUDGET, Asked(), "s", NOON, idle=True)


@pytest.mark.parametrize(("idle", "minutes"), [(False, 5), (True, 10)])
def test_in_use_or_idle(idle: bool, minutes: int) -> None:
    """A pool in use is asked at its usual cadence, one nobody runs on at the idle one."""
    assert minutes * MINUTE == at(ASKED, idle=idle)


@pytest.mark.parametrize(("failures", "minutes"), [(1, 7.5), (2, 11.25), (5, 30), (10_000, 30)])
def test_failures_in_a_row_slow_it_down(failures: int, minutes: float) -> None:
    """Each failure multiplies the interval, which never exceeds the slowest one."""
    assert minutes * MINUTE == at(evolve(ASKED, failures=failures))


def test_growth_of_one_ends() -> None:
    """A budget that does not grow stays at its usual cadence, however often it fails."""
    assert 5 * MINUTE == at(evolve(ASKED, failures=500), budget=evolve(BUDGET, growth=1.0))


@pytest.mark.parametrize(("minutes_ago", "due_after"), [(0, 7.5), (59, 7.5), (60, 5)])
def test_a_source_that_refused_not_long_ago_is_asked_less_often(minutes_ago: int, due_after: float) -> None:
    """One step of growth stays for as long as its budget is wary, however well it answers meanwhile."""
    wary, refused = evolve(BUDGET, wary=HOUR), evolve(ASKED, refused_at=NOON - minutes_ago * MINUTE)

    assert due_after * MINUTE == at(refused, budget=wary)
    assert 11.25 * MINUTE == at(evolve(refused, failures=2), budget=wary)
    assert 5 * MINUTE == at(refused)


@pytest.mark.parametrize("growth", [1e6, 1e300])
def test_growth_without_measure_is_the_slowest_interval(growth: float) -> None:
    """No factor is too large to be worked out."""
    assert 30 * MINUTE == at(evolve(ASKED, failures=3), budget=evolve(BUDGET, growth=growth))


def test_what_others_told_before_it_was_ever_asked() -> None:
    """The first question is put off as any other: by an interval, and never further than the slowest one."""
    told = Asked().told(NOON, good=True, retry_at=None, refused_at=None)
    assert 5 * MINUTE == at(told)

    told = told.told(NOON + 29 * MINUTE, good=True, retry_at=None, refused_at=None)
    assert 30 * MINUTE == at(told)
    assert not due(BUDGET, told, "s", NOON + 29 * MINUTE, idle=False)
    assert due(BUDGET, told, "s", NOON + 30 * MINUTE, idle=False)


def test_a_refusal_that_others_met_counts() -> None:
    """One login is refused as a whole: whoever heard when it may be asked again, nobody asks before."""
    told = ASKED.told(NOON + MINUTE, good=False, retry_at=NOON + HOUR, refused_at=NOON + MINUTE)
    assert (HOUR, NOON + MINUTE, None) == (at(told), told.refused_at, told.told_at)

    shorter = told.told(NOON + 2 * MINUTE, good=False, retry_at=NOON + 9 * MINUTE, refused_at=NOON + 2 * MINUTE)
    assert HOUR == at(shorter)


def test_a_failure_that_others_met_changes_nothing() -> None:
    """What told nothing, and named no wait, is no reason to ask later or sooner."""
    assert ASKED == ASKED.told(NOON + MINUTE, good=False, retry_at=None, refused_at=None)
    assert Asked() == Asked().told(NOON, good=False, retry_at=None, refused_at=None)


def test_what_others_told_puts_it_off_but_not_for_ever() -> None:
    """Evidence counts from when it was told; a source is asked by the slowest interval all the same."""
    assert 9 * MINUTE == at(evolve(ASKED, told_at=NOON + 4 * MINUTE))
    assert 30 * MINUTE == at(evolve(ASKED, told_at=NOON + 29 * MINUTE))


@pytest.mark.parametrize(
    ("retry_at", "due_after"),
    [
        (NOON + MINUTE, 5 * MINUTE),
        (NOON + HOUR, HOUR),
        (NOON + timedelta(days=400), LONGEST),
    ],
)
def test_the_source_may_ask_for_patience(retry_at: datetime, due_after: timedelta) -> None:
    """An instant the source set holds, never brings a question forward, and is not believed for longer than a day."""
    assert due_after == at(evolve(ASKED, retry_at=retry_at))


@pytest.mark.parametrize("count", range(50))
def test_spread_stays_in_bounds_and_is_no_chance(count: int) -> None:
    """Jitter shortens by its share and no further, never below the floor, and twice the same."""
    budget = evolve(BUDGET, jitter=0.5)
    asked = evolve(ASKED, count=count)

    assert 3 * MINUTE <= at(asked, budget=budget) <= 5 * MINUTE
    assert 5 * MINUTE <= at(asked, budget=budget, idle=True) <= 10 * MINUTE
    assert at(asked, budget=budget) == at(asked, budget=budget)


def test_spread_differs_by_source_and_count() -> None:
    """Sources that were asked at one instant are not all due at one instant again."""
    budget = evolve(BUDGET, jitter=0.2)
    instants = {due_at(budget, evolve(ASKED, count=n), source, idle=False) for n in range(5) for source in "ab"}

    assert 10 == len(instants)


def test_a_clock_that_was_wrong_does_not_silence_a_source() -> None:
    """A question noted far in the future does not count; one noted a little ahead does."""
    assert due(BUDGET, evolve(ASKED, asked_at=NOON + timedelta(days=400)), "s", NOON, idle=False)
    assert not due(BUDGET, evolve(ASKED, asked_at=NOON + MINUTE), "s", NOON, idle=False)


def test_memory_of_a_question_and_its_answer() -> None:
    """The question is counted before it is sent; a good answer ends a row of failures, a bad one lengthens it."""
    asked = Asked(count=4, failures=2).asking(NOON)

    assert Asked(count=5, asked_at=NOON, failures=2) == asked
    assert 0 == asked.answered(good=True, retry_at=None).failures
    assert (3, NOON + HOUR) == (
        (failed := asked.answered(good=False, retry_at=NOON + HOUR)).failures,
        failed.retry_at,
    )
