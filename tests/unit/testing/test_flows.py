"""Flows are played by hand, against a world that is a handful of dictionaries."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from capacity.errors import Ended, NotFound, Refused, TimedOut, WireError
from capacity.ports import Effect, Env, Exit, Get, Hear, List, Pause, Read, Replace, Run, Say, Send, Start
from capacity.testing.flows import FakeWorld, play

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld(NOON)


async def just(effect: Any) -> Any:
    return await effect


def test_files_are_read_and_replaced(world: FakeWorld) -> None:
    """A file is replaced only while it is what it was, and need not exist where nothing is expected."""
    world.files["a"] = b"one"

    async def flow() -> tuple[bytes, bool, bool, bool]:
        file = await Read("a")
        stale = await Replace("a", b"two", was="0" * 64)
        done = await Replace("a", b"two", was=file.digest)
        new = await Replace("b", b"three", was=None)
        return file.body, stale.done, done.done, new.done

    assert (b"one", False, True, True) == play(flow(), world)
    assert {"a": b"two", "b": b"three"} == world.files


def test_a_secret_file_comes_masked(world: FakeWorld) -> None:
    """Its text is a secret, and its strings are masked but for those under plain keys."""
    world.files["key"] = b'{"token": "hush-hush", "plan": "max", "until": 7}'
    file = play(just(Read("key", secret=True, plain=frozenset({"plan"}))), world)

    assert {"token": "***", "plan": "max", "until": 7} == file.document.json()
    assert file.secret.part("token")
    assert "hush" not in repr(file)


def test_the_end_of_a_file_is_read(world: FakeWorld) -> None:
    """A tail is so many bytes from the end."""
    world.files["log"] = b"0123456789"

    assert b"789" == play(just(Read("log", tail=3)), world).body


def test_requests_are_answered(world: FakeWorld) -> None:
    """A served answer carries what was asked, and when it arrived."""
    world.serve(b"{}", 429, {"retry-after": "7"})
    reply = play(just(Get("http://host.invalid/usage?all=1")), world)

    assert (429, "/usage?all=1", "7", NOON) == (
        reply.status,
        reply.document.asked,
        reply.document.header("Retry-After"),
        reply.at,
    )


def test_programs_are_run(world: FakeWorld) -> None:
    """A program's end is its exit code and what it printed."""
    world.program = lambda run: (3, " ".join(run.argv).encode())

    assert Exit(3, b"say hi", b"", NOON, "say hi") == play(just(Run(("say", "hi"))), world)


def test_files_are_found_and_time_passes(world: FakeWorld) -> None:
    """Patterns match paths; a pause moves the world's instant; a variable is a secret."""
    world.files |= {"x/1": b"", "x/2": b"", "y/1": b""}
    world.environ["KEY"] = "hush-hush"

    assert ("x/1", "x/2") == play(just(List("x/*")), world).paths
    assert NOON + timedelta(hours=1) == play(just(Pause(timedelta(hours=1))), world).at == world.at
    assert "Secret(***)" == repr(play(just(Env("KEY")), world))


@pytest.mark.parametrize(
    ("effect", "fault"),
    [
        (Read("gone"), NotFound),
        (Env("GONE"), NotFound),
        (Run(("gone",)), NotFound),
        (Get("http://host.invalid"), Refused),
        (Send("POST", "http://host.invalid"), Refused),
    ],
)
def test_an_empty_world_answers_nothing(world: FakeWorld, effect: Any, fault: type[WireError]) -> None:
    """What is not there is thrown into the flow where it awaits, and can be caught there."""

    async def flow() -> str:
        try:
            await effect
        except WireError as error:
            return type(error).__name__
        return "an answer"

    assert fault.__name__ == play(flow(), world)
    assert [effect] == world.asked


def test_no_answer_from_a_server_is_thrown(world: FakeWorld) -> None:
    """A server that is silent is a fault like any other."""
    world.web = lambda request: TimedOut(request.url, "no answer")

    with pytest.raises(TimedOut):
        play(just(Get("http://host.invalid")), world)


def test_awaiting_anything_else_is_named(world: FakeWorld) -> None:
    """A flow that awaits a loop's future is told so by type."""
    with pytest.raises(TypeError, match="effects only"):
        play(asyncio.sleep(0), world)


def test_an_effect_this_world_does_not_know_is_named(world: FakeWorld) -> None:
    """A release may bring an effect that this world has not heard of."""

    class Hum(Effect[None]):
        pass

    with pytest.raises(TypeError, match="Hum"):
        play(just(Hum()), world)


def test_a_child_is_talked_to(world: FakeWorld) -> None:
    """Each line may bring lines back, each child has its own, and one that says no more is silent."""
    world.talk = lambda line: [f"{line} {n}" for n in range(2)] if line else []

    async def flow() -> list[str]:
        first, second = await Start(("talk",)), await Start(("talk",))
        for child, line in ((first, "a"), (second, "b"), (first, "")):
            await Say(child, line)
        heard = [(await Hear(child)).text for child in (second, first, first)]
        with pytest.raises(TimedOut):
            await Hear(first)
        return heard

    assert ["b 0", "a 0", "a 1"] == play(flow(), world)


def test_a_child_that_is_gone_hears_nothing(world: FakeWorld) -> None:
    """Without a program nothing is started, and one that went away in between has ended."""
    with pytest.raises(NotFound):
        play(just(Start(("talk",))), world)
    world.talk = lambda line: []
    child = play(just(Start(("talk",))), world)
    world.talk = None
    with pytest.raises(Ended):
        play(just(Say(child, "hello")), world)


def test_a_flow_that_never_ends_is_ended(world: FakeWorld) -> None:
    """A loop is stopped after many effects, and closed."""
    closed = []

    async def flow() -> None:
        try:
            while True:
                await Pause(timedelta(0))
        finally:
            closed.append(True)

    with pytest.raises(AssertionError, match="still asking"):
        play(flow(), world)
    assert [True] == closed
