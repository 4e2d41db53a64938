"""Once with nothing faked but the service: real files, a server on loopback, the real driver, and a cassette of it all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from capacity.testing.clocks import SettableClock
from capacity.testing.servers.codex import CodexModel, CodexServer, access_token, write_codex_home
from capacity.wire import Cassette, Host, Recorder, replay, run
from capacity_codex import inventory, prober

from .documents import AT

SECONDS = timedelta(seconds=10)
FIVE, WEEK = timedelta(hours=5), timedelta(days=7)
ENDS = AT + timedelta(days=2)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(AT)


@pytest.fixture
def server(clock: SettableClock) -> Iterator[CodexServer]:
    with CodexServer(clock, [CodexModel("sample-one", "Sample One")]) as server:
        server.use(FIVE, 41, AT + timedelta(hours=2))
        server.use(WEEK, 63, AT + timedelta(days=3))
        server.use(FIVE, 100, AT + timedelta(hours=1), model="Sample One")
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_codex_home(tmp_path / ".codex", ENDS)
    return tmp_path


def test_the_whole_way(server: CodexServer, home: Path, clock: SettableClock) -> None:
    """Account and usage come over real files and HTTP; a replay tells the same, and nothing holds the token."""
    recorder = Recorder()
    host = Host(clock=clock, environ={"HOME": str(home)}, recorder=recorder)
    before = {path.name: path.read_bytes() for path in (home / ".codex").iterdir()}

    account = run(prober(base_url=server.base_url).account(), deadline=SECONDS, host=host)
    (reading,) = run(prober(base_url=server.base_url).probe(), deadline=SECONDS, host=host)

    assert ("ok", "usage", "plus", AT) == (reading.state, reading.source, reading.plan, reading.observed_at)
    assert {"5h": 41.0, "5h:sample one": 100.0, "weekly": 63.0} == {one.name: one.percent for one in reading.limits}
    tape = recorder.cassette.dumps()
    assert access_token(ENDS).split(".")[1] not in tape + repr(reading)
    again = Cassette.loads(tape)
    assert account == replay(prober(base_url=server.base_url).account(), again.flow(0))
    assert (reading,) == replay(prober(base_url=server.base_url).probe(), again.flow(1))
    assert before == {path.name: path.read_bytes() for path in (home / ".codex").iterdir()}


def test_windows_roll_over_and_the_service_refuses(server: CodexServer, home: Path, clock: SettableClock) -> None:
    """What the server does as its clock goes on is what the readings tell."""
    host = Host(clock=clock, environ={"HOME": str(home)})
    ours = prober(base_url=server.base_url)
    server.use(WEEK, 100, AT + timedelta(days=3))
    server.credits = "12.5"
    clock.advance(timedelta(hours=3))
    (reading,) = run(ours.probe(), deadline=SECONDS, host=host)
    found = {limit.name: limit for limit in reading.limits}

    assert (0.0, AT + timedelta(hours=7), None) == (found["5h"].percent, found["5h"].resets_at, found["5h"].blocked)
    assert (100.0, True) == (found["weekly"].percent, found["weekly"].blocked)
    assert "credits" in found


@pytest.mark.parametrize(("retry_after", "seconds"), [(None, 300), (0, 300), (900, 900)])
def test_a_throttled_probe_waits(
    server: CodexServer, home: Path, clock: SettableClock, retry_after: int | None, seconds: int
) -> None:
    """One request, and as long as the service asks, but five minutes at least."""
    server.throttle(1, retry_after)
    (reading,) = run(
        prober(base_url=server.base_url).probe(), deadline=SECONDS, host=Host(clock=clock, environ={"HOME": str(home)})
    )

    assert ("throttled", AT + timedelta(seconds=seconds)) == (reading.state, reading.retry_at)
    assert 1 == len(server.asked)


def test_a_web_page_and_a_stranger_are_no_readings(server: CodexServer, home: Path, clock: SettableClock) -> None:
    """A challenge before the service is unreachable; a login of another account is refused and stale."""
    host = Host(clock=clock, environ={"HOME": str(home)})
    server.break_shape(1, status=403)
    assert "unreachable" == run(prober(base_url=server.base_url).probe(), deadline=SECONDS, host=host)[0].state
    write_codex_home(home / ".codex", ENDS, account="another")
    assert "stale-credentials" == run(prober(base_url=server.base_url).probe(), deadline=SECONDS, host=host)[0].state


def test_a_stale_login_is_stale_in_a_replay_too(server: CodexServer, home: Path, clock: SettableClock) -> None:
    """What a token says of its end is kept, and nothing that would open anything."""
    recorder = Recorder()
    clock.advance(timedelta(days=3))
    host = Host(clock=clock, environ={"HOME": str(home)}, recorder=recorder)
    told = run(prober(base_url=server.base_url).probe(), deadline=SECONDS, host=host)
    tape = recorder.cassette.dumps()

    assert "stale-credentials" == told[0].state
    assert told == replay(prober(base_url=server.base_url).probe(), Cassette.loads(tape).flow(0))
    assert not [part for part in access_token(ENDS).split(".") if part in tape]


def test_a_login_that_ends_and_one_that_is_gone(server: CodexServer, home: Path, clock: SettableClock) -> None:
    """Days later the same file is stale, without a request; once it is gone nobody is logged in, and nothing is listed."""
    host = Host(clock=clock, environ={"HOME": str(home)})
    clock.advance(timedelta(days=3))
    assert "stale-credentials" == run(prober(base_url=server.base_url).probe(), deadline=SECONDS, host=host)[0].state
    (home / ".codex/auth.json").unlink()
    assert "login-required" == run(prober(base_url=server.base_url).probe(), deadline=SECONDS, host=host)[0].state
    assert ["unknown"] == [one.authority for one in run(inventory().listings(), deadline=SECONDS, host=host)]
    assert () == server.asked
