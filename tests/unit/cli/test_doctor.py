"""`doctor` and `plugins`: what is there, what is not, and what to do; nobody is asked and nothing is opened."""

from __future__ import annotations

import builtins
import io
import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
from attrs import evolve

from capacity.cli import checkup, installed, main, remedies
from capacity.cli.checkup import places
from capacity.core.facts import fact
from capacity.plugins import PROBERS, Plugin, PluginFailure, Plugins
from capacity.ports import Env, Get, Limit, Pause, Read
from capacity.values.conditions import CONDITIONS, Condition
from capacity.values.limits import LimitHeadroom, PoolHeadroom, State

from .house import HOUR, NOON, House

MORE = """
[accounts.cash]
plugin = "deepseek"
kind = "metered"
credentials = { env = "CASH_KEY" }
options = { base_url = "http://127.0.0.1:9" }

[accounts.own]
plugin = "claude"
kind = "subscription"
"""


def steady(text: str, **places: str) -> str:
    """What was shown, without what differs from run to run: folders, widths of columns, versions."""
    for name, place in places.items():
        text = text.replace(place, name.upper())
    return re.sub(r"\d+\.\d+\.\d+", "VERSION", re.sub(r"(?<=\S)  +", "  ", text))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every path that is opened by Python's own means while a test runs."""
    seen: list[str] = []
    for module, name in ((builtins, "open"), (io, "open"), (os, "open")):
        real = getattr(module, name)

        def noting(path: Any, *args: Any, real: Any = real, **options: Any) -> Any:
            seen.append(str(path))
            return real(path, *args, **options)

        monkeypatch.setattr(module, name, noting)
    return seen


