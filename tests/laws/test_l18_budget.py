"""L18: no number of engines, seats or readers makes a source be asked more often than its budget allows, and none at
all does not stop it from being asked.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from capacity.engine import Engine
from capacity.errors import TimedOut
from capacity.plugins import PROBERS, READERS, Plugin, Plugins
from capacity.ports import Budget, Document, Limit, Reading, Seat
from capacity.store import memory
from capacity.testing.clocks import SettableClock
from capacity.testing.fakes import Crash, FakeActuator, FakeProber, FakeReader
from capacity.values.policy import AccountPolicy, FleetPolicy, HarnessPolicy, Policy, PoolPolicy

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
    """Two questions are a floor apart, and whoever may ask finds the last one no older than the slowest interval."""
    clock, asked = SettableClock(NOON), list[datetime]()
    prober = Noting((READING,), budget=budget, note=lambda: asked.append(clock.now()))
    plugins = Plugins(
        [
            Plugin(PROBERS, "fake", "capacity-fake", "1", lambda credentials: prober),
            Plugin(READERS, "fake", "capacity-fake", "1", lambda: FakeReader({b"seen": (READING,)})),
        ]
    )
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
        if what in ("probe", "tick", "plan and probe"):
            assert asked
            assert clock.now() - asked[-1] < budget.slowest

    assert all(later - earlier >= budget.floor for earlier, later in pairwise(asked))


class Noting(FakeProber):
    """A prober that says when it is asked."""

    def __init__(self, *says: tuple[Reading, ...] | BaseException, budget: Budget, note: Callable[[], None]) -> None:
        super().__init__(*says, budget=budget)
        self._note = note

    async def probe(self) -> tuple[Reading, ...]:
        self._note()
        return await super().probe()


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
