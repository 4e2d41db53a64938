"""The driver steps flows, holds them to their deadline, and lets go of what they opened."""

from __future__ import annotations

import asyncio
import threading
import traceback
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from capacity.errors import NotFound, TimedOut, WireError
from capacity.ports import Effect, Env, Get, Hear, Pause, Pulse, Read, Secret, Start
from capacity.wire import Host, arun, arun_all, run, run_all

from .conftest import LONG, PYTHON, SHORT, descriptors, leaks, reaped

NEVER = timedelta(hours=1)


class Settable:
    """A clock that stands until somebody sleeps on it."""

    def __init__(self):
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self):
        return self.time

    def sleep(self, span):
        self.time += span


async def returning(value):
    return value


async def time():
    return (await Pause(timedelta(0))).at


def test_a_flow_returns_its_value(host):
    """What a flow returns, its driver returns, even if it asked for nothing."""
    assert 7 == run(returning(7), deadline=LONG, host=host)


def test_a_flow_runs_in_the_callers_loop(host):
    """`arun` is the same for callers with a loop."""

    async def main():
        return await arun(returning(7), deadline=LONG, host=host)

    assert 7 == asyncio.run(main())


def test_run_works_inside_a_running_loop(host):
    """`run` takes a thread of its own where the caller's has a loop already."""

    async def thread():
        await Pause(timedelta(0))
        return threading.current_thread()

    async def main():
        return run(thread(), deadline=LONG, host=host)

    assert threading.current_thread() != asyncio.run(main())
    assert threading.current_thread() == run(thread(), deadline=LONG, host=host)


def test_the_hosts_clock_stamps_replies_and_pauses(host):
    """A flow's only clock is its host's: an hour passes on it without anybody waiting an hour."""

    async def flow():
        return await time(), (await Pause(NEVER)).at

    settable = Host(clock=Settable(), environ={})

    assert (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 1, tzinfo=UTC)) == run(
        flow(), deadline=LONG, host=settable
    )


def test_the_machines_time_is_utc(host):
    """Without a clock of its own a host has the machine's, in UTC."""
    before = datetime.now(UTC)
    at = run(time(), deadline=LONG, host=host)

    assert before <= at <= datetime.now(UTC)
    assert UTC == at.tzinfo


def test_a_pause_takes_its_time(host):
    """On the machine's clock a pause is a pause."""

    async def flow():
        return (await Pause(timedelta(0))).at, (await Pause(timedelta(milliseconds=30))).at

    before, after = run(flow(), deadline=LONG, host=host)

    assert timedelta(milliseconds=30) <= after - before


def test_a_variable_is_a_secret(host):
    """`Env` answers with a secret, without white space at its ends; a missing one is not found, a blank one is blank."""

    async def flow():
        blank = await Env("BLANK")
        try:
            await Env("MISSING")
        except NotFound as fault:
            return await Env("KEY"), bool(blank), str(fault)

    host = Host(environ={"KEY": " abc\n", "BLANK": " "})

    assert (Secret("abc"), False, "MISSING: no such variable in the environment") == run(
        flow(), deadline=LONG, host=host
    )


# --- deadlines --------------------------------------------------------------------------------


def test_past_the_deadline_the_flow_may_fall_back(host):
    """The effect under way is called off, the reason is thrown in, and what the flow makes of it counts."""

    async def flow():
        try:
            await Pause(NEVER)
        except TimedOut as late:
            return str(late)

    assert "Pause: the flow's deadline of 0.2 s has passed" == run(flow(), deadline=SHORT, host=host)


def test_past_the_deadline_nothing_is_performed(host, serve):
    """Each further effect is refused before anybody hears of it."""
    server = serve()

    async def flow():
        faults = []
        for effect in (Pause(NEVER), Get(server.url), Read("~/file"), Env("PATH")):
            try:
                await effect
            except TimedOut as late:
                faults.append(late.asked)
        return faults

    assert ["Pause", server.url, "~/file", "Env"] == run(flow(), deadline=SHORT, host=host)
    assert [] == server.seen


def test_a_flow_that_goes_on_is_closed(host):
    """A second after its deadline a flow ends, even if it catches everything; it is told by GeneratorExit."""
    closed = []

    async def flow():
        try:
            while True:
                with suppress(TimedOut):
                    await Pause(NEVER)
        finally:
            closed.append(True)

    with pytest.raises(TimedOut, match="it went on; it was closed"):
        run(flow(), deadline=SHORT, host=host)
    assert [True] == closed


def test_a_flow_that_goes_on_leaves_the_others_their_turn(host):
    """While one flow burns its last second, another performs its effects."""
    order = []

    async def stubborn():
        try:
            while True:
                with suppress(TimedOut):
                    await Pause(NEVER)
        finally:
            order.append("closed")

    async def other():
        for _ in range(3):
            await Pause(timedelta(milliseconds=50))
        order.append("done")

    run_all({"stubborn": (stubborn(), timedelta(0)), "other": (other(), LONG)}, host=host)

    assert ["done", "closed"] == order


def test_a_cancelled_flow_is_closed(host):
    """Whoever cancels the driver gets his cancellation, and the flow is let go."""
    closed = []

    async def flow():
        try:
            await Pause(NEVER)
        finally:
            closed.append(True)

    async def main():
        task = asyncio.create_task(arun(flow(), deadline=LONG, host=host))
        await asyncio.sleep(0.02)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert [True] == closed


