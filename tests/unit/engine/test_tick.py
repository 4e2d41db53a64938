"""One tick after another: what is decided is kept before it is done, and what was done is known."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from capacity import codec
from capacity.actuators import file
from capacity.engine import Engine, Report, Settings
from capacity.engine.documents import Written
from capacity.errors import Refused
from capacity.ports import Fleet, Model, Outcome, Placement
from capacity.store import memory
from capacity.testing.fakes import Crash, FakeActuator, FakeInventory
from capacity.values.history import Level
from capacity.values.policy import FleetPolicy

from .scene import HOUR, MODEL, NOON, Scene, listing, policy, reading, seat

TURN = timedelta(minutes=20)


def full(scene: Scene, *accounts: str) -> None:
    """From now on, these accounts are used up and the others are not."""
    for name, prober in scene.probers.items():
        prober.script.say((reading(100.0 if name in accounts else 10.0),))
    scene.clock.advance(TURN)


def words(report: Report) -> dict[str, str]:
    return {placement.seat: outcome.word for placement, outcome in report.outcomes}


def acts(report: Report) -> dict[str, str]:
    assert report.tick.decision is not None
    return {placement.seat: placement.act for placement in report.tick.decision.placements}


def journal(scene: Scene) -> list[Written]:
    return [codec.loads(Written, record.body) for record in scene.store.read("journal")]


def standing(engine: Engine) -> set[tuple[str, str]]:
    return {condition.key for condition in engine.snapshot().conditions}


def test_a_seat_leaves_an_exhausted_pool_and_the_next_tick_keeps_it() -> None:
    """It is moved, the move is journalled with its outcome, and where it is now is legitimate."""
    scene = Scene()
    engine = scene.engine()
    assert ({"s1": "keep", "s2": "keep"}, {}) == (acts(engine.tick()), words(engine.tick()))

    full(scene, "a")
    report = engine.tick()
    assert ({"s1": "move", "s2": "keep"}, {"s1": "applied"}) == (acts(report), words(report))
    assert MODEL.format("b") == scene.fleet.seats["s1"].model
    assert [(None, "sent"), ("applied", "told")] == [
        (one.outcome and one.outcome.word, "told" if one.outcome else "sent") for one in journal(scene)
    ]

    scene.clock.advance(TURN)
    assert ({"s1": "keep", "s2": "keep"}, {}) == (acts(report := engine.tick()), words(report))


def test_everything_parked_is_still_measured_and_comes_back() -> None:
    """With no pool left every seat is parked; the pools are asked all the same, and room brings the seats back."""
    scene = Scene()
    engine = scene.engine()
    full(scene, "a", "b")
    assert {"s1": "park", "s2": "park"} == acts(engine.tick())
    assert {"capacity"} == {one.paused_by for one in scene.fleet.seats.values()}

    full(scene)
    report = engine.tick()
    assert ["a", "b"] == [one.pool for one in report.published]
    assert {"s1": "resume", "s2": "resume"} == acts(report)
    assert {None} == {one.paused_by for one in scene.fleet.seats.values()}


def test_shadow_decides_the_same_and_does_nothing() -> None:
    """The shadow log can be held against the enforced one: the same decisions, no placement sent, none journalled."""
    kept = []
    for mode in ("shadow", "enforce"):
        scene = Scene()
        scene.store.swap("seed", b"5", None)
        engine = scene.engine(policy(mode))
        full(scene, "a")
        report = engine.tick()
        kept.append(report.tick.decision)
        assert (mode == "enforce") is bool(report.outcomes) is bool(journal(scene)) is bool(scene.fleet.asked)
        assert [report.tick.decision and report.tick.decision.id] == list(engine.ticks())

    assert kept[0] == kept[1]


def test_a_plan_changes_nothing() -> None:
    """It shows what a tick would do: no question, no claim, no journal, nothing kept."""
    scene = Scene()
    engine = scene.engine()
    engine.tick()
    full(scene, "a")
    engine.probe()
    before = {log: scene.store.read(log) for log in ("readings", "journal", "decisions", "conditions")}
    asked = scene.probes()
    plan = engine.plan()

    assert plan.decision is not None
    assert ["move", "keep"] == [one.act for one in plan.decision.placements]
    assert before == {log: scene.store.read(log) for log in before}
    assert (asked, []) == (scene.probes(), scene.fleet.asked)
    assert plan.decision.placements == engine.tick().tick.decision.placements  # type: ignore[union-attr]  # a tick has one


def test_a_plan_may_ask_first() -> None:
    """Where it is told to, what is due is asked and published."""
    scene = Scene()
    engine = scene.engine()

    assert {} == {name: pool.state for name, pool in engine.plan().headroom.pools.items() if pool.state}
    assert {"a", "b"} == {name for name, pool in engine.plan(probe=True).headroom.pools.items() if pool.state}


def test_a_fleet_another_controller_holds_is_left() -> None:
    """It counts, is not written to, and the condition says who holds it."""
    scene = Scene()
    engine = scene.engine()
    full(scene, "a")
    scene.store.claim("fleet:f", "elsewhere", 1, HOUR)
    report = engine.tick()

    assert ["elsewhere"] == [fleet.held_by for fleet in report.tick.history.fleets]
    assert ({"s1": "leave", "s2": "leave"}, []) == (acts(report), scene.fleet.asked)
    assert ("core:second-controller", "f") in standing(engine)
    assert "elsewhere" == scene.store.holder("fleet:f")


class Unreadable(FakeActuator):
    """Cannot be read."""

    async def fleet(self) -> Fleet:
        raise Refused("/fleet.json", "permission denied")


class Alien(FakeActuator):
    """Tells of another fleet."""

    async def fleet(self) -> Fleet:
        return evolve(await super().fleet(), name="g")


class Senseless(FakeActuator):
    """Breaks its contract."""

    async def fleet(self) -> Any:
        return {"seats": []}


@pytest.mark.parametrize(
    ("kind", "because"),
    [
        (Unreadable, "/fleet.json: permission denied"),
        (Alien, "its actuator told of g instead"),
        (Senseless, "its actuator failed: TypeError: it returned dict, not Fleet"),
    ],
)
def test_a_fleet_that_cannot_be_read_is_a_condition_and_stops_no_other(kind: type[FakeActuator], because: str) -> None:
    """The other fleet is placed as ever."""
    scene = Scene()
    both = policy(fleets={name: FleetPolicy(name, "fake", "enforce") for name in ("f", "g")})
    broken = kind(fleet="f", seats=[seat("s9")])
    good = FakeActuator(fleet="g", seats=[evolve(seat("s1"), fleet="g")])
    engine = scene.engine(both, actuators={"f": broken, "g": good})
    full(scene, "a")
    report = engine.tick()

    assert {"s1": "applied"} == words(report)
    assert [because, None] == [fleet.refuses for fleet in report.tick.history.fleets]
    assert ("core:fleet-refuses", "f") in standing(engine)


def test_a_refusal_of_ours_ends_that_fleets_tick() -> None:
    """The first seat is refused for want of a right; the second is not even sent, and both are told."""
    scene = Scene()
    scene.fleet = FakeActuator(fleet="f", seats=[seat("s1"), seat("s2"), seat("s3", "b")])
    scene.fleet.tell("s1", "unauthorised")
    engine = scene.engine()
    full(scene, "a")

    assert {"s1": "unauthorised", "s2": "unauthorised"} == words(engine.tick())
    assert ["s1"] == [placement.seat for placement in scene.fleet.asked]
    assert {("core:not-applied", "f/s1"), ("core:not-applied", "f/s2")} <= standing(engine)

    scene.clock.advance(TURN)
    assert {"s1": "applied", "s2": "applied"} == words(engine.tick())
    assert not {key for key in standing(engine) if key[0] == "core:not-applied"}


def test_what_an_actuator_does_not_offer_is_not_sent() -> None:
    """A fleet whose actuator cannot park is told so, seat by seat."""
    scene = Scene()
    scene.fleet = FakeActuator(fleet="f", seats=[seat("s1")], abilities={"move"})
    engine = scene.engine()
    full(scene, "a", "b")
    report = engine.tick()

    assert ({"s1": "rejected"}, []) == (words(report), scene.fleet.asked)
    assert "the actuator of f does not offer park" == report.outcomes[0][1].detail


def test_a_fleet_that_speaks_in_aliases_is_written_to_in_its_own_words(tmp_path: Path) -> None:
    """The decision knows the model an alias stands for; the actuator is told what the fleet itself calls it."""
    alias = Model(MODEL.format("a"), names=frozenset({"alias"}))
    scene = Scene(inventories={"a": FakeInventory((evolve(listing("a"), models=(alias,)),))})
    seats = tmp_path / "fleet.json"
    seats.write_text('{"form": 1, "seats": {"s1": {"harness": "h", "model": "alias"}}}')
    engine = scene.engine(actuators={"f": file(fleet="f", path=str(seats))})
    full(scene, "a")

    assert ({"s1": "applied"}, {"s1": "keep"}) == (words(engine.tick()), acts(engine.tick()))
    assert "alias" in seats.read_text()


def test_an_answer_that_got_lost_is_read_back() -> None:
    """The seat was changed and nobody heard: it is indeterminate now, and applied once the next tick has looked."""
    scene = Scene()
    engine = scene.engine()
    full(scene, "a")
    scene.fleet.tell("s1", Refused("seat", "connection reset"), halfway=True)
    assert {"s1": "indeterminate"} == words(engine.tick())

    scene.clock.advance(TURN)
    report = engine.tick()
    assert ({"s1": "applied"}, 1) == (words(report), len(scene.fleet.asked))
    assert {"s1": "keep", "s2": "keep"} == acts(report)


def test_what_was_never_carried_out_is_sent_once_more() -> None:
    """The seat reads back as before: the same placement goes out again, under the same id, and no new one is made."""
    scene = Scene()
    engine = scene.engine()
    full(scene, "a")
    scene.fleet.tell("s1", Refused("seat", "connection reset"))
    engine.tick()
    scene.clock.advance(TURN)
    report = engine.tick()

    assert {"s1": "applied"} == words(report)
    assert 1 == len({placement.id for placement in scene.fleet.asked})
    assert [1, 2] == [one.sent for one in journal(scene) if one.outcome is None]
    assert {"s1": "keep", "s2": "keep"} == acts(report)


@pytest.mark.parametrize("reads_back", [True, False])
def test_what_nobody_can_tell_is_left_until_an_operator_takes_it(reads_back: bool) -> None:
    """Twice unheard of, or once where nothing is read back: left under a condition, and never sent again by itself."""
    scene = Scene()
    abilities = frozenset({"move", "park"}) | ({"reads-back"} if reads_back else set())
    scene.fleet = FakeActuator(fleet="f", seats=[seat("s1")], abilities=abilities)  # type: ignore[arg-type]  # words of the port
    engine = scene.engine()
    full(scene, "a")
    for _ in range(3):
        scene.fleet.tell("s1", Refused("seat", "connection reset"))
    for _ in range(4):
        report = engine.tick()
        scene.clock.advance(TURN)

    assert {"s1": "leave"} == acts(report)
    assert (2 if reads_back else 1) == len(scene.fleet.asked)
    assert ("core:indeterminate", "f/s1") in {condition.key for condition in report.loud}

    engine.accept("f", "s1")
    scene.fleet._told.clear()
    assert {"s1": "applied"} == words(engine.tick())
    assert ("core:indeterminate", "f/s1") not in standing(engine)


def test_a_process_that_dies_inside_apply_leaves_an_intent() -> None:
    """The next process finds it, reads the seat back and says what became of it."""
    scene = Scene()
    full(scene, "a")
    scene.fleet.tell("s1", Crash(), halfway=True)
    try:
        scene.engine().tick()
        pytest.fail("it should have died")
    except* Crash:
        pass
    assert [None] == [one.outcome for one in journal(scene)]

    scene.clock.advance(TURN)
    assert {"s1": "applied"} == words(scene.engine().tick())
    assert 1 == len(scene.fleet.asked)


class Sluggish(FakeActuator):
    """Its first placement takes so long that the fleet is lost; somebody else takes it."""

    def __init__(self, scene: Scene, **parts: Any) -> None:
        super().__init__(**parts)
        self.scene = scene

    async def apply(self, placement: Placement) -> Outcome:
        self.scene.clock.advance(timedelta(seconds=61))
        self.scene.store.claim("fleet:f", "elsewhere", 1, TURN)
        return await super().apply(placement)


def test_whoever_lost_the_fleet_writes_nothing_more() -> None:
    """Neither the outcome of what it sent nor what it had still to send: the next holder finds out."""
    scene = Scene()
    scene.fleet = Sluggish(scene, fleet="f", seats=[seat("s1"), seat("s2")])
    engine = scene.engine()
    full(scene, "a")
    engine.tick()

    assert ["s1"] == [placement.seat for placement in scene.fleet.asked]
    assert [None, None] == [one.outcome for one in journal(scene)]

    scene.clock.advance(TURN)
    scene.fleet = FakeActuator(fleet="f", seats=scene.fleet.seats.values())
    assert {"s1": "applied", "s2": "applied"} == words(scene.engine().tick())
    assert ["s2"] == [placement.seat for placement in scene.fleet.asked]


def test_a_decision_and_its_intents_are_kept_together_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that fails between them leaves neither, and nothing was sent."""
    scene = Scene()
    engine = scene.engine()
    full(scene, "a")
    append = scene.store.append

    def failing(log: str, *rest: Any) -> int:
        if log == "journal":
            raise OSError("disk full")
        return append(log, *rest)

    monkeypatch.setattr(scene.store, "append", failing)
    with pytest.raises(OSError, match="disk full"):
        engine.tick()

    assert ((), [], []) == (engine.ticks(), journal(scene), scene.fleet.asked)


