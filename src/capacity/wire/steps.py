"""One step of a flow: give it an answer, take its next effect. Pure of any loop, so a replay steps as the driver does.

A flow that awaits anything but an effect is broken beyond repair: it is told so where it awaits, and whatever it makes
of that, whoever steps it is told too.
"""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any, Generic, TypeVar

from attrs import frozen

from capacity.errors import WireError
from capacity.ports import Effect, Flow

T = TypeVar("T")


@frozen
class Returned(Generic[T]):
    """The flow has ended.

    Attributes:
        value: what it returned.
    """

    value: T


def step(flow: Flow[T], reply: Any = None, fault: WireError | None = None) -> Effect[Any] | Returned[T]:
    """Answer the effect a flow stands at; the first step of a flow is given nothing.

    Args:
        flow: the flow.
        reply: what came back.
        fault: why nothing did; thrown in instead of the reply.

    Raises:
        TypeError: the flow awaited something that is no effect.
        Exception: whatever the flow itself raised.
    """
    try:
        asked = flow.send(reply) if fault is None else flow.throw(fault)
    except StopIteration as done:
        return Returned(done.value)
    if isinstance(asked, Effect):
        return asked
    raise _refused(flow, asked)


def name(flow: Flow[Any]) -> str:
    """What a person calls a flow: the function it came from."""
    return getattr(flow, "__qualname__", type(flow).__name__)


def _refused(flow: Flow[Any], thing: Any) -> TypeError:
    """The error, after it was thrown in: its traceback ends at the line that awaited."""
    inner: Any = flow
    while inspect.iscoroutine(awaited := getattr(inner, "cr_await", None)):
        inner = awaited
    where = name(flow) if inner is flow else f"{name(flow)}, in {name(inner)}"
    error = TypeError(f"{where}: awaited {type(thing).__name__}; a flow awaits effects and nothing else")
    with suppress(StopIteration, TypeError):
        flow.throw(error)
    return error
