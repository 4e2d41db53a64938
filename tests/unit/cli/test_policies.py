"""`policy check`, `policy show`, `policy init`."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from capacity.cli import main
from capacity.codec import load_policy, loads, policy_template
from capacity.values.policy import Policy

from .house import House

FAULTY = """
version = 1
freshness = 5

[accounts.work]
plugin = "claud"
kind = "subscripton"

[accounts.cash]
plugin = "deepseek"
kind = "metered"
options = { base_ur = "http://127.0.0.1:1" }

[accounts.rack]
plugin = "nobody-ships-this"
kind = "local"

[harnesses.cli]
pools = ["wrok"]

[fleets.main]
actuator = "file"

[service]
"""
PATHS = [
    "accounts.work.kind", "freshness", "harnesses.cli.pools", "service",
    "accounts.cash.options.base_ur", "accounts.rack.plugin", "fleets.main.options.path",
]  # fmt: skip  # what the file says of itself, then what plugins say


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(FAULTY, encoding="utf-8")
    return path


def test_every_fault_is_told_at_once(faulty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the file and those plugins find, each with its path and what to do; 2, and nothing else is said."""
    assert 2 == main(["policy", "check", str(faulty), "--json"])
    told = json.loads(capsys.readouterr().out)

    assert set(PATHS) <= {one["path"] for one in told}
    assert {"path", "wrong", "remedy"} == set(told[0])
    remedies = {one["path"]: one["remedy"] for one in told}
    assert "install capacity-nobody-ships-this" in remedies["accounts.rack.plugin"]
    assert 'did you mean "base_url"?' == remedies["accounts.cash.options.base_ur"]


def test_faults_are_read_by_people(faulty: Path, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """One line each, below the file's name and their number."""
    assert 2 == main(["policy", "check", str(faulty)])
    assert snapshot == capsys.readouterr().out.replace(str(faulty), "policy.toml")


@pytest.mark.parametrize("text", ["", "version = ", "\0"])
def test_a_file_that_is_no_policy_is_a_fault(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So is one that is not there."""
    (tmp_path / "odd.toml").write_text(text, encoding="utf-8")

    assert 2 == main(["policy", "check", str(tmp_path / "odd.toml")])
    assert 2 == main(["policy", "check", str(tmp_path / "missing.toml")])
    assert 2 == capsys.readouterr().out.count(": 1 fault\n")


def test_a_good_policy_has_no_fault(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what is in it; as JSON an empty list. No backend is asked."""
    assert 0 == house.run("policy", "check")
    assert "no fault; 2 accounts, 2 pools, 2 harnesses, 1 fleet, 1 seat rule, 2 adopted rows" in capsys.readouterr().out
    assert 0 == house.run("policy", "check", "--json")
    assert "[]\n" == capsys.readouterr().out
    assert () == house.team.asked + house.rack.asked


def test_a_policy_is_shown_with_every_default(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Both ways are the policy; `--json` is its one text."""
    assert 0 == house.run("policy", "show")
    many = capsys.readouterr().out
    assert 0 == house.run("policy", "show", "--json")
    one = capsys.readouterr().out

    assert load_policy(house.policy) == loads(Policy, many) == loads(Policy, one)
    assert many.count("\n") > one.count("\n") == 1


def test_a_faulty_policy_is_not_shown(faulty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its faults are, on standard error, a line each."""
    assert 2 == main(["policy", "show", str(faulty)])
    out, err = capsys.readouterr()

    assert "" == out
    assert err.startswith(f"capacity: {faulty} has ")
    assert 'accounts.work.kind: "subscripton" is not among its words' in err


def test_a_policy_begins_with_a_valid_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a folder that need not be there; what is there is never written over."""
    path = tmp_path / "new" / "policy.toml"

    assert 0 == main(["policy", "init", str(path)])
    assert policy_template() == path.read_text(encoding="utf-8")
    assert 0 == main(["policy", "check", str(path)])
    path.write_text("mine", encoding="utf-8")
    assert 2 == main(["policy", "init", str(path)])
    assert "mine" == path.read_text(encoding="utf-8")
    assert f"capacity: {path} is there already" in capsys.readouterr().err


def test_the_usual_place_is_the_configuration_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless a variable or an option names another, the option first."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert 0 == main(["policy", "init", "--json"])
    assert {"policy": str(tmp_path / "config" / "capacity" / "policy.toml")} == json.loads(capsys.readouterr().out)

    monkeypatch.setenv("CAPACITY_POLICY", str(tmp_path / "mine.toml"))
    assert 0 == main(["policy", "init"])
    assert 0 == main(["--policy", str(tmp_path / "other.toml"), "policy", "init"])
    assert (tmp_path / "mine.toml").is_file()
    assert (tmp_path / "other.toml").is_file()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence, not a traceback."""
    (tmp_path / "file").touch()

    assert 2 == main(["policy", "init", str(tmp_path / "file" / "policy.toml")])
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["status", "plan", "tick", "models"])
def test_without_a_policy_nothing_is_done(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says where one is looked for and how to begin; no store is made."""
    store = tmp_path / "capacity.db"

    assert 2 == main([command, "--policy", str(tmp_path / "none.toml"), "--store", str(store)])
    assert f"capacity: there is no policy at {tmp_path / 'none.toml'}: write one with" in capsys.readouterr().err
    assert not store.exists()


@pytest.mark.parametrize("command", [["status"], ["plan"], ["tick"], ["stop", "pool", "nowhere"]])
def test_a_fault_that_only_an_engine_finds_names_the_file(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is wrong with a policy, the sentence begins with the file it stands in."""
    file = tmp_path / "policy.toml"
    options = "" if command[0] == "stop" else 'options = { base_ulr = "x" }'
    file.write_text(f'version = 1\n[accounts.work]\nplugin = "claude"\nkind = "subscription"\n{options}\n')
    where = "pools" if command[0] == "stop" else "accounts.work.options.base_ulr"

    assert 2 == main(["--policy", str(file), "--store", str(tmp_path / "db"), *command])
    assert capsys.readouterr().err.startswith(f"capacity: {file}: {where}: ")


def test_a_policy_there_is_no_room_for_is_not_left_by_half(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So that the next try does not find one there already."""
    file, before = tmp_path / "policy.toml", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        assert 2 == main(["policy", "init", str(file)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert f"{file} cannot be written" in capsys.readouterr().err
    assert not file.exists()
    assert 0 == main(["policy", "init", str(file)])
