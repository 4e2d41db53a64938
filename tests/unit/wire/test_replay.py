"""Replay steps a flow with answers that are there already."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from capacity.errors import NotFound, ReplayError, WireError
from capacity.ports import Env, Pause, Pulse, Secret
from capacity.wire import Cassette, Host, Recorder, replay, run

from .conftest import LONG

AT = datetime(2026, 1, 1, tzinfo=UTC)


async def wait(*minutes):
    return [(await Pause(timedelta(minutes=number))).at for number in minutes]


class Still:
    """A clock on which nothing takes time."""

    def now(self):
        return AT

    def sleep(self, span):
        pass


@pytest.fixture
def cassette():
    """A cassette of `wait(1, 2)`."""
    recorder = Recorder()
    run(wait(1, 2), deadline=LONG, host=Host(clock=Still(), environ={}, recorder=recorder))
    return recorder.cassette


def test_a_cassette_answers_in_its_order(cassette):
    """With the recorded time."""
    assert [AT, AT] == replay(wait(1, 2), cassette)
    assert [AT, AT] == replay(wait(1, 2), cassette)  # and is not used up


@pytest.mark.parametrize(
    ("minutes", "complaint"),
    [
        ((1, 3), 'effect 2: the flow asks Pause {"span": 180.0}; the cassette holds Pause {"span": 120.0}'),
        ((1, 2, 3), 'effect 3: the flow asks Pause {"span": 180.0}; the cassette has ended'),
        ((1,), 'effect 2: the flow asks nothing more; the cassette holds Pause {"span": 120.0}'),
    ],
)
def test_the_first_effect_that_differs_is_named(cassette, minutes, complaint):
    """What was asked, what is on the cassette, and where."""
    with pytest.raises(ReplayError) as error:
        replay(wait(*minutes), cassette)
    assert complaint == str(error.value)


def test_no_flow_falls_back_on_a_difference(cassette):
    """A flow that catches every fault of the wire does not catch that."""

    async def flow():
        try:
            return await Env("A")
        except Exception:
            return "fallen back"

    with pytest.raises(ReplayError):
        replay(flow(), cassette)


def test_several_flows_are_replayed_one_by_one():
    """A cassette of two has to be told which."""
    recorder = Recorder()
    for _ in range(2):
        run(wait(1), deadline=LONG, host=Host(clock=Still(), environ={}, recorder=recorder))

    with pytest.raises(ReplayError, match=r"flows \(0, 1\); choose one"):
        replay(wait(1), recorder.cassette)
    assert [AT] == replay(wait(1), recorder.cassette.flow(1))


def test_an_empty_cassette_is_a_flow_that_asks_nothing():
    """Nothing asked, nothing answered."""
    assert [] == replay(wait(), Cassette())


def test_a_function_may_answer():
    """For tests: it returns a reply, or raises a fault that is thrown in."""

    def answer(effect):
        if isinstance(effect, Env):
            raise NotFound(effect.name, "unset")
        return Pulse(AT + effect.span)

    async def flow():
        try:
            await Env("A")
        except NotFound as fault:
            return str(fault), await wait(1)

    assert ("A: unset", [AT + timedelta(minutes=1)]) == replay(flow(), answer)


def test_an_uncaught_fault_comes_out():
    """As it does of a driver."""

    def answer(effect):
        raise NotFound("A", "unset")

    with pytest.raises(WireError, match="A: unset"):
        replay(wait(1), answer)


def test_an_error_of_the_answer_is_the_tests_own():
    """It is not thrown into the flow, and the flow is closed."""
    closed = []

    async def flow():
        try:
            await Env("A")
        finally:
            closed.append(True)

    with pytest.raises(ZeroDivisionError):
        replay(flow(), lambda effect: 1 / 0)
    assert [True] == closed


def test_awaiting_anything_else_is_a_type_error():
    """A replay is as strict as the driver, and needs no loop to be so."""

    async def flow():
        await asyncio.sleep(0)

    with pytest.raises(TypeError, match="in sleep: awaited NoneType; a flow awaits effects and nothing else"):
        replay(flow(), lambda effect: Secret(""))


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import capacity.wire", {"asyncio", "httpx", "tenacity", "attrs"}),
        ("from capacity.wire import Cassette, Host, Recorder, SystemClock, replay", {"asyncio", "httpx", "tenacity"}),
        ("from capacity.wire import run", {"httpx", "tenacity", "cattrs"}),
    ],
)
def test_nobody_pays_for_what_he_does_not_use(code, absent):
    """The door is lazy, a replay needs no loop, and the HTTP client comes with the first request."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )

    assert set() == absent & set(done.stdout.split())
