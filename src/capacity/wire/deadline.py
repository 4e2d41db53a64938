"""Time that runs out: real, monotonic, the loop's. A host's settable clock makes no wait shorter or longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from capacity.errors import TimedOut

CLOSING = 1.0
"""Seconds between a flow's deadline and its end: what it gets to fall back on what it has. The design's figure."""


class Deadline:
    """When a flow has to be done. Starts to run when it is made, inside a running loop.

    Args:
        span: how long the flow may take.
    """

    def __init__(self, span: timedelta) -> None:
        self.span = span
        self._now = asyncio.get_running_loop().time
        self.end = self._now() + span.total_seconds()

    @property
    def left(self) -> float:
        """Seconds until it passes; negative afterwards."""
        return self.end - self._now()

    @property
    def passed(self) -> bool:
        """Whether every further effect is refused."""
        return self.left <= 0

    @property
    def overdue(self) -> bool:
        """Whether the flow is closed whatever it is doing."""
        return self.left <= -CLOSING

    def __str__(self) -> str:
        return f"the flow's deadline of {self.span.total_seconds():g} s has passed"


@asynccontextmanager
async def within(span: timedelta, asked: str, missing: str) -> AsyncIterator[None]:
    """Let a block take no longer than a span.

    Raises:
        TimedOut: it would have; says that `missing` did not come.
    """
    try:
        async with asyncio.timeout(span.total_seconds()):
            yield
    except TimeoutError:
        raise TimedOut(asked, f"no {missing} within {span.total_seconds():g} s") from None
