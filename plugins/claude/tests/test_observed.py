"""Once the whole way: a probe over HTTP, headers that somebody else saw, and what an engine decides from both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve
from capacity import Engine, Seat, load_policy
from capacity.actuators import callback
from capacity.ports import Document, Outcome
from capacity.store import memory
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import ClaudeModel, ClaudeServer, write_credentials
from capacity.wire import Host

from .documents import AT, recorded

POLICY = """
version = 1

[tiers]
names = ["good"]
adopted = "tiers.toml"

[accounts.claude]
plugin = "claude"
kind = "subscription"

[harnesses.cli]
pools = ["claude"]

[fleets.main]
actuator = "callback"
mode = "enforce"

[seats.default]
tier = "good"
"""
ROW = """
[[rows]]
tier = "good"
harness = "cli"
model = "{}"
source = "a test"
adopted_at = 2026-09-01T00:00:00Z
adopted_by = "a test"
"""
DAY = timedelta(days=1)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(AT)


@pytest.fixture
def server(clock: SettableClock) -> Iterator[ClaudeServer]:
    with ClaudeServer(
        clock, [ClaudeModel("sample-large-5", "Sample Large 5"), ClaudeModel("sample-lite-5", "Lite")]
    ) as it:
        it.use("session", 5, AT + timedelta(hours=2))
        it.use("weekly_all", 6, AT + 3 * DAY)
        it.use("weekly_scoped", 7, AT + 3 * DAY, model="Large")
        yield it


def test_headers_bring_windows_up_to_date_and_cap_the_models_they_refuse(
    clock: SettableClock, server: ClaudeServer, tmp_path: Path
) -> None:
    """The cap a probe told stays beside them; the refused models' seat moves and no other; later probes leave it so."""
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "tiers.toml").write_text("".join(map(ROW.format, ("sample-large-5", "sample-lite-5"))))
    write_credentials(tmp_path / ".credentials.json", AT + 3 * DAY)
    policy = load_policy(tmp_path / "policy.toml")
    options = {"base_url": server.url, "config_dir": str(tmp_path), "labels": {"overage_included": ["*-large-*"]}}
    policy = evolve(policy, accounts={"claude": evolve(policy.accounts["claude"], options=options)})
    seats = [Seat("main", name, "cli", f"sample-{name}-5", pool="claude") for name in ("large", "lite")]
    fleet = callback(fleet="main", seats=lambda: seats, apply=lambda placement: Outcome("applied"))
    store, host = memory(clock=clock), Host(clock=clock, environ={"HOME": str(tmp_path)})
    with Engine(policy, store=store, clock=clock, host=host, actuators={"main": fleet}) as engine:
        assert ["keep", "keep"] == acts(engine)
        clock.advance(timedelta(minutes=1))
        headers = recorded("headers_unified_rejected_7d_oi.txt").headers
        engine.observe("claude", Document(b"", clock.now(), status=429, headers=headers), "gateway", "large")

        assert {"5h": 12.0, "weekly": 31.0, "weekly:large": 7.0, "weekly:overage_included": 100.0} == figures(engine)
        assert ["move", "keep"] == acts(engine)
        for _ in range(3):
            clock.advance(timedelta(minutes=15))
            engine.probe()
        assert {"5h": 5.0, "weekly": 6.0, "weekly:large": 7.0, "weekly:overage_included": 100.0} == figures(engine)
        decision = engine.plan().decision
        assert decision is not None
        assert "core:model-capped" in {one.fact.code for one in decision.conditions}
        assert 4 == server.times("/api/oauth/usage")


def acts(engine: Engine) -> list[str]:
    """What is decided for each seat, by name."""
    decision = engine.tick().tick.decision
    assert decision is not None
    return [one.act for one in decision.placements]


def figures(engine: Engine) -> dict[str, float | None]:
    """Percent used by limit, as it is known."""
    (pool,) = engine.snapshot().pools
    return {one.limit.name: one.limit.percent for one in pool.limits}
