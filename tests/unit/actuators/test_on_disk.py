"""The actuators on a real disk and with real children: what the flows ask for is what happens."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from attrs import evolve

from capacity.actuators import command, file
from capacity.ports import Outcome
from capacity.testing.clocks import SettableClock
from capacity.testing.contracts.actuator import ADA, BEN, HERE, THERE
from capacity.wire import Host, run

from .shapes import NOON, page, placement

MINUTE = timedelta(minutes=1)

SCRIPT = """
import json, pathlib, sys
fleet = pathlib.Path(sys.argv[1])
if len(sys.argv) == 2:
    print(fleet.read_text())
else:
    told = json.load(sys.stdin)
    page = json.loads(fleet.read_text())
    harness, pool, model, effort = told["candidate"]
    page["seats"][sys.argv[2]] = dict(harness=harness, pool=pool, model=model, effort=effort, placement=told["id"])
    fleet.write_text(json.dumps(page))
"""


def test_a_file_is_replaced_and_read_back(tmp_path: Path) -> None:
    """The seat is moved in the file itself, at the instant of the host's clock."""
    path = tmp_path / "fleet.json"
    path.write_bytes(page(ADA, BEN))
    host = Host(clock=SettableClock(NOON))
    actuator = file(fleet="day", path=str(path))

    assert Outcome("applied", at=NOON) == run(
        actuator.apply(placement("move", THERE, HERE)), deadline=MINUTE, host=host
    )
    seat = run(actuator.fleet(), deadline=MINUTE, host=host).seats[0]
    assert ("large-2", "1/day/ada") == (seat.model, seat.placement)


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    """Placements of two seats that are written at the same time are both there in the end, each carried out once."""
    path = tmp_path / "fleet.json"
    path.write_bytes(page(ADA, BEN))
    actuator = file(fleet="day", path=str(path))
    move = placement("move", THERE, HERE)
    moves = [move, evolve(move, seat="ben", id="1/day/ben")]

    with ThreadPoolExecutor(2) as threads:
        outcomes = list(threads.map(lambda act: run(actuator.apply(act), deadline=MINUTE, host=Host()), moves))

    assert ["applied", "applied"] == [outcome.word for outcome in outcomes]
    assert {"ada", "ben"} == set(json.loads(path.read_bytes())["placements"])


def test_programs_are_run_without_a_shell(tmp_path: Path) -> None:
    """Seats are printed by one child and moved by another, which reads the placement from its standard input."""
    path, script = tmp_path / "fleet $(touch oops).json", tmp_path / "fleet.py"
    path.write_bytes(page(ADA, BEN))
    script.write_text(SCRIPT, encoding="utf-8")
    argv = [sys.executable, str(script), str(path)]
    actuator = command(fleet="day", seats=argv, apply=[*argv, "{seat}"])
    move = placement("move", THERE, HERE)
    words = [run(actuator.apply(move), deadline=MINUTE, host=Host()).word for _ in range(2)]

    assert ["applied", "unchanged"] == words
    assert "large-2" == json.loads(path.read_bytes())["seats"]["ada"]["model"]
    assert {path.name, script.name} == {found.name for found in tmp_path.iterdir()}
