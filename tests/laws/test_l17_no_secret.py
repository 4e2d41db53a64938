"""L17: no secret ever reaches a repr, a log, an error, a traceback, a cassette, or what a flow is answered."""

from __future__ import annotations

import ast
import copy
import json
import logging
import pickle
import pprint
import sys
import threading
import traceback
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capacity.errors import WireError
from capacity.ports import Env, Exit, File, Get, Line, Read, Reply, Run, Secret, Send, Start
from capacity.wire import Host, Recorder, replay, run, run_all
from tests.architecture import house

CORE = "COREOFTHESECRET"  # in every secret below, and in nothing else; it is not escaped in any spelling
DEADLINE = timedelta(seconds=20)
PYTHON = (sys.executable, "-I", "-S", "-c")


def around(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Secrets with something before and behind their core."""
    return st.tuples(text, text).map(lambda pair: f"{pair[0]}{CORE}{pair[1]}")


texts = around(st.text(max_size=8))
headers = around(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=8))
lines = around(st.text(st.characters(exclude_characters="\0\r\n", exclude_categories=["Cs"]), max_size=8))
slow = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


def shown(thing: object) -> str:
    """Everything an ordinary program makes of a value when it shows it."""
    old = "%s %r" % (thing, thing)  # noqa: UP031 - the old way shows things too
    return "\n".join([repr(thing), str(thing), f"{thing}", f"{thing!r:>200}", old, pprint.pformat(thing)])


def rendered(error: BaseException | None) -> str:
    """An error with its causes and contexts, their tracebacks, and the variables of every frame but the test's own."""
    told, seen = "", set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), capture_locals=True)
        inner = [frame for frame in frames if not frame.name.startswith("test_")]
        told += shown(error) + repr(vars(error)) + repr([(frame.line, frame.locals) for frame in inner])
        error = error.__cause__ or error.__context__
    return told


# --- the value --------------------------------------------------------------------------------


@given(texts)
def test_a_secret_shows_itself_to_nobody(text: str) -> None:
    """Alone, in a container or in a value: what is shown is a mask."""
    secret = Secret(text)

    for thing in (secret, [secret], {"a": secret}, (secret,), {secret}, {secret: secret}):
        assert CORE not in shown(thing)
    assert CORE not in f"{secret:>40}{secret!s}{secret!a}" + format(secret, "s")
    assert "***" == str(secret)


@given(texts)
def test_a_secret_does_not_travel(text: str) -> None:
    """It is not pickled, copied, or written as JSON, and the refusal does not say it either."""
    secret = Secret(text)
    ways: list[Any] = [pickle.dumps, copy.copy, copy.deepcopy, json.dumps, vars, dict, list, bytes, int]
    for way in ways:
        with pytest.raises((TypeError, ValueError)) as error:
            way(secret)
        assert CORE not in rendered(error.value)


@given(texts)
def test_a_part_of_a_secret_is_a_secret(text: str) -> None:
    """And so is what is asked for in vain."""
    secret = Secret(json.dumps({"a": {"b": text}, "c": [text]}))

    assert Secret(text) == secret.part("a", "b")
    assert CORE not in shown((secret, secret.part("a", "b"), secret.part("c", "d"), secret.part("x")))


@given(texts)
def test_no_effect_and_no_reply_shows_its_secret(text: str) -> None:
    """Requests, children, files: not in a repr, not in a mapping made of them."""
    secret = Secret(text)
    values = [
        Get("http://h/", bearer=secret, headers={"x": secret}),
        Send("POST", "http://h/", bearer=secret, headers={"x": secret}),
        Run(("a",), env={"K": secret}, stdin=text.encode("utf-8", "replace")),
        Start(("a",), env={"K": secret}),
        File("f", b"", "", ANY, secret=secret),
        Reply(attrs.evolve(DOCUMENT, body=text.encode("utf-8", "replace")), ANY),
        Exit(0, text.encode("utf-8", "replace"), b"", ANY, "a"),
    ]
    for value in values:
        assert CORE not in shown(value)
    assert CORE not in repr([attrs.asdict(value, recurse=False) for value in values[:2]])


ANY = File("f", b"", "", Any).at  # type: ignore[arg-type]  # an instant that no test looks at
DOCUMENT = Exit(0, b"", b"", ANY, "a").document


# --- the wire ---------------------------------------------------------------------------------


