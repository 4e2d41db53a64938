"""The contracts hold for a well-behaved backend, find each way a backend goes wrong, and are excused only with a reason."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, cast

import pytest
from attrs import evolve, frozen

from capacity.ports import (
    Budget,
    Document,
    Env,
    Failure,
    Get,
    InventorySource,
    Limit,
    Listing,
    Model,
    Pause,
    Prober,
    Read,
    Reader,
    Reading,
    Replace,
    Retry,
    Secret,
    Send,
)
from capacity.ports.secret import reveal
from capacity.testing.contracts import (
    ActuatorContract,
    Case,
    Contract,
    InventoryContract,
    ProberContract,
    ReaderContract,
)
from capacity.testing.contracts._asking import secrets
from capacity.testing.contracts._ruin import drifted
from capacity.testing.contracts.actuator import FLEET, SEATS
from capacity.testing.fakes import FakeActuator
from capacity.testing.flows import FakeWorld, play

from .sundial import SOURCE, Sundial, SundialReader

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
GOOD = Document(b'{"used": 42.0, "of": {"large": 7.0}}', NOON, asked="/usage", status=200)
CASES = [Case(GOOD, frozenset({"large"})), Case(evolve(GOOD, body=b'{"used": 0}', asked=None))]
THROTTLED = Document(b"", NOON, asked="/usage", status=429)


def healthy() -> FakeWorld:
    """A world in which the sundial stands in the sun."""

    def web(request: Get | Send) -> Document:
        if "models" in request.url:
            return Document(b'{"models": ["large-1", "small-1"]}', NOON, asked="/models", status=200)
        return GOOD

    return FakeWorld(NOON, environ={"SUNDIAL_KEY": "hush-hush-hush"}, web=web)


@pytest.fixture
def world() -> FakeWorld:
    return healthy()


# --- what is well behaved ---------------------------------------------------------------------


class TestReader(ReaderContract):
    construct = "from capacity.ports import Limit; Limit('daily')"

    @pytest.fixture
    def reader(self) -> Reader:
        return SundialReader()

    @pytest.fixture
    def cases(self) -> list[Case]:
        return CASES

    @pytest.fixture
    def throttled(self) -> Document:
        return THROTTLED


class TestProber(ProberContract):
    construct = "from capacity.ports import Limit; Limit('daily')"

    @pytest.fixture
    def prober(self) -> Prober:
        return Sundial()


class TestInventory(InventoryContract):
    construct = "from capacity.ports import Limit; Limit('daily')"

    @pytest.fixture
    def inventory(self) -> InventorySource:
        return Sundial()


# --- what goes wrong in a reader --------------------------------------------------------------


class Guesses(SundialReader):
    """A missing figure is zero."""

    def limits(self, doc: Document) -> tuple[Limit, ...]:
        return (Limit("daily", float(self.body(doc).get("used") or 0)),)


class Flattens(SundialReader):
    """A scoped limit binds all."""

    def limit(self, name: str | None, used: float) -> Limit:
        return Limit(f"daily:{name}", used)


class Merges(SundialReader):
    """Every limit has one name."""

    def limit(self, name: str | None, used: float) -> Limit:
        return Limit("daily", used, scope=super().limit(name, used).scope)


class Remembers(SundialReader):
    """Each document counts on from the last."""

    seen = 0

    def limit(self, name: str | None, used: float) -> Limit:
        self.seen += 1
        return evolve(super().limit(name, used), quantum=float(self.seen))


class Dates(SundialReader):
    """It has an idea of its own of when it is."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        told = super().readings(doc)
        return told and tuple(evolve(one, observed_at=NOON + timedelta(days=1)) for one in told)


class Takes(SundialReader):
    """Every document is its own."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        return super().readings(evolve(doc, asked="/usage"))


class Presumes(SundialReader):
    """What nobody knows the question of is its own."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        return super().readings(evolve(doc, asked=doc.asked or "/usage"))


