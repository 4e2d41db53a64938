"""A host's own functions tell the seats and carry out a placement."""

from __future__ import annotations

from typing import Any

import pytest

from capacity.actuators import callback
from capacity.errors import CapacityError
from capacity.ports import Outcome, Placement, Seat
from capacity.testing.contracts.actuator import ADA, BEN, HERE, THERE
from capacity.testing.flows import FakeWorld, play

from .shapes import NOON, placement

MOVE = placement("move", THERE, HERE)


def fall(*_: Any) -> Any:
    raise RuntimeError("the token is hush-hush")


def apply(carry_out: Any, what: Placement = MOVE) -> Outcome:
    return play(callback(fleet="day", seats=lambda: [ADA, BEN], apply=carry_out).apply(what), FakeWorld(NOON))


def test_the_hosts_outcome_is_the_outcome() -> None:
    """What the function says counts; where it says no instant, it is the host's present."""
    given: list[Placement] = []

    def carry_out(what: Placement) -> Outcome:
        given.append(what)
        return Outcome("applied-not-running", "next turn")

    assert Outcome("applied-not-running", "next turn", NOON) == apply(carry_out)
    assert [MOVE] == given


def test_what_a_function_raises_is_indeterminate() -> None:
    """Nobody knows what it did; its type is told and its message is not."""
    assert Outcome("indeterminate", "the host's `apply` raised RuntimeError", NOON) == apply(fall)


def test_anything_but_an_outcome_is_indeterminate() -> None:
    """A function that forgets to say what became of it has not said that it worked."""
    assert Outcome("indeterminate", "the host's `apply` gave NoneType, not an Outcome", NOON) == apply(
        lambda what: None
    )


def test_a_function_is_not_called_where_the_seat_changed() -> None:
    """A conflict is found before the host is asked."""
    assert "conflict" == apply(fall, placement("move", THERE, THERE)).word


def test_seats_that_cannot_be_told_are_an_error() -> None:
    """The fleet and the type of what was raised are named; nothing is carried out."""
    actuator = callback(fleet="day", seats=fall, apply=fall)

    with pytest.raises(CapacityError, match=r"fleet day: the host's `seats` raised RuntimeError"):
        play(actuator.fleet(), FakeWorld(NOON))
    assert "rejected" == play(actuator.apply(MOVE), FakeWorld(NOON)).word


def test_seats_are_of_this_fleet() -> None:
    """Whatever fleet a host's seats say they are of, they are of the one the actuator is for."""
    stray = Seat("night", "ada", "loom", "small-1")
    fleet = play(callback(fleet="day", seats=lambda: (stray,), apply=fall).fleet(), FakeWorld(NOON))

    assert [("day", "ada")] == [seat.key for seat in fleet.seats]
