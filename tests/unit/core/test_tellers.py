"""Several stories of one pool: what was seen in passing beside what its source answered."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity import Limit, Reading, Scope
from capacity.core.tellers import Told, kept, told
from capacity.testing.strategies import readings

from .build import LATER, NOW, SOON, windows

WEEK = timedelta(days=7)
MINUTE = timedelta(minutes=1)
CAP = Limit("weekly:big", 80.0, resets_at=LATER, window=WEEK, scope=Scope("model", "big"))


def answer(minute: int, *limits: Limit) -> Reading:
    """What the source said when it was asked, so many minutes ago."""
    return Reading("north", "ok", "usage", NOW - minute * MINUTE, usual=timedelta(minutes=5), limits=limits)


def seen(minute: int, *limits: Limit) -> Reading:
    """What somebody saw so many minutes ago."""
    return Reading("north", "ok", "gateway:headers", NOW - minute * MINUTE, limits=limits)


def known(*readings: Reading, as_of: datetime = NOW) -> dict[str, Told]:
    return {one.limit.name: one for one in told(kept(readings), as_of)}


def short(percent: float | None = None, blocked: bool | None = None) -> Limit:
    return Limit("5h", percent, blocked=blocked, resets_at=SOON, window=timedelta(hours=5))


def test_a_part_adds_to_an_answer() -> None:
    """It brings its own limits up to date and leaves the others as they were told."""
    found = known(answer(3, *windows(20.0, 30.0, CAP)), seen(1, short(25.0)))

    assert {"5h": 25.0, "weekly": 30.0, "weekly:big": 80.0} == {name: one.limit.percent for name, one in found.items()}
    assert [NOW - MINUTE, NOW - 3 * MINUTE] == [found[name].reading.observed_at for name in ("5h", "weekly")]


def test_parts_add_up() -> None:
    """Two events that tell a window each tell both together."""
    assert {"5h", "weekly"} == known(seen(2, windows()[1]), seen(1, short(25.0))).keys()


def test_an_answer_is_whole() -> None:
    """What a source tells no more is gone, and its newer figure counts."""
    found = known(answer(9, *windows(20.0, 30.0, CAP)), seen(5, short(25.0)), answer(3, *windows(26.0, 31.0)))

    assert {"5h": 26.0, "weekly": 31.0} == {name: one.limit.percent for name, one in found.items()}


def test_what_a_source_never_tells_stands_until_it_is_over() -> None:
    """A cap that only headers know outlives the answers of a source that has no word for it, and not its own reset."""
    cap = Limit("weekly:other", blocked=True, resets_at=SOON, scope=Scope("model", "other"))
    stories = (seen(30, cap), answer(20, *windows()), answer(10, *windows()), answer(1, *windows()))

    assert known(*stories)["weekly:other"].limit.blocked
    assert "weekly:other" in known(*stories[:1], as_of=LATER)
    assert known(answer(1, short(3.0, False)), seen(30, short(None, True)), as_of=LATER)["5h"].limit.blocked is False


def test_what_has_no_end_stands_until_the_next_answer() -> None:
    """A word about the whole account that tells no reset is settled by whoever is asked next."""
    service = Limit("service", blocked=True)

    assert "service" in known(answer(3, *windows()), seen(1, service))
    assert "service" not in known(seen(3, service), answer(1, *windows()))


@pytest.mark.parametrize(("answers", "stands"), [((), True), ((3,), True), ((3, 2), False)])
def test_a_word_about_the_whole_pool_is_settled_by_two_answers(answers: tuple[int, ...], stands: bool) -> None:
    """Sources have no word for it, but they tell of the same pool: no refusal outlasts two that find room in it."""
    service = Limit("service", blocked=True, resets_at=LATER)

    assert stands == ("service" in known(seen(5, service), *(answer(minute, *windows(2.0)) for minute in answers)))


@pytest.mark.parametrize(("answers", "stands"), [((), True), ((3,), True), ((3, 2), False)])
def test_a_refusal_outranks_a_figure_until_two_answers_disagree(answers: tuple[int, ...], stands: bool) -> None:
    """What is shown lags behind what is refused, so one look is not enough to lift it."""
    later = [answer(minute, *windows(2.0, 3.0)) for minute in answers]

    assert stands == bool(known(answer(9, *windows()), seen(5, short(None, True)), *later)["5h"].limit.blocked)


def test_a_newer_word_lifts_a_refusal_at_once() -> None:
    """A turn that was served is a word like the refusal before it."""
    found = known(answer(9, *windows()), seen(5, short(100.0, True)), seen(2, short(1.0, False)))

    assert (1.0, False) == (found["5h"].limit.percent, found["5h"].limit.blocked)


def test_silence_is_no_word() -> None:
    """A later figure without a word leaves a refusal standing, and lends nothing to an older `serves`."""
    refused = known(seen(5, short(100.0, True)), seen(2, short(7.0)))["5h"].limit
    served = known(seen(5, short(60.0, False)), seen(2, short(100.0)))["5h"].limit

    assert [(7.0, True), (100.0, None)] == [(one.percent, one.blocked) for one in (refused, served)]


def test_a_word_without_a_figure_wipes_none() -> None:
    """That a window serves says nothing of how much of it is used."""
    found = known(answer(3, *windows(95.0)), seen(1, short(None, False)))["5h"]

    assert (95.0, False, NOW - 3 * MINUTE) == (found.limit.percent, found.limit.blocked, found.reading.observed_at)


def test_what_is_over_speaks_only_where_nobody_else_does() -> None:
    """The last figure of a window that has ended takes nothing from one that has not."""
    ended = Limit("5h", 99.0, resets_at=SOON)
    ahead = Limit("5h", 4.0, resets_at=LATER)
    later = SOON + MINUTE

    assert 4.0 == known(answer(9, ahead), seen(2, ended), as_of=later)["5h"].limit.percent
    assert 99.0 == known(seen(2, ended), as_of=later)["5h"].limit.percent


@given(st.lists(readings(), max_size=8), st.integers(0, 8))
def test_what_is_kept_hangs_on_the_set_alone(stories: list[Reading], cut: int) -> None:
    """Neither where a fold was interrupted, nor order, nor duplicates change what is kept."""
    whole = kept(stories)

    assert whole == kept([*kept(stories[:cut]), *stories[cut:]])
    assert whole == kept([*stories[::-1], *stories[:2]])
    assert whole == kept(whole)
