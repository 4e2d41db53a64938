"""The driver: steps flows and performs what they ask. There is one, on asyncio; `run` is the same in a private loop.

1. An effect is performed. Its answer goes back into the flow, or, where there is none, the reason is thrown in.
2. From the deadline on, every effect is refused at once; a second later the flow is closed, whatever it does.
3. When a flow ends, however it ends, everything it opened is let go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, TypeVar

from capacity.errors import TimedOut, WireError
from capacity.ports import Effect, Flow
from capacity.wire.deadline import Deadline
from capacity.wire.host import Host
from capacity.wire.private import privately
from capacity.wire.steps import Returned, name, step
from capacity.wire.world import Together, World, asked

T = TypeVar("T")


async def arun(flow: Flow[T], *, deadline: timedelta, host: Host) -> T:
    """Drive one flow to its end.

    Args:
        flow: a coroutine that awaits effects and nothing else.
        deadline: what the whole flow may take, in real time.
        host: where it runs.

    Returns:
        What the flow returned.

    Raises:
        WireError: the world gave no answer, and the flow did not catch that.
        TimedOut: the flow went on for a second after its deadline.
        TypeError: the flow awaited something else.
        Exception: whatever else the flow raised; a fault of its own.
    """
    async with Together(host) as together:
        return await _drive(flow, deadline, together)


async def arun_all(flows: Mapping[str, tuple[Flow[T], timedelta]], *, host: Host) -> dict[str, T | Exception]:
    """Drive flows side by side, on one client. What one raises is its value, and no other flow hears of it.

    Args:
        flows: name → flow and its deadline.
        host: where they run.

    Returns:
        Name → what the flow returned or raised, in the order given.
    """
    async with Together(host) as together, asyncio.TaskGroup() as group:
        tasks = {key: group.create_task(_caught(*flow, together)) for key, flow in flows.items()}
    return {key: task.result() for key, task in tasks.items()}


def run(flow: Flow[T], *, deadline: timedelta, host: Host) -> T:
    """As `arun`, for callers without a loop; inside one, it blocks it as every blocking call does."""
    return privately(arun(flow, deadline=deadline, host=host))


def run_all(flows: Mapping[str, tuple[Flow[T], timedelta]], *, host: Host) -> dict[str, T | Exception]:
    """As `arun_all`, for callers without a loop."""
    return privately(arun_all(flows, host=host))


async def _drive(flow: Flow[T], span: timedelta, together: Together) -> T:
    """Step one flow to its end, and let go of what it opened."""
    world = World(together, Deadline(span))
    try:
        return await _steps(flow, world)
    finally:
        try:
            flow.close()
        finally:
            await world.close()


async def _steps(flow: Flow[T], world: World) -> T:
    """The loop: an effect out, its answer in."""
    recorder = world.host.recorder
    recorded = recorder.begin(world.redaction) if recorder else None
    moved = step(flow)
    while not isinstance(moved, Returned):
        if world.deadline.overdue:
            raise TimedOut(name(flow), f"{world.deadline}, and it went on; it was closed")
        reply, fault = await _answer(moved, world)
        if recorded is not None:
            recorded(moved, reply, fault)
        moved = step(flow, reply, fault)
    return moved.value


async def _answer(effect: Effect[Any], world: World) -> tuple[Any, WireError | None]:
    """What came back, or why nothing did."""
    late = TimedOut(world.redaction.text(asked(effect)), str(world.deadline))
    if world.deadline.passed:
        await asyncio.sleep(0)  # a flow that asks on and on must not keep the others from their turn
        return None, late
    try:
        async with asyncio.timeout_at(world.deadline.end):
            return world.redaction.reply(await world.perform(effect)), None
    except TimeoutError:
        return None, late
    except WireError as fault:
        return None, world.redaction.fault(fault)


async def _caught(flow: Flow[T], span: timedelta, together: Together) -> T | Exception:
    """What a flow returned or raised, as a value."""
    try:
        return await _drive(flow, span, together)
    except Exception as error:  # noqa: BLE001 - one flow's fault, of any kind, disturbs no other
        return error
