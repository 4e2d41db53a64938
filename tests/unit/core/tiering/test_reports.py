"""What is published after an answer: it, or the last good one with what went wrong."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from capacity.core.tiering import standing
from capacity.values.methods import Method
from capacity.values.rankings import KnownModel, Rankings

from .scene import DAY, NOW, SPREAD, answer

GOOD = answer(*SPREAD, at=NOW - DAY, fetched_at=NOW - DAY, digest="good")


def bad(status: Any, **more: Any) -> Rankings:
    return Rankings("made", status, NOW, **more)


def test_a_good_answer_is_published_as_it_is() -> None:
    """With when it was asked."""
    assert evolve(answer(*SPREAD), asked_at=NOW) == standing(GOOD, answer(*SPREAD), Method())


@pytest.mark.parametrize(
    "status", ["unconfigured", "unauthorised", "forbidden-tier", "rate-limited", "unreachable", "invalid", "empty"]
)
def test_a_bad_answer_keeps_the_last_good_rows(status: Any) -> None:
    """Rows, their dates and their payload stay; the state, what is missing and when to ask again are the new ones."""
    told = standing(GOOD, bad(status, missing=("KEY",), retry_at=NOW + DAY, detail="no"), Method())

    assert (GOOD.rows, GOOD.as_of, GOOD.fetched_at, "good") == (told.rows, told.as_of, told.fetched_at, told.digest)
    assert (status, ("KEY",), NOW + DAY, "no", NOW) == (
        told.status,
        told.missing,
        told.retry_at,
        told.detail,
        told.asked_at,
    )


@pytest.mark.parametrize(("left", "status"), [(3, "fresh"), (2, "invalid"), (0, "empty")])
def test_half_the_rows_gone_is_no_answer(left: int, status: str) -> None:
    """An answer that lost more than half of its rows is not believed, however valid; the counts are told."""
    told = standing(GOOD, answer(*SPREAD[:left]), Method())

    assert status == told.status
    assert (3 if left == 3 else 6) == len(told.rows)
    assert (left != 2) or told.detail == "2 rows where there were 6: the last good answer stays in use"


def test_without_a_good_answer_there_is_nothing() -> None:
    """A bad first answer publishes its state and no row, not even one it came with."""
    assert () == standing(None, bad("invalid", rows=SPREAD), Method()).rows


def test_a_catalogue_alone_is_an_answer() -> None:
    """A source of names need not have scores."""
    assert "fresh" == standing(None, answer(known=(KnownModel("x"),)), Method()).status
    assert "empty" == standing(None, answer(), Method()).status