class Alarms(SundialReader):
    """A refused probe is an exhausted pool."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        told = super().readings(doc)
        return told and tuple(evolve(one, limits=(Limit("daily", 100.0),)) for one in told)


class Impatient(SundialReader):
    """A refused probe may be repeated at once, whatever was said."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        told = super().readings(doc)
        return told and tuple(evolve(one, retry_at=doc.at) for one in told)


class Blames(SundialReader):
    """Whatever it sees, somebody is at fault."""

    def failure(self, doc: Document) -> Failure | None:
        return Failure.of("other")


class Doubles(SundialReader):
    """One pool twice."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        told = super().readings(doc)
        return told and told * 2


@pytest.mark.parametrize(
    ("reader", "test", "more"),
    [
        (Guesses(), "test_hopeless_bodies_are_no_reading", {"ruin": "html"}),
        (Guesses(), "test_json_that_says_nothing_is_no_zero", {"ruin": "table"}),
        (Guesses(), "test_broken_off_bodies_are_no_zero", {}),
        (Guesses(), "test_missing_figures_are_no_zero", {}),
        (Flattens(), "test_scoped_limits_keep_their_scope", {}),
        (Merges(), "test_limits_of_a_reading_have_their_own_names", {}),
        (Remembers(), "test_one_document_is_always_read_alike", {}),
        (Dates(), "test_readings_are_told_of_when_they_arrived", {}),
        (Takes(), "test_a_strangers_document_is_not_mine", {}),
        (Presumes(), "test_a_strangers_document_is_not_mine", {}),
        (Doubles(), "test_good_answers_are_ok", {}),
        (Blames(), "test_good_answers_are_no_failure", {}),
    ],
)
def test_a_wrong_reader_is_found(reader: Reader, test: str, more: dict[str, Any]) -> None:
    """Each way of reading wrongly breaks its test of the contract."""
    with pytest.raises(AssertionError):
        getattr(TestReader(), test)(reader, CASES, **more)


def test_an_alarmed_reader_is_found() -> None:
    """A refused probe that speaks of the quota breaks the contract."""
    with pytest.raises(AssertionError):
        TestReader().test_a_throttled_probe_says_nothing_of_the_quota(Alarms(), THROTTLED)


def test_a_blaming_reader_is_found() -> None:
    """A refused probe that is charged to somebody breaks the contract."""
    with pytest.raises(AssertionError):
        TestReader().test_a_throttled_probe_is_no_failure(Blames(), THROTTLED)


def test_a_parser_may_give_up() -> None:
    """A `ValueError` from a parser is no reading, and no fault."""

    class GivesUp(SundialReader):
        def body(self, doc: Document) -> dict[str, Any]:
            tree: dict[str, Any] = json.loads(doc.body)
            return tree

    TestReader().test_hopeless_bodies_are_no_reading(GivesUp(), CASES, "deep")


def test_every_part_of_a_body_drifts() -> None:
    """Each part is once null and once gone; what is no JSON cannot drift."""
    found = {json.dumps(json.loads(body)) for body in drifted(b'{"a": [1], "b": {"c": 2}}')}

    assert {
        '{"a": null, "b": {"c": 2}}',
        '{"b": {"c": 2}}',
        '{"a": [null], "b": {"c": 2}}',
        '{"a": [], "b": {"c": 2}}',
        '{"a": [1], "b": null}',
        '{"a": [1]}',
        '{"a": [1], "b": {"c": null}}',
        '{"a": [1], "b": {}}',
    } == found
    assert [] == list(drifted(b"<html>"))


# --- what goes wrong in a flow ----------------------------------------------------------------


@frozen
class Insists(Sundial):
    """A refusal is asked again."""

    async def probe(self) -> tuple[Reading, ...]:
        first = await Sundial.probe(self)
        return await Sundial.probe(self) if first[0].state == "throttled" else first


@frozen
class Delegates(Sundial):
    """The driver is told to ask again."""

    async def probe(self) -> tuple[Reading, ...]:
        again = Retry(statuses=frozenset({429}))
        reply = await Get("https://sundial.invalid/usage", bearer=await Env("SUNDIAL_KEY"), retry=again)
        return self.reader.readings(reply.document) or ()


@frozen
class Consumes(Sundial):
    """Asking starts something."""

    async def probe(self) -> tuple[Reading, ...]:
        await Send("POST", "https://sundial.invalid/refresh")
        return await Sundial.probe(self)

    async def listings(self) -> tuple[Listing, ...]:
        await Replace("cache", b"", None)
        return await Sundial.listings(self)


@frozen
class Phones(Sundial):
    """Whose login it is, is asked over the network."""

    async def account(self) -> str:
        await Get("https://sundial.invalid/profile", bearer=await Env("SUNDIAL_KEY"))
        return "one-sundial"


@frozen
class Leaks(Sundial):
    """The key is told."""

    async def account(self) -> str:
        return reveal(await Env("SUNDIAL_KEY"))

    async def probe(self) -> tuple[Reading, ...]:
        secret = reveal(await Env("SUNDIAL_KEY"))
        reply = await Get(f"https://sundial.invalid/usage?key={secret}")
        return self.reader.readings(evolve(reply.document, asked="/usage")) or ()

    async def listings(self) -> tuple[Listing, ...]:
        secret = reveal(await Env("SUNDIAL_KEY"))
        return tuple(evolve(one, source=secret) for one in await Sundial.listings(self))


@frozen
class Hopes(Sundial):
    """Without a key, an answer or a list, all is well."""

    async def probe(self) -> tuple[Reading, ...]:
        now = await Pause(timedelta(0))
        try:
            await Get("https://sundial.invalid/usage", bearer=Secret("none"))
        finally:
            return (Reading("", "ok", SOURCE, now.at),)  # noqa: B012 - this is what is wrong with it

    async def listings(self) -> tuple[Listing, ...]:
        now = await Pause(timedelta(0))
        try:
            await Get("https://sundial.invalid/models", bearer=await Env("SUNDIAL_KEY"))
        finally:
            return (Listing(None, "authoritative", SOURCE, now.at),)  # noqa: B012 - this is what is wrong with it


@frozen
class Stutters(Sundial):
    """A model is listed twice."""

    async def listings(self) -> tuple[Listing, ...]:
        return await Sundial.listings(self) * 2


class Moods(Sundial):
    """Each list is another."""

    times = 0

    async def listings(self) -> tuple[Listing, ...]:
        Moods.times += 1
        told = await Sundial.listings(self)
        return tuple(evolve(one, models=(*one.models, Model(f"m{Moods.times}"))) for one in told)


class Asks(Sundial):
    """The answer depends on who asks."""

    async def probe(self, seat: str = "ada") -> tuple[Reading, ...]:
        return await Sundial.probe(self)

    async def listings(self, seat: str = "ada") -> tuple[Listing, ...]:
        return await Sundial.listings(self)


@pytest.mark.parametrize(
    ("prober", "test", "more"),
    [
        (Insists(), "test_too_many_requests_is_throttled", {"told": "seconds"}),
        (Delegates(), "test_too_many_requests_is_throttled", {"told": "nothing"}),
        (Sundial(Alarms()), "test_too_many_requests_is_throttled", {"told": "nothing"}),
        (Sundial(Impatient()), "test_too_many_requests_is_throttled", {"told": "a date"}),
        (Sundial(Impatient()), "test_too_many_requests_is_throttled", {"told": "nought"}),
        (Consumes(), "test_probing_changes_nothing", {}),
        (Phones(), "test_its_account_is_told_from_local_files", {}),
        (Leaks(), "test_its_account_is_told_from_local_files", {}),
        (Leaks(), "test_no_secret_is_shown", {}),
        (Hopes(), "test_a_ruined_answer_is_no_figure", {"ruin": "empty"}),
        (Hopes(), "test_silence_is_no_figure", {}),
        (Hopes(), "test_without_its_secret_it_asks_nobody", {}),
        (Sundial(Alarms()), "test_without_its_secret_it_asks_nobody", {"world": FakeWorld(NOON)}),
    ],
)
def test_a_wrong_prober_is_found(prober: Prober, test: str, more: dict[str, Any]) -> None:
    """Each way of probing wrongly breaks its test of the contract."""
    with pytest.raises(AssertionError):
        getattr(TestProber(), test)(prober, **{"world": healthy(), **more})


@pytest.mark.parametrize(
    ("inventory", "test", "more"),
    [
        (Consumes(), "test_listing_changes_nothing", {}),
        (Leaks(), "test_no_secret_is_shown", {}),
        (Hopes(), "test_a_source_in_good_health_lists_models", {}),
        (Hopes(), "test_a_refusal_is_no_sample", {"status": 401}),
        (Hopes(), "test_a_ruined_answer_is_no_sample", {"ruin": "empty"}),
        (Hopes(), "test_silence_is_no_sample", {}),
        (Hopes(), "test_an_empty_list_is_no_sample", {}),
        (Stutters(), "test_ids_are_listed_once", {}),
        (Moods(), "test_a_list_is_told_alike_twice", {}),
    ],
)
def test_a_wrong_inventory_is_found(inventory: InventorySource, test: str, more: dict[str, Any]) -> None:
    """Each way of listing wrongly breaks its test of the contract."""
    with pytest.raises(AssertionError):
        getattr(TestInventory(), test)(inventory, healthy(), **more)


def test_a_consumer_is_found() -> None:
    """A question with an argument could depend on who asks."""
    with pytest.raises(AssertionError):
        TestProber().test_it_takes_no_seat(Asks())
    with pytest.raises(AssertionError):
        TestInventory().test_it_takes_no_seat(Asks())


def test_a_missing_budget_is_found() -> None:
    """How often a source may be asked has to be said."""
    with pytest.raises(AssertionError):
        TestProber().test_it_declares_a_budget(Sundial(budget=None))  # type: ignore[arg-type]  # what is wrong with it
    with pytest.raises(AssertionError):
        TestInventory().test_it_declares_a_budget(Sundial(budget=None))  # type: ignore[arg-type]  # here as well
    assert isinstance(Sundial().budget, Budget)


def test_secrets_are_what_was_masked() -> None:
    """Variables, and every text of a secret file but those under plain keys and those too short to be told apart."""
    world = FakeWorld(
        NOON, files={"a": b'{"t": ["long-secret"], "plan": "enormous", "x": "short"}', "b": b"a-bare-token\n"}
    )

    async def flow() -> None:
        await Read("a", secret=True, plain=frozenset({"plan"}))
        await Read("b", secret=True)

    play(flow(), world)
    assert {"long-secret", "a-bare-token"} == secrets(world)


# --- what goes wrong in an actuator -----------------------------------------------------------


class TestActuator(ActuatorContract):
    construct = "from capacity.testing.fakes import FakeActuator; FakeActuator(fleet='day')"

    @pytest.fixture
    def actuator(self) -> FakeActuator:
        return FakeActuator(fleet=FLEET, seats=SEATS)

    @pytest.fixture
    def failing(self) -> FakeActuator:
        return told("rejected")


def told(*answers: Any, halfway: bool = False) -> FakeActuator:
    """A fleet that does as it is told instead of what it is asked."""
    fake = FakeActuator(fleet=FLEET, seats=SEATS)
    for answer in answers:
        fake.tell("ada", answer, halfway=halfway)
    return fake


@pytest.mark.parametrize(
    ("actuator", "test", "more"),
    [
        (FakeActuator(fleet=FLEET, seats=SEATS[:1]), "test_it_shows_its_seats", {}),
        (told("rejected"), "test_a_place_changes_whole", {}),
        (told("applied", "applied"), "test_a_placement_is_carried_out_once", {}),
        (told("applied", "conflict"), "test_placements_follow_each_other", {}),
        (told("applied"), "test_another_place_than_expected_is_a_conflict", {"part": "model"}),
        (told("rejected", halfway=True), "test_what_fails_changes_nothing", {}),
        (told("applied", "rejected"), "test_a_park_holds_until_it_is_resumed", {}),
        (FakeActuator(fleet=FLEET, seats=SEATS, abilities=["move"]), "test_a_park_holds_until_it_is_resumed", {}),
        (told("rejected"), "test_a_cadence_is_kept", {}),
    ],
)
def test_a_wrong_actuator_is_found(actuator: FakeActuator, test: str, more: dict[str, Any]) -> None:
    """Each way of writing wrongly breaks its test of the contract."""
    arguments = {"failing": actuator} if test == "test_what_fails_changes_nothing" else {}
    with pytest.raises(AssertionError):
        getattr(TestActuator(), test)(actuator=actuator, world=FakeWorld(NOON), **arguments, **more)


def test_an_unknown_ability_is_found() -> None:
    """What an actuator can do is said in the words of the port."""
    with pytest.raises(AssertionError):
        TestActuator().test_its_abilities_are_known_ones(FakeActuator(fleet=FLEET, abilities=cast("Any", ["fly"])))


def test_an_actuator_that_makes_seats_up_is_found() -> None:
    """A seat nobody has is not answered as if it were there."""
    fake = FakeActuator(fleet=FLEET, seats=SEATS)
    fake.tell("zed", "unverified")
    fake.seats["zed"] = evolve(SEATS[0], name="zed")
    with pytest.raises(AssertionError):
        TestActuator().test_a_seat_that_left_is_gone(fake, FakeWorld(NOON))


# --- construction and excuses -----------------------------------------------------------------


@pytest.mark.parametrize(
    "construct",
    [
        "import socket; socket.socket()",
        "import subprocess; subprocess.run(['true'])",
        "open('/etc/hostname')",
        "import os; os.open('/dev/null', os.O_RDONLY)",
        "import os; os.fork()",
        "raise RuntimeError",
    ],
)
def test_io_at_construction_is_found(construct: str) -> None:
    """A socket, a child, a file or an error ends the child that constructs."""
    contract = type("Eager", (Contract,), {"construct": construct})

    with pytest.raises(AssertionError):
        contract().test_importing_and_constructing_do_no_io()


def test_a_test_of_a_contract_cannot_be_replaced() -> None:
    """A subclass that brings its own version of a test is refused when it is defined."""
    with pytest.raises(TypeError, match=r"Sly replaces test_it_declares_a_budget"):
        type("Sly", (ProberContract,), {"test_it_declares_a_budget": lambda self: None})


@pytest.mark.parametrize("excused", [{"test_it_declares_a_budget": " "}, {"test_it_flies": "it has no wings"}])
def test_an_excuse_needs_a_reason_and_a_test(excused: dict[str, str]) -> None:
    """Nothing is excused without saying why, and nothing that is not owed."""
    with pytest.raises(TypeError, match=next(iter(excused))):
        type("Sly", (ProberContract,), {"excused": excused})


class TestExcused(ProberContract):
    """One of its tests cannot hold, and says so; all the others are run."""

    construct = "from capacity.ports import Limit; Limit('daily')"
    excused: ClassVar = {"test_without_its_secret_it_asks_nobody": "this world needs no secret"}

    @pytest.fixture
    def prober(self) -> Prober:
        return Sundial()

    @pytest.fixture
    def world(self, request: pytest.FixtureRequest) -> FakeWorld:
        made = healthy()
        if request.node.name == "test_without_its_secret_it_asks_nobody":
            made.environ["SUNDIAL_KEY"] = "short"
        return made


def test_an_excuse_is_strict_and_its_own() -> None:
    """An excused test has to fail, and the contract's other subclasses still owe it."""
    marks = {
        cls: getattr(cls.test_without_its_secret_it_asks_nobody, "pytestmark", []) for cls in (TestExcused, TestProber)
    }

    assert [("xfail", True)] == [(mark.name, mark.kwargs["strict"]) for mark in marks[TestExcused]]
    assert [] == marks[TestProber]
