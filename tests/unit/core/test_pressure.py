"""What a pool's figures prove of its pace, case by case."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve

from capacity.core.pressure import Pressure, press
from capacity.core.rates import Exposure, steady
from capacity.core.tracks import tracks
from capacity.core.tuning import Tuning
from capacity.values.history import Level
from capacity.values.limits import Estimate

from .figures import FIVE, WEEK, at, samples

Told = Sequence[tuple[float, float | None, float | None]]


def pressed(
    now: float, *, weekly: Told = (), session: Told = (), levels: Sequence[tuple[float, float]] = (), quantum: float = 1.0,
    tuning: Tuning | None = None,
) -> Pressure:  # fmt: skip  # a pool in one call
    """One pool's pace."""
    told = {"weekly": samples(weekly, WEEK, quantum), "session": samples(session, FIVE, quantum)}
    figures = tuning or Tuning()
    instant = at(now).timestamp()
    exposure = Exposure([Level("p", at(hour), level) for hour, level in levels], instant)
    known = press(
        tracks({name: one for name, one in told.items() if one}, exposure, instant, figures), exposure, figures, instant
    )
    assert known is not None
    return known


def climbing(begin: float, end: float, first: float, per_hour: float, resets: float | None) -> Told:
    """A figure every twenty minutes."""
    steps = round((end - begin) * 3)
    return [(begin + step / 3, float(round(first + per_hour * step / 3)), resets) for step in range(steps + 1)]


def three(known: Estimate | None) -> object:
    """An estimate as its figures, to compare with what is nearly the same."""
    return None if known is None else pytest.approx((known.low, known.middle, known.high))


def word(known: Pressure) -> tuple[str, str | None]:
    """A pool's word, and the limit it comes from."""
    return known.pace, known.binding


def test_nothing_read_is_no_pool_to_pace() -> None:
    """No figures, no word."""
    assert press([], Exposure([], 0.0), Tuning(), 0.0) is None


def test_one_figure() -> None:
    """What is allowed is known at once; a rate is not."""
    weekly = pressed(17, weekly=[(17, 67, 23)]).limits["weekly"]

    assert (weekly.rate, "learning", "evidence") == (None, weekly.pace, weekly.why)
    assert (5.416666667, 5.5, 5.583333333) == three(weekly.allowed)


def test_two_points_in_ten_minutes() -> None:
    """6 to 18 an hour, and no verdict."""
    weekly = pressed(17, weekly=[(17 - 1 / 6, 64, 23), (17, 66, 23)]).limits["weekly"]

    assert (6, 12, 18) == three(weekly.rate)
    assert ("learning", "evidence") == (weekly.pace, weekly.why)


def test_twenty_two_seats_in_forty_minutes() -> None:
    """64 to 69 % with six hours to go: too early to say at forty minutes, over with the next figure."""
    early = pressed(17 + 2 / 3, weekly=[(17, 64, 23.67), (17 + 1 / 3, 66, 23.67), (17 + 2 / 3, 69, 23.67)])
    later = pressed(18, weekly=[(17, 64, 23.67), (17 + 1 / 3, 66, 23.67), (17 + 2 / 3, 69, 23.67), (18, 71, 23.67)])

    assert ["learning", "over"] == [early.pace, later.pace]


def test_an_hour_of_nothing_is_at_most_one_quantum() -> None:
    """An idle pool is under its pace, and no level is too high for it."""
    known = pressed(3, weekly=climbing(0, 3, 10, 0, 100), levels=[(0, 2.0)])

    rate = known.limits["weekly"].rate
    assert rate is not None
    assert (0.0, 0.0) == (rate.low, rate.middle)
    assert ("under", float("inf")) == (known.pace, known.wanted)


def test_a_full_pool_is_exhausted_whatever_else() -> None:
    """Full outranks learning, and what resets last binds."""
    known = pressed(5, weekly=[(5, 100, 100)], session=[(5, 100, 7)])

    assert ("exhausted", "weekly") == (known.pace, known.binding)


@pytest.mark.parametrize(("used", "pace"), [(99.5, "learning"), (99.94, "learning"), (99.95, "exhausted")])
def test_full_is_half_a_quantum_from_the_top(used: float, pace: str) -> None:
    """Told in tenths, 99.5 % leaves half a point to spend."""
    weekly = pressed(5, weekly=[(5, used, 6)], quantum=0.1).limits["weekly"]

    assert pace == weekly.pace
    assert weekly.allowed is not None
    assert pytest.approx(100 - used) == weekly.allowed.middle


@pytest.mark.parametrize(
    ("told", "now", "why", "used"),
    [
        ([(1, 0, None), (2, 0, None)], 2, "not-started", 0),
        ([(1, 40, None), (2, 40, None)], 2, "no-deadline", 40),
        ([(1, 40, 3), (2, 41, 3)], 4, "window-over", None),
        ([(1, 60, 30), (2, 0, 30)], 2, "unconfirmed-drop", 60),
        ([(1, 60, 30), (2, 61, 30), (3, 62, 30)], 10, "stale", 62),
        ([(hour, 10 + hour, hour + 168) for hour in range(5)], 4, "sliding", 14),
    ],
)
def test_why_a_limit_is_learning(told: Told, now: float, why: str, used: float | None) -> None:
    """Each reason by its name."""
    weekly = pressed(now, weekly=told).limits["weekly"]

    assert ("learning", why, used) == (weekly.pace, weekly.why, used)


