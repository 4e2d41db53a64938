"""What failures stop is kept in the store, and ends by a reading, a trial, a word or the clock."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve

from capacity.core.circuits import success
from capacity.engine import Broker, Engine
from capacity.engine.ledger import Ledger
from capacity.errors import PolicyError
from capacity.ports import Candidate, Failure, Limit
from capacity.values.failures import Circuit
from capacity.values.leases import Lease
from capacity.values.seats import Need

from .scene import HOUR, MODEL, NOON, Scene, policy, reading

MINUTE = timedelta(minutes=1)
ROW = Candidate("h", "a", MODEL.format("a"))
BROKEN = evolve(Failure.of("other"), indicts=True)


def standing(engine: Engine) -> dict[str, Circuit]:
    """Kind → what is stopped."""
    return {one.kind: one for one in engine.snapshot().circuits}


def told(engine: Engine, code: str) -> set[str]:
    return {one.fact.subject for one in engine.snapshot().conditions if one.fact.code == f"core:{code}"}


def test_a_refusal_without_a_reset_lasts_as_long_as_the_full_window() -> None:
    """What was published of the pool tells when; every engine of the store knows it."""
    scene = Scene()
    scene.probers["a"].script.say((reading(100.0),))
    engine = scene.engine()
    engine.probe()
    (stop,) = engine.fail(ROW, Failure.of("quota"), session="s")

    assert (NOON + 4 * HOUR, True) == (stop.until, stop.known)
    assert NOON + 4 * HOUR == standing(scene.engine())["quota"].ends_at
    scene.clock.advance(4 * HOUR)
    assert {} == standing(engine)


def test_a_failure_of_nobody_stops_nothing() -> None:
    """A malformed request is no reason to leave a place."""
    engine = Scene().engine()
    assert () == engine.fail(ROW, Failure.of("payload"))
    assert {} == standing(engine)


def test_a_failure_of_what_is_not_there_is_refused() -> None:
    """The nearest name is told."""
    engine = Scene().engine()
    with pytest.raises(PolicyError, match='no "aa" is there'):
        engine.fail(evolve(ROW, pool="aa"), Failure.of("quota"))
    with pytest.raises(PolicyError, match='no "g" is there'):
        engine.fail(evolve(ROW, harness="g"), Failure.of("quota"))


def test_what_a_decision_lifts_is_entered_in_the_store() -> None:
    """A reading a quarter of an hour after the refusal says that there is room: every engine takes it as over."""
    scene = Scene()
    engine = scene.engine()
    engine.probe()
    engine.fail(ROW, Failure.of("quota", reset_at=NOON + 3 * HOUR))
    engine.tick()
    assert {"quota"} == standing(engine).keys()
    assert {"a"} == told(engine, "pool-refused")

    scene.clock.advance(20 * MINUTE)
    made = engine.tick().tick.decision
    assert made is not None
    assert [True] == [one.lifted for one in made.circuits]
    assert {} == standing(engine)
    assert {} == standing(scene.engine())
    assert set() == told(engine, "pool-refused")


def test_where_a_turn_failed_the_pool_is_asked_as_soon_as_its_floor_allows_and_once() -> None:
    """Whoever else knows better than the last reading is asked; nobody is hammered."""
    scene = Scene()
    engine = scene.engine()
    engine.probe()
    budget = scene.probers["a"].budget
    before = scene.probers["a"].script.told
    scene.clock.advance(budget.floor / 2)
    engine.fail(ROW, Failure.of("quota"))
    engine.probe()
    assert before == scene.probers["a"].script.told, "the floor holds"
    scene.clock.advance(budget.floor)
    engine.probe()
    scene.clock.advance(budget.floor / 2)
    engine.probe()
    assert before + 1 == scene.probers["a"].script.told
    assert before == scene.probers["b"].script.told


def test_two_sessions_and_two_models_put_a_pool_in_quarantine_until_a_turn_goes_through() -> None:
    """Loud and told at once, with no tick in between, and once; the turn that ends it is entered like any lifting."""
    scene = Scene()
    engine, ledger = scene.engine(), Ledger(scene.store)
    engine.probe()
    for session, model in (("x", "m"), ("x", "n"), ("y", "n"), ("y", "m")):
        engine.fail(evolve(ROW, model=model), BROKEN, session=session)
    trial = standing(engine)["other"]
    assert trial.probation_at == NOON + 30 * MINUTE
    assert {"a"} == told(engine, "quarantined")
    assert {"a"} == {one.fact.subject for one in engine.tick().loud if one.fact.code == "core:quarantined"}

    scene.clock.advance(31 * MINUTE)
    ledger.stop(*success([trial], ROW, began_at=NOON + 30 * MINUTE, at=scene.clock.now()))
    assert {} == standing(engine)
    engine.tick()
    assert set() == told(engine, "quarantined")


def test_what_a_failure_means_is_told_to_the_operators_command_once(tmp_path: Path) -> None:
    """Not at the next decision, which may be long in coming, and not for each failure."""
    heard = tmp_path / "heard"
    command = ("sh", "-c", f"cat >> {heard}")
    engine = Scene().engine(evolve(policy(), notify=command))
    for _ in range(3):
        engine.fail(ROW, Failure.of("lapsed"))
    engine.fail(ROW, Failure.of("rate"))
    assert 1 == heard.read_text(encoding="utf-8").count("core:plan-lapsed")
    assert 1 == heard.read_text(encoding="utf-8").count('"form":1')


def test_what_a_failed_lease_means_is_raised_at_once(tmp_path: Path) -> None:
    """A host that leases turns need never tick to be told; told again, the failure is no news."""
    heard = tmp_path / "heard"
    rules = evolve(policy(fleets={}), notify=("sh", "-c", f"cat >> {heard}"))
    engine = Scene().engine(rules, actuators={})
    engine.probe()
    with Broker(rules, engine=engine) as broker:
        lease = broker.lease("s", Need(tier="top", context=100))
        assert isinstance(lease, Lease)
        for _ in range(2):
            broker.fail(lease, status=429, text="You've hit your weekly limit · resets in 3 hours")
    assert {lease.candidate.pool} == told(engine, "pool-refused")
    assert 1 == heard.read_text(encoding="utf-8").count("core:pool-refused")


def test_an_operator_takes_back_what_failures_stopped() -> None:
    """A pool with its candidates, a candidate, a backend, or everything; an operator's own stop stays."""
    scene = Scene()
    engine = scene.engine()
    other = evolve(ROW, pool="b")
    for name, left in (
        ("a", {"b", "h|b|model-of-a|"}),
        ("h|a|model-of-a|", {"a", "b", "h|b|model-of-a|"}),
        ("fake", {"b"}),
        ("all", {"b"}),
    ):
        scene.clock.advance(MINUTE)
        engine.fail(ROW, Failure.of("quota"))
        engine.fail(ROW, Failure.of("rate"))
        engine.fail(other, Failure.of("rate"))
        engine.stop("pool", "b")
        engine.rearm(name)
        assert left == {one.name for one in engine.snapshot().circuits}, name
        engine.rearm("all")


