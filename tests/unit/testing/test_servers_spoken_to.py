"""The loopback servers are taken for the real ones by the plugins that read those, over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import capacity_claude
import capacity_deepseek
import capacity_llama_cpp
import pytest

from capacity.ports import Env, Flow, Listing, Reading
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import (
    ClaudeModel,
    ClaudeServer,
    DeepSeekServer,
    LlamaModel,
    LlamaServer,
    write_credentials,
)
from capacity.wire import Host, run

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
Ask = Callable[[Flow[Any]], Any]


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(NOON)


@pytest.fixture
def ask(clock: SettableClock) -> Ask:
    """Run a flow on the wire, with the servers' keys in its environment."""
    host = Host(clock=clock, environ={"SAMPLE_KEY": "invented-key-of-the-loopback-server"})
    return lambda flow: run(flow, deadline=timedelta(seconds=20), host=host)


@pytest.fixture
def claude(clock: SettableClock, tmp_path: Path) -> Iterator[ClaudeServer]:
    write_credentials(tmp_path / ".credentials.json", NOON + 8 * HOUR)
    with ClaudeServer(clock, [ClaudeModel(f"sample-large-{n}", f"Sample Large {n}") for n in (2, 1)]) as server:
        server.use("session", 37, NOON + HOUR)
        server.use("weekly_all", 67, NOON + 30 * HOUR)
        server.use("weekly_scoped", 100, NOON + 30 * HOUR, model="Sample Large")
        yield server


def used(reading: Reading) -> dict[str, float | None]:
    return {limit.name: limit.percent for limit in reading.limits}


def residencies(listing: Listing) -> dict[str, str | None]:
    return {model.id: model.residency for model in listing.models}


def test_claude_usage(claude: ClaudeServer, clock: SettableClock, ask: Ask, tmp_path: Path) -> None:
    """Windows, a scoped cap, a roll-over, a refusal, two broken shapes, an ended and a wiped login: each as its state."""
    prober = capacity_claude.prober(config_dir=str(tmp_path), base_url=claude.url)

    (reading,) = ask(prober.probe())
    assert ("ok", {"5h": 37.0, "weekly": 67.0, "weekly:sample large": 100.0}) == (reading.state, used(reading))
    clock.advance(2 * HOUR)
    assert 0.0 == used(ask(prober.probe())[0])["5h"]
    claude.throttle(1)
    claude.break_shape(1)
    claude.break_shape(1, b"{}")
    states = [ask(prober.probe())[0].state for _ in range(4)]
    assert ["throttled", "ok"] == [states[0], states[3]]
    assert set(states[1:3]) <= {"unreachable", "unrecognised"}
    before = claude.times("/api/oauth/usage")
    clock.advance(8 * HOUR)
    assert "stale-credentials" == ask(prober.probe())[0].state
    write_credentials(tmp_path / ".credentials.json", NOON, blank=True)
    assert "login-required" == ask(prober.probe())[0].state
    assert before == claude.times("/api/oauth/usage")
    assert () == claude.changes


def test_claude_models(claude: ClaudeServer, ask: Ask, tmp_path: Path) -> None:
    """Every page is followed, and the last says that it was."""
    claude.page = 1
    pages = ask(capacity_claude.inventory(config_dir=str(tmp_path), base_url=claude.url).listings())

    assert ["partial", "authoritative"] == [page.authority for page in pages]
    assert ["sample-large-2", "sample-large-1"] == [model.id for page in pages for model in page.models]


def test_deepseek(clock: SettableClock, ask: Ask) -> None:
    """A balance above nothing and below it, and the list of models."""
    with DeepSeekServer(clock, ["sample-chat"]) as server:
        given = {"credentials": Env("SAMPLE_KEY"), "base_url": server.url}
        prober, inventory = capacity_deepseek.prober(**given), capacity_deepseek.inventory(**given)
        (good,) = ask(prober.probe())
        server.balance = {"USD": Decimal("-1.23")}
        (bad,) = ask(prober.probe())
        (listing,) = ask(inventory.listings())

    assert [(False, Decimal("10.00")), (True, Decimal("-1.23"))] == [
        (reading.limits[0].blocked, reading.limits[0].left["USD"]) for reading in (good, bad)
    ]
    assert ("authoritative", ["sample-chat"]) == (listing.authority, [model.id for model in listing.models])


def test_llama_cpp(clock: SettableClock, ask: Ask) -> None:
    """Slots of what is resident, a model that has loaded meanwhile; nothing is loaded or woken by looking."""
    models = [LlamaModel("tiny", busy=1), LlamaModel("big", "unloaded"), LlamaModel("nap", "sleeping")]
    with LlamaServer(clock, [*models, LlamaModel("soon", "loading", ready_at=NOON + HOUR)]) as server:
        prober = capacity_llama_cpp.prober(base_url=server.url)
        inventory = capacity_llama_cpp.inventory(base_url=server.url)
        (reading,) = ask(prober.probe())
        (before,) = ask(inventory.listings())
        clock.advance(HOUR)
        (after,) = ask(inventory.listings())

    assert {"slots:tiny": 1} == {limit.name: limit.left["slots"] for limit in reading.limits if limit.left}
    assert {"tiny": "resident", "big": "loadable", "nap": "sleeping", "soon": "loading"} == residencies(before)
    assert "resident" == residencies(after)["soon"]
    assert ([], [], ()) == (server.loads, server.woken, server.changes)


def test_llama_cpp_loads(clock: SettableClock, ask: Ask) -> None:
    """A model is loaded when its plugin's preparer is told to, within the time that takes by the server's clock."""
    models = [LlamaModel("tiny"), LlamaModel("big", "unloaded")]
    with LlamaServer(clock, models, most=1, takes=HOUR / 60) as server:
        preparer = capacity_llama_cpp.preparer(base_url=server.url)
        words = [ask(preparer.prepare(name)) for name in ("big", "big", "none")]

    assert ["applied", "unchanged", "rejected"] == [outcome.word for outcome in words]
    assert "tiny gave way to it" == words[0].detail
    assert ["/models/load"] == [request.path for request in server.changes]
