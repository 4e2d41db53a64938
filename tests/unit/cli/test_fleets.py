"""`status`, `plan`, `tick`, `stop` and `lift`: what is known, what would be done, and doing it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capacity.cli import main, remedies
from capacity.codec import loads
from capacity.testing.servers import Answer
from capacity.values.failures import Stop
from capacity.values.tick import Snapshot, Tick

from .house import HOUR, House


def fill(house: House) -> None:
    """The subscription's session fills up within the hour."""
    house.clock.advance(HOUR)
    house.team.use("session", 99.0, house.clock.now() + HOUR)


def test_status_asks_nobody(house: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """Before anything was published it says so, and nobody was asked."""
    assert 0 == house.run("status")
    assert () == house.team.asked + house.rack.asked
    assert snapshot == capsys.readouterr().out


def test_what_is_only_decided_for_is_told_everywhere(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """A fleet in shadow is called so by whatever shows it; one that is enforced is not."""
    for mode, told in (("shadow", "in shadow, so nothing is applied to it: crew"), ("enforce", "")):
        house.write_policy(mode)
        for command in ("status", "plan", "tick"):
            house.run(command)
            head = capsys.readouterr().out.splitlines()[0]
            assert (told in head, "shadow" in head) == (True, bool(told)), command


@pytest.mark.parametrize("command", ["status", "plan", "tick", "doctor"])
def test_a_policy_that_is_still_to_be_filled_in_says_so(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Straight after `policy init` there is neither account nor fleet: each is told with the next step, once it is there no more."""
    where = ["--policy", str(tmp_path / "policy.toml"), "--store", str(tmp_path / "capacity.db")]
    main([*where, "policy", "init"])
    capsys.readouterr()
    assert 0 == main([*where, command])
    assert [remedies.NO_ACCOUNT, remedies.NO_FLEET] == capsys.readouterr().out.splitlines()[1:3]

    fleet = '[fleets.f]\nactuator = "file"\noptions = {path = "f.json"}\n'
    (tmp_path / "f.json").write_text('{"form": 1, "seats": {}}')
    account = '[accounts.a]\nplugin = "claude"\nkind = "subscription"\n'
    (tmp_path / "policy.toml").write_text(f"version = 1\n{account}{fleet}")
    main([*where, command])
    out = capsys.readouterr().out
    assert (False, False, True) == tuple(
        step in out for step in (remedies.NO_ACCOUNT, remedies.NO_FLEET, remedies.NO_HARNESS)
    )


def test_a_wait_that_is_nearly_over_is_told_to_the_second(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """A local server that refuses is asked again within the minute that is shown."""
    house.rack.spoil("/models", Answer(429, b"", {"retry-after": "40"}), 2)  # its probe and its listing ask alike
    house.run("tick")
    capsys.readouterr()
    house.run("status")
    assert "throttled: the server answered HTTP 429, not to be asked before Sun 2026-09-20 12:00:40Z" in (
        capsys.readouterr().out
    )


def test_status_tells_what_was_published(house: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """Limits, models, seats, conditions and stops, with their age; without a terminal in plain columns."""
    house.run("tick")
    fill(house)
    house.run("tick")
    house.team.throttle(1)
    house.run("stop", "pool", "rack", "--note", "new disk")
    house.clock.advance(HOUR / 2)
    house.run("tick")
    capsys.readouterr()
    assert 0 == house.run("status")
    words = capsys.readouterr().out
    assert 0 == house.run("status", "--json")

    assert snapshot == words
    assert "\x1b" not in words
    assert loads(Snapshot, capsys.readouterr().out).tick == "2026-09-20T13:30:00Z-2"


def test_a_plan_applies_nothing(house: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """What is due is asked, the decision shown, and neither the fleet nor the journal changes."""
    fill(house)
    before = house.fleet()
    assert 0 == house.run("plan")
    words = capsys.readouterr().out
    assert 0 == house.run("plan", "--json")
    tick = loads(Tick, capsys.readouterr().out)

    assert snapshot == words
    assert before == house.fleet()
    assert tick.decision is not None
    assert "demote" == tick.decision.placements[0].act
    assert 0 == house.run("ticks", "--json")
    assert [] == json.loads(capsys.readouterr().out)


def test_a_plan_may_ask_nobody(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """`--published` decides from what is known, and shows every seat where it is told to."""
    assert 0 == house.run("plan", "--published", "--all")
    assert () == house.team.asked + house.rack.asked
    assert "crew/ben" in capsys.readouterr().out


def test_a_tick_applies(house: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """The seat moves in the fleet's file, and what became of it is shown."""
    fill(house)
    assert 0 == house.run("tick")
    assert snapshot == capsys.readouterr().out
    assert {"ada"} == set(house.fleet()["placements"])


def test_a_tick_is_a_report(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON: the tick, what was published, what became of each placement, what changed and what stands."""
    fill(house)
    assert 0 == house.run("tick", "--json")
    told = json.loads(capsys.readouterr().out)

    assert {"adopted", "changed", "conditions", "outcomes", "published", "tick", "untold"} == set(told)
    assert ["rack", "team"] == [one["pool"] for one in told["published"]]
    [[placement, outcome]] = told["outcomes"]
    assert ("ada", "demote", "applied") == (placement["seat"], placement["act"], outcome["word"])
    assert isinstance(loads(Tick, json.dumps(told["tick"])), Tick)


def test_a_shadow_is_left_alone(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """A fleet in shadow is decided for and not written to, and the head says so."""
    house.write_policy(mode="shadow")
    fill(house)
    before = house.fleet()
    assert 0 == house.run("tick")

    assert before == house.fleet()
    assert "2 seats: 1 demote, 1 keep; in shadow, so nothing is applied to it: crew" in capsys.readouterr().out


def test_a_loud_condition_has_its_own_code(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """A tick ends with 4 while one stands; a plan, which nobody waits for, does not."""
    house.folder.joinpath("fleet.json").write_text("{}", encoding="utf-8")

    assert 4 == house.run("tick")
    assert 4 == house.run("tick", "--json")
    assert 0 == house.run("plan")
    assert "loud" in capsys.readouterr().out


def test_a_seat_is_taken_as_it_stands(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """What somebody else did to a seat is a conflict until the operator accepts it."""
    fill(house)
    house.run("tick")
    fleet = house.fleet()
    fleet["seats"]["ada"] = {"harness": "big", "model": "sample-medium-3", "effort": "low"}
    house.folder.joinpath("fleet.json").write_text(json.dumps(fleet), encoding="utf-8")
    house.clock.advance(HOUR)
    assert 4 == house.run("tick")
    assert "crew/ada was changed by somebody else since we wrote it" in capsys.readouterr().out

    assert 0 == house.run("tick", "--accept", "crew/ada")
    assert "crew/ada: taken as it stands\n" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "why"), [("ada", "write FLEET/SEAT"), ("crow/ada", 'did you mean "crew"?')])
def test_a_seat_nobody_has_is_not_taken(name: str, why: str, house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """The tick is not begun."""
    assert 2 == house.run("tick", "--accept", name)
    assert why in capsys.readouterr().err
    assert () == house.team.asked


def test_who_could_not_be_told_is_complained_of(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """A notify command that fails costs nothing but a line on standard error."""
    house.write_policy(more='[notify]\ncommand = ["/nonexistent/program"]\n')
    fill(house)

    assert 0 == house.run("tick")
    assert "/nonexistent/program" in capsys.readouterr().err


def test_an_operator_stops_and_lifts(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """A stop keeps a pool from being placed on, with who said so; lifted, it is as before."""
    fill(house)
    assert 0 == house.run("stop", "pool", "rack", "--note", "new disk", "--json")
    assert ("rack", "new disk", False) == (lambda stop: (stop.name, stop.note, stop.lifted))(
        loads(Stop, capsys.readouterr().out)
    )
    assert 0 == house.run("plan", "--all")
    assert "rack is stopped by the operator" in capsys.readouterr().out

    assert 0 == house.run("lift", "pool", "rack")
    assert "pool rack: the operator's stop is lifted\n" == capsys.readouterr().out
    assert 0 == house.run("plan")
    assert "goes" in capsys.readouterr().out


def test_a_stop_has_to_name_what_is_there(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest name is told."""
    assert 2 == house.run("stop", "pool", "rak")
    assert 'did you mean "rack"?' in capsys.readouterr().err
    assert 2 == house.run("stop", "shelf", "rack")


@pytest.mark.parametrize("command", ["status", "tick", "ticks", "explain", "stop pool rack"])
def test_a_store_that_is_none_is_named(command: str, house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """1, the file, and how to move it away; it is left as it is."""
    house.store.write_bytes(b"not a store at all" * 100)

    assert 1 == house.run(*command.split())
    out, err = capsys.readouterr()
    assert ("", 1) == (out, err.count("\n"))
    assert f"{house.store}: is damaged, or no store" in err
    assert house.store.read_bytes().startswith(b"not a store")
