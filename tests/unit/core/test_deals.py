"""Deals: at which hours of which day spend counts less."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from capacity.core.deals import multiplier
from capacity.values.lanes import Deal

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
NIGHT = Deal("p", 0.5, start=timedelta(hours=22), end=timedelta(hours=6))


@pytest.mark.parametrize(
    ("hour", "minute", "counts"), [(21, 59, 1.0), (22, 0, 0.5), (0, 0, 0.5), (5, 59, 0.5), (6, 0, 1.0), (12, 0, 1.0)]
)
def test_a_night_goes_over_midnight(hour: int, minute: int, counts: float) -> None:
    """A deal that ends before it starts ends the next day; its end is no part of it."""
    assert counts == multiplier([NIGHT], "p", (), NOON.replace(hour=hour, minute=minute))


@pytest.mark.parametrize(("month", "hour", "counts"), [(7, 19, 1.0), (7, 20, 0.5), (1, 20, 1.0), (1, 21, 0.5)])
def test_hours_are_those_on_the_wall_of_its_zone(month: int, hour: int, counts: float) -> None:
    """Ten at night in Berlin is eight or nine in UTC, with the season."""
    deal = Deal("p", 0.5, start=timedelta(hours=22), end=timedelta(hours=6), zone="Europe/Berlin")

    assert counts == multiplier([deal], "p", (), datetime(2026, month, 1, hour, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    ("deal", "counts"),
    [
        (Deal("p", 0.5), 0.5),
        (Deal("q", 0.5), 1.0),
        (Deal("p", 0.5, "Heron"), 0.5),
        (Deal("p", 0.5, "finch"), 1.0),
        (Deal("p", 0.5, since=NOON), 0.5),
        (Deal("p", 0.5, since=NOON + timedelta(seconds=1)), 1.0),
        (Deal("p", 0.5, until=NOON), 1.0),
        (Deal("p", 0.5, until=NOON + timedelta(seconds=1)), 0.5),
        (Deal("p", 0.5, start=timedelta(hours=9), end=timedelta(hours=17)), 0.5),
        (Deal("p", 0.5, start=timedelta(hours=13), end=timedelta(hours=17)), 1.0),
        (Deal("p", 0.5, start=timedelta(hours=9), end=timedelta(hours=17), zone="No/Where"), 1.0),
    ],
)
def test_a_deal_is_for_one_pool_and_perhaps_one_model_and_some_time(deal: Deal, counts: float) -> None:
    """Whatever it does not say does not narrow it; a zone nobody knows makes nothing cheaper."""
    assert counts == multiplier([deal], "p", {"heron", "heron-2"}, NOON)


def test_the_best_of_several_counts() -> None:
    """They are not multiplied: each is a price of its own."""
    assert 0.25 == multiplier([Deal("p", 0.5), Deal("p", 0.25), NIGHT], "p", (), NOON)