class Parrot(BaseHTTPRequestHandler):
    """Repeats in body and headers whatever it is told, and then answers badly where the path says so."""

    def do_GET(self) -> None:
        """Answer."""
        told = "\n".join(f"{name}: {value} {json.dumps(value)} {value!r}" for name, value in self.headers.items())
        body = json.dumps({"error": {"message": told}}).encode()
        self.send_response(401)
        self.send_header("content-length", str(len(body) + (99 if self.path == "/broken" else 0)))
        for name in ("authorization", "x-key"):
            self.send_header(f"x-echo-{name}", self.headers[name] or "")
            self.send_header("set-cookie", self.headers[name] or "")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def parrot() -> Iterator[str]:
    """Its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Parrot)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def everything(host: Host, recorder: Recorder, got: object, log: str) -> str:
    """All that is left of a flow when it has ended."""
    return "\n".join(
        [rendered(got) if isinstance(got, BaseException) else repr(got), recorder.cassette.dumps(), log, repr(host)]
    )


@slow
@given(headers, headers)
def test_what_a_server_repeats_is_masked(
    parrot: str, caplog: pytest.LogCaptureFixture, bearer: str, header: str
) -> None:
    """Not in what the flow is answered, not in the cassette, not in the log of the client at its loudest."""
    caplog.clear()
    caplog.set_level(logging.DEBUG)
    recorder = Recorder()
    host = Host(environ={"A": bearer, "B": header}, recorder=recorder)

    async def flow() -> list[Any]:
        effect = Get(f"{parrot}/x", bearer=await Env("A"), headers={"x-key": await Env("B")})
        reply = await effect
        return [effect, reply, reply.document.text, reply.document.headers]

    got = run(flow(), deadline=DEADLINE, host=host)

    assert "error" in got[2]
    assert CORE not in everything(host, recorder, got, caplog.text)
    assert repr(got) == repr(replay(flow(), recorder.cassette))


@slow
@given(texts)
def test_no_fault_of_a_request_tells_its_key(parrot: str, text: str) -> None:
    """Broken answers, refused connections, keys no header can carry: the error, its traceback and its frames' variables."""
    recorder = Recorder()
    host = Host(environ={"A": text.replace("\0", "")}, recorder=recorder)

    async def flow(url: str) -> Reply:
        key = await Env("A")
        return await Get(url, bearer=key, headers={"x-key": key})

    urls = (f"{parrot}/broken", "http://127.0.0.1:1/", "nonsense", "http://me:pass-of-mine@127.0.0.1:1/")
    got = run_all({url: (flow(url), DEADLINE) for url in urls}, host=host)

    for error in got.values():
        assert CORE not in everything(host, recorder, error, "")
        assert isinstance(error, WireError)
        assert "pass-of-mine" not in shown(error) + recorder.cassette.dumps()


@slow
@given(lines)
def test_what_a_child_repeats_is_masked(text: str) -> None:
    """In what it prints, complains and says, and in the fault when it says too much."""
    recorder = Recorder()
    host = Host(environ={"A": text}, recorder=recorder)
    repeat = "import os, sys\nfor end in (sys.stdout, sys.stderr): print(os.environ['K'], file=end)"

    async def flow() -> list[Any]:
        env = {"K": await Env("A"), "PYTHONIOENCODING": "utf-8"}
        done = await Run((sys.executable, "-S", "-c", repeat), env=env)
        assert 0 == done.code
        return [done.stdout, done.stderr, (await Run((sys.executable, "-S", "-c", repeat), env=env, cap=1)).stdout]

    with pytest.raises(WireError) as error:
        run(flow(), deadline=DEADLINE, host=host)
    assert CORE not in everything(host, recorder, error.value, "")
    assert "***" in recorder.cassette.dumps()


@given(texts)
@settings(max_examples=15)
def test_a_secret_file_is_masked_in_every_string(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Its body, its record, and the error of a flow that trips over it."""
    path = tmp_path_factory.getbasetemp() / "login.json"
    path.write_text(json.dumps({"deep": [{"er": text}], "plan": "pro", "n": 1}))
    recorder = Recorder()
    host = Host(environ={}, recorder=recorder)

    async def flow() -> None:
        file = await Read(str(path), secret=True, plain=frozenset({"plan"}))
        part = file.secret.part("deep") if file.secret else None
        raise LookupError(file, file.body, file.document.text, part)

    with pytest.raises(LookupError) as error:
        run(flow(), deadline=DEADLINE, host=host)
    assert CORE not in everything(host, recorder, error.value, "")
    assert "pro" in rendered(error.value)


def test_a_line_of_a_child_is_masked() -> None:
    """Also where it comes by itself, long after the secret was opened."""
    host = Host(environ={"A": f"sk-{CORE}"})

    async def flow() -> Line:
        from capacity.ports import Hear

        child = await Start((*PYTHON, "import os; print('it is', os.environ['K'])"), env={"K": await Env("A")})
        return await Hear(child)

    assert "it is ***" == run(flow(), deadline=DEADLINE, host=host).text


# --- who opens secrets ------------------------------------------------------------------------


def opens(path: Path) -> bool:
    """Whether a file takes a secret's text."""
    for node in ast.walk(house.tree(path)):
        named = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "name", None)
        if named == "reveal" or (isinstance(node, ast.Attribute) and node.attr == "_text"):
            return True
    return False


def test_only_the_wire_opens_a_secret() -> None:
    """One file of the house takes a secret's text, besides the one that defines what a secret is."""
    openers = {house.short(path) for path in house.shipped() if opens(path)}

    assert {"src/capacity/ports/secret.py", "src/capacity/wire/redaction.py"} == openers
