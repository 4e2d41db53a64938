"""A conversation with the program's own server: one JSON object a line, answers matched by their number.

It is headless, reads only, and ends with its flow. Whatever else the server says meanwhile is not for us.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from attrs import define, frozen
from capacity.errors import TimedOut
from capacity.ports import Child, Hear, Say, Start

from capacity_codex._login import Home
from capacity_codex._wire import parsed_line

FLAGS = ("-s", "read-only", "-a", "never", "app-server")
"""Nothing may be written or asked for, should the server ever run anything; it is never told to."""

PATIENCE = timedelta(seconds=10)
"""For the whole conversation: half of a flow's deadline. The program takes less than a second, or three without a
network."""

CAP = 4 * 2**20
"""Bytes the server may say: a page of a hundred models would be some 120 kB, fourteen are 16."""

LINES_MOST = 500
"""Lines that are heard before an answer is given up: a handful of other things are said at the start."""

HELLO: Mapping[str, Any] = {"clientInfo": {"name": "capacity", "title": "capacity", "version": "1"}}
"""Who we say that we are. The version is that of this conversation."""


def argv(command: str | Iterable[str]) -> tuple[str, ...]:
    """The command line of the program.

    Raises:
        ValueError: there is nothing in it.
    """
    words = (command,) if isinstance(command, str) else tuple(command)
    if not words or not all(str(word).strip() for word in words):
        raise ValueError("command must be the program's name or path, or a list of it and its arguments")
    return words


@frozen
class Answer:
    """One answer.

    Attributes:
        frame: the object: it holds `result` or `error`.
        at: when it came, UTC.
    """

    frame: dict[str, Any]
    at: datetime


@define
class Talk:
    """A conversation that has begun.

    Attributes:
        child: the server.
        at: when it was last heard, UTC.
        ends_at: when it is given up, UTC.
        asked: how many questions were asked.
    """

    child: Child
    at: datetime
    ends_at: datetime
    asked: int = 0

    async def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Answer:
        """Ask one question and wait for its answer.

        Raises:
            WireError: none came.
        """
        self.asked += 1
        await self.say({"id": self.asked, "method": method} | ({} if params is None else {"params": dict(params)}))
        for _ in range(LINES_MOST):
            line = await Hear(self.child, self._left(method))
            self.at = line.at
            frame = parsed_line(line.text)
            if isinstance(frame, dict) and str(frame.get("id")) == str(self.asked) and "method" not in frame:
                return Answer(frame, line.at)
        raise TimedOut(method, f"no answer in {LINES_MOST} lines")

    async def say(self, frame: dict[str, Any]) -> None:
        """Say something that has no answer.

        Raises:
            WireError: the server does not listen.
        """
        pulse = await Say(self.child, json.dumps(frame, separators=(",", ":")), self._left(str(frame["method"])))
        self.at = pulse.at

    def _left(self, method: str) -> timedelta:
        left = self.ends_at - self.at
        if left <= timedelta(0):
            raise TimedOut(method, "the program's server took too long")
        return left


async def begun(command: tuple[str, ...], home: Home) -> tuple[Talk, Answer]:
    """Start the server of one home, and introduce ourselves.

    Returns:
        The conversation, and what the server says of itself.

    Raises:
        WireError: there is no such program or home, or it does not answer.
    """
    child = await Start((*command, *FLAGS), env={"CODEX_HOME": await home.folder()}, cap=CAP)
    talk = Talk(child, child.at, child.at + PATIENCE)
    hello = await talk.ask("initialize", HELLO)
    await talk.say({"method": "initialized"})
    return talk, hello
