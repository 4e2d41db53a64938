"""A server that says what it is told, a real driver, and a cassette of the two: what a plugin author tests with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from capacity.ports import Env, Get
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import CannedServer
from capacity.testing.wire import Cassette, Host, Recorder, replay, run

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG = timedelta(seconds=20)  # nothing here takes that long; what would is a failure


@pytest.fixture
def server() -> Iterator[CannedServer]:
    with CannedServer(SettableClock(NOON), bearer="hush-hush-hush") as server:
        server.say("/quota", {"used": 41})
        yield server


async def ask(url: str, name: str = "KEY") -> tuple[int | None, bytes, str | None]:
    document = (await Get(url, bearer=await Env(name))).document
    return document.status, document.body, document.header("retry-after")


def host(recorder: Recorder | None = None) -> Host:
    return Host(clock=SettableClock(NOON), environ={"KEY": "hush-hush-hush", "OTHER": "mine"}, recorder=recorder)


def test_it_says_what_it_is_told(server: CannedServer) -> None:
    """Whatever the query, until it is told something else."""
    assert (200, b'{"used": 41}', None) == run(ask(f"{server.url}/quota?of=all"), deadline=LONG, host=host())
    server.say("/quota", b"\xff", 503, {"retry-after": "5"})
    assert (503, b"\xff", "5") == run(ask(f"{server.url}/quota"), deadline=LONG, host=host())
    assert 404 == run(ask(f"{server.url}/other"), deadline=LONG, host=host())[0]


def test_it_lets_only_its_token_in(server: CannedServer) -> None:
    """Another is refused; and what it notes of either is that there was one."""
    assert 401 == run(ask(f"{server.url}/quota", "OTHER"), deadline=LONG, host=host())[0]
    assert ["***"] == [asked.headers["authorization"] for asked in server.asked]
    with CannedServer(SettableClock(NOON)) as open_to_all:
        open_to_all.say("/quota", {})
        assert 200 == run(ask(f"{open_to_all.url}/quota", "OTHER"), deadline=LONG, host=host())[0]


@pytest.mark.parametrize("wait", ["60", "Sun, 01 Mar 2026 12:05:00 GMT", None])
def test_it_refuses_as_often_as_it_is_told(server: CannedServer, wait: str | None) -> None:
    """With a word on when to come again, or without; then it answers as before."""
    server.throttle("/quota", 1, wait)
    told = [run(ask(f"{server.url}/quota"), deadline=LONG, host=host()) for _ in range(2)]

    assert [(429, wait), (200, None)] == [(status, header) for status, _, header in told]


def test_what_was_recorded_is_replayed(server: CannedServer, tmp_path: Path) -> None:
    """Nothing listens any more, and the flow is told the same; no secret is in the file."""
    recorder = Recorder()
    asked = f"{server.url}/quota"
    told = run(ask(asked), deadline=LONG, host=host(recorder))
    recorder.save(tmp_path / "quota.jsonl")
    server.close()

    assert told == replay(ask(asked), Cassette.load(tmp_path / "quota.jsonl"))
    assert "hush" not in (tmp_path / "quota.jsonl").read_text()
