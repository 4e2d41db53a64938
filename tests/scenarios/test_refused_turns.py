"""Turns refused over HTTP, each charged to whom it is the fault of: the servers of the kit say it, the readers know it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import capacity_claude
import capacity_deepseek
import capacity_llama_cpp
import pytest

from capacity.ports import Document, Failure, Reader
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import (
    ClaudeModel,
    ClaudeServer,
    DeepSeekServer,
    LlamaModel,
    LlamaServer,
    LoopbackServer,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
TURN = {"model": "sample-1", "max_tokens": 5, "messages": [{"role": "user", "content": "Hello."}]}


@pytest.fixture
def claude() -> Iterator[ClaudeServer]:
    with ClaudeServer(SettableClock(NOON), [ClaudeModel("sample-1", "Sample Large 1")]) as server:
        server.use("session", 37, NOON + HOUR)
        yield server


@pytest.fixture
def deepseek() -> Iterator[DeepSeekServer]:
    with DeepSeekServer(SettableClock(NOON), ["sample-1"]) as server:
        yield server


@pytest.fixture
def llama() -> Iterator[LlamaServer]:
    models = [LlamaModel("large"), LlamaModel("small", status="unloaded"), LlamaModel("mid", status="loading")]
    with LlamaServer(SettableClock(NOON), models, most=1) as server:
        yield server


def failed(reader: Reader, server: LoopbackServer, path: str, body: Any = None, token: str = "none") -> Failure | None:
    """What a reader makes of what a server answers, all of it told."""
    headers = {"authorization": f"Bearer {token}", "anthropic-version": "2023-06-01"}
    sent = None if body is None else json.dumps(body).encode()
    try:
        answer = urllib.request.urlopen(
            urllib.request.Request(server.url + path, headers=headers, data=sent), timeout=10
        )
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        told = tuple((name.lower(), value) for name, value in answer.headers.items())
        return reader.failure(Document(answer.read(), NOON, asked=path, status=answer.status, headers=told))


def charged(failure: Failure | None) -> tuple[str, str, datetime | None] | None:
    """Kind, blame and end."""
    return None if failure is None else (failure.kind, failure.blames, failure.reset_at)


def test_a_subscription_that_is_spent_is_left_until_it_resets(claude: ClaudeServer) -> None:
    """The account where its own window is full, one model where only a cap on it is, nobody where the turn is served."""
    reader, path = capacity_claude.reader(), "/v1/messages"

    assert failed(reader, claude, path, TURN, claude.token) is None
    claude.use("weekly_scoped", 100, NOON + 2 * HOUR, model="Large")
    assert ("quota", "candidate", NOON + 2 * HOUR) == charged(failed(reader, claude, path, TURN, claude.token))
    claude.use("session", 100, NOON + HOUR)
    claude.use("weekly_all", 100, NOON + 30 * HOUR)
    assert ("quota", "pool", NOON + 30 * HOUR) == charged(failed(reader, claude, path, TURN, claude.token))


def test_a_burst_moves_no_account(claude: ClaudeServer) -> None:
    """Too fast, too many at once, or a token that its owner refreshes: one candidate waits, and not for long."""
    reader, path = capacity_claude.reader(), "/v1/messages"
    claude.burst(1, retry_after=12)
    burst = failed(reader, claude, path, TURN, claude.token)
    claude.overload(1)
    busy = failed(reader, claude, path, TURN, claude.token)
    claude.expires_at = NOON
    stale = failed(reader, claude, path, TURN, claude.token)

    assert burst is not None
    assert ("rate", "candidate", timedelta(seconds=12)) == (burst.kind, burst.blames, burst.hold)
    assert [("overload", "candidate", None), ("auth", "candidate", None)] == [charged(busy), charged(stale)]


def test_a_model_that_is_not_there_is_named(claude: ClaudeServer) -> None:
    """A request at fault blames nobody here; its status says that much to whoever classifies."""
    reader, path = capacity_claude.reader(), "/v1/messages"
    gone = failed(reader, claude, path, {**TURN, "model": "sample-9"}, claude.token)

    assert gone is not None
    assert ("model", ["sample-9"]) == (gone.kind, [fact.subject for fact in gone.facts])
    assert failed(reader, claude, path, {"model": "sample-1"}, claude.token) is None


def test_money_ends_with_a_payment(deepseek: DeepSeekServer) -> None:
    """Each refusal of a metered key, and only money and a wrong key want a person."""
    reader, path, key = capacity_deepseek.reader(), "/chat/completions", deepseek.key
    deepseek.crowd(1)
    told = [failed(reader, deepseek, path, TURN, key)]
    told += [failed(reader, deepseek, path, body, key) for body in ({**TURN, "model": "x"}, {"model": "sample-1"})]
    deepseek.balance = {"USD": Decimal("-1.23")}
    told += [failed(reader, deepseek, path, TURN, key), failed(reader, deepseek, path, TURN, "wrong")]

    assert [("rate", False), ("model", False), ("payload", False), ("balance", True), ("auth", True)] == [
        one and (one.kind, one.needs_human) for one in told
    ]


def test_a_model_that_loads_is_waited_for(llama: LlamaServer) -> None:
    """What is not resident, is loading or has no room waits; what is not there, or there already, does not."""
    reader = capacity_llama_cpp.reader()
    asked = [f"/slots?model={model}&autoload=false" for model in ("small", "mid", "none")]
    told = [failed(reader, llama, path) for path in (*asked, "/slots", "/slots?model=mid")]
    llama.remove("large")
    told += [failed(reader, llama, "/models/load", {"model": model}) for model in ("small", "mid", "none")]

    kinds = ["loading", "loading", "model", "payload", "loading", "busy", "noop", "model"]
    assert kinds == [one and one.kind for one in told]
