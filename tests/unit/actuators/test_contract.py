"""All three actuators of the core, and the fake one, keep the one contract."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity.actuators import callback, command, file
from capacity.core.advance import seat_after
from capacity.errors import Refused
from capacity.ports import Actuator, Outcome, Placement, Replace, Run, Seat
from capacity.testing.contracts.actuator import FLEET, SEATS, ActuatorContract
from capacity.testing.fakes import FakeActuator
from capacity.testing.flows import FakeWorld

from .shapes import NOON, page, row


class TestFile(ActuatorContract):
    construct = "from capacity.actuators import file; file(fleet='day', path='~/fleet.json')"

    @pytest.fixture
    def world(self) -> FakeWorld:
        return FullDisk(NOON, files={"fleet.json": page(*SEATS), "full.json": page(*SEATS)})

    @pytest.fixture
    def actuator(self) -> Actuator:
        return file(fleet=FLEET, path="fleet.json")

    @pytest.fixture
    def failing(self) -> Actuator:
        return file(fleet=FLEET, path="full.json")


class FullDisk(FakeWorld):
    """A world in which one file can be read and not replaced."""

    def __call__(self, effect: Any) -> Any:
        if isinstance(effect, Replace) and effect.path == "full.json":
            raise Refused(effect.path, "no space left")
        return super().__call__(effect)


class Host:
    """What stands behind a command or a callback: a fleet that does as it is told, or falls over."""

    def __init__(self) -> None:
        self.seats = {seat.name: seat for seat in SEATS}

    def show(self) -> list[Seat]:
        return list(self.seats.values())

    def carry_out(self, placement: Placement) -> Outcome:
        self.seats[placement.seat] = seat_after(self.seats[placement.seat], placement)
        return Outcome("applied")

    def fall(self, placement: Placement) -> Outcome:
        raise RuntimeError("the token is hush-hush")

    def program(self, run: Run) -> tuple[int, bytes]:
        """`seats` prints the seats, `set` carries out what it reads, anything else falls over."""
        if run.argv[0] == "seats":
            return 0, json.dumps({"form": 1, "seats": {seat.name: row(seat) for seat in self.show()}}).encode()
        if run.argv[0] != "set":
            return 1, b""
        told = json.loads(run.stdin)
        there = told["candidate"]
        seat = self.seats[told["seat"]]
        if there:
            harness, pool, model, effort = there
            seat = evolve(seat, harness=harness, pool=pool, model=model, effort=effort)
        cadence = seat.cadence if told["cadence_s"] is None else timedelta(seconds=told["cadence_s"])
        paused_by = "capacity" if told["act"] == "park" else None
        self.seats[seat.name] = evolve(seat, cadence=cadence, paused_by=paused_by, placement=told["id"])
        return 0, b""


class TestCommand(ActuatorContract):
    construct = "from capacity.actuators import command; command(fleet='day', seats=['seats'], apply=['set'])"

    @pytest.fixture
    def world(self) -> FakeWorld:
        return FakeWorld(NOON, environ={"PROVIDER_KEY": "hush-hush-hush"}, program=Host().program)

    @pytest.fixture
    def actuator(self) -> Actuator:
        return command(fleet=FLEET, seats=["seats"], apply=["set"])

    @pytest.fixture
    def failing(self) -> Actuator:
        return command(fleet=FLEET, seats=["seats"], apply=["fall"])


class TestCallback(ActuatorContract):
    construct = "from capacity.actuators import callback; callback(fleet='day', seats=list, apply=print)"

    @pytest.fixture
    def host(self) -> Host:
        return Host()

    @pytest.fixture
    def world(self) -> FakeWorld:
        return FakeWorld(NOON, environ={"HOST_KEY": "hush-hush"})

    @pytest.fixture
    def actuator(self, host: Host) -> Actuator:
        return callback(fleet=FLEET, seats=host.show, apply=host.carry_out)

    @pytest.fixture
    def failing(self, host: Host) -> Actuator:
        return callback(fleet=FLEET, seats=host.show, apply=host.fall)


class TestFake(ActuatorContract):
    construct = "from capacity.testing.fakes import FakeActuator; FakeActuator(fleet='day')"

    @pytest.fixture
    def world(self) -> FakeWorld:
        return FakeWorld(NOON)

    @pytest.fixture
    def actuator(self) -> Actuator:
        return FakeActuator(fleet=FLEET, seats=SEATS)

    @pytest.fixture
    def failing(self) -> Actuator:
        fake = FakeActuator(fleet=FLEET, seats=SEATS)
        fake.tell("ada", Refused("day", "no"))
        return fake
