"""`watch`: one tick after another, on a schedule, with tables that live on a terminal.

The policy is read again before each tick. One that has become faulty is complained of, and the last good one goes on;
so does a tick that failed. Only an interrupt, the number of times, or a reader who has gone ends it.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Annotated

from attrs import evolve
from typer import Option

from capacity.cli.call import Call
from capacity.cli.exits import Code, UsageFault
from capacity.cli.fleets import code_of, plan_page, report_page
from capacity.cli.lines import soon
from capacity.cli.screen import Page
from capacity.errors import CapacityError, FormError
from capacity.ports import Clock
from capacity.values.policy import Policy
from capacity.wire import SystemClock

SPAN = re.compile(r"(\d+(?:\.\d+)?)([smh]?)")
SECONDS: Mapping[str, int] = {"": 1, "s": 1, "m": 60, "h": 3600}
"""Unit of a span as it is typed → seconds."""

Draw = Callable[[Page], None]


def watch(
    call: Call,
    every: Annotated[
        str | None,
        Option("--every", metavar="SPAN", help="From tick to tick: 90, 90s, 5m or 1h. [the policy's `pacing.tick_s`]"),
    ] = None,
    plan: Annotated[bool, Option("--plan", help="Decide and show; apply nothing.")] = False,
    times: Annotated[int | None, Option("--times", metavar="N", min=1, help="So often, then end. [for ever]")] = None,
) -> Code:
    """Tick on a schedule and show what happens, until it is interrupted."""
    span = None if every is None else typed_span(every)
    clock = _clock(call)
    policy, code, count = call.load_policy(), Code.FINE, 0
    with _interruptible(), call.screen.live() as draw:
        if call.screen.is_terminal and not call.json:
            draw(Page("the first tick: asking what is due, deciding, applying"))
        try:
            while not call.screen.closed:
                policy = _reread(call, policy)
                next_at = clock.now() + (span or policy.pacing.tick)
                code, count = _once(call, policy, draw, next_at, plan=plan), count + 1
                if count == times:
                    break
                _wait(clock, next_at)
        except KeyboardInterrupt:
            return code
    return code


def typed_span(text: str) -> timedelta:
    """A span as it is typed.

    Raises:
        UsageFault: it is none, or nothing.
    """
    found = SPAN.fullmatch(text)
    span = timedelta(seconds=float(found[1]) * SECONDS[found[2]]) if found else timedelta(0)
    if not span:
        raise UsageFault(f"{text!r} is no span: write it like 90, 90s, 5m or 1h")
    return span


def _once(call: Call, policy: Policy, draw: Draw, next_at: datetime, *, plan: bool) -> Code:
    """One tick, or one plan. What fails is complained of."""
    try:
        with call.engine(policy) as engine:
            if plan:
                tick = engine.plan(probe=True)
                _answer(call, draw, tick, plan_page(tick, every=False), next_at)
                return Code.FINE
            report = engine.tick()
            _answer(call, draw, report, report_page(report, every=False), next_at)
            return code_of(call, report)
    except CapacityError as error:
        call.screen.complain(f"capacity: {error}; next try {soon(next_at, _clock(call).now())}")
        return Code.FAILED


def _answer(call: Call, draw: Draw, value: object, page: Page, next_at: datetime) -> None:
    if call.json:
        call.answer(value)
    else:
        draw(evolve(page, head=f"{page.head}; next {soon(next_at, _clock(call).now())}"))


def _reread(call: Call, policy: Policy) -> Policy:
    try:
        return call.load_policy()
    except (FormError, UsageFault) as error:
        call.screen.complain(f"capacity: {error}; going on with the policy as it was")
        return policy


def _clock(call: Call) -> Clock:
    return call.clock or SystemClock()


def _wait(clock: Clock, until: datetime) -> None:
    clock.sleep(max(until - clock.now(), timedelta(0)))


@contextmanager
def _interruptible() -> Iterator[None]:
    """A request to end, from whoever started this, is an interrupt like that of a keyboard."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python gives signals to its main thread alone
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
