"""The broker: a lease for every turn, over one store. The laws of leases are in `tests/laws/test_l16_leases.py`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from attrs import define, evolve, field

from capacity.engine import AsyncBroker, Broker, Engine, Settings
from capacity.engine.leasing import MARKED
from capacity.errors import CapacityError, NoSuch
from capacity.ports import Document, Failure, Limit, Outcome, Reading
from capacity.testing.fakes import BUDGET, FakeInventory, FakePreparer, FakeProber, FakeReader
from capacity.values.lanes import BudgetWindow, PoolBudget, Serving, Watch
from capacity.values.leases import Amount, Lease, Refused, Usage, Wait
from capacity.values.policy import Policy, PoolPolicy, Profile
from capacity.values.seats import Candidate, Need

from .scene import HOUR, MODEL, NOON, Scene, listing, policy, reading

TOP = Need(tier="top", context=100)
WEEKLY = "You've hit your weekly limit · resets in 3 hours"


def place(account: str) -> Candidate:
    """The place on the model of an account."""
    return Candidate("h", account, MODEL.format(account))


@define
class Turns:
    """A broker on a scene whose sources were asked once, and whatever else shares its store.

    Attributes:
        scene: the scene.
        policy: the policy, without a fleet.
        brokers: those that were made.
    """

    scene: Scene = field(factory=Scene)
    policy: Policy = field(factory=lambda: policy(fleets={}))
    brokers: list[Broker] = field(factory=list)

    def broker(self, **parts: Any) -> Broker:
        """Another one, as another process would have it."""
        made = Broker(self.policy, engine=self.engine(**parts))
        self.brokers.append(made)
        return made

    def engine(self, **parts: Any) -> Engine:
        return self.scene.engine(self.policy, actuators={}, **parts)

    def read(self, account: str, percent: float, **parts: Any) -> None:
        """From now on the source of an account says so much is used."""
        self.scene.probers[account].script.say((reading(percent, **parts),))


@pytest.fixture
def turns() -> Iterator[Turns]:
    made = Turns()
    made.engine().probe()
    yield made
    for broker in made.brokers:
        broker.close()


def granted(told: Lease | Wait | Refused) -> Lease:
    """The lease that was granted."""
    assert isinstance(told, Lease)
    return told


def held_at(turns: Turns, account: str, **parts: Any) -> Policy:
    """The policy with other words on one pool."""
    return evolve(turns.policy, pools={**turns.policy.pools, account: evolve(turns.policy.pools[account], **parts)})


# --- asking for a turn ------------------------------------------------------------------------------


def test_a_session_keeps_its_place_turn_after_turn(turns: Turns) -> None:
    """It is placed once and stays; what it is told is who it is, where, how far its requests leave, and until when."""
    broker = turns.broker()
    first = granted(broker.lease("s", TOP))
    broker.settle(first)
    turns.read("b" if first.candidate.pool == "a" else "a", 0.0)
    second = granted(turns.broker().lease("s", TOP))

    assert first.candidate == second.candidate
    assert ("s/1", "s/2", "any", True) == (first.id, second.id, second.egress, second.claimed)
    assert NOON + Settings().lease_life == second.expires_at
    assert not second.fallback


def test_what_is_asked_twice_is_the_same_lease(turns: Turns) -> None:
    """An answer that was lost on its way costs nothing: asking again gives the lease that was granted."""
    broker = turns.broker()
    first, again = granted(broker.offer("s", TOP)), granted(turns.broker().offer("s", TOP))

    assert first == again
    assert (first,) == broker.leases()


def test_a_session_holds_one_lease_at_the_most(turns: Turns) -> None:
    """A session that asks for another place gives up the one it had, which counts as abandoned."""
    broker = turns.broker()
    first = granted(broker.lease("s", evolve(TOP, pools=("a",))))
    second = granted(broker.lease("s", evolve(TOP, pools=("b",))))

    assert ("a", "b") == (first.candidate.pool, second.candidate.pool)
    assert (second,) == broker.leases()
    assert "abandoned" == broker.settle(first).settled.ending
    assert broker.renew(first) is None


def test_an_offer_lapses_and_leaves_no_trace_of_a_stay(turns: Turns) -> None:
    """Who was only offered a place was never there: nothing is settled for it but that it was given back."""
    broker = turns.broker()
    offer = granted(broker.offer("s", evolve(TOP, pools=("a",))))
    turns.scene.clock.advance(Settings().offer_life)

    assert broker.claim(offer) is None
    assert "released" == broker.settle(offer).settled.ending
    assert broker.preview("s", TOP).act == "place"


def test_a_dead_holder_loses_its_lease(turns: Turns) -> None:
    """A lease nobody renewed is over, at its next call and for everybody; renewing keeps it."""
    broker = turns.broker()
    dead, alive = granted(broker.lease("s1", TOP)), granted(broker.lease("s2", TOP))
    turns.scene.clock.advance(Settings().lease_life / 2)
    renewed = broker.renew(alive)
    turns.scene.clock.advance(Settings().lease_life / 2)

    assert renewed is not None
    assert (renewed,) == broker.leases()
    assert broker.renew(dead) is None
    assert "expired" == broker.settle(dead, Usage(input=Amount(5))).settled.ending


def test_a_preview_has_no_side_effects(turns: Turns) -> None:
    """It tells what would be chosen, is followed by just that, and nothing was written for it."""
    broker = turns.broker()
    before = turns.scene.store.keys("leases"), turns.scene.probes()
    first, again = broker.preview("s", TOP), broker.preview("s", TOP)

    assert first == again
    assert before == (turns.scene.store.keys("leases"), turns.scene.probes())
    assert first.candidate == granted(broker.lease("s", TOP)).candidate


def test_a_displaced_session_is_told_its_home(turns: Turns) -> None:
    """Where its place fails it is moved, told where it belongs and when that may be had, and comes home by itself."""
    broker = turns.broker()
    first = granted(broker.lease("s", TOP))
    broker.fail(first, status=429, text=WEEKLY)
    moved = granted(broker.lease("s", TOP))
    broker.settle(moved)

    assert first.candidate == moved.home
    assert NOON + 3 * HOUR == moved.returns_at
    assert moved.fallback
    turns.scene.clock.advance(3 * HOUR + timedelta(seconds=1))
    home = granted(broker.lease("s", TOP))
    assert (first.candidate, None) == (home.candidate, home.home)


def test_what_is_in_flight_counts(turns: Turns) -> None:
    """Sessions of one moment are spread: a lease takes room from its pool while it runs."""
    broker = turns.broker()
    pools = [granted(broker.lease(f"s{n}", TOP)).candidate.pool for n in range(10)]

    assert {"a": 5, "b": 5} == {pool: pools.count(pool) for pool in "ab"}


def test_turns_taken_go_on_in_another_process(turns: Turns) -> None:
    """Whose turn it is stands in the log: a new process goes on where the others were."""
    pools = []
    for n in range(6):
        broker = turns.broker()
        lease = granted(broker.lease(f"s{n}", TOP))
        pools.append(lease.candidate.pool)
        broker.settle(lease)

    assert pools[0] != pools[1]
    assert pools[:2] * 3 == pools


# --- slots ----------------------------------------------------------------------------------------------


def local(**parts: Any) -> Turns:
    """A scene whose pool `a` is a machine of ours."""
    scene = Scene(preparer=parts.pop("preparer", None))
    resident = evolve(listing("a").models[0], context=100_000, residency=parts.pop("residency", "resident"))
    scene.inventories["a"] = FakeInventory((evolve(listing("a"), models=(resident, *parts.pop("models", ()))),))
    slots = Limit("slots", left={"slots": Decimal(2)}, cap={"slots": Decimal(2)})
    scene.probers["a"] = FakeProber((Reading("", "ok", "slots", NOON, limits=(slots,)),), login="login-a")
    made = policy(fleets={})
    pools = {**made.pools, "a": PoolPolicy("a", "a", "local", egress="none", **parts)}
    turns = Turns(scene, evolve(made, pools=pools))
    turns.engine().probe()
    return turns


@pytest.mark.parametrize(
    ("serving", "room"),
    [((), 2), ((Serving(slots=3),), 3), ((Serving(slots=3, each=1),), 1), ((Serving(model="another", slots=1),), 2)],
)
def test_a_model_has_so_many_slots(serving: tuple[Serving, ...], room: int) -> None:
    """What the policy says counts before what was read; a candidate may have fewer; whoever comes then waits."""
    turns = local(serving=serving)
    broker, near = turns.broker(), evolve(TOP, local=True)
    told = [broker.lease(f"s{n}", near) for n in range(room + 1)]
    wait = told.pop()

    assert all(isinstance(one, Lease) for one in told)
    assert isinstance(wait, Wait)
    assert ("candidate-busy", place("a")) == (wait.code, wait.candidate)
    assert wait.span is not None
    assert timedelta(0) < wait.span <= Settings().lease_life
    broker.release(granted(told[0]))
    assert isinstance(broker.lease("late", near), Lease)


def test_a_session_that_renews_does_not_wait_for_itself() -> None:
    """Its own lease is none that it competes with."""
    turns = local(serving=(Serving(slots=1),))
    broker, near = turns.broker(), evolve(TOP, local=True)
    first = granted(broker.lease("s", near))

    assert first.id == granted(broker.lease("s", near)).id


def test_a_wait_is_kept_once_a_minute() -> None:
    """Whoever waits asks again and again; the log of choices tells it once, and then what became of it."""
    turns = local(serving=(Serving(slots=1),))
    broker, near = turns.broker(), evolve(TOP, local=True)
    first = granted(broker.lease("s1", near))
    for _ in range(5):
        assert isinstance(broker.lease("s2", near), Wait)
        turns.scene.clock.advance(timedelta(seconds=10))
    broker.settle(first)
    broker.settle(granted(broker.lease("s2", near)))
    broker.settle(granted(broker.lease("s2", near)))

    assert ["wait", "place"] == [choice.act for choice in broker.choices("s2")]


def loaded() -> None:
    """Wait for what is being loaded in the background."""
    for thread in threading.enumerate():
        if thread.name.startswith("capacity loads"):
            thread.join(10)


# --- loading ----------------------------------------------------------------------------------------------


def test_what_is_not_loaded_is_loaded_meanwhile() -> None:
    """The lease waits for nothing: loading begins in the background, once, and the next one finds it served."""
    preparer = FakePreparer(Outcome("applied"))
    turns = local(preparer=preparer, residency="loadable", prepare=True)
    broker, near = turns.broker(), evolve(TOP, local=True)
    wait = broker.lease("s", near)
    loaded()

    assert isinstance(wait, Wait)
    assert ("candidate-preparing", place("a")) == (wait.code, wait.candidate)
    assert [MODEL.format("a")] == preparer.prepared


def test_models_of_one_device_are_loaded_one_at_a_time() -> None:
    """A load that is under way on the device, for whichever pool, holds the next one back."""
    preparer = FakePreparer(Outcome("applied"))
    turns = local(preparer=preparer, residency="loadable", prepare=True, serving=(Serving(device="gpu"),))
    claim = turns.scene.store.claim("prepare:gpu", "somebody", 1, HOUR)
    outcome = turns.engine().prepare("a", MODEL.format("a"))

    assert claim is not None
    assert "conflict" == outcome.word
    assert [] == preparer.prepared


# --- the end ------------------------------------------------------------------------------------------------


def test_the_first_end_stands(turns: Turns) -> None:
    """Settling again, or telling a failure after that, changes nothing and is told what was said first."""
    broker = turns.broker()
    lease = granted(broker.lease("s", TOP))
    first = broker.settle(lease, Usage(requests=Amount(2), input=Amount(7, "estimated")))

    assert (Amount(2), Amount(7, "estimated"), None) == (
        first.settled.usage.requests,
        first.settled.usage.input,
        first.settled.usage.output,
    )
    assert first == turns.broker().settle(lease, Usage(input=Amount(99)))
    assert first == broker.fail(lease, status=429, text=WEEKLY) == broker.release(lease)
    assert () == turns.engine().snapshot().circuits


def test_a_failure_tells_whose_fault_it_was_and_what_to_do(turns: Turns) -> None:
    """Kind, blame, until when and how surely, and whether another lease is worth asking for."""
    broker = turns.broker()
    lease = granted(broker.lease("s", TOP))
    reply = broker.fail(lease, status=429, text=WEEKLY)

    assert reply.settled.failure is not None
    assert ("quota", "pool") == (reply.settled.failure.kind, reply.settled.failure.blames)
    assert (NOON + 3 * HOUR, True, True) == (reply.until, reply.known, reply.retry)
    assert [lease.candidate.pool] == [circuit.name for circuit in turns.engine().snapshot().circuits]
    assert lease.candidate.pool != granted(broker.lease("t", TOP)).candidate.pool


@pytest.mark.parametrize(
    ("told", "retry"),
    [
        ({"transport": "aborted"}, False),
        ({"text": "database is locked"}, False),
        ({"status": 499}, False),
        ({"status": 400, "text": "prompt is too long: 210000 tokens > 200000 maximum"}, False),
    ],
)
def test_what_is_ours_opens_nothing(turns: Turns, told: dict[str, Any], retry: bool) -> None:
    """An abort, a lock of our own, a request that is too large: the lease is given back, and nobody is blamed."""
    broker = turns.broker()
    lease = granted(broker.lease("s", TOP))
    reply = broker.fail(lease, **told)

    assert ((), None, retry) == (reply.stops, reply.until, reply.retry)
    assert lease.candidate == granted(broker.lease("s", TOP)).candidate


def test_who_was_not_asked_is_not_charged(turns: Turns) -> None:
    """Behind a gateway the answer of another provider says nothing of the one this lease is for."""
    broker = turns.broker()
    lease = granted(broker.lease("s", TOP))
    body = b'{"error": {"message": "server error"}, "providerID": "other"}'
    reply = broker.fail(lease, Document(body, NOON, status=500), provider="mine")

    assert () == reply.stops
    assert reply.settled.failure is not None
    assert "none" == reply.settled.failure.blames


def test_the_backends_reader_is_asked_first(turns: Turns) -> None:
    """What it knows counts; one that breaks its contract costs no report."""
    turns.scene.reader = FakeReader(failures={b"gone": Failure.of("lapsed")})
    broker = turns.broker()
    reply = broker.fail(granted(broker.lease("s", TOP)), text="gone")

    assert reply.settled.failure is not None
    assert ("lapsed", "pool") == (reply.settled.failure.kind, reply.settled.failure.blames)


def test_a_reader_that_fails_costs_no_report(turns: Turns) -> None:
    """The rules for everybody still apply."""

    class Broken(FakeReader):
        def failure(self, doc: Document) -> Failure | None:
            raise KeyError("a fault of the plugin")

    turns.scene.reader = Broken()
    broker = turns.broker()
    reply = broker.fail(granted(broker.lease("s", TOP)), status=429, text=WEEKLY)

    assert reply.settled.failure is not None
    assert "quota" == reply.settled.failure.kind


def test_a_lease_is_bound_to_its_place(turns: Turns) -> None:
    """A report with the id of one lease and the place of another is refused, and so is one nobody knows."""
    broker = turns.broker()
    lease = granted(broker.lease("s", TOP))

    with pytest.raises(CapacityError, match="s/1 grants"):
        broker.settle(evolve(lease, candidate=Candidate("h", "c", "m")))
    with pytest.raises(NoSuch, match="'t/9'"):
        broker.settle(evolve(lease, id="t/9", session="t"))
    broker.settle(lease)
    with pytest.raises(CapacityError, match="s/1 grants"):
        broker.settle(evolve(lease, candidate=Candidate("h", "c", "m")))


def test_a_lease_is_found_by_its_id(turns: Turns) -> None:
    """Held or ended; what never was is told so."""
    broker = turns.broker()
    lease = granted(broker.lease("a/session", TOP))

    assert lease == broker.find("a/session/1")
    broker.settle(lease)
    assert lease == turns.broker().find("a/session/1")
    for unknown in ("a/session/2", "nonsense", "x/1"):
        with pytest.raises(NoSuch):
            broker.find(unknown)


def test_two_models_and_two_sessions_quarantine_a_pool_until_one_turn_goes_well() -> None:
    """Broken by the provider's own fault for two sessions on two models it is left alone; then one lease at a time tries
    it, and the first that goes well ends it.
    """
    turns = Turns(policy=policy(fleets={}, accounts=("a",)))
    turns.scene.inventories["a"] = FakeInventory((listing("a", "another"),))
    rows = (*turns.policy.tiers.rows, evolve(turns.policy.tiers.rows[0], model="another"))
    turns.policy = evolve(turns.policy, tiers=evolve(turns.policy.tiers, rows=rows))
    turns.engine().probe()
    broker = turns.broker()
    for session, model in (("s1", MODEL.format("a")), ("s2", "another")):
        broker.fail(granted(broker.lease(session, evolve(TOP, models=(model,)))), status=500)
    assert not isinstance(broker.lease("s3", TOP), Lease)
    turns.scene.clock.advance(turns.policy.circuits.quarantine + timedelta(seconds=1))
    trial = granted(broker.lease("s3", TOP))
    assert not isinstance(broker.lease("s4", TOP), Lease)
    reply = broker.settle(trial)

    assert [True] == [stop.lifted for stop in reply.stops]
    assert isinstance(broker.lease("s4", TOP), Lease)


def test_a_looping_session_is_stopped_and_no_other() -> None:
    """It reads its whole prompt anew again and again: it is told to stop, and is refused until it has rested."""
    turns = Turns(policy=policy(fleets={}, watch=Watch()))
    turns.engine().probe()
    broker, watch = turns.broker(), Watch()
    heavy = Usage(input=Amount(watch.fresh // watch.rewrites + 1), cache_read=Amount(0))
    replies = []
    for _ in range(watch.rewrites):
        replies.append(broker.settle(granted(broker.lease("s", TOP)), heavy))
        turns.scene.clock.advance(timedelta(seconds=10))
    refused = broker.lease("s", TOP)

    assert [None] * (watch.rewrites - 1) == [reply.looping for reply in replies[:-1]]
    assert replies[-1].looping is not None
    assert not replies[-1].retry
    assert isinstance(refused, Refused)
    assert ("looping", replies[-1].settled.at + watch.rest) == (refused.code, refused.until)
    assert isinstance(broker.lease("t", TOP), Lease)
    turns.scene.clock.advance(watch.rest)
    assert broker.settle(granted(broker.lease("s", TOP)), heavy).looping is None


def test_our_own_count_closes_a_pool() -> None:
    """What leases spent is counted over all processes, and a budget that stops stops."""
    window = BudgetWindow("5h", 5 * HOUR, "requests", Decimal(3), stops=True)
    turns = Turns(policy=policy(fleets={}, accounts=("a",), budgets={"a": PoolBudget("a", (window,))}))
    turns.engine().probe()
    for n in range(3):
        broker = turns.broker()
        broker.settle(granted(broker.lease(f"s{n}", TOP)), Usage(requests=Amount(1)))
    refused = turns.broker().lease("s", TOP)

    assert isinstance(refused, Refused)
    assert ("quota-spent", NOON + 5 * HOUR) == (refused.code, refused.until)


# --- asking first -------------------------------------------------------------------------------------------


def test_the_first_lease_after_a_window_fills_does_not_get_its_pool(turns: Turns) -> None:
    """What was read a while ago said that there was room. It is due, so it is asked before anything rests on it."""
    broker = turns.broker()
    assert {"a", "b"} == {granted(broker.lease(f"s{n}", TOP)).candidate.pool for n in range(2)}
    turns.read("a", 100.0)
    turns.read("b", 50.0)
    turns.scene.clock.advance(BUDGET.usual)
    late = granted(turns.broker().lease("late", evolve(TOP, pools=("a", "b"))))

    assert "b" == late.candidate.pool
    assert late.waited > timedelta(0)
    assert not late.unread


def test_what_is_not_due_is_not_asked(turns: Turns) -> None:
    """Within its interval a source is left alone, however many lease."""
    before = turns.scene.probes()
    turns.scene.clock.advance(BUDGET.usual * (1 - BUDGET.jitter) / 2)
    leases = [granted(turns.broker().lease(f"s{n}", TOP)) for n in range(8)]

    assert before == turns.scene.probes()
    assert {timedelta(0)} == {lease.waited for lease in leases}


def test_a_window_that_has_ended_is_read_again_sooner(turns: Turns) -> None:
    """Once a window has reset since it was read, the floor alone holds the question back."""
    turns.scene.clock.advance(BUDGET.usual)
    soon = turns.scene.clock.now() + BUDGET.floor
    limit = Limit("5h", percent=99.0, resets_at=soon, window=5 * HOUR)
    for account in "ab":
        turns.read(account, 0.0, limits=(limit,))
    turns.engine().probe()
    before = turns.scene.probes()
    for account in "ab":
        turns.read(account, 0.0)
    turns.scene.clock.advance(BUDGET.floor + timedelta(seconds=1))
    told = turns.broker().lease("s", TOP)

    assert granted(told).waited > timedelta(0)
    assert turns.scene.probes() > before


def test_what_stays_in_the_network_waits_for_nobody() -> None:
    """A place of ours is granted at once, whoever else is due."""
    turns = local(serving=(Serving(slots=3),))
    turns.scene.clock.advance(2 * BUDGET.usual)
    before = turns.scene.probes()
    walled = evolve(turns.policy, profiles={"home": Profile("home", egress="lan")})
    turns.policy = walled
    lease = granted(turns.broker().lease("s", evolve(TOP, profile="home")))

    assert ("a", "none", timedelta(0)) == (lease.candidate.pool, lease.egress, lease.waited)
    assert before == turns.scene.probes()


class Slow(FakeProber):
    """Answers when it is let."""

    def __init__(self, *says: tuple[Reading, ...], login: str) -> None:
        super().__init__(*says, login=login)
        self.let = threading.Event()

    async def probe(self) -> tuple[Reading, ...]:
        self.let.wait(10)  # a plugin that blocks: its deadline is its own, and no lease's
        return await super().probe()


def test_patience_ends_and_the_question_goes_on() -> None:
    """A slow source holds a lease up for a bounded time; the lease says what it rests on, and the answer is not lost."""
    turns = Turns(policy=policy(fleets={}, accounts=("a",)))
    turns.engine().probe()
    slow = turns.scene.probers["a"] = Slow((reading(99.0),), login="login-a")
    turns.scene.clock.advance(BUDGET.usual)
    broker = turns.broker(settings=Settings(lease_patience=timedelta(milliseconds=50)))
    hurried = granted(broker.lease("s", TOP))
    waiting = granted(broker.lease("t", TOP))
    slow.let.set()
    broker.close()

    assert (True, True) == (hurried.unread, waiting.unread)
    assert timedelta(milliseconds=50) <= hurried.waited < timedelta(seconds=5)
    assert 1 == slow.script.told
    assert "quota-spent" == getattr(turns.broker().lease("u", TOP), "code", None)


# --- keeping ------------------------------------------------------------------------------------------------


def test_a_mark_stands_for_the_lines_before_it(turns: Turns) -> None:
    """What is folded is written down: the log may be short, and a new process goes on without it."""
    broker = turns.broker()
    kept = granted(broker.lease("kept", TOP))
    for _ in range(MARKED // 2):
        broker.settle(granted(broker.lease("s", TOP)))
    turns.scene.clock.advance(Settings().leases_kept + timedelta(seconds=1))
    ended = broker.lease("t", TOP)
    turns.engine().tick()
    lines = turns.scene.store.read("leases")
    count = granted(turns.broker().lease("u", TOP)).id

    assert isinstance(ended, Lease)
    assert len(lines) < 10
    assert f"u/{MARKED // 2 + 3}" == count
    assert broker.renew(kept) is None


def test_two_brokers_share_an_engine_and_a_store(turns: Turns) -> None:
    """An engine that was given is shared, and left open; one of another policy is refused."""
    engine = turns.engine()
    with Broker(turns.policy, engine=engine) as broker:
        lease = granted(broker.lease("s", TOP))
    assert (lease,) == engine.snapshot().leases
    with pytest.raises(CapacityError, match="another policy"):
        Broker(policy(accounts=("a",)), engine=engine)


def test_leases_in_flight_are_load_for_seats_too(turns: Turns) -> None:
    """A tick sees what is leased and what was spent by our own count."""
    broker = turns.broker()
    lease = granted(broker.lease("s", TOP))

    assert (lease,) == turns.engine().plan().history.holds.leases


# --- the async face -----------------------------------------------------------------------------------------


def test_the_async_broker_offers_what_the_sync_one_does() -> None:
    """Nothing is missing from the adapter."""
    offered = {name for name in vars(Broker) if not name.startswith("_")}

    assert offered == {name for name in vars(AsyncBroker) if not name.startswith("_")}


def test_a_turn_in_a_running_loop(turns: Turns) -> None:
    """Every verb is awaited; many at once are served one after another."""

    async def main() -> list[str]:
        async with AsyncBroker(Broker(turns.policy, engine=turns.engine())) as broker:
            leases = await asyncio.gather(*(broker.lease(f"s{n}", TOP) for n in range(8)))
            held = [granted(one) for one in leases]
            assert all([await broker.renew(lease) for lease in held])
            assert 8 == len(await broker.leases())
            replies = [
                await broker.settle(held[0]),
                await broker.release(held[1]),
                await broker.fail(held[2], status=499),
            ]
            offered = granted(await broker.offer("t", TOP))
            assert await broker.claim(offered) is not None
            assert offered.id == (await broker.find(offered.id)).id
            assert "stay" == (await broker.preview("s0", TOP)).act
            assert 1 == len(await broker.choices("s0"))
            return [reply.settled.ending for reply in replies]

    assert ["used", "released", "failed"] == asyncio.run(main())
