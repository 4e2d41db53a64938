"""Every fake answers what it was told to, at the host's present, and remembers what it was asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve

from capacity.errors import TimedOut
from capacity.ports import (
    Actuator,
    Candidate,
    Document,
    Failure,
    InventorySource,
    Listing,
    Outcome,
    Placement,
    Preparer,
    Prober,
    Rankings,
    Reader,
    Reading,
    Seat,
    Snapshot,
    TierSource,
)
from capacity.testing.fakes import (
    Crash,
    FakeActuator,
    FakeInventory,
    FakePreparer,
    FakeProber,
    FakeReader,
    FakeTierSource,
)
from capacity.testing.flows import FakeWorld, play
from capacity.values.conditions import Fact

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
READING = Reading("", "ok", "fake", NOON)
LISTING = Listing(None, "authoritative", "fake", NOON)
RANKINGS = Rankings("fake", "fresh", NOON)
ADA = Seat("day", "ada", "loom", "small-1")
HERE, THERE = Candidate("loom", "harbour", "small-1"), Candidate("lathe", "well", "large-2")
MOVE = Placement("1/day/ada", "day", "ada", "move", Fact("core:room"), THERE, HERE)


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld(LATER)


def test_a_reader_knows_bodies_by_heart() -> None:
    """A known body gives what was told, seen when it arrived; any other is not its own."""
    failure = Failure("quota", "pool")
    reader: Reader = FakeReader({b"r": (READING,)}, {b"l": LISTING}, {b"f": failure})
    answers = [
        (
            reader.readings(Document(body, LATER)),
            reader.listing(Document(body, LATER)),
            reader.failure(Document(body, LATER)),
        )
        for body in (b"r", b"l", b"f", b"?")
    ]

    assert [
        ((evolve(READING, observed_at=LATER),), None, None),
        (None, evolve(LISTING, observed_at=LATER), None),
        (None, None, failure),
        (None, None, None),
    ] == answers


def test_a_prober_follows_its_script(world: FakeWorld) -> None:
    """One answer after another, the last for ever; an error is raised; each is of the host's present."""
    fake = FakeProber((READING,), TimedOut("fake", "no answer"), (evolve(READING, state="throttled"),))
    prober: Prober = fake

    assert (evolve(READING, observed_at=LATER),) == play(prober.probe(), world)
    with pytest.raises(TimedOut):
        play(prober.probe(), world)
    assert ["throttled"] * 2 == [play(prober.probe(), world)[0].state for _ in range(2)]
    assert (4, "fake-login") == (fake.script.told, play(prober.account(), world))
    fake.script.say((READING, READING))
    assert 2 == len(play(prober.probe(), world))


def test_a_source_without_a_script_says_nothing(world: FakeWorld) -> None:
    """No reading and no listing, and no error."""
    assert () == play(FakeProber().probe(), world)
    assert () == play(FakeInventory().listings(), world)


def test_an_inventory_and_a_tier_source_follow_theirs(world: FakeWorld) -> None:
    """Likewise for what can run, and for how good it is."""
    inventory: InventorySource = FakeInventory((LISTING,))
    tiers: TierSource = FakeTierSource(RANKINGS, TimedOut("tiers", "no answer"))

    assert (evolve(LISTING, observed_at=LATER),) == play(inventory.listings(), world)
    assert evolve(RANKINGS, as_of=LATER) == play(tiers.rankings(), world)
    with pytest.raises(TimedOut):
        play(tiers.rankings(), world)
    assert tiers.about.url


def test_a_preparer_remembers_what_it_was_asked_for(world: FakeWorld) -> None:
    """It prepares whatever it is asked for, unless it is told to say something else."""
    fake = FakePreparer()
    preparer: Preparer = fake

    assert Outcome("applied", at=LATER) == play(preparer.prepare("large-2"), world)
    fake.script.say(TimedOut("kiln", "no answer"))
    with pytest.raises(TimedOut):
        play(preparer.prepare("small-1"), world)
    assert ["large-2", "small-1"] == fake.prepared


def test_an_actuator_remembers_everything(world: FakeWorld) -> None:
    """What it was asked to write, to prepare and to report, in order; what it refused too."""
    fake = FakeActuator(fleet="day", seats=[ADA])
    actuator: Actuator = fake
    again = evolve(MOVE, id="2/day/ada")
    words = [play(actuator.apply(what), world).word for what in (MOVE, again)]
    snapshot = Snapshot(NOON)

    assert ["applied", "unchanged"] == words
    assert [MOVE, again] == fake.asked
    assert (
        Outcome("applied", at=LATER) == play(actuator.prepare(THERE), world) == play(actuator.report(snapshot), world)
    )
    assert ([THERE], [snapshot]) == (fake.prepared, fake.reports)
    assert ("lathe", "large-2", MOVE.id) == (
        fake.seats["ada"].harness, fake.seats["ada"].model, fake.seats["ada"].placement,
    )  # fmt: skip  # one line a side


def test_an_actuator_answers_what_it_is_told_to(world: FakeWorld) -> None:
    """Any outcome, in order and for that seat; one that counts as written changes the seat."""
    fake = FakeActuator(fleet="day", seats=[ADA])
    fake.tell("ada", "conflict")
    fake.tell("ada", "unverified")

    assert Outcome("conflict", at=LATER) == play(fake.apply(MOVE), world)
    assert ADA == fake.seats["ada"]
    assert Outcome("unverified", at=LATER) == play(fake.apply(MOVE), world)
    assert "large-2" == fake.seats["ada"].model
    assert "unchanged" == play(fake.apply(MOVE), world).word


@pytest.mark.parametrize(("halfway", "model"), [(False, "small-1"), (True, "large-2")])
def test_an_actuator_dies_when_it_is_told_to(world: FakeWorld, halfway: bool, model: str) -> None:
    """Before the change or after it; nothing that catches exceptions holds the end of a process up."""
    fake = FakeActuator(fleet="day", seats=[ADA])
    fake.tell("ada", Crash(), halfway=halfway)

    assert not issubclass(Crash, Exception)
    with pytest.raises(Crash):
        play(fake.apply(MOVE), world)
    assert (model, [MOVE]) == (fake.seats["ada"].model, fake.asked)


def test_an_actuator_may_refuse_for_now(world: FakeWorld) -> None:
    """Why a fleet is not to be written to is shown with it."""
    fake = FakeActuator(fleet="day", seats=[ADA])
    assert play(fake.fleet(), world).refuses is None
    fake.refuses = "night shift"

    assert ("night shift", (ADA,), LATER) == (
        play(fake.fleet(), world).refuses, play(fake.fleet(), world).seats, play(fake.fleet(), world).observed_at,
    )  # fmt: skip  # one line a side