def test_under_takes_every_limit() -> None:
    """One that nothing is known of yet is enough not to speed up, and not enough not to slow down."""
    slow, fast = climbing(0, 3, 10, 0, 100), climbing(0, 3, 60, 8, 9)
    unknown = [(3.0, 1.0, 8.0)]

    assert ("learning", None) == word(pressed(3, weekly=slow, session=unknown))
    assert ("over", "weekly") == word(pressed(3, weekly=fast, session=unknown))


def test_the_worst_limit_binds() -> None:
    """A session under its pace while the week binds has no word of its own in the pool's."""
    known = pressed(3, weekly=climbing(0, 3, 60, 4, 12), session=climbing(0, 3, 0, 10, 5))

    assert ("over", "weekly") == word(known)
    assert ["under", "over"] == [known.limits[name].pace for name in ("session", "weekly")]


def test_a_change_of_ours_is_no_change_of_theirs() -> None:
    """The level was halved and the burn with it: at the level in force it is 3 an hour, where a slope says 4.5."""
    told = [
        (16, 50, 28),
        (16.3333, 52, 28),
        (16.6667, 54, 28),
        (17, 56, 28),
        (17.3333, 57, 28),
        (17.6667, 58, 28),
        (18, 59, 28),
    ]
    known = pressed(18, weekly=told, levels=[(16, 100), (17, 50)], tuning=Tuning(share=0.0))

    rate = known.limits["weekly"].rate
    assert rate is not None
    assert pytest.approx(3.0, abs=0.001) == rate.middle
    assert "under" == known.pace


def test_a_gap_teaches_nothing_and_is_reckoned_meanwhile() -> None:
    """Five hours without a figure: what was spent since is presumed; after six nothing is wanted any more."""
    told, levels = climbing(0, 3, 10, 4, 100), [(0.0, 2.0)]
    wanted = [pressed(now, weekly=told, levels=levels).wanted for now in (3, 5, 8, 9.5)]

    assert wanted[3] is None
    assert all(one is not None for one in wanted[:3])
    assert wanted[0] > wanted[1] > wanted[2]  # type: ignore[operator]  # just told


def test_a_reset_that_nobody_saw_is_presumed() -> None:
    """The stamp has passed: the wanted level is that of a fresh window, and is gone to at once."""
    told, levels = climbing(0, 4, 20, 18, 4.5), [(0.0, 2.0)]
    before = pressed(4.2, session=told, levels=levels)
    after = pressed(4.6, session=told, levels=levels)

    assert before.wanted is not None
    assert after.wanted is not None
    assert after.wanted > before.wanted
    assert (False, True) == (before.jump, after.jump)


def test_close_to_a_reset_the_next_window_lends_its_part() -> None:
    """A horizon is never shorter than a tick: no level without bound five minutes before the end."""
    told = climbing(0, 4, 20, 10, 4 + 5 / 60)
    known = pressed(4, session=told, levels=[(0, 2.0)])

    assert known.wanted is not None
    assert known.wanted < 40


def test_an_hour_of_learning_is_no_wanted_level() -> None:
    """Two figures are no evidence, also of the burn."""
    assert pressed(0.4, weekly=[(0, 10, 100), (0.3333, 12, 100)], levels=[(0, 2.0)]).wanted is None


def test_a_fleet_that_never_ran_teaches_nothing() -> None:
    """Level 0 all along: nothing is wanted."""
    assert pressed(3, weekly=climbing(0, 3, 10, 4, 100), levels=[(0, 0.0)]).wanted is None


def test_others_alone_empty_it() -> None:
    """They spend three times what we do, and twice what lasts: the wanted level is below nothing."""
    known = pressed(6, weekly=climbing(0, 6, 40, 6, 12), levels=[(0, 1.0)], tuning=Tuning(share=3.0))

    assert known.wanted is not None
    assert known.wanted < 0


def test_without_levels_the_descent() -> None:
    """A multiple of the level in force: less when the last figure rose too fast, more when it did not rise."""
    fast = pressed(3, weekly=climbing(0, 3, 10, 9, 30))
    slow = pressed(3, weekly=climbing(0, 3, 10, 0, 30))
    unheard = pressed(3.4, weekly=climbing(0, 3, 10, 9, 30))

    assert fast.wanted is not None
    assert slow.wanted is not None
    assert 0.6 < fast.wanted < 1 < slow.wanted < 1.1
    assert unheard.wanted is None


def test_one_straight_line_or_none() -> None:
    """Whether one rate explains the figures: 4.5 an hour at least and 3 at most is none."""
    bent = [(0.0, 96.0), (1200.0, 98.0), (2400.0, 100.0), (3600.0, 100.0)]

    assert not steady(bent, 1.0)
    assert steady([(hour * 1200.0, 10.0 + hour) for hour in range(4)], 1.0)


def test_the_band_is_the_policys() -> None:
    """A pool 12 % too fast is on pace within 15, and over within 5."""
    told = [(step / 3, 10 + step * 1.12, 3 + (100 - 10 - 9 * 1.12) / 3) for step in range(10)]
    words = [pressed(3, weekly=told, quantum=0.01, tuning=evolve(Tuning(), band=band)).pace for band in (0.15, 0.05)]

    assert ["on-pace", "over"] == words
