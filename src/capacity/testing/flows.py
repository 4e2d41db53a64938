"""Flows without a driver: step one by hand, against a world that is a handful of dictionaries.

No loop, no thread, no I/O: what a plugin awaits is answered from memory, so a test sees everything it asked for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any, TypeVar

from attrs import define, field

from capacity.errors import Ended, NotFound, Refused, TimedOut, WireError
from capacity.ports import (
    Child,
    Document,
    Effect,
    Env,
    Exit,
    File,
    Flow,
    Get,
    Hear,
    Line,
    List,
    Paths,
    Pause,
    Pulse,
    Read,
    Replace,
    Replaced,
    Reply,
    Run,
    Say,
    Secret,
    Send,
    Start,
)
from capacity.ports.secret import masked

T = TypeVar("T")

MOST = 1000
"""Effects one flow may await here before it is taken to run for ever."""

Answer = Callable[[Effect[Any]], Any]
"""From an effect to its reply; a `WireError` that is raised is thrown into the flow."""


def play(flow: Flow[T], answer: Answer) -> T:
    """Run a flow to its end.

    Args:
        flow: the coroutine.
        answer: what gives each effect its reply.

    Returns:
        What the flow returns.

    Raises:
        TypeError: it awaited something that is not an effect.
        AssertionError: it awaited more than `MOST` effects.
    """
    try:
        effect = flow.send(None)
        for _ in range(MOST):
            if not isinstance(effect, Effect):
                raise TypeError(f"a flow awaits effects only, not {type(effect).__name__}")
            try:
                reply = answer(effect)
            except WireError as fault:
                effect = flow.throw(fault)
            else:
                effect = flow.send(reply)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        flow.close()
    raise AssertionError(f"the flow is still asking after {MOST} effects")


Web = Callable[[Get | Send], Document | WireError]
"""From a request to what a server answers, or to why there is no answer."""

Program = Callable[[Run], tuple[int, bytes] | WireError]
"""From a run to exit code and standard output, or to why it did not end."""

Talk = Callable[[str], Iterable[str]]
"""From a line a child hears to the lines it says; `capacity.testing.children.Answers` is one."""


@define
class FakeWorld:
    """A world to play flows against: `play(flow, world)`.

    Attributes:
        at: the instant every reply carries; a pause moves it on.
        files: path, as it is asked for → content.
        environ: variables, all of them secrets.
        web: answers every request; None = nothing can be reached.
        program: ends every run; None = no program is there.
        talk: what every child that is started answers; None = no program is there. What it has not said by the time
            somebody listens, it never says.
        asked: every effect so far, in order.
    """

    at: datetime
    files: dict[str, bytes] = field(factory=dict)
    environ: dict[str, str] = field(factory=dict)
    web: Web | None = None
    program: Program | None = None
    talk: Talk | None = None
    asked: list[Effect[Any]] = field(factory=list)
    _said: list[deque[str]] = field(factory=list, init=False)

    def serve(self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """From now on, give every request the same answer."""
        told = tuple((headers or {}).items())

        def web(request: Get | Send) -> Document:
            asked = "/" + request.url.partition("://")[2].partition("/")[2]
            return Document(body, self.at, asked=asked, status=status, headers=told)

        self.web = web

    def __call__(self, effect: Effect[Any]) -> Any:
        """The reply to one effect.

        Raises:
            WireError: there is no answer.
            TypeError: it is an effect this world does not know.
        """
        self.asked.append(effect)
        for kind, answer in self._answers().items():
            if isinstance(effect, kind):
                return answer(effect)
        raise TypeError(f"this world does not answer {type(effect).__name__}")

    def _answers(self) -> Mapping[type[Effect[Any]] | tuple[type[Effect[Any]], ...], Callable[[Any], Any]]:
        return {
            (Get, Send): self._reply,
            Run: self._run,
            Start: self._start,
            Say: self._say,
            Hear: self._hear,
            Read: self._read,
            Replace: self._replace,
            List: self._list,
            Env: self._env,
            Pause: self._pause,
        }

    def _reply(self, request: Get | Send) -> Reply:
        document = self.web(request) if self.web else Refused(request.url, "nothing listens there")
        if isinstance(document, WireError):
            raise document
        return Reply(document, self.at)

    def _run(self, run: Run) -> Exit:
        end = self.program(run) if self.program else NotFound(run.argv[0], "no such program")
        if isinstance(end, WireError):
            raise end
        code, stdout = end
        return Exit(code, stdout, b"", self.at, " ".join(run.argv))

    def _start(self, start: Start) -> Child:
        if self.talk is None:
            raise NotFound(start.argv[0], "no such program")
        self._said.append(deque())
        return Child(len(self._said), self.at)

    def _say(self, say: Say) -> Pulse:
        if self.talk is None:
            raise Ended("the child", "it is gone")
        self._said[say.child.id - 1].extend(self.talk(say.line))
        return Pulse(self.at)

    def _hear(self, hear: Hear) -> Line:
        said = self._said[hear.child.id - 1]
        if not said:
            raise TimedOut("the child", "it says no more")
        return Line(said.popleft(), self.at)

    def _read(self, read: Read) -> File:
        body = self.files.get(read.path)
        if body is None:
            raise NotFound(read.path, "no such file")
        digest = sha256(body).hexdigest()
        if read.secret:
            return File(read.path, masked(body, read.plain), digest, self.at, Secret(body.decode()))
        return File(read.path, body if read.tail is None else body[-read.tail :], digest, self.at)

    def _replace(self, replace: Replace) -> Replaced:
        body = self.files.get(replace.path)
        digest = None if body is None else sha256(body).hexdigest()
        if digest != replace.was:
            return Replaced(False, digest, self.at)
        self.files[replace.path] = replace.content
        return Replaced(True, sha256(replace.content).hexdigest(), self.at)

    def _list(self, pattern: List) -> Paths:
        found = sorted(path for path in self.files if fnmatchcase(path, pattern.pattern))
        return Paths(tuple(found[: pattern.most]), self.at)

    def _env(self, env: Env) -> Secret:
        if env.name not in self.environ:
            raise NotFound(env.name, "no such variable")
        return Secret(self.environ[env.name])

    def _pause(self, pause: Pause) -> Pulse:
        self.at += max(pause.span, timedelta(0))
        return Pulse(self.at)
