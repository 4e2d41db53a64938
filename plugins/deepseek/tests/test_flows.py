"""What is asked of DeepSeek: stepped by hand, and once against a server on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from capacity.errors import NotFound, Refused, TimedOut, WireError
from capacity.ports import Document, Env, Get, Key, Read, Secret, Send
from capacity.testing.flows import FakeWorld, play
from capacity.wire import Host, run
from capacity_deepseek import inventory, prober

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
KEY = "sk-not-a-real-one"
BALANCE = {"is_available": True, "balance_infos": [{"currency": "USD", "total_balance": "14.37"}]}
MODELS = {"object": "list", "data": [{"id": "m-one", "object": "model", "owned_by": "deepseek"}]}


def answering(body: Any, status: int = 200) -> Callable[[Get | Send], Document | WireError]:
    """A server that always gives this body."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda request: Document(raw, AT, asked=urlsplit(request.url).path, status=status)


def world(body: Any = b"", status: int = 200, **more: Any) -> FakeWorld:
    """A world with a key in `DS_KEY` and one server."""
    return FakeWorld(AT, environ={"DS_KEY": KEY}, web=answering(body, status), **more)


def test_probe_asks_once_with_the_key() -> None:
    """One request, to the balance, with the key as its bearer and nowhere else."""
    here = world(BALANCE)
    (reading,) = play(prober(credentials=Env("DS_KEY")).probe(), here)

    assert ("", "ok", "balance", AT) == (reading.pool, reading.state, reading.source, reading.observed_at)
    assert [Env("DS_KEY"), Get("https://api.deepseek.com/user/balance", bearer=Secret(KEY))] == here.asked


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_a_blank_key_is_a_login_to_make(blank: str) -> None:
    """A blank key is positive evidence, and nobody is asked with it."""
    here = FakeWorld(AT, environ={"DS_KEY": blank})
    (reading,) = play(prober(credentials=Env("DS_KEY")).probe(), here)

    assert ("login-required", AT, ()) == (reading.state, reading.observed_at, reading.limits)
    assert "blank" in (reading.detail or "")
    assert not [effect for effect in here.asked if isinstance(effect, Get)]


@pytest.mark.parametrize(
    ("reference", "word"), [(None, "names no key"), (Env("MISSING"), "MISSING"), (Read("~/k", secret=True), "~/k")]
)
def test_a_missing_key_is_a_login_to_make(reference: Key | None, word: str) -> None:
    """No key at all is told with what is missing, without a request."""
    here = FakeWorld(AT)
    (reading,) = play(prober(credentials=reference).probe(), here)

    assert "login-required" == reading.state
    assert word in (reading.detail or "")
    assert not [effect for effect in here.asked if isinstance(effect, Get)]


def test_a_key_may_lie_in_a_file() -> None:
    """A file is a key as much as a variable is."""
    here = world(BALANCE, files={"~/k": KEY.encode()})
    (reading,) = play(prober(credentials=Read("~/k", secret=True)).probe(), here)

    assert "ok" == reading.state
    assert Secret(KEY) == here.asked[-1].bearer


@pytest.mark.parametrize("fault", [Refused("/user/balance", "nobody listens"), TimedOut("/user/balance", "10 s")])
def test_no_answer_is_left_to_whoever_runs_the_flow(fault: WireError) -> None:
    """No answer is not made into a state here: the fault goes on."""
    here = FakeWorld(AT, environ={"DS_KEY": KEY}, web=lambda _: fault)

    with pytest.raises(type(fault)):
        play(prober(credentials=Env("DS_KEY")).probe(), here)


@pytest.mark.parametrize(("status", "state"), [(401, "login-required"), (402, "unreachable"), (429, "throttled")])
def test_a_refusal_is_a_reading(status: int, state: str) -> None:
    """An answer of any status is a reading."""
    (reading,) = play(prober(credentials=Env("DS_KEY")).probe(), world(b"{}", status))

    assert state == reading.state


def test_account_is_the_key_and_tells_nothing_of_it() -> None:
    """One key is one account wherever it is kept; nothing is asked for it; another key is another."""
    here = FakeWorld(AT, environ={"A": KEY, "B": "sk-another"}, files={"k": f"{KEY}\n".encode()})
    marks = [play(prober(credentials=at).account(), here) for at in (Env("A"), Read("k", secret=True), Env("B"))]

    assert marks[0] == marks[1] != marks[2]
    assert KEY not in marks[0]
    assert not [effect for effect in here.asked if isinstance(effect, Get)]


