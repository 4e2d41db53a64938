"""The engine for programs with a loop of their own: the same calls, each in a thread. It adds nothing to them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from capacity.core.epochs import Course
from capacity.engine.engine import Engine
from capacity.engine.tick import Report
from capacity.ports import Candidate, Document, Failure, Listing, Outcome, Placement, Reading, Snapshot
from capacity.values.failures import Stop, Subject
from capacity.values.tick import Tick


class AsyncEngine:
    """An engine for programs with a loop of their own: each call runs in a thread and is awaited.

    Args:
        engine: the engine.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def probe(self) -> tuple[Reading, ...]:
        """As `Engine.probe`."""
        return await asyncio.to_thread(self._engine.probe)

    async def refresh(self, account: str, sooner: bool = False) -> tuple[Reading, ...]:
        """As `Engine.refresh`."""
        return await asyncio.to_thread(self._engine.refresh, account, sooner)

    async def observe(
        self, account: str, document: Document, origin: str, seat: str | None = None
    ) -> tuple[Reading | Listing, ...]:
        """As `Engine.observe`."""
        return await asyncio.to_thread(self._engine.observe, account, document, origin, seat)

    async def snapshot(self) -> Snapshot:
        """As `Engine.snapshot`."""
        return await asyncio.to_thread(self._engine.snapshot)

    async def courses(self) -> Mapping[str, Sequence[Course]]:
        """As `Engine.courses`."""
        return await asyncio.to_thread(self._engine.courses)

    async def plan(self, *, probe: bool = False) -> Tick:
        """As `Engine.plan`."""
        return await asyncio.to_thread(self._engine.plan, probe=probe)

    async def tick(self) -> Report:
        """As `Engine.tick`."""
        return await asyncio.to_thread(self._engine.tick)

    async def prepare(self, pool: str, model: str) -> Outcome:
        """As `Engine.prepare`."""
        return await asyncio.to_thread(self._engine.prepare, pool, model)

    async def fail(
        self, candidate: Candidate, failure: Failure, *, session: str = "", context: int | None = None
    ) -> tuple[Stop, ...]:
        """As `Engine.fail`."""
        return await asyncio.to_thread(self._engine.fail, candidate, failure, session=session, context=context)

    async def rearm(self, name: str) -> tuple[Stop, ...]:
        """As `Engine.rearm`."""
        return await asyncio.to_thread(self._engine.rearm, name)

    async def stop(self, subject: Subject, name: str, note: str = "") -> Stop:
        """As `Engine.stop`."""
        return await asyncio.to_thread(self._engine.stop, subject, name, note)

    async def lift(self, subject: Subject, name: str, note: str = "") -> Stop:
        """As `Engine.lift`."""
        return await asyncio.to_thread(self._engine.lift, subject, name, note)

    async def accept(self, fleet: str, seat: str) -> Placement:
        """As `Engine.accept`."""
        return await asyncio.to_thread(self._engine.accept, fleet, seat)

    async def ticks(self) -> tuple[str, ...]:
        """As `Engine.ticks`."""
        return await asyncio.to_thread(self._engine.ticks)

    async def rebuild(self, id: str) -> Tick:
        """As `Engine.rebuild`."""
        return await asyncio.to_thread(self._engine.rebuild, id)

    async def close(self) -> None:
        """As `Engine.close`."""
        await asyncio.to_thread(self._engine.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
