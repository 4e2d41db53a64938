"""L18: no number of engines, seats, leases or readers makes a source be asked more often than its budget allows, and none at
all does not stop it from being asked.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from itertools import pairwise
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from capacity.core.circuits import LONGEST
from capacity.engine import Broker, Engine
from capacity.errors import TimedOut
from capacity.plugins import PROBERS, READERS, Plugin, Plugins
from capacity.ports import Budget, Document, Limit, Reading, Seat
from capacity.store import memory
from capacity.testing.clocks import SettableClock
from capacity.testing.fakes import Crash, FakeActuator, FakeProber, FakeReader
from capacity.values.leases import Lease
from capacity.values.policy import AccountPolicy, FleetPolicy, HarnessPolicy, Policy, PoolPolicy
from capacity.values.seats import Need
from capacity.values.tiers import TierRow, Tiers

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
POLICY = Policy(
    accounts={"a": AccountPolicy("a", "fake")},
    pools={"a": PoolPolicy("a", "a", "subscription")},
    harnesses={"h": HarnessPolicy("h", ("a",))},
    fleets={"f": FleetPolicy("f", "fake")},
)
READING = Reading("", "ok", "usage", NOON, limits=(Limit("weekly", percent=50.0, window=timedelta(days=7)),))
ANSWERS: tuple[tuple[Reading, ...] | BaseException, ...] = (
    (READING,),
    (evolve(READING, limits=(Limit("weekly", percent=100.0, window=timedelta(days=7)),)),),
    (evolve(READING, state="throttled", limits=()),),
    (),
    TimedOut("usage", "nothing came"),
    ValueError("no such shape"),
    KeyError("a fault of the plugin"),
    Crash(),
)
budgets = st.builds(
    lambda floor, usual, idle, slowest, jitter, growth: Budget(
        floor=floor * MINUTE,
        usual=(floor + usual) * MINUTE,
        idle=(floor + usual + idle) * MINUTE,
        slowest=(floor + usual + idle + slowest) * MINUTE,
        jitter=jitter,
        growth=growth,
    ),
    st.integers(1, 5),
    st.integers(0, 10),
    st.integers(0, 10),
    st.integers(0, 30),
    st.floats(0, 1),
    st.floats(1, 10),
)
steps = st.lists(
    st.tuples(
        st.timedeltas(timedelta(0), 6 * MINUTE),
        st.integers(0, 2),
        st.sampled_from(["probe", "tick", "plan", "plan and probe", "snapshot", "observe"]),
        st.sampled_from(ANSWERS),
    ),
    max_size=30,
)


@given(budgets, steps, st.integers(0, 5), st.booleans())
def test_a_source_is_asked_within_its_budget(
    budget: Budget,
    steps: list[tuple[timedelta, int, str, tuple[Reading, ...] | BaseException]],
    seats: int,
    parked: bool,
) -> None:
    """Two questions are a floor apart, and whoever may ask finds the last one no older than the slowest interval; where
    there was none yet, what others told first is no older than that.
    """
    clock, asked, told = SettableClock(NOON), list[datetime](), list[datetime]()
    prober = Noting((READING,), budget=budget, note=lambda: asked.append(clock.now()))
    plugins = offering(prober)
    paused = "capacity" if parked else None
    fleet = FakeActuator(
        fleet="f", seats=[Seat("f", f"s{n}", "h", "m", pool="a", paused_by=paused) for n in range(seats)]
    )
    store = memory(clock=clock)
    engines = [Engine(POLICY, store=store, plugins=plugins, clock=clock, actuators={"f": fleet}) for _ in range(3)]
    for span, who, what, answer in steps:
        clock.advance(span)
        prober.script.say(answer)
        try:
            act(engines[who], what, clock)
        except* Crash:
            pass
        if what == "observe":
            told.append(clock.now())
        if what in ("probe", "tick", "plan and probe"):
            assert asked or told
            assert clock.now() - (asked[-1] if asked else told[0]) < budget.slowest

    assert all(later - earlier >= budget.floor for earlier, later in pairwise(asked))


class Noting(FakeProber):
    """A prober that says when it is asked."""

    def __init__(self, *says: tuple[Reading, ...] | BaseException, budget: Budget, note: Callable[[], None]) -> None:
        super().__init__(*says, budget=budget)
        self._note = note

    async def probe(self) -> tuple[Reading, ...]:
        self._note()
        return await super().probe()


dates = st.timedeltas(timedelta(days=-20_000), timedelta(days=2_900_000)).map(lambda span: NOON + span)
headers = st.one_of(
    st.none(),
    st.sampled_from(["", "0", "-1", "60", "3600", "1e400", "nan", "inf", "soon", "Mon, 32 Mar 2026 12:00:00 GMT"]),
    st.integers().map(str),
    st.floats().map(str),
    st.one_of(dates, dates.map(lambda at: NOON + (at - NOON) / 10_000)).map(partial(format_datetime, usegmt=True)),
    st.text(max_size=40),
)
waits = st.builds(
    lambda budget, wary, least, margin, most: evolve(
        budget, wary=wary * MINUTE, wait_least=least * MINUTE, wait_margin=margin * MINUTE, wait_most=most * MINUTE
    ),
    budgets,
    st.integers(0, 90),
    st.integers(0, 60),
    st.integers(0, 60),
    st.integers(60, 24 * 60),
)


class Refusing(Noting):
    """Refuses every question with the next of some `Retry-After` headers, or gives the next instant as it is."""

    def __init__(self, shapes: list[tuple[str | None, str | None] | datetime], **parts: Any) -> None:
        super().__init__((READING,), **parts)
        self._shapes = shapes

    async def probe(self) -> tuple[Reading, ...]:
        (reading,) = await super().probe()
        shape = self._shapes.pop(0)
        self._shapes.append(shape)
        if isinstance(shape, tuple):
            told = zip(("retry-after", "date"), shape, strict=True)
            pairs = tuple((name, value) for name, value in told if value is not None)
            shape = self.budget.retry_at(Document(b"", reading.observed_at, status=429, headers=pairs))
        return (evolve(reading, state="throttled", limits=(), retry_at=shape),)


@given(
    waits,
    st.lists(st.one_of(st.tuples(headers, headers), dates), min_size=1, max_size=4),
    st.lists(st.timedeltas(timedelta(0), 26 * 60 * MINUTE), min_size=1, max_size=20),
)
def test_no_refusal_brings_a_question_forward_or_silences_a_source(
    budget: Budget, shapes: list[tuple[str | None, str | None] | datetime], spans: list[timedelta]
) -> None:
    """Whatever `Retry-After` says, two questions are a floor apart, and none is later than the longest circuit lasts."""
    clock, asked = SettableClock(NOON), list[datetime]()
    plugins = offering(Refusing(shapes, budget=budget, note=lambda: asked.append(clock.now())))
    engine = Engine(evolve(POLICY, fleets={}), store=memory(clock=clock), plugins=plugins, clock=clock)
    for span in spans:
        engine.probe()
        clock.advance(span)
        engine.probe()
        (pool,) = engine.snapshot().pools

        assert clock.now() - asked[-1] < max(LONGEST, budget.slowest)
        assert "throttled" == pool.state
        assert pool.retry_at is None or pool.retry_at <= asked[-1] + LONGEST

    assert all(later - earlier >= budget.floor for earlier, later in pairwise(asked))


def offering(prober: FakeProber) -> Plugins:
    """One distribution with a prober, and a reader that knows one body."""
    return Plugins(
        [
            Plugin(PROBERS, "fake", "capacity-fake", "1", lambda credentials: prober),
            Plugin(READERS, "fake", "capacity-fake", "1", lambda: FakeReader({b"seen": (READING,)})),
        ]
    )


def act(engine: Engine, what: str, clock: SettableClock) -> None:
    """One thing an engine is asked to do."""
    if what == "probe":
        engine.probe()
    elif what == "tick":
        engine.tick()
    elif what == "snapshot":
        engine.snapshot()
    elif what == "observe":
        engine.observe("a", Document(b"seen", clock.now()), "gateway")
    else:
        engine.plan(probe=what == "plan and probe")


LEASED = evolve(
    POLICY,
    fleets={},
    tiers=Tiers(("top",), (TierRow("top", "h", "m"),)),
    pools={"a": evolve(POLICY.pools["a"], models=("m",))},
)
told = st.sampled_from([answer for answer in ANSWERS if not isinstance(answer, Crash)])
turns = st.lists(
    st.tuples(
        st.timedeltas(timedelta(0), 6 * MINUTE),
        st.integers(0, 2),
        st.integers(0, 3),
        st.sampled_from(["lease", "settle", "fail", "preview"]),
        told,
    ),
    max_size=15,
)


@given(budgets, turns)
def test_no_lease_brings_a_question_below_its_floor(
    budget: Budget, turns: list[tuple[timedelta, int, int, str, tuple[Reading, ...] | BaseException]]
) -> None:
    """However many sessions lease through however many brokers, and whatever they are told, two questions are a floor
    apart; and whoever may lease finds the last one no older than the slowest interval.
    """
    clock, asked = SettableClock(NOON), list[datetime]()
    prober = Noting((READING,), budget=budget, note=lambda: asked.append(clock.now()))
    store, plugins = memory(clock=clock), offering(prober)
    brokers = [Broker(LEASED, store=store, plugins=plugins, clock=clock) for _ in range(3)]
    for span, who, session, what, answer in turns:
        clock.advance(span)
        prober.script.say(answer)
        before = len(asked)
        lease = brokers[who].lease(f"s{session}", Need(tier="top", context=1)) if what != "preview" else None
        if what == "preview":
            brokers[who].preview(f"s{session}", Need(tier="top", context=1))
            assert before == len(asked)
        elif isinstance(lease, Lease):
            assert asked
            assert clock.now() - asked[-1] < budget.slowest
            if what == "settle":
                brokers[who].settle(lease)
            elif what == "fail":
                brokers[who].fail(lease, status=429, text="weekly limit reached")
    for broker in brokers:
        broker.close()

    assert all(later - earlier >= budget.floor for earlier, later in pairwise(asked))
