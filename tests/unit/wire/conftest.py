"""A server that says what a test tells it to, a host in an empty home, and a way to see what is left running."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from capacity.wire import Host

LONG = timedelta(seconds=20)  # nothing here takes that long; what would is a failure
SHORT = timedelta(milliseconds=200)
PYTHON = (sys.executable, "-I", "-S", "-c")


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the test's own function."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.seen.append(self)
        self.server.answer(self)

    do_POST = do_GET

    def log_message(self, *args):
        pass

    def say(self, status=200, body=b"{}", **headers):
        """Answer in one go; a header's name is written with underscores."""
        self.send_response(status)
        for name, value in {"content-length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.seen: list[Handler] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        pass  # a client that leaves early is what these tests are about


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start a server; `answer(handler)` is called for each request."""
    servers = []

    def start(answer=lambda handler: handler.say()):
        server = Server(answer)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host whose home is an empty folder."""
    home = tmp_path / "home"
    home.mkdir()
    return Host(environ={"HOME": str(home), "PATH": os.environ["PATH"]})


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def ends(pid: int) -> bool:
    """Whether a process is gone soon: a signal takes a moment to arrive."""
    for _ in range(500):
        if not alive(pid):
            return True
        time.sleep(0.01)
    return False


def reaped(pid: int) -> bool:
    """Whether a child of ours left nothing, not even its number."""
    return not Path(f"/proc/{pid}").exists()


def descriptors() -> set[str]:
    """What this process has open."""
    return set(os.listdir("/proc/self/fd"))


def leaks(before: set[str]) -> bool:
    """Whether more is open than before, for good: the tests' own servers close their ends a moment later."""
    for _ in range(500):
        if len(descriptors()) <= len(before):
            return False
        time.sleep(0.01)
    return True