def test_a_hanging_name_server_holds_nobody(host, monkeypatch):
    """A thread stuck in a look-up keeps neither the flow nor its private loop past the deadline."""
    release, ended = threading.Event(), []
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: ended.append(release.wait(10)))

    async def flow():
        await Get("http://hangs.invalid/")

    with pytest.raises(TimedOut):
        run(flow(), deadline=SHORT, host=host)
    assert [] == ended
    release.set()


# --- side by side -----------------------------------------------------------------------------


def test_one_fault_disturbs_no_other_flow(host):
    """What one flow raises is its value; the others go on, and the names keep their order."""

    async def faulty():
        await Pause(timedelta(0))
        raise ValueError("mine")

    async def unlucky():
        await Env("MISSING")

    async def well():
        await Pause(timedelta(milliseconds=50))
        return "well"

    got = run_all({"z": (faulty(), LONG), "a": (well(), LONG), "m": (unlucky(), LONG)}, host=host)

    assert ["z", "a", "m"] == list(got)
    assert "well" == got["a"]
    assert ["ValueError", "NotFound"] == [type(got[name]).__name__ for name in "zm"]


def test_each_flow_has_its_own_deadline(host):
    """A flow that is late is late alone."""

    async def flow():
        return await Pause(timedelta(milliseconds=300))

    got = run_all({"short": (flow(), timedelta(milliseconds=50)), "long": (flow(), LONG)}, host=host)

    assert isinstance(got["short"], TimedOut)
    assert isinstance(got["long"], Pulse)


def test_flows_side_by_side_share_one_client(host, serve):
    """Connections are kept between the flows that run together."""
    server, done = serve(), []

    async def first():
        done.append((await Get(server.url)).status)

    async def second():
        while not done:
            await Pause(timedelta(milliseconds=10))
        done.append((await Get(server.url)).status)

    run_all({"a": (first(), LONG), "b": (second(), LONG)}, host=host)

    assert [200, 200] == done
    assert 1 == len({handler.client_address for handler in server.seen})


def test_cancelling_all_closes_each(host):
    """A cancelled `arun_all` leaves no flow open."""

    async def flow():
        await Pause(NEVER)

    flows = {str(number): (flow(), LONG) for number in range(3)}

    async def main():
        asyncio.current_task().cancel()
        await arun_all(flows, host=host)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert {None} == {flow.cr_frame for flow, _ in flows.values()}


# --- faults of the flow -----------------------------------------------------------------------


def test_awaiting_anything_else_is_a_type_error(host):
    """It names the flow, what it was in and what it awaited, and its traceback ends at the line."""

    async def flow():
        await asyncio.sleep(1)

    with pytest.raises(TypeError, match=r"flow, in sleep: awaited Future; a flow awaits effects and nothing") as error:
        run(flow(), deadline=LONG, host=host)
    assert "await asyncio.sleep(1)" in "".join(traceback.format_tb(error.value.__traceback__))


@pytest.mark.parametrize("ending", ["returns", "goes on"])
def test_nobody_can_swallow_that_type_error(host, ending):
    """A flow that catches everything is told all the same, and so is its caller."""

    async def flow():
        while True:
            try:
                await asyncio.sleep(1)
            except Exception:
                if ending == "returns":
                    return

    with pytest.raises(TypeError, match="awaits effects and nothing else"):
        run(flow(), deadline=LONG, host=host)


def test_awaiting_while_it_is_closed_is_the_flows_fault(host):
    """It cannot be answered any more; what the flow opened is let go all the same."""
    child, started = [], asyncio.Event()

    async def flow():
        try:
            running = await Start((*PYTHON, "import os, time; print(os.getpid(), flush=True); time.sleep(60)"))
            child.append(int((await Hear(running)).text))
            started.set()
            await Pause(NEVER)
        finally:
            await Pause(timedelta(0))

    async def main():
        task = asyncio.create_task(arun(flow(), deadline=LONG, host=host))
        await started.wait()
        task.cancel()
        await task

    with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
        asyncio.run(main())
    assert reaped(child[0])


def test_an_unknown_effect_is_a_type_error(host):
    """An effect that somebody invented is named."""

    class Wish(Effect[None]):
        pass

    async def flow():
        await Wish()

    with pytest.raises(TypeError, match="nobody knows how to perform Wish"):
        run(flow(), deadline=LONG, host=host)


def test_a_fault_shows_the_line_that_awaited_and_nothing_behind_it(host):
    """A `WireError` comes from the flow's own line: no frame of the client, no cause, no context."""

    async def flow():
        await Get("http://127.0.0.1:1/")

    with pytest.raises(WireError) as error:
        run(flow(), deadline=LONG, host=host)
    assert (None, None) == (error.value.__cause__, error.value.__context__)
    assert "web.py" not in "".join(traceback.format_exception(error.value))


def test_no_descriptor_is_left(host, serve):
    """Connections, loops and wake-up pipes of a private loop are closed with it."""
    server = serve()

    async def flow():
        return (await Get(server.url)).status

    run(flow(), deadline=LONG, host=host)
    before = descriptors()
    for _ in range(3):
        run(flow(), deadline=LONG, host=host)

    assert not leaks(before)