@pytest.mark.parametrize("environ", [{}, {"DS_KEY": " "}])
def test_no_key_is_no_account(environ: dict[str, str]) -> None:
    """Where nothing says which login it is, there is no fingerprint."""
    with pytest.raises(NotFound):
        play(prober(credentials=Env("DS_KEY")).account(), FakeWorld(AT, environ=environ))


def test_listings_are_what_the_key_may_use() -> None:
    """One request, to the models."""
    here = world(MODELS)
    (listing,) = play(inventory(credentials=Env("DS_KEY")).listings(), here)

    assert ("authoritative", ["m-one"]) == (listing.authority, [model.id for model in listing.models])
    assert [Env("DS_KEY"), Get("https://api.deepseek.com/models", bearer=Secret(KEY))] == here.asked


@pytest.mark.parametrize(("body", "status"), [(b"", 401), (b"<html>", 200), ({"data": []}, 200), ({}, 503)])
def test_any_other_answer_is_no_sample(body: Any, status: int) -> None:
    """A refusal, a page or an empty list is a listing that knows nothing, so that it can reject nothing."""
    (listing,) = play(inventory(credentials=Env("DS_KEY")).listings(), world(body, status))

    assert ("unknown", ()) == (listing.authority, listing.models)


def test_no_models_without_a_key() -> None:
    """The missing key is told to whoever asked, and DeepSeek is not asked."""
    with pytest.raises(NotFound, match="names no key"):
        play(inventory().listings(), FakeWorld(AT))


@pytest.mark.parametrize("url", ["api.deepseek.com", "ftp://x", "https://", "https://u:p4ss@x", "https://x?key=p4ss"])
def test_an_address_that_cannot_be_is_refused_without_repeating_it(url: str) -> None:
    """What is no plain address fails when the prober is made, and what it holds is not shown: it may be a key."""
    for factory in (prober, inventory):
        with pytest.raises(ValueError, match="base_url must be") as refused:
            factory(base_url=url)
        assert "p4ss" not in str(refused.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/"])
def test_an_address_may_be_the_one_clients_use(url: str) -> None:
    """A slash or the `/v1` of OpenAI-style clients at the end makes no difference."""
    here = world(BALANCE)
    play(prober(credentials=Env("DS_KEY"), base_url=url).probe(), here)

    assert "http://127.0.0.1:9/user/balance" == here.asked[-1].url


def test_budget_is_declared() -> None:
    """A minute at the least, five usually, ten while idle, ten seconds for all of it."""
    for source in (prober(), inventory()):
        spans = (source.budget.floor, source.budget.usual, source.budget.idle, source.budget.deadline)
        assert [60, 300, 600, 10] == [span.total_seconds() for span in spans]


def test_the_key_is_in_no_repr() -> None:
    """Neither prober nor inventory holds the key, and what they await hides it."""
    here = world(BALANCE)
    source = prober(credentials=Env("DS_KEY"))
    readings = play(source.probe(), here)

    assert KEY not in repr((source, here.asked, readings))


# --- over a wire ------------------------------------------------------------------------------


@contextmanager
def served(answers: dict[str, Any]) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """A server on this machine: its address, and what it was asked with which authorisation."""
    asked: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers.get("authorization")))
            body = json.dumps(answers.get(self.path, {"error": {}})).encode()
            self.send_response(200 if self.path in answers else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def test_over_http() -> None:
    """Balance and models over a real connection, each asked once with the key."""
    host = Host(environ={"DS_KEY": KEY})
    with served({"/user/balance": BALANCE, "/models": MODELS}) as (url, asked):
        source = prober(credentials=Env("DS_KEY"), base_url=url)
        (reading,) = run(source.probe(), deadline=source.budget.deadline, host=host)
        models = inventory(credentials=Env("DS_KEY"), base_url=url)
        (listing,) = run(models.listings(), deadline=models.budget.deadline, host=host)

    assert ("ok", "authoritative") == (reading.state, listing.authority)
    assert [("/user/balance", f"Bearer {KEY}"), ("/models", f"Bearer {KEY}")] == asked


def test_nobody_listens() -> None:
    """A refused connection arrives as `Refused`, promptly."""
    with served({}) as (url, _):
        pass  # the server is gone again; its port is free

    with pytest.raises(Refused):
        run(
            prober(credentials=Env("DS_KEY"), base_url=url).probe(),
            deadline=timedelta(seconds=10),
            host=Host(environ={"DS_KEY": KEY}),
        )
