"""A budget keeps its order, and works out when a source that refused may be asked again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity.core.circuits import LONGEST
from capacity.ports import Budget, Document

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
BUDGET = Budget(floor=3 * MINUTE, usual=5 * MINUTE, idle=10 * MINUTE)
MEASURED = evolve(BUDGET, wait_margin=15 * MINUTE, wait_most=75 * MINUTE)


def wait(told: str | None, budget: Budget = BUDGET, *, dated: str | None = None) -> timedelta:
    """How long after its refusal a source may be asked again."""
    headers = (("Retry-After", told), ("Date", dated))
    known = tuple((name, value) for name, value in headers if value is not None)
    return budget.retry_at(Document(b"", NOON, status=429, headers=known)) - NOON


@pytest.mark.parametrize(
    "told", [None, "", "0", "-60", "nan", "soon", "Mon, 02 Mar 2026 11:00:00 GMT", "Mon, 32 Mar 2026 12:00:00 GMT"]
)
def test_a_refusal_that_names_no_wait(told: str | None) -> None:
    """Nought, the past and what nobody can read are no wait: the budget's own least one holds."""
    assert 5 * MINUTE == wait(told)
    assert 7 * MINUTE == wait(told, evolve(MEASURED, wait_least=7 * MINUTE))


@pytest.mark.parametrize(
    "told",
    [
        "1200",
        " 1200.0 ",
        "Mon, 02 Mar 2026 12:20:00 GMT",
        "Mon Mar  2 12:20:00 2026",
        "Mon, 02 Mar 2026 13:20:00 +0100",
    ],
)
def test_a_wait_in_seconds_or_as_a_date(told: str) -> None:
    """Either form is one wait, and a margin is added where the source is known not to keep its word."""
    assert 20 * MINUTE == wait(told)
    assert 35 * MINUTE == wait(told, MEASURED)


def test_a_date_counts_from_the_answers_own_date() -> None:
    """A machine whose clock is an hour off waits as long as any other."""
    assert 20 * MINUTE == wait("Mon, 02 Mar 2026 13:20:00 GMT", dated="Mon, 02 Mar 2026 13:00:00 GMT")
    assert 20 * MINUTE == wait("Mon, 02 Mar 2026 12:20:00 GMT", dated="yesterday")


@pytest.mark.parametrize("told", ["7200", "9" * 400, "1e400", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_no_wait_is_longer_than_the_budget_believes(told: str) -> None:
    """However long it wants to be left alone; where the budget says nothing, no longer than the longest circuit."""
    assert 75 * MINUTE == wait(told, MEASURED)
    assert min(LONGEST, 120 * MINUTE if told == "7200" else LONGEST) == wait(told)


def test_a_short_wait_is_no_shorter_than_the_least() -> None:
    """A source that wants a second still gets what its budget knows to be needed."""
    assert 5 * MINUTE == wait("1")


@pytest.mark.parametrize(
    "parts",
    [
        {"floor": timedelta(0)},
        {"floor": 6 * MINUTE},
        {"idle": 4 * MINUTE},
        {"slowest": 9 * MINUTE},
        {"jitter": -0.1},
        {"jitter": 1.1},
        {"jitter": float("nan")},
        {"growth": 0.9},
        {"growth": float("inf")},
        {"deadline": timedelta(0)},
        {"wary": -MINUTE},
        {"wait_margin": -MINUTE},
        {"wait_least": 90 * MINUTE, "wait_most": 75 * MINUTE},
        {"wait_most": LONGEST + MINUTE},
    ],
)
def test_a_budget_nobody_can_keep_is_refused(parts: dict[str, Any]) -> None:
    """Spans out of order and figures out of bounds are told when the plugin is written, not when it is run."""
    with pytest.raises(ValueError, match="a budget needs"):
        evolve(BUDGET, **parts)


def test_a_source_that_is_asked_once_a_week_is_left_alone_for_a_day() -> None:
    """The least wait is the usual interval, where that is no longer than anybody is believed."""
    week = timedelta(days=7)
    assert LONGEST == wait(None, Budget(floor=week, usual=week, idle=week, slowest=week))
