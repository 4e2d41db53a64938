"""Sources are claimed, asked when due, and what they say is published beside what was known."""

from __future__ import annotations

import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve

from capacity.codec import loads
from capacity.engine import Engine, Settings
from capacity.errors import NotFound, PluginError, PolicyError, StoreError, TimedOut
from capacity.ports import Document, Limit, Listing, Reading, Store
from capacity.testing.fakes import BUDGET, Crash, FakeInventory, FakeProber, FakeReader
from capacity.values.policy import Policy, PoolPolicy

from .scene import HOUR, NOON, Scene, listing, policy, reading


def published(store: Store) -> list[Reading]:
    return [loads(Reading, record.body) for record in store.read("readings")]


def conditions(engine: Engine) -> set[tuple[str, str]]:
    return {condition.key for condition in engine.snapshot().conditions}


def test_what_is_due_is_asked_once_and_published() -> None:
    """The first round asks everything; a second one at the same instant asks nothing."""
    scene = Scene()
    engine = scene.engine()

    assert ["a", "b"] == [one.pool for one in engine.probe()]
    assert () == engine.probe()
    assert ["a", "b"] == [one.pool for one in published(scene.store)]
    assert {"model-of-a", "model-of-b"} == {one.id for pool in engine.snapshot().models for one in pool.models}


def test_another_engine_does_not_ask_again() -> None:
    """What one engine asked, the next one on the same store reads."""
    scene = Scene()
    scene.engine().probe()
    scene.clock.advance(BUDGET.floor)

    assert () == scene.engine().probe()
    assert 2 == scene.probes()


def test_what_another_is_asking_is_waited_for() -> None:
    """No tick acts on half an answer: it goes on once the other has published, and not before."""
    scene = Scene()
    claim = scene.store.claim("probe:fake/login-a", "another", 1, timedelta(minutes=1))
    assert claim is not None
    seen: list[str] = []

    def other() -> None:
        seen.append("published")
        scene.store.release(claim)

    timer = threading.Timer(0.2, other)
    timer.start()
    assert ["b"] == [one.pool for one in scene.engine().probe()]
    assert ["published"] == seen
    timer.join()


