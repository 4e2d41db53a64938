"""Fake programs: real processes made of recorded texts and bad habits, and a proof that none of them is left.

    with FakePrograms(folder) as programs:
        programs.write("toy", Says(b"41% used"), Exits(0))
        ...                                     # with `programs.path` as the PATH of the host
        assert programs.left() == ()

A program is a script in a folder that is put on the PATH. It runs on any POSIX system, with this Python.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, Self

from attrs import field, frozen

from capacity.testing import _speaker

PATIENCE = timedelta(seconds=5)
"""How long a process that was killed may take to be gone; the kernel of a busy machine needs well under a second."""

Stream = Literal["stdout", "stderr"]


@frozen
class Says:
    """It says a text at once.

    Attributes:
        text: every byte of it.
        stream: where.
    """

    text: bytes
    stream: Stream = "stdout"

    @property
    def step(self) -> tuple[str, Any]:
        """What the script does."""
        return "say", {"text": base64.b64encode(self.text).decode(), "stream": self.stream}


@frozen
class Answers:
    """It answers JSON-RPC, a line for a line, until it hears no more.

    Attributes:
        replies: method → the frames said to it, in order. A frame with `result` or `error` gets the request's id; any
            other (a notification), and a text, is said as it is; None = it never answers that method. A method that is
            not here is answered with an error.
    """

    replies: Mapping[str, Sequence[Any] | None]

    @property
    def step(self) -> tuple[str, Any]:
        """What the script does."""
        return "answer", dict(self.replies)

    def __call__(self, line: str) -> list[str]:
        """What it says to one line: in a `FakeWorld`, it is a `child`."""
        return _speaker.answers(line, self.replies)


@frozen
class Waits:
    """It takes its time.

    Attributes:
        span: how long; the default is for ever, which is an hour, so that nothing is left for good.
    """

    span: timedelta = timedelta(seconds=_speaker.FOR_EVER)

    @property
    def step(self) -> tuple[str, Any]:
        """What the script does."""
        return "wait", self.span.total_seconds()


@frozen
class Stops:
    """It stops itself (SIGSTOP), and hears no other signal but the one that cannot be ignored."""

    step: tuple[str, Any] = field(default=("stop", None), init=False)


@frozen
class Floods:
    """It says without end.

    Attributes:
        stream: where.
    """

    stream: Stream = "stdout"

    @property
    def step(self) -> tuple[str, Any]:
        """What the script does."""
        return "flood", self.stream


@frozen
class Spawns:
    """It starts a grandchild, which keeps its pipes and does nothing for an hour."""

    step: tuple[str, Any] = field(default=("spawn", None), init=False)


@frozen
class Ignores:
    """From here on it ignores SIGTERM."""

    step: tuple[str, Any] = field(default=("ignore", None), init=False)


@frozen
class Exits:
    """It ends.

    Attributes:
        code: its exit code.
    """

    code: int = 0

    @property
    def step(self) -> tuple[str, Any]:
        """What the script does."""
        return "exit", self.code


Habit = Says | Answers | Waits | Stops | Floods | Spawns | Ignores | Exits
"""One thing a fake program does; after the last it ends with 0."""


@frozen
class Ran:
    """One run of a fake program, as it found itself.

    Attributes:
        name: which program.
        arguments: what it was given.
        pid: its number.
        leads: whether it leads a session of its own, and so has nobody's terminal.
        terminal: whether it has a terminal, as one of its streams or as the one that controls it.
        environ: names of its variables, sorted.
    """

    name: str
    arguments: tuple[str, ...]
    pid: int
    leads: bool
    terminal: bool
    environ: tuple[str, ...]


class FakePrograms:
    """A folder of fake programs. As a context manager it ends whatever is still running in the end.

    Args:
        folder: an empty folder, or one that is made.
    """

    def __init__(self, folder: Path) -> None:
        self._bin, self._notes = folder / "bin", folder / "notes"
        (self._notes / "runs").mkdir(parents=True)
        self._bin.mkdir()

    @property
    def path(self) -> str:
        """The PATH on which these programs are found, and nothing else."""
        return str(self._bin)

    def write(self, name: str, *habits: Habit, when: Mapping[tuple[str, ...], Sequence[Habit]] | None = None) -> Path:
        """Write a program, or write it anew.

        Args:
            name: what it is called by.
            habits: what it does, in order.
            when: arguments → what it does instead where all of them are among those it is given; the first that fits.

        Returns:
            The script.
        """
        told = [*(when or {}).items(), *([((), habits)] if habits or not when else [])]
        steps = [(words, [habit.step for habit in does]) for words, does in told]
        (self._notes / f"{name}.json").write_text(json.dumps(steps), encoding="utf-8")
        argv = [sys.executable, "-I", "-S", _speaker.__file__, str(self._notes), name]
        script = self._bin / name
        script.write_text(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n', encoding="utf-8")
        script.chmod(0o700)
        return script

    @property
    def runs(self) -> tuple[Ran, ...]:
        """Every run so far, by number; a run is known once it has begun to take its steps."""
        texts = [note.read_text(encoding="utf-8") for note in self._runs()]
        rows = [json.loads(text) for text in texts if text]
        return tuple(
            Ran(**{**row, "arguments": tuple(row["arguments"]), "environ": tuple(row["environ"])}) for row in rows
        )

    def left(self, patience: timedelta = PATIENCE) -> tuple[int, ...]:
        """The runs of which something still runs, be it a grandchild.

        Args:
            patience: how long to wait for the last of them to be gone.
        """
        end = time.monotonic() + patience.total_seconds()
        while (running := self._running()) and time.monotonic() < end:
            time.sleep(0.01)
        return running

    def close(self) -> None:
        """End whatever is left, with its group."""
        for pid in self._running():
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:  # it leads no group: a test started it in its own
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self.left()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _runs(self) -> list[Path]:
        return sorted((self._notes / "runs").iterdir(), key=lambda note: int(note.name))

    def _running(self) -> tuple[int, ...]:
        return tuple(int(note.name) for note in self._runs() if _is_held(note))


def _is_held(note: Path) -> bool:
    """Whether somebody holds the lock: whoever took it, or anybody they started."""
    with note.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
