"""Children: no shell, a group of their own, an environment we name, and an end when we say so.

A child has ended when its process has, whoever still holds its pipes: a grandchild in a session of its own may do so for
hours. Then its group is killed, what it had said is taken, and it is reaped by its number. Whoever left the group is known
by the mark that its environment inherits, where the system shows environments.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from capacity.errors import Ended, NotFound, Refused, TooLarge, WireError
from capacity.ports import Child, Exit, Hear, Line, Pulse, Run, Say, Start
from capacity.wire.deadline import within
from capacity.wire.host import Host
from capacity.wire.pipes import Ear, Mouth
from capacity.wire.redaction import Redaction

GIVEN = ("PATH", "HOME", "LANG", "TZ")
"""What of the host's environment every child is given."""

LEAVING = 0.3
"""Seconds a child gets to leave when it is asked to, and to be gone when it is killed: both well inside the second
between a flow's deadline and its end."""


MARK = "CAPACITY_CHILD"
"""Environment variable by which whatever a child started is known, in whatever session."""

PROCESSES = Path("/proc")
SWEEPS = 3
"""How often what is left is looked for: something may be started while it is."""


class Process:
    """One running child, and our ends of its pipes. Made and closed inside one running loop.

    Args:
        effect: what is started.
        env: its whole environment, secrets opened.
        cwd: its folder; None = a fresh one, which goes when it does.

    Raises:
        WireError: it cannot be started.
    """

    def __init__(self, effect: Run | Start, env: Mapping[str, str], cwd: str | None) -> None:
        self.program = effect.argv[0]
        self.code: int | None = None
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._own = None if cwd else tempfile.mkdtemp(prefix="capacity-")
        self._mark = f"{MARK}={secrets.token_hex(8)}"
        self._popen = self._start(effect, {**env, MARK: self._mark.partition("=")[2]}, cwd or self._own)
        pipes = (pipe for pipe in (self._popen.stdout, self._popen.stderr) if pipe is not None)
        self.ears = [Ear(pipe, effect.cap, self._news.set) for pipe in pipes]
        self.mouth = Mouth(self._popen.stdin, self._news.set)
        threading.Thread(target=self._watch, name=f"capacity child {self._popen.pid}", daemon=True).start()

    @property
    def full(self) -> bool:
        """Whether it said more than it may."""
        return any(ear.full for ear in self.ears)

    def has_said(self, texts: Collection[bytes]) -> bool:
        """Whether it said one of these, to the end of a line or not."""
        return any(text in ear.said for ear in self.ears for text in texts)

    async def until(self, ready: Callable[[], bool]) -> None:
        """Wait for something to be so, whatever it takes."""
        while not ready():
            self._news.clear()
            await self._news.wait()

    async def gone(self) -> None:
        """Wait for its end, `LEAVING` at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVING):
                await self.until(lambda: self.code is not None)

    async def close(self) -> None:
        """End it: asked first, then killed with its group. Nothing of ours is left, even if this is cancelled."""
        self.mouth.close()
        try:
            await self._leave(signal.SIGTERM)
        finally:
            for ear in self.ears:
                ear.close()
            await self._leave(signal.SIGKILL)

    def _start(self, effect: Run | Start, env: Mapping[str, str], cwd: str | None) -> subprocess.Popen[bytes]:
        talks = isinstance(effect, Start)
        hears = isinstance(effect, Start) or bool(effect.stdin)
        try:
            return subprocess.Popen(
                effect.argv,
                bufsize=0,
                stdin=subprocess.PIPE if hears else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if talks else subprocess.PIPE,
                env=env,
                cwd=cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._tidy()
            raise _unstarted(self.program, error) from None

    async def _leave(self, how: signal.Signals) -> None:
        if self.code is None:
            self._tell(how)
            await self.gone()

    def _tell(self, how: signal.Signals) -> None:
        """Signal its whole group; a group that is gone, and a number that was reaped, are left alone."""
        if self._popen.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, how)

    def _watch(self) -> None:
        """In a thread of its own, because every portable way to wait for a process blocks."""
        if hasattr(os, "waitid"):  # unreaped, it keeps its number until its group is killed
            os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
            self._tell(signal.SIGKILL)
        code = self._popen.wait()
        _sweep(self._mark.encode())
        self._tidy()
        with suppress(RuntimeError):  # the loop is closed: nobody waits for it any more
            self._loop.call_soon_threadsafe(self._ended, code)

    def _tidy(self) -> None:
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)

    def _ended(self, code: int) -> None:
        for ear in self.ears:
            ear.drain()
        self.code = code
        self._news.set()


def _sweep(mark: bytes) -> None:
    """Kill whatever bears a mark in its environment. Where the system shows none, nothing is found."""
    for _ in range(SWEEPS):
        left = [int(path.name) for path in _processes() if mark in _environment(path).split(b"\0")]
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            return


def _processes() -> Iterator[Path]:
    with suppress(OSError):
        yield from (path for path in PROCESSES.iterdir() if path.name.isdigit())


def _environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:  # it has ended, or is somebody else's
        return b""


class Children:
    """The children of one flow.

    Args:
        host: gives their environment, and the clock.
        redaction: opens their secrets.
    """

    def __init__(self, host: Host, redaction: Redaction) -> None:
        self._host, self._redaction = host, redaction
        self._processes: list[Process] = []

    async def perform(self, effect: Run | Start | Say | Hear) -> Exit | Child | Pulse | Line:
        """Perform one effect.

        Raises:
            WireError: the child could not be started, said too much, or nothing in time.
        """
        match effect:
            case Run():
                return await self.run(effect)
            case Start():
                return self.start(effect)
            case Say():
                return await self.say(effect)
            case Hear():
                return await self.hear(effect)

    async def run(self, effect: Run) -> Exit:
        """Run a program to its end, or to the text that ends it.

        Raises:
            WireError: it could not be started, took too long, or said too much.
        """
        process = self._open(effect)
        process.mouth.say(effect.stdin, last=True)
        try:
            async with within(effect.timeout, process.program, "end"):
                await process.until(lambda: process.code is not None or process.full or process.has_said(effect.until))
        finally:
            await process.close()
        if process.full:
            raise TooLarge(process.program, f"it said more than {effect.cap} bytes")
        out, err = (bytes(ear.said) for ear in process.ears)
        code = -signal.SIGKILL if process.code is None else process.code
        return Exit(code, out, err, self._host.clock.now(), self._redaction.text(" ".join(effect.argv)))

    def start(self, effect: Start) -> Child:
        """Start a program to talk to.

        Raises:
            WireError: it could not be started.
        """
        self._open(effect)
        return Child(len(self._processes), self._host.clock.now())

    async def say(self, effect: Say) -> Pulse:
        """Say one line to a child. A line it did not take in time is not taken back.

        Raises:
            Ended: it hears nothing any more.
            TimedOut: it did not listen.
        """
        if "\n" in effect.line:
            raise ValueError("a line said to a child holds no newline")
        process = self._processes[effect.child.id - 1]
        process.mouth.say(effect.line.encode() + b"\n")
        async with within(effect.timeout, process.program, "ear for a line"):
            await process.until(lambda: not process.mouth.unsaid or process.mouth.shut or process.code is not None)
        if process.mouth.unsaid:
            raise await _end(process)
        return Pulse(self._host.clock.now())

    async def hear(self, effect: Hear) -> Line:
        """Hear one line of a child.

        Raises:
            Ended: it will say no more.
            TimedOut: it said no whole line.
            TooLarge: it said too much.
        """
        process = self._processes[effect.child.id - 1]
        ear = process.ears[0]
        async with within(effect.timeout, process.program, "line"):
            await process.until(lambda: b"\n" in ear.said or ear.shut)
        line = ear.line()
        if line is None:
            raise await _end(process)
        return Line(line.decode("utf-8", "replace"), self._host.clock.now())

    async def close(self) -> None:
        """End every child that is left."""
        await asyncio.gather(*(process.close() for process in self._processes))

    def _open(self, effect: Run | Start) -> Process:
        given = {name: self._host.environ[name] for name in GIVEN if name in self._host.environ}
        cwd = None if effect.cwd is None else self._host.path(effect.cwd)
        process = Process(effect, given | self._redaction.opened(effect.env), cwd)
        self._processes.append(process)
        return process


def _unstarted(program: str, error: OSError | ValueError) -> WireError:
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return NotFound(program, f"{error.strerror}: {error.filename}")
        case OSError():
            return Refused(program, error.strerror or str(error))
        case _:  # a zero byte
            return Refused(program, str(error))


async def _end(process: Process) -> WireError:
    """Why a conversation is over."""
    if process.full:
        return TooLarge(process.program, "it said more than its cap allows")
    await process.gone()  # a pipe closes a moment before its process is known to have ended
    how = "it closed its pipe" if process.code is None else f"it ended with exit code {process.code}"
    return Ended(process.program, how)
