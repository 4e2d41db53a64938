"""An operator's own programs tell the seats and carry out a placement."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from capacity.actuators import command
from capacity.codec import loads
from capacity.errors import CapacityError, FormError, NotFound, Refused, TimedOut, WireError
from capacity.ports import Outcome, Placement, Run
from capacity.testing.contracts.actuator import ADA, BEN, HERE, THERE
from capacity.testing.flows import FakeWorld, play

from .shapes import NOON, page, placement

MOVE = placement("move", THERE, HERE)
ACTUATOR = command(fleet="day", seats=["seats", "--all"], apply=["set", "{seat}", "{model}@{pool}"], timeout_s=2.5)
End = tuple[int, bytes] | WireError


def answering(end: End, seats: bytes = page(ADA, BEN)) -> Callable[[Run], End]:
    return lambda run: (0, seats) if run.argv[0] == "seats" else end


def apply(end: End, what: Placement = MOVE) -> tuple[Outcome, list[Any]]:
    world = FakeWorld(NOON, program=answering(end))
    return play(ACTUATOR.apply(what), world), world.asked


@pytest.mark.parametrize(
    ("code", "word"),
    [
        (0, "applied"),
        (10, "unchanged"),
        (11, "conflict"),
        (12, "gone"),
        (13, "rejected"),
        (14, "unauthorised"),
        (15, "applied-not-running"),
        (16, "unverified"),
        (1, "indeterminate"),
        (127, "indeterminate"),
        (-9, "indeterminate"),
    ],
)
def test_an_exit_code_is_an_outcome(code: int, word: str) -> None:
    """The documented codes have a meaning; of any other, nobody knows what was done."""
    outcome, _ = apply((code, b"done"))

    assert (word, NOON) == (outcome.word, outcome.at)
    assert ("says nothing" in outcome.detail) == (word == "indeterminate")


@pytest.mark.parametrize(
    ("stdout", "outcome"),
    [
        (b'{"outcome": "gone", "detail": "left at noon"}', Outcome("gone", "left at noon", NOON)),
        (b'{"outcome": "gone"}', Outcome("gone", "", NOON)),
        (b'{"outcome": "fine"}', Outcome("applied", "", NOON)),
        (b'"gone"', Outcome("applied", "", NOON)),
        (b"[" * 100_000, Outcome("applied", "", NOON)),
    ],
)
def test_words_go_before_codes(stdout: bytes, outcome: Outcome) -> None:
    """What the program says in JSON counts, if it is one of the words; else its exit code does."""
    assert outcome == apply((0, stdout))[0]


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        (NotFound("set", "no such program"), "rejected"),
        (Refused("set", "permission denied"), "rejected"),
        (TimedOut("set", "2.5 s"), "indeterminate"),
    ],
)
def test_a_program_without_an_end(fault: WireError, word: Any) -> None:
    """One that never started did nothing; of one that was killed nobody knows."""
    assert Outcome(word, str(fault)) == apply(fault)[0]


def test_a_placement_is_given_as_json_and_in_words() -> None:
    """Standard input holds the whole placement; the words are filled in, one argument each, and nothing else is given."""
    _, asked = apply((0, b""))
    run = asked[-1]

    assert ("set", "ada", "large-2@well") == run.argv
    assert MOVE == loads(Placement, run.stdin)
    assert ({}, timedelta(seconds=2.5)) == (run.env, run.timeout)


def test_a_park_leaves_blanks_empty() -> None:
    """A placement without a candidate fills in nothing."""
    _, asked = apply((0, b""), placement("park", None, HERE))

    assert ("set", "ada", "@") == asked[-1].argv


def test_a_seat_that_changed_is_not_touched() -> None:
    """The program is not run where the seat is not as expected, or already as asked."""
    conflict, asked = apply((0, b""), placement("move", THERE, THERE))
    same, asked_again = apply((0, b""), placement("restore", HERE, HERE))

    assert ("conflict", "unchanged") == (conflict.word, same.word)
    assert {"seats"} == {run.argv[0] for run in (*asked, *asked_again)}


@pytest.mark.parametrize("seats", [(3, b"{}"), (0, b"no"), (0, b'{"form": 1}'), NotFound("seats", "no such program")])
def test_seats_that_cannot_be_told_are_an_error(seats: End) -> None:
    """It names the program, and nothing is carried out."""
    world = FakeWorld(NOON, program=lambda run: seats)

    with pytest.raises(CapacityError, match="seats"):
        play(ACTUATOR.fleet(), world)
    assert "rejected" == play(ACTUATOR.apply(MOVE), world).word
    assert {"seats"} == {run.argv[0] for run in world.asked if isinstance(run, Run)}


def test_faults_of_seats_are_all_told() -> None:
    """Every key at fault is named, with the program that printed it."""
    body = json.dumps({"form": 1, "seats": {"a": {"model": 7}, "b": {"harness": "h"}}}).encode()
    world = FakeWorld(NOON, program=lambda run: (0, body))

    with pytest.raises(FormError, match="seats") as raised:
        play(ACTUATOR.fleet(), world)
    assert ["seats.a.harness", "seats.a.model", "seats.b.model"] == [fault.path for fault in raised.value.faults]


def test_a_fleet_may_refuse_for_now() -> None:
    """The program may say why its fleet is not to be written to."""
    world = FakeWorld(NOON, program=answering((0, b""), page(ADA, refuses="night shift")))

    assert "night shift" == play(ACTUATOR.fleet(), world).refuses


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"seats": [], "apply": ["set"]}, "lists of words"),
        ({"seats": ["seats"], "apply": "set {seat}"}, "lists of words"),
        ({"seats": ["seats"], "apply": ["set", "{seat.name}"]}, "cannot fill in"),
        ({"seats": ["seats"], "apply": ["set", "{}"]}, "cannot fill in"),
        ({"seats": ["seats"], "apply": ["set", "{token}"]}, "token"),
    ],
)
def test_words_that_cannot_be_run_are_refused(options: dict[str, Any], complaint: str) -> None:
    """An argv that is empty or a shell line, and a blank nobody fills in, are faults of the policy."""
    with pytest.raises(ValueError, match=complaint):
        command(fleet="day", **options)


def test_abilities_are_the_operators_word() -> None:
    """What the programs cannot do is declared, so that it is not asked."""
    assert {"move"} == command(fleet="day", seats=["s"], apply=["a"], abilities=["move"]).abilities
