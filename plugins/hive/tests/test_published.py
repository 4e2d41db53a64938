"""The published reading: found where a hive puts it, read with doubt, and written from what is known here."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import capacity_hive
import pytest
from capacity.ports import Document, Limit, Reading, Scope
from capacity.testing.flows import FakeWorld, play
from capacity_hive._published import key, published

from .scene import NOON, Scene, agent, reading, scene

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
WINDOW = {"id": "w", "kind": "weekly", "pct_remaining": 33, "resets_at": "2026-09-23T00:00:00Z"}


@pytest.mark.parametrize(
    ("backend", "account", "name"),
    [
        ("claude", "", "1f49f53cdfcecfbc"),
        (" Codex ", "", "d6316145f173a075"),
        ("agy", "", "77e6ed5ee0f8c5f2"),
        ("claude", "acct-1", "4fa1d7c309ef5ba3"),
    ],
)
def test_a_file_is_named_as_a_hive_names_it(backend: str, account: str, name: str) -> None:
    """By backend and account, in any case."""
    assert name == key(backend, account)


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ({"state": "available", "captured_at": "2026-09-20T11:00:00Z", "limits": [WINDOW]}, "ok"),
        ({"state": "available", "limits": [WINDOW]}, "ok"),
        ({"state": "available", "limits": []}, "unrecognised"),
        ({"state": "available", "limits": [{"id": "w", "kind": "weekly"}]}, "unrecognised"),
        ({"state": "unknown", "limits": []}, "unreachable"),
        ({"state": "unknown", "cause": "no_credentials", "limits": []}, "login-required"),
        ({"state": "resting", "limits": [WINDOW]}, "unrecognised"),
        (b'{"state": "avail', "unrecognised"),
    ],
)
def test_what_is_not_surely_available_is_not(body: Any, state: str) -> None:
    """Unknown, torn, empty or in new words: no figure comes of it; and it was true when it was captured."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    told = published(Document(raw, AT))

    assert (state, state == "ok") == (told.state, bool(told.limits))
    captured = isinstance(body, dict) and "captured_at" in body
    assert AT - timedelta(hours=1) * captured == told.observed_at


def test_published_readings_are_read_and_nobody_is_asked() -> None:
    """One file for each backend; one that is missing leaves its provider unknown."""
    made = capacity_hive.prober(published={"claude": "", "codex": ""}, directory="shared")
    body = json.dumps({"state": "available", "limits": [WINDOW]}).encode()
    here = FakeWorld(AT, files={f"shared/{key('claude')}.reading.json": body})

    told = {one.pool: one.state for one in play(made.probe(), here)}
    assert {"anthropic": "ok", "openai": "unreachable"} == told
    assert len(play(made.account(), here)) == 16


def shared(here: Scene, backend: str = "claude") -> dict[str, Any]:
    told: dict[str, Any] = json.loads((here.folder / f"{key(backend)}.reading.json").read_text())
    return told


def reporting(folder: Path) -> dict[str, Any]:
    return {"report": {"north": "claude", "south": "codex"}, "directory": str(folder)}


def test_what_is_left_is_written_for_hives_to_read(tmp_path: Path) -> None:
    """Unscoped windows with what remains, rounded down, and the conditions of the account; a cap on one model binds nobody."""
    with scene(tmp_path, agent("ada"), options=reporting(tmp_path)) as here:
        capped = Limit("weekly:x", percent=100.0, scope=Scope("model", "x"))
        full = reading(100)
        here.probers["south"].script.say((Reading("", "ok", "usage", NOON, limits=(*full.limits, capped)),))
        here.use("north", 10.4)
        here.tick()

        assert {
            "state": "available",
            "captured_at": "2026-09-20T12:20:00Z",
            "conditions": [],
            "limits": [
                {
                    "id": "weekly", "kind": "weekly", "pct_remaining": 89,
                    "reset_epoch": 1790164800000, "resets_at": "2026-09-23T12:00:00Z",
                }
            ],
        } == shared(here)  # fmt: skip  # a window in two lines
        assert ([0], True) == (
            [one["pct_remaining"] for one in shared(here, "codex")["limits"]],
            "core:pool-exhausted" in shared(here, "codex")["conditions"],
        )
        back = published(Document((tmp_path / f"{key('claude')}.reading.json").read_bytes(), here.clock.now()))
        assert ("ok", [11.0]) == (back.state, [limit.percent for limit in back.limits])


def test_what_could_not_be_measured_is_published_as_unknown(tmp_path: Path) -> None:
    """With its cause and without a window, whatever was known before."""
    with scene(tmp_path, agent("ada"), options=reporting(tmp_path)) as here:
        here.tick()
        here.probers["north"].script.say((Reading("", "login-required", "usage", NOON),))
        for _ in range(3):
            here.tick()

        told = shared(here)
        assert ("unknown", "no_credentials", []) == (told["state"], told["cause"], told["limits"])
        assert "core:login-required" in told["conditions"]


def test_nothing_is_published_unless_the_policy_says_so(tmp_path: Path) -> None:
    """Off by default: no file, and no ability to report."""
    with scene(tmp_path, agent("ada")) as here:
        here.tick()

        assert [] == [path.name for path in tmp_path.glob("*.reading.json")]
        assert "report" not in capacity_hive.actuator(fleet="reef").abilities


def test_a_folder_that_is_missing_fails_no_tick(tmp_path: Path) -> None:
    """That nobody could be told is a condition, and ends when somebody can."""
    with scene(tmp_path, agent("ada"), options=reporting(tmp_path / "later")) as here:
        here.use("north", 100)
        report = here.tick()
        (tmp_path / "later").mkdir()
        after = here.tick()

        assert ["core:untold"] == [one.fact.code for one in report.conditions if one.fact.subject == "reef"]
        assert [] == [one.fact.code for one in after.conditions if one.fact.subject == "reef"]


def test_what_is_there_already_is_not_written_again(tmp_path: Path) -> None:
    """Three hives that publish one account write one file once."""
    with scene(tmp_path, agent("ada"), options=reporting(tmp_path)) as here:
        here.tick()
        path = tmp_path / f"{key('claude')}.reading.json"
        before = path.stat().st_mtime_ns
        here.tick(timedelta(seconds=1))

        assert before == path.stat().st_mtime_ns
