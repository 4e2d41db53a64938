"""One step of a flow, without a loop."""

from __future__ import annotations

import pytest

from capacity.errors import NotFound
from capacity.ports import Env, Secret
from capacity.wire.steps import Returned, name, step


async def flow():
    try:
        return await Env("A")
    except NotFound as fault:
        return fault.why


def test_a_step_takes_the_next_effect():
    """Given nothing, a flow runs to its first effect; given a reply, on to its value."""
    running = flow()

    assert Env("A") == step(running)
    assert Returned(Secret("a")) == step(running, Secret("a"))


def test_a_step_throws_a_fault_in():
    """A fault arrives where the flow awaits."""
    running = flow()
    step(running)

    assert Returned("unset") == step(running, fault=NotFound("A", "unset"))


def test_a_flow_may_end_at_once():
    """A flow that asks for nothing has a value all the same."""

    async def quick():
        return 1

    assert Returned(1) == step(quick())


def test_the_error_names_where_and_what():
    """The function that awaited, also where the flow awaits a bare thing itself."""

    class Thing:
        def __await__(self):
            yield self

    async def odd():
        await Thing()

    running = odd()
    with pytest.raises(TypeError, match=r"odd: awaited Thing; a flow awaits effects and nothing else") as error:
        step(running)
    assert name(running) in str(error.value)