def test_nobody_is_asked_and_no_credential_opened(
    house: House, opened: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Before and after a tick: the servers hear nothing, the login's file is not opened, no store is made."""
    assert 0 == house.run("doctor")
    assert not house.store.exists()
    assert () == house.team.asked + house.rack.asked
    house.run("tick")
    asked = len(house.team.asked + house.rack.asked)
    opened.clear()
    assert 0 == house.run("doctor")

    assert asked == len(house.team.asked + house.rack.asked)
    assert str(house.policy) in opened
    assert [] == [path for path in opened if "credentials" in path]
    assert "present" in capsys.readouterr().out


def test_all_is_told_where_all_is_well(house: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """What is installed, the files, the accounts with where their credentials are, and each pool."""
    house.run("tick")
    capsys.readouterr()
    assert 0 == house.run("doctor")

    assert snapshot == steady(capsys.readouterr().out, folder=str(house.folder))


def test_every_fault_has_its_remedy(
    house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], snapshot: Any
) -> None:
    """Faults of the policy, an absent variable, an absent login, a probe that is refused, a condition that is loud."""
    monkeypatch.setenv("CASH_KEY", " ")
    house.run("tick")
    house.team.throttle(1)
    house.folder.joinpath("fleet.json").write_text("{}", encoding="utf-8")
    house.clock.advance(HOUR)
    house.run("tick")
    house.write_policy(more=MORE + '[fleets.night]\nactuator = "fil"\n')
    capsys.readouterr()
    assert 4 == house.run("doctor")

    config = os.environ["CLAUDE_CONFIG_DIR"]
    assert snapshot == steady(capsys.readouterr().out, folder=str(house.folder), config=config)


def test_the_facts_are_told_as_such(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON: presence as true and false, faults with their paths, and the snapshot."""
    house.run("tick", "--json")
    house.write_policy(more=MORE)
    capsys.readouterr()
    assert 4 == house.run("doctor", "--json")
    told = json.loads(capsys.readouterr().out)

    assert {
        "accounts",
        "failed",
        "faults",
        "installed",
        "needs",
        "policy",
        "snapshot",
        "sources",
        "store",
        "store_fault",
    } == set(told)
    present = {one["name"]: [each["present"] for each in one["credentials"]] for one in told["accounts"]}
    assert {"cash": [False], "own": [False], "rack": [], "team": [True]} == present
    assert ([], [], 1) == (told["failed"], told["faults"], told["needs"])
    assert ["cash", "own", "rack", "team"] == [one["pool"] for one in told["snapshot"]["pools"]]


def test_no_secret_is_shown(house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a variable's text nor a file's, in words or as JSON."""
    monkeypatch.setenv("CASH_KEY", "sk-invented-0123456789")
    house.write_policy(more=MORE)
    house.run("tick", "--json")
    capsys.readouterr()
    house.run("doctor")
    house.run("doctor", "--json")
    out, err = capsys.readouterr()

    assert "CASH_KEY" in out
    for secret in ("sk-invented", "invented-token", "invented-refresh"):
        assert secret not in out + err


def test_a_house_that_is_not_set_up_is_told_how(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a policy and without a store there is still something to say."""
    assert 4 == main(["doctor", "--policy", str(tmp_path / "none.toml"), "--store", str(tmp_path / "none.db")])
    out = capsys.readouterr().out

    assert "1 thing needs a person" in out
    assert "does not exist" in out
    assert "not made yet" in out


def test_a_store_that_is_none_is_told(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything else is still looked at."""
    house.store.write_bytes(b"no store" * 1000)

    assert 4 == house.run("doctor")
    out = capsys.readouterr().out
    assert "is damaged, or no store" in out
    assert "present" in out


def test_the_places_of_a_login_are_those_its_plugin_asks_for() -> None:
    """A flow is told that nothing is there until it ends, however it ends; what it asks of the network is not noted."""

    async def stubborn() -> None:
        while True:
            try:
                await Read("~/login", secret=True)
            except Exception:
                await Read("~/plain")

    async def orderly() -> str:
        for key in (Env("ONE"), Read("~/two", secret=True)):
            try:
                await key
            except Exception:
                continue
        await Get("https://example.invalid/")
        await Env("THREE")
        return "never"

    async def quick() -> None:
        return None

    async def patient() -> None:
        await Pause(timedelta(0))
        raise ValueError("a clock that tells nothing")

    assert [Read("~/login", secret=True)] == list(places(stubborn()))
    assert [Env("ONE"), Read("~/two", secret=True)] == list(places(orderly()))
    assert [[], []] == [list(places(quick())), list(places(patient()))]


def test_every_state_and_every_loud_condition_has_a_remedy() -> None:
    """What a person has to do is written down for each, and for nothing that is not there."""
    assert set(get_args(State)) == set(remedies.STATES)
    assert {code for code, (_, loud) in CONDITIONS.items() if loud} == set(remedies.CONDITIONS)


def test_a_remedy_follows_what_is_known_of_a_pool() -> None:
    """Never asked, old, refused for now, well."""
    fresh = LimitHeadroom(Limit("5h", percent=1.0), "fresh")
    well = PoolHeadroom("a", "ok", observed_at=NOON, limits=(fresh,))
    old = evolve(well, limits=(evolve(fresh, evidence="stale"),))
    refused = evolve(well, state="throttled", retry_at=datetime(2026, 9, 20, 13, tzinfo=UTC))

    assert ["", remedies.OLD, remedies.NEVER] == [
        remedies.for_pool(one, NOON) for one in (well, old, PoolHeadroom("a"))
    ]
    assert "wait: it is asked again by itself, not before Sun 2026-09-20 13:00Z" == remedies.for_pool(refused, NOON)


def test_a_quiet_condition_needs_nobody() -> None:
    """It says what ends it; a stranger's loud one is its owner's to explain."""
    quiet = Condition(fact("pool-exhausted", "a"), "raised", NOON, "reset")
    strange = Condition(evolve(quiet.fact, code="other:word"), "raised", NOON, "operator", loud=True)

    assert "nothing: it ends by reset" == remedies.for_condition(quiet)
    assert "its plugin's page tells" == remedies.for_condition(strange)


# --- plugins ------------------------------------------------------------------------------------


def test_every_plugin_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """With its port, distribution and version; as JSON with its group."""
    assert 0 == main(["plugins"])
    words = capsys.readouterr().out
    assert 0 == main(["plugins", "--json"])
    told = json.loads(capsys.readouterr().out)

    assert {"group", "name", "distribution", "version", "why"} == set(told[0])
    mine = {(one["group"], one["name"], one["distribution"]) for one in told}
    assert ("capacity.readers", "claude", "capacity-claude") in mine
    assert ("capacity.actuators", "file", "capacity-core") in mine
    assert {None} == {one["why"] for one in told}
    assert len(told) + 2 == len(words.splitlines())


def test_a_plugin_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside those that work; and the command ends with 1."""
    good = Plugin(PROBERS, "good", "capacity-good", "1.0", lambda: None)
    bad = PluginFailure(PROBERS, "bad", "capacity-bad", "2.0", "ImportError: no module named x; reinstall it")
    monkeypatch.setattr(installed, "load_plugins", lambda: Plugins([good], [bad]))
    monkeypatch.setattr(checkup, "load_plugins", lambda: Plugins([good], [bad]))

    assert 1 == main(["plugins"])
    assert "bad   capacity-bad   2.0      ImportError: no module named x; reinstall it" in capsys.readouterr().out
    assert 4 == main(["doctor"])
    assert "cannot be used: ImportError" in capsys.readouterr().out
