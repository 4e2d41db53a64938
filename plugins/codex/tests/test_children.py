"""The prober against a real child: a small program that speaks as the real one's server does, or misbehaves."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from capacity.errors import WireError
from capacity.testing.children import Answers, Exits, FakePrograms, Floods, Habit, Ignores, Says, Spawns
from capacity.testing.clocks import SettableClock
from capacity.wire import Host, run
from capacity_codex import inventory, prober

from .documents import AT, SAMPLES
from .worlds import LOGIN, UNASKED, VERSION

DEADLINE = timedelta(seconds=20)  # nothing here takes that long; what would is a failure
SHORT = timedelta(seconds=1)
HELLO = [{"result": {"userAgent": f"capacity/{VERSION} (Linux)"}}]


def result(name: str) -> dict[str, Any]:
    return {"result": json.loads((SAMPLES / name).read_bytes())["result"]}


SERVER = Answers(
    {
        "initialize": HELLO,
        "account/rateLimits/read": [UNASKED, result("appserver_rate_limits_read.json")],
        "model/list": [result("appserver_model_list_page2.json")],
    }
)


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[FakePrograms]:
    with FakePrograms(tmp_path / "programs") as programs:
        yield programs


@pytest.fixture
def host(tmp_path: Path, programs: FakePrograms) -> Host:
    home = tmp_path / ".codex"
    home.mkdir()
    (home / "auth.json").write_bytes(LOGIN)
    session = home / "sessions/2026/09/20/rollout-2026-09-20T10-00-00-a.jsonl"
    session.parent.mkdir(parents=True)
    session.write_bytes((SAMPLES / "rollout_new.jsonl").read_bytes())
    return Host(
        clock=SettableClock(AT), environ={"PATH": programs.path, "HOME": str(tmp_path), "OPENAI_API_KEY": "sk-x"}
    )


def test_the_program_is_talked_to_without_a_terminal(programs: FakePrograms, host: Host, tmp_path: Path) -> None:
    """It leads a session of its own, has no terminal, is told its home and no key, and is gone afterwards."""
    programs.write("codex", SERVER)
    (reading,) = run(prober(base_url="http://127.0.0.1:9").probe(), deadline=DEADLINE, host=host)
    (ran,) = programs.runs

    assert ("ok", "app-server", AT) == (reading.state, reading.source, reading.observed_at)
    assert (True, False) == (ran.leads, ran.terminal)
    assert "CODEX_HOME" in ran.environ
    assert "OPENAI_API_KEY" not in ran.environ
    assert ("-s", "read-only", "-a", "never", "app-server") == ran.arguments
    assert () == programs.left()


def test_its_catalogue_is_read(programs: FakePrograms, host: Host) -> None:
    """One page, hidden models among them, and the child is gone."""
    programs.write("codex", SERVER)
    (listing,) = run(inventory().listings(), deadline=DEADLINE, host=host)

    assert [False, True] == sorted(bool(model.hidden) for model in listing.models)
    assert () == programs.left()


@pytest.mark.parametrize(
    "habits",
    [
        (Exits(1),),
        (Says(b"Usage: codex [OPTIONS]\n"), Exits(2)),
        (Says(b"\xff\0\n[[[[\n{}\n"), Exits(0)),
        (Floods(),),
        (Floods(), Ignores()),
        (Answers({"initialize": HELLO, "account/rateLimits/read": [{"error": {"code": 1, "message": "no"}}]}),),
    ],
    ids=["fails", "complains", "raves", "floods", "floods on", "errs"],
)
def test_a_program_that_is_no_help_is_given_up(programs: FakePrograms, host: Host, habits: tuple[Habit, ...]) -> None:
    """Then nothing listens at the endpoint either, and what a session noted is told; nothing is left running."""
    programs.write("codex", *habits)
    (reading,) = run(prober(base_url="http://127.0.0.1:9").probe(), deadline=DEADLINE, host=host)

    assert ("ok", "rollout") == (reading.state, reading.source)
    assert () == programs.left()


@pytest.mark.parametrize(
    "habits",
    [
        (Answers({"initialize": None}),),
        (Spawns(), Answers({"initialize": HELLO, "account/rateLimits/read": None})),
    ],
    ids=["stalls", "spawns and stalls"],
)
def test_a_program_that_hangs_ends_at_the_deadline(
    programs: FakePrograms, host: Host, habits: tuple[Habit, ...]
) -> None:
    """With everything it started; a host that gives a flow one second has its answer a little later."""
    programs.write("codex", *habits)
    began = time.monotonic()
    with pytest.raises(WireError):
        run(prober(base_url="http://127.0.0.1:9").probe(), deadline=SHORT, host=host)

    assert time.monotonic() - began < 10
    assert () == programs.left()
