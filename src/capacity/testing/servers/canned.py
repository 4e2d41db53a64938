"""A server on loopback that says what it is told, path for path: for backends of which no real wire shape is shipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from capacity.ports import Clock
from capacity.testing.servers._loopback import Answer, LoopbackServer, Request


class CannedServer(LoopbackServer):
    """Says what it is told.

    Args:
        clock: what it takes for the present; its `Date` header tells it.
        bearer: the token it asks for; None = it lets everybody in.
    """

    def __init__(self, clock: Clock, *, bearer: str | None = None) -> None:
        super().__init__(clock)
        self._bearer = bearer
        self._says: dict[str, Answer] = {}

    def say(self, path: str, body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """From now on, answer a path like this, whatever its query.

        Args:
            path: without a query.
            body: bytes as they are, anything else as JSON.
            status: HTTP status.
            headers: besides the usual ones.
        """
        with self._lock:
            self._says[path] = Answer(status, body, headers or {})

    def throttle(self, path: str, times: int = 1, retry_after: str | None = "60") -> None:
        """Refuse the next so many questions for a path as too many.

        Args:
            path: without a query.
            times: how many.
            retry_after: what it says of when to come again, seconds or a date; None = nothing.
        """
        headers = {} if retry_after is None else {"retry-after": retry_after}
        self.spoil(path, Answer(429, {"error": {"message": "too many requests"}}, headers), times)

    def answer(self, request: Request) -> Answer:
        """What was told of the path, to whoever has the token."""
        if self._bearer is not None and request.bearer() != self._bearer:
            return Answer(401, {"error": {"message": "no valid token"}})
        return self._says.get(request.path) or super().answer(request)
