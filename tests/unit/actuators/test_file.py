"""A fleet's file: `seats` is the orchestrator's, `placements` is ours, and neither writes the other's half."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity.actuators import file
from capacity.errors import CapacityError, FormError, TimedOut
from capacity.ports import Outcome, Placement, Replace, Seat
from capacity.testing.contracts.actuator import ADA, BEN, HERE, THERE
from capacity.testing.flows import FakeWorld, play

from .shapes import NOON, page, placement

FLEET = file(fleet="day", path="fleet.json")
MOVE = placement("move", THERE, HERE)


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld(NOON, files={"fleet.json": page(ADA, BEN)})


def table(world: FakeWorld) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(world.files["fleet.json"])
    return read


def apply(world: FakeWorld, what: Placement = MOVE) -> Outcome:
    return play(FLEET.apply(what), world)


def ada(world: FakeWorld) -> Seat:
    return next(seat for seat in play(FLEET.fleet(), world).seats if seat.name == "ada")


def orchestrator(world: FakeWorld, **changes: Any) -> None:
    """The orchestrator writes its half: `ada` is changed there."""
    now = table(world)
    now["seats"]["ada"].update(changes)
    world.files["fleet.json"] = json.dumps(now).encode()


def test_only_our_half_is_written(world: FakeWorld) -> None:
    """Seats, and whatever else an orchestrator keeps in the file, come back as they were, in their order."""
    world.files["fleet.json"] = page(ADA, BEN, motto="größer", placements={"ben": None}, limits=[1, 2.5])
    orchestrator(world, colour="red")
    before = table(world)
    outcome = apply(world)
    after = table(world)

    assert Outcome("applied", at=NOON) == outcome
    assert before["seats"] == after["seats"]
    assert list(before) == list(after)
    assert (before["motto"], before["limits"]) == (after["motto"], after["limits"])


def test_a_placement_is_written_in_its_form(world: FakeWorld) -> None:
    """What stands in the file is all an orchestrator needs: where to, how often, until when, and instead of what."""
    apply(world, evolve(MOVE, cadence=timedelta(minutes=5), until=NOON + timedelta(hours=1)))

    assert {
        "id": "1/day/ada",
        "act": "move",
        "harness": "lathe",
        "pool": "well",
        "model": "large-2",
        "effort": "high",
        "cadence_s": 300.0,
        "until": "2026-03-01T13:00:00Z",
        "expected": {"harness": "loom", "model": "small-1", "effort": "low"},
        "at": "2026-03-01T12:00:00Z",
    } == table(world)["placements"]["ada"]


def test_a_placement_is_shown_before_it_is_followed(world: FakeWorld) -> None:
    """Until the orchestrator follows, and after, the seat is shown where we put it, with the placement's id."""
    apply(world)
    shown = ada(world)
    orchestrator(world, harness="lathe", model="large-2", effort="high")

    assert ("lathe", "large-2", "high", "well", MOVE.id) == (
        shown.harness, shown.model, shown.effort, shown.pool, shown.placement,
    )  # fmt: skip  # one line a side
    assert evolve(shown, pool="well") == evolve(ada(world), pool="well")


def test_the_orchestrator_has_the_last_word(world: FakeWorld) -> None:
    """Once it shows a third place, our placement is no longer shown, and the next one of ours is a conflict."""
    apply(world)
    orchestrator(world, model="medium-3")

    assert ("loom", "medium-3", None) == (ada(world).harness, ada(world).model, ada(world).placement)
    assert "conflict" == apply(world, placement("restore", HERE, THERE, 2)).word


def test_a_chain_is_shown_over_a_slow_orchestrator(world: FakeWorld) -> None:
    """Three placements one after another hold while it shows the first place, the second, or the last."""
    second = evolve(THERE, model="medium-3")
    apply(world)
    apply(world, placement("move", second, THERE, 2))
    assert {"harness": "loom", "model": "small-1", "effort": "low"} == table(world)["placements"]["ada"]["over"]

    for place in (HERE, THERE, second):
        orchestrator(world, harness=place.harness, model=place.model, effort=place.effort)
        assert "medium-3" == ada(world).model, place


def test_a_park_is_shown_and_ends(world: FakeWorld) -> None:
    """A parked seat keeps its place and says that we paused it, until it is resumed."""
    assert "applied" == apply(world, placement("park", None, HERE, until=NOON)).word
    assert (None, "2026-03-01T12:00:00Z") == (
        table(world)["placements"]["ada"]["model"], table(world)["placements"]["ada"]["until"],
    )  # fmt: skip  # one line a side
    assert ("capacity", "small-1") == (ada(world).paused_by, ada(world).model)
    orchestrator(world, paused_by="capacity")
    assert "applied" == apply(world, placement("resume", HERE, HERE, 2)).word
    assert None is ada(world).paused_by


def test_somebody_elses_pause_stays_visible(world: FakeWorld) -> None:
    """A pause by an operator is shown through any placement of ours, and stops the next one."""
    apply(world)
    orchestrator(world, paused_by="operator")

    assert ("operator", "large-2") == (ada(world).paused_by, ada(world).model)
    assert "conflict" == apply(world, placement("restore", HERE, THERE, 2)).word


@pytest.mark.parametrize("flag", [{"pinned": True}, {"held": True}, {"paused_by": "login"}])
def test_what_an_operator_did_since_is_a_conflict(world: FakeWorld, flag: dict[str, Any]) -> None:
    """A pin, a hold or a pause that came after the decision is not written over."""
    orchestrator(world, **flag)

    assert "conflict" == apply(world).word
    assert "placements" not in table(world)


