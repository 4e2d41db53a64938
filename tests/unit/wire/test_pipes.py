"""Our ends of a child's pipes, without a child."""

from __future__ import annotations

import asyncio
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.wire.pipes import Ear, Mouth


async def heard(chunks, cap):
    """The lines that are heard of these chunks."""
    there, here = os.pipe()
    ear = Ear(os.fdopen(there, "rb", buffering=0), cap, lambda: None)
    lines = []
    for chunk in chunks:
        os.write(here, chunk)
        ear._listen()
        while (line := ear.line()) is not None:
            lines.append(line)
        if ear.shut:
            break
    os.close(here)
    ear.drain()
    while (line := ear.line()) is not None:
        lines.append(line)
    return lines


@given(st.lists(st.sampled_from([b"a", b"\n", b"bc\n", b"\xff", b"d"]), max_size=8))
def test_lines_do_not_depend_on_how_they_arrive(chunks):
    """Whatever pieces the system hands over, the lines are those of the whole."""
    whole = b"".join(chunks)
    lines = whole.split(b"\n") if whole else []

    assert (lines[:-1] if lines and not lines[-1] else lines) == asyncio.run(heard(chunks, 1000))


@pytest.mark.parametrize(
    ("cap", "lines"), [(0, []), (2, []), (3, [b"12"]), (8, [b"12", b"45"]), (9, [b"12", b"45", b"78"])]
)
def test_an_ear_holds_no_more_than_its_cap(cap, lines):
    """What is beyond the cap is not kept, and a line that it cuts is no line."""
    assert lines == asyncio.run(heard([b"12\n45\n78\n"], cap))


def test_a_mouth_says_everything_in_order_and_closes():
    """More than a pipe holds goes through piece by piece; after the last of it the other side reads the end."""

    async def flow():
        there, here = os.pipe()
        news = asyncio.Event()
        mouth = Mouth(os.fdopen(here, "wb", buffering=0), news.set)
        mouth.say(b"a" * 100_000)
        mouth.say(b"b" * 100_000, last=True)
        with os.fdopen(there, "rb") as end:
            said = await asyncio.to_thread(end.read)
        return said, mouth.shut

    assert (b"a" * 100_000 + b"b" * 100_000, True) == asyncio.run(flow())


def test_a_mouth_without_a_pipe_is_shut():
    """A child that is given no input hears nothing from the start."""
    mouth = Mouth(None, lambda: None)
    mouth.say(b"", last=True)
    mouth.close()

    assert mouth.shut
