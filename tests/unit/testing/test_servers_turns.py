"""Turns at the loopback servers: what a message costs is told in headers, and each refusal is worded as the real one."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from capacity.testing.clocks import SettableClock
from capacity.testing.servers import ClaudeModel, ClaudeServer, DeepSeekServer, LoopbackServer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
UNIFIED = "anthropic-ratelimit-unified-"
BODY = {"model": "sample-1", "max_tokens": 5, "messages": [{"role": "user", "content": "Hello."}]}


@pytest.fixture
def claude() -> Iterator[ClaudeServer]:
    with ClaudeServer(SettableClock(NOON), [ClaudeModel("sample-1", "Sample Large 1")]) as server:
        server.use("session", 37, NOON + HOUR)
        yield server


@pytest.fixture
def deepseek() -> Iterator[DeepSeekServer]:
    with DeepSeekServer(SettableClock(NOON), ["sample-1"]) as server:
        yield server


def say(
    server: LoopbackServer, path: str, token: str, body: Mapping[str, Any] = BODY, scheme: str = "authorization"
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer to a turn."""
    credentials = f"Bearer {token}" if scheme == "authorization" else token
    headers = {scheme: credentials, "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(server.url + path, method="POST", headers=headers, data=json.dumps(body).encode())
    try:
        answer = urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read()


def unified(headers: Mapping[str, str], *names: str) -> tuple[str | None, ...]:
    return tuple(headers.get(UNIFIED + name) for name in names)


def test_a_turn_tells_the_windows_it_drew_on(claude: ClaudeServer) -> None:
    """Each as a share with its reset, until it rolls over."""
    status, headers, body = say(claude, "/v1/messages", claude.token)

    assert (200, "message") == (status, json.loads(body)["type"])
    reset = str(int((NOON + HOUR).timestamp()))
    assert ("allowed", "0.37", reset) == unified(headers, "status", "5h-utilization", "5h-reset")
    assert isinstance(claude.clock, SettableClock)
    claude.clock.advance(2 * HOUR)
    assert ("0.00",) == unified(say(claude, "/v1/messages", claude.token)[1], "5h-utilization")


def test_a_full_window_refuses_the_turns_it_binds(claude: ClaudeServer) -> None:
    """A cap on a model refuses its turns, names itself as the claim, and says how long to wait."""
    claude.use("weekly_scoped", 100, NOON + 2 * HOUR, model="Large")
    status, headers, body = say(claude, "/v1/messages", claude.token)

    assert (429, "7200", "rate_limit_error") == (status, headers["retry-after"], json.loads(body)["error"]["type"])
    told = unified(headers, "status", "5h-status", "7d_oi-status", "representative-claim")
    assert ("rejected", "allowed", "rejected", "seven_day_overage_included") == told
    claude.models = (ClaudeModel("sample-1", "Sample Small 1"),)
    assert 200 == say(claude, "/v1/messages", claude.token)[0]


@pytest.mark.parametrize("scheme", ["x-api-key", "authorization"])
def test_a_key_draws_on_no_window(claude: ClaudeServer, scheme: str) -> None:
    """It is told its caps of the minute, and a full window of the login refuses it nothing."""
    claude.use("session", 100, NOON + HOUR)
    status, headers, _ = say(claude, "/v1/messages", claude.api_key, scheme=scheme)

    assert (200, "3999", (None,)) == (
        status,
        headers["anthropic-ratelimit-requests-remaining"],
        unified(headers, "status"),
    )
    assert 401 == say(claude, "/api/oauth/usage", claude.api_key, scheme=scheme)[0]


def test_a_turn_may_be_refused_for_a_moment(claude: ClaudeServer) -> None:
    """For a burst, while the account serves, and for want of machines; then all is as before."""
    claude.burst(1)
    claude.overload(1)
    (burst, headers, _), (busy, _, _), (fine, _, _) = (say(claude, "/v1/messages", claude.token) for _ in range(3))

    assert (429, 529, 200) == (burst, busy, fine)
    assert ("allowed", "allowed") == unified(headers, "status", "5h-status")


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"model": "sample-9"}, 404, "model: sample-9"),
        ({"max_tokens": None}, 400, "max_tokens: Field required"),
        ({"messages": None}, 400, "messages: Field required"),
    ],
)
def test_a_turn_that_is_at_fault_is_told_so(
    claude: ClaudeServer, change: Mapping[str, Any], status: int, message: str
) -> None:
    """An unknown model is not found, a missing part required."""
    body = {name: value for name, value in {**BODY, **change}.items() if value is not None}
    found, _, told = say(claude, "/v1/messages", claude.token, body)

    assert (status, message) == (found, json.loads(told)["error"]["message"])


@pytest.mark.parametrize("path", ["/chat/completions", "/v1/chat/completions"])
def test_deepseek_answers_whole_or_in_pieces(deepseek: DeepSeekServer, path: str) -> None:
    """No header tells what is left; a stream begins with the comments of one who waits."""
    status, headers, body = say(deepseek, path, deepseek.key)
    streamed = say(deepseek, path, deepseek.key, {**BODY, "stream": True})[2]

    assert (200, "Invented.") == (status, json.loads(body)["choices"][0]["message"]["content"])
    assert not [name for name in headers if "ratelimit" in name or name == "retry-after"]
    assert (b": keep-alive", b"data: [DONE]") == tuple(streamed.split(b"\n\n")[at] for at in (0, -2))


def test_deepseek_s_refusals_differ_by_status(deepseek: DeepSeekServer) -> None:
    """Too many at once, an unknown model, a body that is none, and no money left."""
    path, key = "/chat/completions", deepseek.key
    deepseek.crowd(1)
    crowded = say(deepseek, path, key)
    others = [say(deepseek, path, key, body)[0] for body in ({**BODY, "model": "sample-9"}, {"model": "sample-1"})]
    deepseek.balance = {"USD": Decimal("-1.23")}

    assert (429, None, [400, 422], 402) == (
        crowded[0],
        crowded[1].get("retry-after"),
        others,
        say(deepseek, path, key)[0],
    )
