"""Once over real connections: a server on this machine that speaks like a router."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest
from capacity.errors import Refused
from capacity.wire import Host, run
from capacity_llama_cpp import inventory, prober

ROW = {"id": "a b", "owned_by": "llamacpp", "status": {"value": "loaded"}}
PROPS = {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 1}
ANSWERS = {
    "/models": {"data": [ROW]},
    "/props?model=a%20b&autoload=false": PROPS,
    "/slots?model=a%20b&autoload=false": [{"n_ctx": 4096, "is_processing": False}],
}


@contextmanager
def served(answers: dict[str, Any], silent: str = "-") -> Iterator[str]:
    """A server on this machine: its address. Paths that start with `silent` are not answered until it ends."""
    ended = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith(silent):
                ended.wait(10)
                return
            body = json.dumps(answers.get(self.path, {})).encode()
            self.send_response(200 if self.path in answers else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            ended.set()
            server.shutdown()
            thread.join()


def test_over_http() -> None:
    """Slots and models over a real connection; the id travels in the query as it is."""
    with served(ANSWERS) as url:
        source, models = prober(base_url=url), inventory(base_url=url)
        (reading,) = run(source.probe(), deadline=source.budget.deadline, host=Host(environ={}))
        (listing,) = run(models.listings(), deadline=models.budget.deadline, host=Host(environ={}))

    assert ["service", "slots:a b"] == [limit.name for limit in reading.limits]
    assert {"slots": Decimal(1)} == reading.limits[1].left
    assert [("a b", 4096, "resident")] == [(model.id, model.context, model.residency) for model in listing.models]


def test_slots_that_do_not_answer_are_busy() -> None:
    """A server that hangs on one question is still up, and the whole flow keeps its deadline."""
    with served(ANSWERS, silent="/slots") as url:
        source = prober(base_url=url)
        (reading,) = run(source.probe(), deadline=source.budget.deadline, host=Host(environ={}))

    assert "ok" == reading.state
    assert ({}, {"slots": Decimal(1)}) == (reading.limits[1].left, reading.limits[1].cap)


def test_nobody_listens() -> None:
    """A refused connection arrives as `Refused`."""
    with served({}) as url:
        pass  # the server is gone again; its port is free

    source = prober(base_url=url)
    with pytest.raises(Refused):
        run(source.probe(), deadline=source.budget.deadline, host=Host(environ={}))
