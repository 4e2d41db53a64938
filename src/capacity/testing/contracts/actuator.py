"""What every actuator owes: one transaction on a seat's whole place, against the place it expects, carried out once."""

from __future__ import annotations

from datetime import timedelta
from typing import get_args

import pytest
from attrs import evolve

from capacity.errors import WireError
from capacity.ports import Ability, Actuator, Candidate, Fleet, Placement, Seat
from capacity.testing.contracts._asking import shown
from capacity.testing.contracts._contract import Contract
from capacity.testing.flows import FakeWorld, play
from capacity.values.conditions import Fact
from capacity.values.decision import TOOK, Act, Outcome

FLEET = "day"
"""The fleet the contract writes to."""

ADA = Seat(FLEET, "ada", "loom", "small-1", effort="low", pool="harbour")
BEN = Seat(FLEET, "ben", "loom", "small-1", effort="low", pool="harbour")
SEATS = (ADA, BEN)
"""Its seats, as an actuator under this contract has to show them first."""

HERE = Candidate("loom", "harbour", "small-1", "low")
THERE = Candidate("lathe", "well", "large-2", "high")


class ActuatorContract(Contract):
    """Subclass it and give `construct` and these fixtures.

    * `actuator`: an actuator of the fleet `FLEET` that shows `SEATS`.
    * `world`: the `FakeWorld` its flows are played against.
    * `failing`: an actuator of the same fleet whose every attempt to write fails.
    """

    def test_its_abilities_are_known_ones(self, actuator: Actuator) -> None:
        """It declares what it can do in the words of the port."""
        assert set(actuator.abilities) <= set(get_args(Ability))

    def test_it_shows_its_seats(self, actuator: Actuator, world: FakeWorld) -> None:
        """The fleet is told with every seat, seen at the instant of an answer or before, and never after it."""
        fleet = play(actuator.fleet(), world)

        assert (fleet.name, fleet.seats) == (FLEET, SEATS)
        assert fleet.observed_at <= world.at

    def test_a_place_changes_whole(self, actuator: Actuator, world: FakeWorld) -> None:
        """Harness, pool, model and effort change in one call, and the other seats do not change."""
        outcome = play(actuator.apply(_placement("move", THERE)), world)
        ada, ben = _seats(play(actuator.fleet(), world))

        assert outcome.word in TOOK
        assert Candidate(ada.harness, ada.pool or THERE.pool, ada.model, ada.effort) == THERE
        assert ben == BEN

    def test_a_placement_is_carried_out_once(self, actuator: Actuator, world: FakeWorld) -> None:
        """The same placement once more changes nothing and says so."""
        placement = _placement("move", THERE)
        play(actuator.apply(placement), world)
        before = play(actuator.fleet(), world)
        outcome = play(actuator.apply(placement), world)

        assert outcome.word == "unchanged"
        assert before.seats == play(actuator.fleet(), world).seats

    def test_placements_follow_each_other(self, actuator: Actuator, world: FakeWorld) -> None:
        """A seat that was moved can be moved back, from the place it was moved to."""
        play(actuator.apply(_placement("move", THERE)), world)
        outcome = play(actuator.apply(_placement("restore", HERE, expected=THERE, number=2)), world)
        ada, _ = _seats(play(actuator.fleet(), world))

        assert outcome.word in TOOK
        assert (HERE.harness, HERE.model, HERE.effort) == (ada.harness, ada.model, ada.effort)

    @pytest.mark.parametrize("part", ["harness", "model", "effort"])
    def test_another_place_than_expected_is_a_conflict(self, actuator: Actuator, world: FakeWorld, part: str) -> None:
        """What somebody else changed since is left as it is."""
        expected = evolve(HERE, **{part: "other"})
        outcome = play(actuator.apply(_placement("move", THERE, expected=expected)), world)

        assert outcome.word == "conflict"
        assert outcome.detail
        assert play(actuator.fleet(), world).seats == SEATS

    def test_a_seat_that_left_is_gone(self, actuator: Actuator, world: FakeWorld) -> None:
        """A placement for a seat nobody has any more creates none."""
        outcome = play(actuator.apply(evolve(_placement("move", THERE), seat="zed")), world)

        assert outcome.word == "gone"
        assert play(actuator.fleet(), world).seats == SEATS

    def test_what_fails_changes_nothing(self, actuator: Actuator, failing: Actuator, world: FakeWorld) -> None:
        """Where writing fails it is not said to be done, and the seat is where it was."""
        try:
            outcome = play(failing.apply(_placement("move", THERE)), world)
        except WireError:
            outcome = Outcome("indeterminate")

        assert outcome.word not in TOOK
        assert play(actuator.fleet(), world).seats == SEATS

    def test_a_park_holds_until_it_is_resumed(self, actuator: Actuator, world: FakeWorld) -> None:
        """A parked seat says that we paused it and keeps its place; a resumed one runs."""
        assert "park" in actuator.abilities
        parking = play(actuator.apply(_placement("park", None)), world)
        parked, _ = _seats(play(actuator.fleet(), world))
        resuming = play(actuator.apply(_placement("resume", HERE, number=2)), world)
        resumed, ben = _seats(play(actuator.fleet(), world))

        assert {parking.word, resuming.word} <= TOOK
        assert (parked.paused_by, parked.model) == ("capacity", "small-1")
        assert (resumed.paused_by, resumed.model) == (None, "small-1")
        assert ben == BEN

    def test_a_cadence_is_kept(self, actuator: Actuator, world: FakeWorld) -> None:
        """A commanded cadence is shown, and the place does not change by it."""
        assert "cadence" in actuator.abilities
        hourly = evolve(_placement("adjust", HERE), cadence=timedelta(hours=1))
        outcome = play(actuator.apply(hourly), world)
        ada, _ = _seats(play(actuator.fleet(), world))

        assert outcome.word in TOOK
        assert (timedelta(hours=1), "small-1", None) == (ada.cadence, ada.model, ada.paused_by)

    def test_no_secret_is_shown(self, actuator: Actuator, world: FakeWorld) -> None:
        """Neither the actuator, nor its fleet, nor an outcome, nor any effect it awaits shows a secret."""
        outcome = play(actuator.apply(_placement("move", THERE)), world)

        assert shown(world, actuator, play(actuator.fleet(), world), outcome) == []


def _placement(act: Act, candidate: Candidate | None, *, expected: Candidate = HERE, number: int = 1) -> Placement:
    return Placement(f"{number}/{FLEET}/ada", FLEET, "ada", act, Fact("core:room"), candidate, expected)


def _seats(fleet: Fleet) -> tuple[Seat, Seat]:
    by_name = {seat.name: seat for seat in fleet.seats}
    return by_name["ada"], by_name["ben"]
