"""The server that speaks like ChatGPT's to Codex: as the real one answers, by its clock, and to its own login only."""

from __future__ import annotations

import json
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from capacity.testing.clocks import SettableClock
from capacity.testing.servers import CodexModel, CodexServer, write_codex_home
from capacity.testing.servers.codex import MODELS, USAGE, access_token

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR, WEEK = timedelta(hours=1), timedelta(days=7)
LOGIN = access_token(NOON + WEEK)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(NOON)


@pytest.fixture
def server(clock: SettableClock) -> Iterator[CodexServer]:
    with CodexServer(clock, [CodexModel("one", "One"), CodexModel("two", "Two", hidden=True)]) as server:
        server.use(5 * HOUR, 29, NOON + HOUR)
        server.use(WEEK, 57, NOON + 3 * HOUR)
        yield server


def ask(server: CodexServer, path: str = USAGE, token: str | None = LOGIN, method: str = "GET") -> tuple[int, Any]:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    request = urllib.request.Request(server.url + path, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_usage_is_told_by_slots_and_lengths(server: CodexServer) -> None:
    """The shorter window stands first, and everything is told as the service tells it."""
    status, body = ask(server)
    window = {"used_percent": 29, "limit_window_seconds": 18000, "reset_after_seconds": 3600, "reset_at": 1772370000}

    assert (200, "plus") == (status, body["plan_type"])
    assert window == body["rate_limit"]["primary_window"]
    assert (True, False) == (body["rate_limit"]["allowed"], body["rate_limit"]["limit_reached"])
    assert (None, False) == (body["additional_rate_limits"], body["credits"]["has_credits"])


def test_a_full_window_refuses_until_it_resets(server: CodexServer, clock: SettableClock) -> None:
    """Then it is unused, and resets a window later; a service that refuses whatever its windows say does so too."""
    server.use(5 * HOUR, 100, NOON + HOUR)
    assert ask(server)[1]["rate_limit"]["limit_reached"]
    clock.advance(HOUR)
    told = ask(server)[1]["rate_limit"]
    assert (False, 0, 5 * 3600) == (
        told["limit_reached"], told["primary_window"]["used_percent"], told["primary_window"]["reset_after_seconds"],
    )  # fmt: skip  # three figures, read as a row
    server.refuses = True
    assert not ask(server)[1]["rate_limit"]["allowed"]


def test_a_models_limit_is_its_own(server: CodexServer) -> None:
    """It stands in a list with its name, and refuses nobody else."""
    server.use(5 * HOUR, 100, NOON + HOUR, model="Two")
    body = ask(server)[1]
    (row,) = body["additional_rate_limits"]

    assert ("Two", False, True) == (row["limit_name"], row["rate_limit"]["allowed"], body["rate_limit"]["allowed"])


def test_models_are_listed_with_their_rank(server: CodexServer) -> None:
    """In order, hidden ones marked."""
    rows = ask(server, f"{MODELS}?client_version=1")[1]["models"]

    assert [("one", "list", 0), ("two", "hide", 1)] == [
        (row["slug"], row["visibility"], row["priority"]) for row in rows
    ]


@pytest.mark.parametrize(
    ("token", "code"),
    [
        (None, "invalid"),
        ("no-token", "invalid"),
        ("a.bm8.c", "invalid"),
        ("a.WzFd.c", "invalid"),
        (access_token(NOON + WEEK, account="another"), "invalid"),
        (access_token(NOON), "token_expired"),
    ],
)
def test_a_login_that_is_not_its_own_is_refused(server: CodexServer, token: str | None, code: str) -> None:
    """Without a token, with another account's, and with one that has ended."""
    status, body = ask(server, token=token)

    assert (401, code) == (status, json.loads(body)["error"]["code"])


def test_it_can_be_told_to_misbehave(server: CodexServer) -> None:
    """So many questions are throttled or answered by a web page; then the truth comes again."""
    server.throttle(1, None)
    server.throttle(1, 60)
    server.break_shape(1, b"null")

    assert [429, 429, 200, 200] == [ask(server)[0] for _ in range(4)]
    assert [404, 405] == [ask(server, "/backend-api/other")[0], ask(server, method="DELETE")[0]]


def test_a_home_is_written_as_the_program_keeps_it(tmp_path: Path, server: CodexServer) -> None:
    """A login nobody else may read, with tokens that say whose they are; settings only where a server is named."""
    write_codex_home(tmp_path / "a", NOON + WEEK, plan="pro")
    write_codex_home(tmp_path / "b", NOON + WEEK, base_url=server.base_url)
    file = tmp_path / "a" / "auth.json"
    tokens = json.loads(file.read_text())["tokens"]

    assert ["auth.json"] == [path.name for path in (tmp_path / "a").iterdir()]
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert 200 == ask(server, token=tokens["access_token"])[0]
    assert f'chatgpt_base_url = "{server.url}/backend-api/"' in (tmp_path / "b" / "config.toml").read_text()