def test_to_rearm_what_is_not_there_is_refused() -> None:
    """A slip of the pen takes nothing back in silence."""
    engine = Scene().engine()
    engine.fail(ROW, Failure.of("quota"))
    for name in ("aa", "h|c|m|"):
        with pytest.raises(PolicyError, match="is there"):
            engine.rearm(name)
    assert {"quota"} == standing(engine).keys()


def test_the_policy_says_how_long_a_refusal_stands_against_a_page() -> None:
    """Not at all, where it says so."""
    rules = policy()
    circuits = evolve(rules.circuits, settle=timedelta(0))
    scene = Scene()
    engine = scene.engine(evolve(rules, circuits=circuits))
    engine.probe()
    engine.fail(ROW, Failure.of("quota"))
    scene.clock.advance(10 * MINUTE)
    engine.tick()
    assert {} == standing(engine)


def test_a_pool_that_only_a_reading_opens_is_not_asked_less_often_for_being_idle() -> None:
    """Nobody runs there because of the stop: that is no reason not to look whether it is over."""
    scene = Scene()
    engine = scene.engine()
    week = Limit("weekly", percent=20.0, resets_at=NOON + 100 * HOUR, window=168 * HOUR)
    for prober in scene.probers.values():
        prober.script.say((reading(limits=(week,)),))
    engine.tick()
    engine.fail(ROW, Failure.of("quota", reset_at=NOON + 99 * HOUR))
    engine.tick()
    asked = scene.probers["a"].script.told
    for _ in range(2):
        scene.clock.advance(scene.probers["a"].budget.usual)
        engine.tick()
    assert asked + 2 == scene.probers["a"].script.told
