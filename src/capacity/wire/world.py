"""The world: what flows that run together share, and what one of them has to itself. One place knows who performs what."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, Any

from capacity.errors import NotFound
from capacity.ports import (
    Effect,
    Env,
    Get,
    Hear,
    List,
    Pause,
    Pulse,
    Read,
    Replace,
    Run,
    Say,
    Secret,
    Send,
    Start,
)
from capacity.wire import files
from capacity.wire.children import Children
from capacity.wire.deadline import Deadline
from capacity.wire.host import Host, SystemClock
from capacity.wire.redaction import Redaction, address

if TYPE_CHECKING:
    from capacity.wire.web import Web


class Together:
    """What flows that run together share: a host, and one HTTP client, made when the first of them asks for it.

    Args:
        host: where they run.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self._web: Web | None = None

    def web(self) -> Web:
        """The client."""
        if self._web is None:
            from capacity.wire.web import Web  # flows that stay on this machine do not pay for it

            self._web = Web(self.host)
        return self._web

    async def __aenter__(self) -> Together:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._web is not None:
            await self._web.close()


class World:
    """The world as one flow meets it: its deadline, its secrets, its children.

    Args:
        together: what it shares with others.
        deadline: of the flow.
    """

    def __init__(self, together: Together, deadline: Deadline) -> None:
        self.host = together.host
        self.deadline = deadline
        self.redaction = Redaction()
        self._together = together
        self._children = Children(self.host, self.redaction)

    async def perform(self, effect: Effect[Any]) -> Any:
        """Perform one effect.

        Returns:
            Its reply.

        Raises:
            WireError: no answer; says why.
            TypeError: nobody here performs such an effect.
        """
        match effect:
            case Get() | Send():
                return await self._together.web().ask(effect, self.redaction, self.deadline)
            case Run() | Start() | Say() | Hear():
                return await self._children.perform(effect)
            case Read():
                return await files.read(effect, self.host)
            case List():
                return await files.find(effect, self.host)
            case Replace():
                return await files.replace(effect, self.host)
            case Env():
                return self._variable(effect.name)
            case Pause():
                return await self._pause(effect)
            case _:
                raise TypeError(f"nobody knows how to perform {type(effect).__name__}")

    async def close(self) -> None:
        """Let go of what the flow opened."""
        await self._children.close()

    def _variable(self, wanted: str) -> Secret:
        if wanted not in self.host.environ:
            raise NotFound(wanted, "no such variable in the environment")
        return Secret(self.host.environ[wanted].strip())

    async def _pause(self, effect: Pause) -> Pulse:
        if isinstance(self.host.clock, SystemClock):
            await asyncio.sleep(effect.span.total_seconds())
        elif effect.span:
            await asyncio.to_thread(self.host.clock.sleep, effect.span)
        return Pulse(self.host.clock.now())


def asked(effect: Effect[Any]) -> str:
    """What an effect asks for, as a fault names it."""
    match effect:
        case Get() | Send():
            return address(effect.url)
        case Run() | Start():
            return effect.argv[0]
        case Read() | Replace():
            return effect.path
        case List():
            return effect.pattern
        case _:
            return type(effect).__name__