def test_the_command_is_told_of_news_once(tmp_path: Path) -> None:
    """A pool that is exhausted is told when it begins and when it ends, and not in between."""
    told = tmp_path / "told"
    program = "import sys; open(sys.argv[1], 'ab').write(sys.stdin.buffer.read())"
    scene = Scene()
    engine = scene.engine(policy(notify=(sys.executable, "-c", program, str(told))))
    full(scene, "a")
    for used in (("a",), ("a",), ()):
        engine.tick()
        full(scene, *used)
    engine.tick()

    lines = told.read_text().splitlines()
    assert 2 == len(lines)
    assert ['"status":"raised"' in lines[0], '"status":"cleared"' in lines[1]] == [True, True]


def test_a_command_that_fails_is_only_reported() -> None:
    """The tick is done, and says who could not be told."""
    scene = Scene()
    full(scene, "a")
    report = scene.engine(policy(notify=("/no/such/program",))).tick()

    assert {"s1": "applied"} == words(report)
    assert report.untold[0].startswith("the notify command was not told: /no/such/program")


class Deaf(FakeActuator):
    """Takes no report."""

    async def report(self, snapshot: Any) -> Outcome:
        raise Refused("report", "connection refused")


def test_fleets_are_told_what_is_known_where_they_take_it() -> None:
    """After a tick an enforced fleet hears the snapshot; a shadow one hears nothing; a failure is a condition, and ends."""
    scene = Scene()
    engine = scene.engine()
    engine.tick()
    assert [engine.snapshot()] == scene.fleet.reports

    shadow = Scene()
    shadow.engine(policy("shadow")).tick()
    assert [] == shadow.fleet.reports

    deaf = Deaf(fleet="f", seats=[seat("s1")])
    report = scene.engine(actuators={"f": deaf}).tick()
    assert ("the fleet f was not told: report: connection refused",) == report.untold
    assert [("core:untold", "f", False)] == [(one.fact.code, one.fact.subject, one.loud) for one in report.changed]

    heard = scene.engine().tick()
    assert [("core:untold", "cleared")] == [(one.fact.code, one.status) for one in heard.changed]
    assert () == heard.untold


