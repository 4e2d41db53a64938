"""Fake programs do as they are told, note where they find themselves, and none of them is lost."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from capacity.errors import NotFound, TimedOut, TooLarge
from capacity.ports import Exit, Hear, Run, Say, Start
from capacity.testing.children import (
    Answers,
    Exits,
    FakePrograms,
    Floods,
    Habit,
    Ignores,
    Says,
    Spawns,
    Stops,
    Waits,
)
from capacity.wire import Host, run

DEADLINE = timedelta(seconds=20)  # nothing here takes that long; what would is a failure

TALK = Answers(
    {
        "hello": [{"result": {"name": "toy"}}],
        "usage": [{"method": "changed", "params": {}}, "no JSON", {"error": {"code": 1}}],
        "never": None,
    }
)


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[FakePrograms]:
    with FakePrograms(tmp_path / "programs") as programs:
        yield programs


def host(programs: FakePrograms) -> Host:
    return Host(environ={"PATH": programs.path, "HOME": "/nowhere"})


async def once(*argv: str, timeout: timedelta = DEADLINE) -> Exit:
    return await Run(argv, timeout=timeout)


def test_a_program_says_and_ends(programs: FakePrograms) -> None:
    """Every byte, on the stream it was told, and with the code it was told."""
    programs.write("toy", Says(b"a\r\n\xff\0"), Says(b"no", "stderr"), Waits(timedelta(0)), Exits(3))
    done = run(once("toy"), deadline=DEADLINE, host=host(programs))

    assert (3, b"a\r\n\xff\0", b"no") == (done.code, done.stdout, done.stderr)
    assert () == programs.left()


def test_a_program_may_depend_on_its_arguments(programs: FakePrograms) -> None:
    """The first whose words are all among them; else what it does by itself; else it complains."""
    programs.write("toy", Says(b"else"), when={("list", "--json"): (Says(b"[]"),), ("list",): (Says(b"none"),)})
    programs.write("strict", when={("list",): (Says(b"none"),)})
    told = [
        run(once(*argv), deadline=DEADLINE, host=host(programs))
        for argv in (("toy", "--json", "list"), ("toy", "list", "x y"), ("toy",), ("strict", "no"))
    ]

    assert [(0, b"[]"), (0, b"none"), (0, b"else"), (64, b"")] == [(one.code, one.stdout) for one in told]
    assert ("list", "x y") == programs.runs[1].arguments


def test_a_program_answers_line_by_line(programs: FakePrograms) -> None:
    """Frames carry the request's id, what was not asked for carries none, and no method is made up."""
    programs.write("toy", TALK)

    async def flow() -> list[str]:
        child = await Start(("toy",))
        for line in ('{"id": 7, "method": "hello"}', '{"method": "noted"}', '{"id": 8, "method": "usage"}', "noise"):
            await Say(child, line)
        await Say(child, '{"id": 9, "method": "other"}')
        heard = [(await Hear(child)).text for _ in range(5)]
        await Say(child, '{"id": 10, "method": "never"}')
        with pytest.raises(TimedOut):
            await Hear(child, timedelta(milliseconds=50))
        return heard

    assert [
        '{"result": {"name": "toy"}, "id": 7}',
        '{"method": "changed", "params": {}}',
        "no JSON",
        '{"error": {"code": 1}, "id": 8}',
        '{"error": {"code": -32601, "message": "unknown method: other"}, "id": 9}',
    ] == run(flow(), deadline=DEADLINE, host=host(programs))
    assert () == programs.left()


def test_answers_need_no_process() -> None:
    """The same answers are given to a flow that is stepped by hand."""
    assert ['{"result": {"name": "toy"}, "id": "x"}'] == TALK('{"id": "x", "method": "hello"}')
    assert [] == TALK('{"id": 1, "method": "never"}') == TALK("[1]")


@pytest.mark.parametrize(
    "habits",
    [(Waits(),), (Ignores(), Waits()), (Stops(),), (Spawns(), Waits()), (Floods("stderr"),)],
    ids=["waits", "ignores", "stops", "spawns", "floods"],
)
def test_bad_habits_are_real(programs: FakePrograms, habits: tuple[Habit, ...]) -> None:
    """Each is still there when nobody ends it, and gone when somebody does."""
    script = programs.write("toy", Says(b"here\n"), *habits)
    child = subprocess.Popen([script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    assert child.stderr is not None
    assert b"here\n" == child.stdout.readline()

    assert (child.pid,) == programs.left(timedelta(0))
    programs.close()
    assert () == programs.left(timedelta(0))
    child.wait()
    child.stdout.close()
    child.stderr.close()


def test_a_grandchild_is_not_overlooked(programs: FakePrograms) -> None:
    """A program that has ended is not gone while something it started holds on."""
    script = programs.write("toy", Spawns())
    child = subprocess.Popen([script], start_new_session=True)

    assert 0 == child.wait()
    assert (child.pid,) == programs.left(timedelta(0))


def test_a_program_that_leads_no_group_is_ended_alone(programs: FakePrograms) -> None:
    """One that a test started in its own group takes nobody with it."""
    script = programs.write("toy", Says(b"here\n"), Waits())
    child = subprocess.Popen([script], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert b"here\n" == child.stdout.readline()
    programs.close()

    assert -9 == child.wait()
    child.stdout.close()


def test_the_driver_ends_a_flood(programs: FakePrograms) -> None:
    """What says too much is ended with what it started."""
    programs.write("toy", Spawns(), Floods())
    with pytest.raises(TooLarge):
        run(once("toy"), deadline=DEADLINE, host=host(programs))

    assert () == programs.left()


def test_a_run_tells_of_its_terminal(programs: FakePrograms) -> None:
    """The driver gives none; a program that is started at a terminal says so."""
    script = programs.write("toy", Says(b"here\n"))
    run(once("toy"), deadline=DEADLINE, host=host(programs))
    ours, theirs = os.openpty()
    subprocess.run([script], stdin=theirs, check=True, stdout=subprocess.DEVNULL)
    for descriptor in (ours, theirs):
        os.close(descriptor)
    quiet, loud = sorted(programs.runs, key=lambda one: one.terminal)

    assert (True, False) == (quiet.leads, quiet.terminal)
    assert (False, True) == (loud.leads, loud.terminal)
    assert {"HOME", "PATH"} <= set(quiet.environ)
    assert "XDG_STATE_HOME" not in quiet.environ
    assert "XDG_STATE_HOME" in loud.environ


def test_nothing_is_found_but_what_was_written(programs: FakePrograms) -> None:
    """The path holds the fake programs, and nothing of the system's or of whoever runs the tests."""
    with pytest.raises(NotFound):
        run(once("ps"), deadline=DEADLINE, host=host(programs))

    assert () == programs.runs
