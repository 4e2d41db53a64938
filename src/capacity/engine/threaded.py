"""The engine for programs with a loop of their own: the same calls, each in a thread. It adds nothing to them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self

from capacity.core.epochs import Course
from capacity.engine.broker import NOTHING_TOLD, Broker
from capacity.engine.engine import Engine
from capacity.engine.leasing import Reply
from capacity.engine.tick import Report
from capacity.engine.tiering import Tiering
from capacity.ports import Candidate, Document, Failure, Listing, Outcome, Placement, Reading, Snapshot
from capacity.values.choice import Choice
from capacity.values.failures import Stop, Subject, Transport
from capacity.values.leases import Lease, Refused, Usage, Wait
from capacity.values.seats import Need
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

    @property
    def tiers(self) -> Tiering:
        """As `Engine.tiers`, whose calls block: they are a person's, and rare. Hand them to `asyncio.to_thread`."""
        return self._engine.tiers

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


class AsyncBroker:
    """A broker for programs with a loop of their own: each call runs in a thread and is awaited.

    A call that is cancelled goes on in its thread; what it was granted lapses by itself, or is given to whoever asks again
    for the same session.

    Args:
        broker: the broker.
    """

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    async def offer(self, session: str, need: Need) -> Lease | Wait | Refused:
        """As `Broker.offer`."""
        return await asyncio.to_thread(self._broker.offer, session, need)

    async def lease(self, session: str, need: Need) -> Lease | Wait | Refused:
        """As `Broker.lease`."""
        return await asyncio.to_thread(self._broker.lease, session, need)

    async def preview(self, session: str, need: Need) -> Choice:
        """As `Broker.preview`."""
        return await asyncio.to_thread(self._broker.preview, session, need)

    async def claim(self, lease: Lease) -> Lease | None:
        """As `Broker.claim`."""
        return await asyncio.to_thread(self._broker.claim, lease)

    async def renew(self, lease: Lease) -> Lease | None:
        """As `Broker.renew`."""
        return await asyncio.to_thread(self._broker.renew, lease)

    async def settle(self, lease: Lease, usage: Usage = NOTHING_TOLD) -> Reply:
        """As `Broker.settle`."""
        return await asyncio.to_thread(self._broker.settle, lease, usage)

    async def release(self, lease: Lease) -> Reply:
        """As `Broker.release`."""
        return await asyncio.to_thread(self._broker.release, lease)

    async def fail(
        self,
        lease: Lease,
        document: Document | None = None,
        *,
        text: str = "",
        status: int | None = None,
        headers: Iterable[tuple[str, str]] = (),
        exit_code: int | None = None,
        transport: Transport | None = None,
        provider: str = "",
        usage: Usage = NOTHING_TOLD,
    ) -> Reply:
        """As `Broker.fail`."""
        return await asyncio.to_thread(
            self._broker.fail, lease, document, text=text, status=status, headers=headers, exit_code=exit_code,
            transport=transport, provider=provider, usage=usage,
        )  # fmt: skip  # what it is given, as it is given

    async def find(self, id: str) -> Lease:
        """As `Broker.find`."""
        return await asyncio.to_thread(self._broker.find, id)

    async def leases(self) -> tuple[Lease, ...]:
        """As `Broker.leases`."""
        return await asyncio.to_thread(self._broker.leases)

    async def choices(self, session: str) -> tuple[Choice, ...]:
        """As `Broker.choices`."""
        return await asyncio.to_thread(self._broker.choices, session)

    async def close(self) -> None:
        """As `Broker.close`."""
        await asyncio.to_thread(self._broker.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