def test_two_engines_two_policies_two_stores_one_process() -> None:
    """Ticking by turns, neither sees a pool, a seat, a decision or a condition of the other."""
    one, other = Scene(), Scene()
    other.fleet = FakeActuator(fleet="f", seats=[seat("t1", "b")])
    first, second = one.engine(), other.engine(policy("shadow", ("b",)))
    for _ in range(3):
        full(one, "a")
        full(other, "b")
        mine, yours = first.tick(), second.tick()

    assert ({"s1", "s2"}, {"t1"}) == (set(acts(mine)), set(acts(yours)))
    assert ({"a", "b"}, {"b"}) == (set(mine.tick.headroom.pools), set(yours.tick.headroom.pools))
    assert {("core:pool-exhausted", "a")} == standing(first) - {("core:inventory-unknown", "a")}
    assert ("core:pool-exhausted", "b") in standing(second)
    assert (0, 3) == (other.probers["a"].script.told, len(second.ticks()))


def test_a_hand_edited_tier_file_is_entered_by_the_tick_that_sees_it() -> None:
    """The chain says which set the decisions after it were made with."""
    scene = Scene()
    tiers = evolve(policy().tiers, file="tiers.toml")
    for chosen in (tiers, tiers, evolve(tiers, rows=tiers.rows[:1])):
        scene.engine(policy(tiers=chosen)).tick()

    assert 2 == len(scene.store.read("adoptions"))


