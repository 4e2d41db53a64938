"""The demo's words: seats in ranges, acts for a newcomer, and rows that leave nobody out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from capacity.cli.demo import words
from capacity.ports import Candidate, Limit, Placement, Reading
from capacity.values.conditions import Condition, Fact
from capacity.values.decision import Act

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PLACE = Candidate("h", "pool-a", "sample-large-2")


def placement(seat: str, act: Act, *, candidate: Candidate | None = PLACE, until: datetime | None = None) -> Placement:
    return Placement(f"t/f/{seat}", "f", seat, act, Fact("core:legitimate"), candidate, until=until)


@pytest.mark.parametrize(
    ("seats", "told"),
    [
        (["a-1"], "a-1"),
        (["a-2", "a-1"], "a-1, a-2"),
        (["a-3", "a-1", "a-2", "a-4"], "a-1 … a-4"),
        (["a-9", "a-10", "a-11"], "a-9 … a-11"),
        (["a-1", "a-3", "b-2", "b-3"], "a-1, a-3, b-2, b-3"),
    ],
)
def test_seats_are_told_in_ranges(seats: list[str], told: str) -> None:
    """Three and more in a row are a range, in the order of their numbers; a gap is no part of one."""
    assert told == words.names(seats)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (placement("a-1", "move"), "move to sample-large-2 on pool-a"),
        (placement("a-1", "keep"), "keep"),
        (placement("a-1", "leave"), "leave alone"),
        (placement("a-1", "park", candidate=None, until=NOON), "park until Mon 12:00"),
        (placement("a-1", "park", candidate=None), "park until somebody acts"),
        (placement("a-1", "keep", candidate=None, until=NOON), "keep parked until Mon 12:00"),
        (placement("a-1", "leave", candidate=None), "leave alone"),
    ],
)
def test_an_act_is_told_with_its_place_or_its_end(made: Placement, told: str) -> None:
    """What is placed says where, what is parked says until when, and what is left alone says only that."""
    assert told == words.act(made)


def test_nobody_is_left_out() -> None:
    """Seats that were decided alike share a row; those nothing is done with are counted, unless they are asked for."""
    acts: Mapping[str, Placement] = {
        "a-1": placement("a-1", "move"),
        "a-2": placement("a-2", "move"),
        "b-1": placement("b-1", "keep"),
        "c-1": placement("c-1", "keep"),
    }

    assert [("a-1, a-2", "move to sample-large-2 on pool-a"), ("the other 2", "stay as they are")] == [
        row[:2] for row in words.done(acts, ())
    ]
    assert ["a-1, a-2", "b-1", "the other 1"] == [row[0] for row in words.done(acts, {"b"})]
    assert ["all 1"] == [row[0] for row in words.done({"b-1": acts["b-1"]}, ())]


def test_what_was_read_says_its_state_and_never_guesses() -> None:
    """A good reading shows its figures, a bad one its state and why, and one that was not made is told as such."""
    good = Reading("p", "ok", "s", NOON, limits=(Limit("5h", percent=12.0), Limit("balance", left={"USD": Decimal(3)})))
    bad = Reading("p", "throttled", "s", NOON, detail="come again")

    assert "read: 5h 12 % used; balance 3 USD left" == words.read(good)
    assert "read as throttled: come again" == words.read(bad)
    assert "not asked" == words.read(None)


def test_only_what_needs_a_person_is_told_as_such() -> None:
    """A loud condition about a pool is told when it is raised and when it ended; a quiet one, or a seat's, is not."""
    login = Condition(Fact("core:login-required", "p"), "raised", NOON, "login", loud=True)
    ended = Condition(Fact("core:login-required", "q"), "cleared", NOON, "login", loud=True)
    quiet = Condition(Fact("core:probe-failing", "p"), "raised", NOON, "reading")
    of_a_seat = Condition(Fact("core:nothing-eligible", "f/a-1"), "raised", NOON, "room", loud=True)

    assert [
        ("operator", "is told", "p needs somebody to log in"),
        ("operator", "is told that it ended", "q needs somebody to log in"),
    ] == list(words.told((login, ended, quiet, of_a_seat)))
