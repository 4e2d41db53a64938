"""What an operator says is kept, and refused where the policy knows nothing of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from attrs import evolve

from capacity.engine import Engine
from capacity.errors import CapacityError, PolicyError, Refused
from capacity.ports import Fleet
from capacity.testing.fakes import FakeActuator
from capacity.values.failures import Subject

from .scene import NOON, Scene, seat

TURN = timedelta(minutes=20)


def acts(engine: Engine) -> dict[str, str]:
    made = engine.tick().tick.decision
    assert made is not None
    return {placement.seat: placement.act for placement in made.placements}


def conflicts(engine: Engine) -> set[str]:
    return {one.fact.subject for one in engine.snapshot().conditions if one.fact.code == "core:conflict"}


@pytest.mark.parametrize(
    ("subject", "name", "moved"),
    [("pool", "a", {"s1"}), ("backend", "fake", set()), ("candidate", "h|a|model-of-a|", {"s1"})],
)
def test_a_stop_holds_until_it_is_lifted(subject: Subject, name: str, moved: set[str]) -> None:
    """Seats leave what is stopped, days later too; lifting it makes room there again, and other engines know both."""
    scene = Scene()
    engine = scene.engine()
    engine.probe()
    engine.stop(subject, name, "maintenance")
    scene.clock.advance(timedelta(days=3))

    assert [("operator", name, "maintenance", None)] == [
        (one.origin, one.name, one.note, one.ends_at) for one in scene.engine().snapshot().circuits
    ]
    assert moved <= {name for name, act in acts(engine).items() if act in ("move", "park")}

    scene.engine().lift(subject, name)
    assert () == engine.snapshot().circuits


@pytest.mark.parametrize(
    ("subject", "name", "because"),
    [
        ("pool", "aa", 'pools: no "aa" is there (did you mean "a"?)'),
        ("backend", "fate", 'accounts.*.plugin: no "fate" is there (did you mean "fake"?)'),
        ("candidate", "h/a/m", "candidate: 'h/a/m' is none (write harness|pool|model|effort)"),
        ("candidate", "g|a|m|", 'harnesses: no "g" is there (known: "h")'),
        ("candidate", "h|c|m|", 'pools: no "c" is there (known: "a", "b")'),
    ],
)
def test_a_stop_of_nothing_is_refused(subject: Subject, name: str, because: str) -> None:
    """A slip of the pen stops nothing in silence."""
    engine = Scene().engine()
    with pytest.raises(PolicyError) as refused:
        engine.stop(subject, name)

    assert because in str(refused.value)
    assert () == engine.snapshot().circuits


def test_a_seat_somebody_else_moved_is_a_conflict_until_it_is_accepted() -> None:
    """We moved it, a person moved it back: left alone under a condition; accepted, it is ours again where it is."""
    scene = Scene()
    engine = scene.engine()
    engine.stop("pool", "a")
    acts(engine)
    engine.lift("pool", "a")
    scene.fleet.seats["s1"] = seat("s1", "a")
    scene.clock.advance(TURN)
    assert "leave" == acts(engine)["s1"]
    assert {"f/s1"} == conflicts(engine)

    accepted = engine.accept("f", "s1")
    assert ("keep", "a") == (accepted.act, accepted.candidate and accepted.candidate.pool)
    scene.clock.advance(TURN)
    assert "keep" == acts(engine)["s1"]
    assert set() == conflicts(engine)


def test_a_seat_that_was_started_by_hand_can_be_taken_over() -> None:
    """We parked it, a person started it: a conflict; accepted, it is kept where it runs."""
    scene = Scene()
    engine = scene.engine()
    engine.stop("backend", "fake")
    assert {"s1": "park", "s2": "park"} == acts(engine)
    engine.lift("backend", "fake")
    scene.fleet.seats["s1"] = seat("s1")
    scene.clock.advance(TURN)
    assert {"f/s1"} == (acts(engine), conflicts(engine))[1]

    engine.accept("f", "s1")
    assert "keep" == acts(engine)["s1"]


def test_a_parked_seat_whose_journal_is_lost_can_be_taken_over() -> None:
    """Nobody knows who parked it in our name; accepted, it comes back when there is room."""
    scene = Scene()
    scene.fleet.seats["s1"] = evolve(seat("s1"), paused_by="capacity")
    engine = scene.engine()
    assert "leave" == acts(engine)["s1"]

    assert "park" == engine.accept("f", "s1").act
    scene.clock.advance(TURN)
    assert "resume" == acts(engine)["s1"]


def test_accepting_needs_a_fleet_a_seat_and_its_claim() -> None:
    """What is not there is named with the nearest; a fleet that is being written to is left to whoever does."""
    scene = Scene()
    engine = scene.engine()
    with pytest.raises(PolicyError, match=r'fleets: no "ff" is there \(did you mean "f"\?\)'):
        engine.accept("ff", "s1")
    with pytest.raises(PolicyError, match=r'^fleet f: seats: no "s" is there \(did you mean "s2"\?\)'):
        engine.accept("f", "s")
    scene.store.claim("fleet:f", "elsewhere", 1, TURN)
    with pytest.raises(CapacityError, match="fleet f is being written to by elsewhere; try again in a minute"):
        engine.accept("f", "s1")


class Unreadable(FakeActuator):
    async def fleet(self) -> Fleet:
        raise Refused("/fleet.json", "permission denied")


def test_a_fleet_that_cannot_be_read_has_no_seat_to_accept() -> None:
    """It says why, and the claim is given back."""
    scene = Scene()
    engine = scene.engine(actuators={"f": Unreadable(fleet="f")})
    with pytest.raises(CapacityError, match=r"fleet f cannot be read: /fleet\.json: permission denied"):
        engine.accept("f", "s1")

    assert scene.store.holder("fleet:f") is None


def test_acceptance_is_journalled_as_of_now() -> None:
    """The id says when, and that it was no tick."""
    assert f"{NOON:%Y-%m-%dT%H:%M:%SZ}-accepted/f/s1" == Scene().engine().accept("f", "s1").id
