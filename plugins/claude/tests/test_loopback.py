"""Once with nothing faked: real files, a real server on loopback, the real driver, and a cassette of it all."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from capacity.ports import Document, Env, Run
from capacity.testing.clocks import SettableClock
from capacity.wire import Cassette, Host, Recorder, replay, run
from capacity_claude import inventory, prober, reader

from .documents import AT, SAMPLES, plain, recorded

SPOKEN = sorted(path.name for path in SAMPLES.iterdir() if path.name.startswith(("usage_tui", "headless", "trust")))
SECONDS = timedelta(seconds=10)
TOKEN = json.loads((SAMPLES / "credentials.json").read_bytes())["claudeAiOauth"]["accessToken"]


class Service(BaseHTTPRequestHandler):
    """Usage and models for whoever has the token and says which beta it means."""

    def do_GET(self) -> None:
        if (f"Bearer {TOKEN}", "oauth-2025-04-20") != (self.headers["authorization"], self.headers["anthropic-beta"]):
            return self.answer(401, b'{"type":"error","error":{"type":"authentication_error","message":"no"}}')
        name = {
            "/api/oauth/usage": "usage_limits_list.json",
            "/v1/models?limit=1000": "models_page1.json",
            "/v1/models?limit=1000&after_id=claude-sonnet-5": "models_page2.json",
        }.get(self.path)
        return self.answer(404, b"") if name is None else self.answer(200, (SAMPLES / name).read_bytes())

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a login, and the profile the harness keeps of it."""
    (tmp_path / ".credentials.json").write_bytes((SAMPLES / "credentials.json").read_bytes())
    (tmp_path / ".claude.json").write_text('{"oauthAccount": {"accountUuid": "00000000-0000-4000-8000-00000000000a"}}')
    return tmp_path


def test_the_whole_way(address: str, home: Path) -> None:
    """Account, usage and models come over real files and HTTP; a replay tells the same, and nothing holds the token."""
    recorder = Recorder()
    host = Host(
        clock=SettableClock(AT), environ={"CLAUDE_CONFIG_DIR": str(home), "HOME": "/nowhere"}, recorder=recorder
    )
    ours, models = prober(base_url=address), inventory(base_url=address)
    before = {path.name: path.read_bytes() for path in home.iterdir()}

    account = run(ours.account(), deadline=SECONDS, host=host)
    (reading,) = run(ours.probe(), deadline=SECONDS, host=host)
    listings = run(models.listings(), deadline=SECONDS, host=host)

    assert 16 == len(account)
    assert ("ok", "max", AT) == (reading.state, reading.plan, reading.observed_at)
    assert ["partial", "authoritative"] == [listing.authority for listing in listings]
    tape = recorder.cassette.dumps()
    assert "SAMPLE" not in tape + repr(reading) + account
    again = Cassette.loads(tape)
    assert (account, (reading,), listings) == (
        replay(prober(base_url=address).account(), again.flow(0)),
        replay(prober(base_url=address).probe(), again.flow(1)),
        replay(inventory(base_url=address).listings(), again.flow(2)),
    )
    assert before == {path.name: path.read_bytes() for path in home.iterdir()}


def test_a_login_that_ends_meanwhile_and_one_that_is_missing(address: str, home: Path) -> None:
    """The clock is the host's: days later the same file is stale, and once it is gone nobody is logged in."""
    clock = SettableClock(AT + timedelta(days=3))
    host = Host(clock=clock, environ={"CLAUDE_CONFIG_DIR": str(home), "HOME": str(home)})

    assert "stale-credentials" == run(prober(base_url=address).probe(), deadline=SECONDS, host=host)[0].state
    (home / ".credentials.json").unlink()
    assert "login-required" == run(prober(base_url=address).probe(), deadline=SECONDS, host=host)[0].state


def test_a_token_the_service_refuses_is_stale(address: str, home: Path) -> None:
    """Nothing is refreshed: the reading says whose turn it is."""
    host = Host(clock=SettableClock(AT), environ={"OTHER": "sk-other", "HOME": str(home)})
    (reading,) = run(prober(base_url=address, credentials=Env("OTHER")).probe(), deadline=SECONDS, host=host)

    assert "stale-credentials" == reading.state


async def said(name: str) -> Document:
    """What a child prints that says what a sample holds, as the document it is."""
    code = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read())"
    return (await Run((sys.executable, "-c", code, str(SAMPLES / name)))).document


@pytest.mark.parametrize("name", SPOKEN)
def test_what_a_real_child_says_is_read_like_the_sample(name: str) -> None:
    """Argv, exit code and a pipe between the two change nothing."""
    document = run(said(name), deadline=SECONDS, host=Host(clock=SettableClock(recorded(name).at)))

    assert 0 == document.exit_code
    assert plain(reader(), recorded(name)) == plain(reader(), document)
