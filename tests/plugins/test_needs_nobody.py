"""No backend needs an agent, a terminal or any other process: whoever asks a server asks it alone, whoever runs a program
runs it alone. Codex, which does either, keeps the second contract beside its plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar

import capacity_agy
import capacity_claude
import capacity_codex
import capacity_deepseek
import capacity_hive
import capacity_llama_cpp
import pytest

from capacity.ports import Env, Prober
from capacity.testing.children import Habit, Says
from capacity.testing.clocks import SettableClock
from capacity.testing.contracts import ProgramContract
from capacity.testing.servers import (
    ClaudeServer,
    CodexServer,
    DeepSeekServer,
    HiveServer,
    LlamaModel,
    LlamaServer,
    LoopbackServer,
    write_codex_home,
    write_credentials,
)
from capacity.testing.servers.hive import TOKEN
from capacity.testing.wire import Host, run

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
LATER, LONG = AT + timedelta(days=2), timedelta(seconds=60)
CLOCK = SettableClock(AT)
ENVIRON = {"DS_KEY": DeepSeekServer(CLOCK).key, "HIVE_KEY": TOKEN}
SAMPLES = Path(__file__).parents[1] / "samples" / "agy"


def claude(home: Path) -> tuple[LoopbackServer, Callable[[str], Prober]]:
    write_credentials(home / ".claude" / ".credentials.json", LATER)
    server = ClaudeServer(CLOCK)
    server.use("session", 37, LATER)
    return server, lambda url: capacity_claude.prober(base_url=url)


def codex(home: Path) -> tuple[LoopbackServer, Callable[[str], Prober]]:
    write_codex_home(home / ".codex", LATER)
    server = CodexServer(CLOCK)
    server.use(timedelta(hours=5), 41, LATER)
    return server, lambda url: capacity_codex.prober(base_url=f"{url}/backend-api")


def deepseek(home: Path) -> tuple[LoopbackServer, Callable[[str], Prober]]:
    return DeepSeekServer(CLOCK), lambda url: capacity_deepseek.prober(credentials=Env("DS_KEY"), base_url=url)


def llama(home: Path) -> tuple[LoopbackServer, Callable[[str], Prober]]:
    return LlamaServer(CLOCK, [LlamaModel("tiny")]), lambda url: capacity_llama_cpp.prober(base_url=url)


def hive(home: Path) -> tuple[LoopbackServer, Callable[[str], Prober]]:
    server = HiveServer(CLOCK)
    window = {"id": "w", "kind": "weekly", "pct_remaining": 33, "resets_at": "2026-09-23T00:00:00Z"}
    row = {"provider": "anthropic", "available": True, "pct_remaining": 33, "limits": [window]}
    server.headroom = {"providers": [row], "enabled": True, "readings": True}
    return server, lambda url: capacity_hive.prober(credentials=Env("HIVE_KEY"), base_url=url)


@pytest.mark.parametrize("backend", [claude, codex, deepseek, llama, hive])
def test_a_server_is_asked_alone(
    backend: Callable[[Path], tuple[LoopbackServer, Callable[[str], Prober]]], tmp_path: Path
) -> None:
    """Where no program can be found and the home holds a login and no more, the probe is `ok`, again and again."""
    server, prober = backend(tmp_path)
    nothing = tmp_path / "bin"
    nothing.mkdir()
    host = Host(clock=CLOCK, environ={**ENVIRON, "HOME": str(tmp_path), "PATH": str(nothing)})
    with server:
        states = {one.state for _ in range(2) for one in run(prober(server.url).probe(), deadline=LONG, host=host)}

    assert {"ok"} == states


class TestAgy(ProgramContract):
    construct: ClassVar = "from capacity_agy import prober; prober()"

    @pytest.fixture
    def prober(self) -> Prober:
        return capacity_agy.prober()

    @pytest.fixture
    def program(self) -> str:
        return "agy"

    @pytest.fixture
    def habits(self) -> Mapping[tuple[str, ...], Sequence[Habit]]:
        return {("--print", "/usage"): (Says((SAMPLES / "print_usage_json.json").read_bytes()),)}
