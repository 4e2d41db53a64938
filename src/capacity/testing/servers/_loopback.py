"""A server on loopback: a thread, a clock, a lock, a record of what it was asked, and answers that were spoilt.

Nothing it is sent is kept but method, path and headers, and of a header that holds a secret only that it was there.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from attrs import field, frozen

from capacity.ports import Clock

SECRET = frozenset({"authorization", "cookie", "proxy-authorization", "x-api-key", "x-hive-internal"})
"""Headers that are noted, and whose value is not."""

WEB_PAGE = b"<!doctype html><html><head><title>Just a moment...</title></head><body></body></html>"
"""What a proxy sends instead of an answer."""


@frozen
class Asked:
    """One request.

    Attributes:
        method: `GET`, `POST`, …
        path: path and query.
        headers: names lower case; a secret's value is `***`.
        at: when it came, by the server's clock.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    at: datetime


@frozen
class Request:
    """What a server answers to.

    Attributes:
        method: `GET`, `POST`, …
        path: without its query.
        query: name → its first value.
        headers: names lower case.
        body: what was sent.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    def bearer(self) -> str | None:
        """The token it came with."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token if scheme.casefold() == "bearer" else None


@frozen
class Answer:
    """What a server says.

    Attributes:
        status: HTTP status.
        body: bytes as they are, anything else as JSON.
        headers: besides the usual ones.
        after: real seconds until it is written.
        cut: whether the connection ends instead.
    """

    status: int
    body: Any
    headers: Mapping[str, str] = field(factory=dict)
    after: float = 0.0
    cut: bool = False

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class LoopbackServer:
    """A server on 127.0.0.1, on a port that was free. Use it as a context manager, or `start` and `close` it.

    Args:
        clock: what it takes for the present.

    Attributes:
        clock: the same.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._lock = threading.RLock()
        self._asked: list[Asked] = []
        self._spoilt: dict[str, deque[Answer]] = {}
        self._http: ThreadingHTTPServer | None = None

    def start(self) -> Self:
        """Listen."""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def close(self) -> None:
        """Stop listening; a closed server refuses connections."""
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            self._http = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Where it listens, without a slash at its end.

        Raises:
            RuntimeError: it does not.
        """
        if self._http is None:
            raise RuntimeError("the server does not listen; start it, or enter it with `with`")
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Every request so far, in order."""
        with self._lock:
            return tuple(self._asked)

    def times(self, path: str) -> int:
        """How often a path was asked, whatever the query."""
        return sum(urlsplit(asked.path).path == path for asked in self.asked)

    @property
    def changes(self) -> tuple[Asked, ...]:
        """The requests that were meant to change something."""
        return tuple(asked for asked in self.asked if asked.method not in {"GET", "HEAD"})

    def spoil(self, path: str, answer: Answer, times: int = 1) -> None:
        """Give the next so many questions for a path this answer instead of the true one."""
        with self._lock:
            self._spoilt.setdefault(path, deque()).extend([answer] * times)

    def answer(self, request: Request) -> Answer:
        """The true answer to a request. Called under the lock."""
        return Answer(404, {"error": {"message": f"no such path: {request.path}", "type": "not_found_error"}})

    def answered(self, asked: Asked, request: Request) -> Answer:
        """Note a request, and answer it, spoilt or true."""
        with self._lock:
            self._asked.append(asked)
            spoilt = self._spoilt.get(request.path)
            return spoilt.popleft() if spoilt else self.answer(request)


def _handler(server: LoopbackServer) -> type[BaseHTTPRequestHandler]:
    """The handler class of one server: `http.server` makes an instance of it for each connection."""

    class Handler(BaseHTTPRequestHandler):
        """Reads one request, asks the server, writes one answer."""

        def _serve(self) -> None:
            """Any method."""
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length") or 0))
            query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
            shown = {name: "***" if name in SECRET else value for name, value in headers.items()}
            asked = Asked(self.command, self.path, shown, server.clock.now())
            self._write(server.answered(asked, Request(self.command, parts.path, query, headers, body)))

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - http.server asks for these names

        def _write(self, answer: Answer) -> None:
            time.sleep(answer.after)
            if answer.cut:
                self.close_connection = True
                return
            content = answer.content
            self.send_response(answer.status)
            headers = {"content-type": "application/json", "content-length": str(len(content)), **answer.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def date_time_string(self, timestamp: float | None = None) -> str:
            """The server's own present, for the `Date` header."""
            return format_datetime(server.clock.now(), usegmt=True)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is http.server's
            """Say nothing: what was asked is noted."""

    return Handler


def epoch(at: datetime) -> int:
    """Whole seconds since 1970."""
    return int(at.timestamp())


def next_after(at: datetime, window: timedelta, now: datetime) -> datetime:
    """The first of `at`, `at + window`, … that is still to come."""
    if at > now:
        return at
    return at + window * ((now - at) // window + 1)