def test_an_adjusted_cadence_leaves_the_place(world: FakeWorld) -> None:
    """Only the cadence changes, and asking for it again changes nothing."""
    slower = placement("adjust", HERE, HERE, cadence=timedelta(hours=1))

    assert ["applied", "unchanged"] == [apply(world, slower).word, apply(world, slower).word]
    assert evolve(ADA, cadence=timedelta(hours=1), placement=slower.id) == ada(world)


def test_a_place_that_is_as_asked_is_left(world: FakeWorld) -> None:
    """Where the orchestrator already runs what we want, nothing is written."""
    orchestrator(world, harness="lathe", model="large-2", effort="high", pool="well")

    assert "unchanged" == apply(world).word
    assert "placements" not in table(world)


@pytest.mark.parametrize("act", ["leave", "keep"])
def test_an_act_that_changes_nothing_is_not_written(world: FakeWorld, act: Any) -> None:
    """Leaving and keeping are reasons, not writes."""
    assert "rejected" == apply(world, placement(act, HERE, HERE)).word
    assert "placements" not in table(world)


class Busy(FakeWorld):
    """A world in which somebody writes the file each time just before we do, so many times."""

    times = 0
    change: dict[str, Any]

    def __call__(self, effect: Any) -> Any:
        if isinstance(effect, Replace) and self.times:
            self.times -= 1
            now = json.loads(self.files["fleet.json"])
            now["seats"].update(json.loads(json.dumps(self.change)))
            now["round"] = self.times
            self.files["fleet.json"] = json.dumps(now).encode()
        return super().__call__(effect)


def busy(times: int, **change: Any) -> Busy:
    world = Busy(NOON, files={"fleet.json": page(ADA, BEN)})
    world.times, world.change = times, change
    return world


@pytest.mark.parametrize(("times", "word"), [(0, "applied"), (2, "applied"), (3, "rejected")])
def test_other_writers_are_waited_for_three_times(times: int, word: str) -> None:
    """When only other seats changed meanwhile the file is read again; after three times it is left, and said so."""
    world = busy(times, ben={"harness": "kiln", "model": "tiny-4"})
    outcome = apply(world)

    assert word == outcome.word
    assert ("placements" in table(world)) == (word == "applied")
    assert times == 0 or "tiny-4" == table(world)["seats"]["ben"]["model"]


def test_a_change_of_the_seat_itself_is_a_conflict() -> None:
    """What comes between our reading and our writing is judged anew."""
    world = busy(1, ada={"harness": "kiln", "model": "tiny-4"})

    assert "conflict" == apply(world).word
    assert "placements" not in table(world)


def test_no_answer_to_a_write_is_indeterminate(world: FakeWorld) -> None:
    """A write whose end nobody saw is not said to have failed."""

    def answer(effect: Any) -> Any:
        if isinstance(effect, Replace):
            raise TimedOut(effect.path, "no answer")
        return world(effect)

    assert Outcome("indeterminate", "fleet.json: no answer") == play(FLEET.apply(MOVE), answer)


def test_a_fleet_may_refuse_for_now(world: FakeWorld) -> None:
    """The file may say why its fleet is not to be written to."""
    world.files["fleet.json"] = page(ADA, refuses="it is being edited")

    assert "it is being edited" == play(FLEET.fleet(), world).refuses


def test_a_missing_file_is_named_with_its_remedy(world: FakeWorld) -> None:
    """Reading a fleet whose file is not there says which file, which fleet, and what to write."""
    world.files.clear()

    with pytest.raises(CapacityError, match=r"fleet\.json: no such file; write .*\"seats\".* fleet day"):
        play(FLEET.fleet(), world)
    assert "rejected" == apply(world).word


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        (b"", [""]),
        (b"<html>", [""]),
        (b"[]", [""]),
        (b"\xff\xfe", [""]),
        (b"[" * 100_000, [""]),
        (b'{"form": 1, "seats": {"a": {}, "a": {}}}', [""]),
        (b"{}", ["form", "seats"]),
        (b'{"form": 2, "seats": []}', ["form", "seats"]),
        (b'{"form": 1, "seats": {"a": 7, "b": {"harness": 1}}}', ["seats.a", "seats.b.harness", "seats.b.model"]),
        (
            b'{"form": 1, "seats": {"a": {"harness": "h", "model": "m", "cadence_s": "soon", "pinned": "no"}}}',
            ["seats.a.cadence_s", "seats.a.pinned"],
        ),
        (
            b'{"form": 1, "seats": {}, "placements": {"a": {"act": "fly", "until": "noon", "model": "m"}}}',
            [
                "placements.a.harness",
                "placements.a.pool",
                "placements.a.id",
                "placements.a.act",
                "placements.a.until",
            ],
        ),
    ],
)
def test_a_broken_file_tells_every_fault(world: FakeWorld, body: bytes, faults: list[str]) -> None:
    """Each fault comes with its path; nothing is shown of such a fleet, and nothing written to it."""
    world.files["fleet.json"] = body

    with pytest.raises(FormError, match=r"fleet\.json") as raised:
        play(FLEET.fleet(), world)
    assert faults == [fault.path for fault in raised.value.faults]
    assert "rejected" == apply(world).word
    assert body == world.files["fleet.json"]
