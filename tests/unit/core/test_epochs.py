"""What cuts a limit into epochs, and what does not: each case was seen in the wild."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from capacity import Limit, Scope
from capacity.core.epochs import HORIZON, gauge, ordered, pruned

from .figures import FIVE, WEEK, at, cut, samples, shapes, worked


def test_a_scheduled_reset() -> None:
    """The stamp is five hours on and its instant has passed: a new epoch, and nothing is counted across it."""
    found = cut((1, 61, 4.5), (2, 63, 4.5), (4.4, 67, 4.5), (4.75, 3, 9.5), (5, 5, 9.5), window=FIVE)

    assert [("first", [61, 63, 67]), ("scheduled", [3, 5])] == shapes(found)


def test_an_unused_window_rolls_over_too() -> None:
    """0 % before and after: the stamp alone says that it is another window."""
    assert [("first", [0]), ("scheduled", [0])] == shapes(cut((4, 0, 4.5), (4.6, 0, 9.5), window=FIVE))


@pytest.mark.parametrize("wander", [-120 / 3600, -2 / 3600, 2 / 3600, 119 / 3600])
def test_a_wandering_stamp_is_the_same_window(wander: float) -> None:
    """Seconds of drift, either way, open nothing."""
    assert [("first", [5, 6, 7])] == shapes(cut((1, 5, 20), (2, 6, 20 + wander), (3, 7, 20)))


@pytest.mark.parametrize("late", [-8 / 3600, 0, 5 / 3600, 8 / 3600])
def test_figures_right_at_the_rollover_make_one_epoch(late: float) -> None:
    """Polls that meet the instant itself, with stamps that drift by seconds, leave no epoch of one stray figure."""
    found = cut((4, 60, 5), (5 + late, 1, 10 + 8 / 3600), (5.3, 2, 10), (5.6, 3, 10 + 5 / 3600), window=FIVE)

    assert [("first", [60]), ("scheduled", [1, 2, 3])] == shapes(found)


def test_a_window_that_is_over_says_nothing() -> None:
    """An expired window that is served on for days is not read."""
    assert [("first", [50, 51])] == shapes(cut((1, 50, 20), (2, 51, 20), (23, 99, 20)))


def test_an_older_window_published_again_is_not_read() -> None:
    """A cache that still holds last week's answer, and anchors that flip: the later one stays."""
    assert [("first", [5, 6])] == shapes(cut((1, 5, 100), (1.5, 88, 20), (2, 6, 100), (2.5, 88, 20)))


def test_a_lagging_counter_keeps_its_highest_figure() -> None:
    """18, 15, 18: caches of concurrent sessions. The envelope stands."""
    assert [("first", [14, 18, 18, 18, 19])] == shapes(
        cut((1, 14, 20), (2, 18, 20), (3, 15, 20), (4, 18, 20), (5, 19, 20))
    )


def test_four_small_falls_in_a_row_are_a_grant() -> None:
    """What stays low was given back."""
    told = [(float(hour), 15.0, 20.0) for hour in range(3, 7)]

    assert [("first", [14, 18, 18, 18, 18]), ("dropped", [15])] == shapes(cut((1, 14, 20), (2, 18, 20), *told))


def test_a_deep_fall_is_doubted_once() -> None:
    """60, 0 with the stamp in place: a glitch or a gift; nobody can tell yet."""
    found = cut((1, 60, 30), (2, 0, 30))

    assert [("first", [60])] == shapes(found)
    assert found.doubted


def test_a_deep_fall_is_believed_the_second_time() -> None:
    """Both low figures belong to the epoch that began with the first."""
    found = cut((1, 60, 30), (2, 0, 30), (3, 1, 30))

    assert [("first", [60]), ("dropped", [0, 1])] == shapes(found)
    assert not found.doubted


def test_a_glitch_is_no_epoch() -> None:
    """60, 0, 60."""
    found = cut((1, 60, 30), (2, 0, 30), (3, 60, 30))

    assert [("first", [60, 60])] == shapes(found)
    assert not found.doubted


def test_an_early_reset() -> None:
    """The stamp jumps ahead and the figure falls: at once a new epoch."""
    assert [("first", [60]), ("early", [2])] == shapes(cut((1, 60, 30), (2, 2, 170)))


def test_an_anchor_that_moves_is_the_same_epoch() -> None:
    """The stamp jumps ahead and nothing falls: the deadline moved."""
    found = cut((1, 60, 30), (2, 61, 170))

    assert [("first", [60, 61])] == shapes(found)
    assert at(170).timestamp() == found.last.resets_at