def test_engines_at_once_ask_once() -> None:
    """Eight threads with eight engines on one store: each source is asked one time."""
    scene = Scene()
    engines = [scene.engine() for _ in range(8)]
    threads = [threading.Thread(target=engine.probe) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 2 == scene.probes()
    assert 2 == len(published(scene.store))


def test_a_producer_that_dies_while_asking_does_not_make_the_next_ask_too_soon() -> None:
    """The question is noted before it is sent; its claim lapses, and the budget holds all the same."""
    scene = Scene()
    scene.probers["a"].script.say(Crash())
    with pytest.raises(BaseException, match=r".*") as death:
        scene.engine(policy(accounts=("a",))).probe()
    assert death.group_contains(Crash) if isinstance(death.value, BaseExceptionGroup) else True

    scene.probers["a"].script.say((reading(),))
    scene.clock.advance(timedelta(seconds=61))
    assert () == scene.engine(policy(accounts=("a",))).probe()
    scene.clock.advance(BUDGET.usual * 1.1)
    assert ["a"] == [one.pool for one in scene.engine(policy(accounts=("a",))).probe()]


def test_a_failed_answer_is_published_beside_the_good_one() -> None:
    """The pool keeps what was known of it, and shows why nothing newer is."""
    scene = Scene()
    engine = scene.engine()
    engine.probe()
    scene.probers["a"].script.say(TimedOut("usage", "nothing came within 10 s"))
    scene.clock.advance(BUDGET.usual * 2)
    engine.probe()
    pool = engine.snapshot().pools[0]

    assert ("unreachable", "TimedOut: usage: nothing came within 10 s", NOON) == (
        pool.state,
        pool.detail,
        pool.observed_at,
    )
    assert [10.0] == [one.limit.percent for one in pool.limits]


def test_two_accounts_with_one_login_are_one() -> None:
    """The first by name is asked, the other raises a condition; parted again, it ends."""
    scene = Scene(probers={"b": FakeProber((reading(),), login="login-a")})
    engine = scene.engine()
    assert ["a"] == [one.pool for one in engine.tick().published]
    assert ("core:duplicate-account", "b") in conditions(engine)

    scene.probers["b"]._login = "login-b"
    scene.clock.advance(timedelta(minutes=20))
    engine.tick()
    assert ("core:duplicate-account", "b") not in conditions(engine)


class Homeless(FakeProber):
    """Nothing local says which login it is."""

    async def account(self) -> str:
        raise NotFound("~/.login", "no such file")


def test_a_login_nobody_can_tell_goes_by_the_accounts_name() -> None:
    """Two such accounts are not taken for one, and both are asked."""
    engine = Scene(probers={"a": Homeless((reading(),)), "b": Homeless((reading(),))}).engine()

    assert {("a", "a"), ("b", "b")} == {(one.pool, one.account) for one in engine.probe()}


class Moody(FakeProber):
    """Its login can be told, or not, as a test wants it."""

    async def account(self) -> str:
        if self._login == "?":
            raise NotFound("~/.login", "no such file")
        return self._login


def test_a_login_that_cannot_be_told_for_a_moment_is_not_asked_twice_within_a_floor() -> None:
    """Its file is being written just now: neither the name it goes by meanwhile nor its return is a new account."""
    scene = Scene(probers={"a": Moody((reading(),), login="mine")})
    asked = []
    for login in ("mine", "?", "mine", "?", "mine"):
        scene.probers["a"]._login = login
        asked.append(len(scene.engine(policy(accounts=("a",))).probe()))
        scene.clock.advance(timedelta(seconds=10))
    assert [1, 0, 0, 0, 0] == asked

    scene.probers["a"]._login = "?"
    scene.clock.advance(BUDGET.floor)
    assert ["a"] == [one.account for one in scene.engine(policy(accounts=("a",))).probe()]
    scene.probers["a"]._login = "mine"
    scene.clock.advance(BUDGET.floor / 2)
    assert () == scene.engine(policy(accounts=("a",))).probe()


def test_an_answer_that_came_too_late_changes_no_cadence() -> None:
    """Another asked meanwhile and was refused for an hour; the late answer is published, and the hour stands."""
    scene = Scene()
    refusal = reading(state="throttled", limits=(), retry_at=NOON + 2 * HOUR)

    class Late(FakeProber):
        async def probe(self) -> tuple[Reading, ...]:
            said = await super().probe()
            if self.script.told == 1:
                scene.clock.advance(HOUR)
                self.script.say((refusal,))
                assert ["throttled"] == [one.state for one in scene.engine(policy(accounts=("a",))).probe()]
            return said

    scene.probers["a"] = Late((reading(),), login="me")
    assert ["ok"] == [one.state for one in scene.engine(policy(accounts=("a",))).probe()]
    scene.clock.advance(timedelta(minutes=59))
    assert () == scene.engine(policy(accounts=("a",))).probe()


def test_a_refusal_that_others_met_is_kept_to() -> None:
    """A document of somebody who asked the same source holds our question back for as long as it says."""
    refusal = reading(state="throttled", limits=(), retry_at=NOON + HOUR)
    scene = Scene(reader=FakeReader({b"429": (refusal,)}))
    engine = scene.engine(policy(accounts=("a",)))
    engine.observe("a", Document(b"429", NOON), "orchestrator")
    scene.clock.advance(timedelta(minutes=59))
    assert () == engine.probe()
    scene.clock.advance(timedelta(minutes=1))
    assert ["a"] == [one.pool for one in engine.probe()]


def test_each_limit_has_its_own_age() -> None:
    """What was seen of one window makes no other one younger: each says when what is known of it was true."""
    day = Limit("daily", percent=7.0, resets_at=NOON + 20 * HOUR, window=24 * HOUR)
    scene = Scene(reader=FakeReader({b"headers": (reading(limits=(day,)),)}))
    engine = scene.engine(policy(accounts=("a",)))
    engine.probe()
    scene.clock.advance(HOUR / 2)
    engine.observe("a", Document(b"headers", scene.clock.now()), "gateway")
    (pool,) = engine.snapshot().pools

    assert [("5h", "stale", NOON), ("daily", "fresh", NOON + HOUR / 2)] == [
        (one.limit.name, one.evidence, one.observed_at) for one in pool.limits
    ]


def test_what_others_saw_first_puts_the_first_question_off() -> None:
    """A session that reports its headers before anybody asked is enough to begin with."""
    scene = Scene(reader=FakeReader({b"headers": (reading(55.0),)}))
    engine = scene.engine(policy(accounts=("a",)))
    engine.observe("a", Document(b"headers", NOON), "gateway")
    assert () == engine.probe()
    scene.clock.advance(BUDGET.usual)
    assert ["a"] == [one.pool for one in engine.probe()]


@pytest.mark.parametrize(
    ("told", "shown"),
    [(-HOUR, None), (timedelta(0), None), (HOUR, HOUR), (timedelta(days=400), timedelta(hours=24))],
)
def test_the_instant_that_is_shown_is_the_one_that_is_kept_to(told: timedelta, shown: timedelta | None) -> None:
    """Nobody reads of a wait that is over, or of one that is not believed."""
    scene = Scene()
    scene.probers["a"].script.say((reading(state="throttled", limits=(), retry_at=NOON + told),))
    engine = scene.engine(policy(accounts=("a",)))
    engine.probe()

    assert engine.snapshot().pools[0].retry_at == (None if shown is None else NOON + shown)


def test_an_account_that_was_renamed_is_asked_as_soon_as_the_floor_allows() -> None:
    """What its login said is known under the old name alone; nobody waits an hour for a list that is already there."""
    slow = evolve(BUDGET, usual=HOUR, idle=HOUR, slowest=HOUR)
    scene = Scene(
        probers={name: FakeProber((reading(),), login="one-login", budget=slow) for name in "ab"},
        inventories={name: FakeInventory((listing(name),), budget=slow) for name in "ab"},
    )
    asked = []
    for account in ("a", "b", "b", "b", "a"):
        asked.append(len(scene.engine(policy(accounts=(account,))).probe()))
        scene.clock.advance(slow.floor / 2)

    assert [1, 0, 1, 0, 1] == asked
    assert {"model-of-a", "model-of-b"} == {
        model.id
        for one in "ab"
        for shelf in scene.engine(policy(accounts=(one,))).snapshot().models
        for model in shelf.models
    }


class Confused(FakeProber):
    """Its fingerprint is no text."""

    async def account(self) -> str:
        return 7  # type: ignore[return-value]  # a plugin that breaks its contract


def test_a_fingerprint_that_is_no_text_is_the_plugins_fault() -> None:
    """It is told with the distribution, and the account is asked all the same."""
    engine = Scene(probers={"a": Confused((reading(),))}).engine()

    assert ["a", "b"] == [one.pool for one in engine.tick().published]
    assert ("core:plugin-failing", "a account") in conditions(engine)


def test_a_plugins_fault_is_a_condition_until_it_answers() -> None:
    """While it is not due, nothing new is known of it and the condition stands; a good answer ends it."""
    scene = Scene()
    scene.probers["a"].script.say(KeyError("five_hour"))
    engine = scene.engine()
    engine.tick()
    engine.tick()
    assert ("core:plugin-failing", "a probe") in conditions(engine)

    scene.probers["a"].script.say((reading(),))
    scene.clock.advance(timedelta(minutes=20))
    engine.tick()
    assert ("core:plugin-failing", "a probe") not in conditions(engine)


def test_a_probe_by_itself_raises_and_tells_what_was_wrong_with_asking(tmp_path: Path) -> None:
    """No tick has to come for it: the condition stands, and the operator's command heard of it once."""
    told = tmp_path / "told"
    program = "import sys; open(sys.argv[1], 'ab').write(sys.stdin.buffer.read())"
    scene = Scene()
    scene.probers["a"].script.say(KeyError("five_hour"))
    engine = scene.engine(policy(notify=(sys.executable, "-c", program, str(told))))
    engine.probe()
    engine.probe()
    assert {("core:plugin-failing", "a probe")} == conditions(engine)

    engine.tick()
    first, *others = told.read_text().splitlines()
    assert ('"tick":null' in first, "plugin-failing" in first) == (True, True)
    assert not [line for line in others if "plugin-failing" in line]


def test_a_part_the_policy_does_not_list_is_published_and_not_placed_on() -> None:
    """It is known, a condition says so, and no seat is ever put there."""
    scene = Scene()
    scene.probers["a"].script.say((reading(), reading(part="x")))
    engine = scene.engine()
    report = engine.tick()

    assert "a/x" in [one.pool for one in report.published]
    assert ("core:unplaced-part", "a/x") in conditions(engine)
    assert report.tick.decision is not None
    assert "a/x" not in {one.pool for one in report.tick.decision.candidates}


def test_idle_and_exhausted_pools_are_asked_less_often() -> None:
    """Of two equal pools the one a seat runs on is asked at the usual cadence, the other at the idle one."""
    budget = evolve(BUDGET, jitter=0.0)
    scene = Scene(probers={name: FakeProber((reading(),), login=name, budget=budget) for name in "ab"})
    scene.fleet.seats.pop("s2")
    engine = scene.engine()
    engine.tick()
    scene.clock.advance(budget.usual)
    assert ["a"] == [one.pool for one in engine.tick().published]

    scene.probers["a"].script.say((reading(99.0),))
    scene.clock.advance(budget.usual)
    assert ["a", "b"] == [one.pool for one in engine.tick().published]
    scene.clock.advance(budget.usual)
    assert ["b"] == [one.pool for one in engine.tick().published]


def test_nobody_asks_under_an_empty_policy() -> None:
    """Everything is installed, and no account is in the policy: not one question, not one reading."""
    scene = Scene()
    engine = scene.engine(Policy(), actuators={})
    engine.probe()
    engine.tick()
    engine.plan(probe=True)

    assert 0 == scene.probes() + sum(one.script.told for one in scene.inventories.values())
    assert () == scene.store.read("readings")


def test_an_account_without_pools_goes_by_its_own_name() -> None:
    """A policy that lists no pool of an account still learns what its source says."""
    scene = Scene()
    scene.probers["a"].script.say(TimedOut("usage", "nothing came"))

    assert ["a"] == [one.pool for one in scene.engine(evolve(policy(accounts=("a",)), pools={})).probe()]


def test_a_failed_listing_replaces_none() -> None:
    """The inventory stands as it was; three failures are not three listings without a model."""
    scene = Scene(inventories={"a": FakeInventory((listing("a"),), TimedOut("models", "nothing came"))})
    engine = scene.engine()
    for _ in range(5):
        engine.probe()
        scene.clock.advance(timedelta(hours=1))

    shelf = next(one for one in engine.snapshot().models if one.pool == "a")
    assert (["model-of-a"], ()) == ([one.id for one in shelf.models], shelf.missed)
    assert {"a", "a unknown", "b"} == set(scene.store.keys("listings"))


def test_what_others_saw_is_evidence_and_puts_the_question_off() -> None:
    """A document through the backend's reader is published, says who saw it, and the probe waits its interval again."""
    budget = evolve(BUDGET, jitter=0.0)
    scene = Scene(
        probers={"a": FakeProber((reading(),), login="login-a", budget=budget)},
        reader=FakeReader({b"headers": (reading(55.0),)}),
    )
    engine = scene.engine(policy(accounts=("a",)))
    engine.probe()
    scene.clock.advance(timedelta(minutes=4))
    (seen,) = engine.observe("a", Document(b"headers", scene.clock.now()), "gateway", "s1")
    assert isinstance(seen, Reading)
    assert ("a", "gateway/s1:usage", "login-a", None) == (seen.pool, seen.source, seen.account, seen.usual)
    assert 55.0 == engine.snapshot().pools[0].limits[0].limit.percent

    scene.clock.advance(timedelta(minutes=2))
    assert () == engine.probe()
    scene.clock.advance(timedelta(minutes=3))
    assert ["a"] == [one.pool for one in engine.probe()]


def test_the_same_told_over_and_over_is_published_once_a_floor() -> None:
    """A gateway sees every answer there is: what says nothing new does not fill the store, what does is published."""
    scene = Scene(reader=FakeReader({b"headers": (reading(55.0),), b"more": (reading(56.0),)}))
    engine = scene.engine(policy(accounts=("a",)))
    for second in range(120):
        body = b"headers" if second < 90 else b"more"
        assert "a" == engine.observe("a", Document(body, scene.clock.now()), f"seat {second}")[0].pool  # type: ignore[union-attr]  # no listing
        scene.clock.advance(timedelta(seconds=1))

    assert [55.0, 55.0, 56.0] == [one.limits[0].percent for one in published(scene.store)]


def test_a_part_that_others_saw_leaves_the_rest_as_it_was() -> None:
    """One window of two is brought up to date; parts that come in turns are each published once a floor."""
    week = Limit("weekly", percent=30.0, resets_at=NOON + timedelta(days=3), window=timedelta(days=7))
    parts = {b"session": (reading(12.0),), b"week": (reading(limits=(evolve(week, percent=31.0),)),)}
    scene = Scene(reader=FakeReader(parts))
    scene.probers["a"].script.say((evolve(reading(), limits=(*reading().limits, week)),))
    engine = scene.engine(policy(accounts=("a",)))
    engine.probe()
    for second in range(60):
        scene.clock.advance(timedelta(seconds=1))
        engine.observe("a", Document(b"week" if second % 2 else b"session", scene.clock.now()), "gateway")

    assert [12.0, 31.0] == [one.limit.percent for one in engine.snapshot().pools[0].limits]
    assert 3 == len(published(scene.store))
    assert [12.0, 31.0] == [
        one.limit.percent for one in scene.engine(policy(accounts=("a",))).snapshot().pools[0].limits
    ]


def test_what_left_the_policy_is_known_no_more() -> None:
    """An account that was taken out raises no condition, and its pool is on no page."""
    scene = Scene()
    scene.engine().tick()
    scene.clock.advance(timedelta(minutes=20))
    engine = scene.engine(policy(accounts=("a",)))
    engine.tick()
    shown = engine.snapshot()

    assert (["a"], ["a"]) == ([one.pool for one in shown.pools], [one.pool for one in shown.models])
    assert not {key for key in conditions(engine) if key[1] == "b"}


def test_another_login_in_the_same_place_is_asked_at_once_and_speaks_for_the_pool() -> None:
    """And so does the first one when it comes back: the newer listing counts, whichever login was known first."""
    scene = Scene()
    engine = scene.engine(policy(accounts=("a",)))
    for login, model in (("one", "m1"), ("two", "m2"), ("one", "m1")):
        scene.probers["a"]._login = login
        scene.inventories["a"].script.say((listing("a", model),))
        scene.clock.advance(timedelta(minutes=1) if login == "two" else timedelta(hours=1))
        assert [login] == [one.account for one in engine.probe()]
        assert {"model-of-a", model} == {one.id for one in engine.snapshot().models[0].models}


def test_a_list_of_models_that_others_saw_is_a_listing() -> None:
    """The reader says what it is."""
    scene = Scene(reader=FakeReader(listings={b"models": listing("a")}))
    (seen,) = scene.engine().observe("a", Document(b"models", NOON), "gateway")

    assert isinstance(seen, Listing)
    assert ("gateway:models", ["a"]) == (seen.source, [model.pool for model in seen.models])


def test_a_document_of_somebody_else_changes_nothing() -> None:
    """Not mine: nothing is published, and the next question is not put off."""
    scene = Scene()
    engine = scene.engine()

    assert () == engine.observe("a", Document(b"what is this", NOON), "gateway")
    assert ["a", "b"] == [one.pool for one in engine.probe()]


class Choking(FakeReader):
    """Cannot read a body it takes for its own."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        raise ValueError("no percent") if doc.body == b"shape" else KeyError("oops")


def test_a_body_the_reader_chokes_on() -> None:
    """A shape it cannot read is unrecognised evidence; any other exception is the plugin's, and raised as such."""
    engine = Scene(reader=Choking()).engine()
    (seen,) = engine.observe("a", Document(b"shape", NOON), "gateway")

    assert isinstance(seen, Reading)
    assert ("unrecognised", "gateway") == (seen.state, seen.source)
    with pytest.raises(PluginError, match="account a: the reader of fake broke its contract: KeyError: 'oops'"):
        engine.observe("a", Document(b"other", NOON), "gateway")


def test_an_account_nobody_knows_is_refused() -> None:
    """The nearest account is named."""
    with pytest.raises(PolicyError, match=r'accounts: no "aa" is there \(did you mean "a"\?\)'):
        Scene().engine().observe("aa", Document(b"", NOON), "gateway")


def test_an_answer_that_cannot_be_stored_is_loud() -> None:
    """Nothing is lost in silence: the store's own error comes through."""
    scene = Scene()
    engine = scene.engine()
    scene.store.close()

    with pytest.raises(StoreError, match="closed"):
        engine.probe()


@pytest.mark.parametrize(("deadline", "stands"), [(1, [True, False]), (10, [True, True])])
def test_a_claim_outlives_the_question(deadline: int, stands: list[bool]) -> None:
    """It stands for the life the settings give, and for longer where the source may take longer to answer."""
    scene = Scene()
    held: list[str | None] = []

    class Looking(FakeProber):
        async def probe(self) -> tuple[Reading, ...]:
            for span in (timedelta(seconds=4), timedelta(seconds=2)):
                scene.clock.advance(span)
                held.append(scene.store.holder("probe:fake/me"))
            return await super().probe()

    budget = evolve(BUDGET, deadline=timedelta(seconds=deadline))
    scene.probers["a"] = Looking((reading(),), login="me", budget=budget)
    scene.engine(policy(accounts=("a",)), settings=Settings(probe_life=timedelta(seconds=5))).probe()

    assert stands == [holder is not None for holder in held]


def test_pools_of_one_account_are_told_apart() -> None:
    """An account with parts and no whole of its own is told of part by part when it cannot be reached."""
    scene = Scene()
    scene.probers["a"].script.say(TimedOut("usage", "nothing came"))
    parts = {f"a/{part}": PoolPolicy(f"a/{part}", "a", "subscription") for part in ("x", "y")}

    assert ["a/x", "a/y"] == [one.pool for one in scene.engine(policy(accounts=("a",), pools=parts)).probe()]