def test_old_readings_are_pruned_by_the_tick() -> None:
    """After the retention of the settings only what is needed is left."""
    scene = Scene()
    engine = scene.engine(settings=Settings(retention=HOUR))
    for _ in range(9):
        engine.tick()
        scene.clock.advance(TURN)
    engine.tick()

    assert scene.clock.now() - HOUR <= min(record.at for record in scene.store.read("readings"))
    assert min(record.at for record in scene.store.read("decisions")) >= scene.clock.now() - HOUR
    for id in engine.ticks():
        engine.rebuild(id)


def test_a_tick_with_an_empty_policy_decides_nothing() -> None:
    """No account, no fleet: a decision without seats, and nothing stands."""
    scene = Scene()
    engine = Engine(evolve(policy(accounts=()), fleets={}, seats=()), store=memory(), plugins=scene.plugins())
    report = engine.tick()

    assert ({}, (), ()) == (acts(report), report.outcomes, report.conditions)
    assert NOON != report.tick.history.as_of


def test_a_refused_move_is_no_change_of_the_level() -> None:
    """What is commanded is journalled with the intents; where the fleet does not take it, what is in force is journalled after."""
    scene = Scene()
    engine = scene.engine()
    engine.tick()
    full(scene, "a")
    for name in scene.fleet.seats:
        scene.fleet.tell(name, "rejected")
    report = engine.tick()
    levels = [codec.loads(Level, one.body) for one in scene.store.read("levels") if one.key == "a"]

    assert "rejected" in words(report).values()
    assert levels[-1].level == levels[0].level > levels[-2].level