def test_a_window_that_starts_with_its_first_use() -> None:
    """A stamp that appears, or goes, begins another epoch."""
    found = cut((1, 0, None), (2, 3, 7), (3, 4, 7), (8, 0, None), window=FIVE)

    assert [("first", [0]), ("started", [3, 4]), ("scheduled", [0])] == shapes(found)


def test_a_sliding_stamp_names_no_instant() -> None:
    """Always now and a week: after three moves nobody paces by it; with nothing used it may well be so."""
    sliding = [(hour, 10.0 + hour, hour + 168.0) for hour in range(5)]

    assert not cut(*sliding[:3]).sliding
    assert cut(*sliding).sliding
    assert not cut(*((hour, 0.0, stamp) for hour, _, stamp in sliding)).sliding


def test_a_display_that_catches_up_is_burn() -> None:
    """20, 80: a downgrade, or a late display. It is spent, whatever it was."""
    assert [("first", [20, 80])] == shapes(cut((1, 20, 30), (2, 80, 30)))


def test_two_stories_of_one_instant() -> None:
    """The larger figure counts, since a counter lags and never leads."""
    assert [("first", [21])] == shapes(cut((1, 20, 30), (1, 21, 30), (1, 19, 30)))


def test_a_clock_that_is_ahead() -> None:
    """Two minutes ahead is now; ten is not believed."""
    ahead = samples([(1, 20, 30), (2 + 2 / 60, 21, 30), (2 + 10 / 60, 99, 30)])
    (found,) = worked(ahead, 2)

    assert [("first", [20, 21])] == shapes(found)
    assert at(2).timestamp() == found.last.points[-1][0]


def test_nothing_but_windows_that_are_over_is_no_course() -> None:
    """There is nothing to pace."""
    assert [] == worked(samples([(30, 20, 20)]), 31)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (Limit("weekly", 37.0, resets_at=at(9), window=WEEK), (37.0, 1.0)),
        (Limit("weekly", 130.0, resets_at=at(9)), (100.0, 1.0)),
        (Limit("weekly", 1.0, 0.1, window=WEEK), (1.0, 0.1)),
        (
            Limit("monthly", left={"USD": Decimal("15.00")}, cap={"USD": Decimal("20.00")}, resets_at=at(9)),
            (25.0, 0.05),
        ),
        (Limit("monthly", left={"cents": Decimal(1500)}, cap={"cents": Decimal(2000)}, resets_at=at(9)), (25.0, 0.05)),
        (Limit("balance", left={"USD": Decimal("15.00")}), None),
        (Limit("monthly", left={"USD": Decimal("15.00")}, resets_at=at(9)), None),
        (Limit("weekly", None, resets_at=at(9), window=WEEK), None),
        (Limit("weekly", 37.0), None),
        (Limit("weekly:big", 37.0, resets_at=at(9), scope=Scope("model", "big")), None),
        (Limit("slots", left={"slots": Decimal(1)}, cap={"slots": Decimal(4)}, window=WEEK), None),
    ],
    ids=[
        "percent",
        "over-full",
        "one-percent",
        "money",
        "cents",
        "balance",
        "no-cap",
        "null",
        "no-end",
        "scoped",
        "slots",
    ],
)
def test_what_can_be_paced(limit: Limit, expected: tuple[float, float] | None) -> None:
    """Percent, or money of a known cap, of what resets and binds the whole pool; 1.0 is one percent."""
    found = gauge(limit)

    assert found == (None if expected is None else pytest.approx(expected))


def test_samples_older_than_the_horizon_go() -> None:
    """What is kept hangs on the figures alone: eight days before the third newest, from the beginning of that day."""
    told = samples([(0, 1, 999), (25, 2, 999), *((24 * 9 + 3 + n, 3 + n, 999) for n in range(3))])

    assert [2, 3, 4, 5] == [one.percent for one in pruned(told)]
    assert timedelta(days=8) == HORIZON
    assert () == pruned(ordered([]))


def test_a_clock_that_was_far_ahead_once_drops_nothing() -> None:
    """A figure stamped a month from now ends no fold: what came before it is kept, and it is not believed."""
    told = samples([(1, 20, 99), (2, 21, 99), (3, 22, 99), (24 * 30, 99, 24 * 35)])
    (found,) = worked(pruned(told), 3)

    assert [("first", [20, 21, 22])] == shapes(found)
