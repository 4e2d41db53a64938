"""Pauses on a hive: ours are noted, ended and given up; nobody else's is ever touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve
from capacity.testing.servers import Answer
from capacity.testing.servers.hive import Habits
from syrupy.assertion import SnapshotAssertion

from .scene import MINUTES, NOON, Scene, acts, agent, operator, scene, sent, words

PAUSE, RESUME = "POST /api/pause/ada", "POST /api/resume/ada"


def fill(here: Scene) -> None:
    """Nothing is left anywhere."""
    for pool in here.probers:
        here.use(pool, 100)


def noted(here: Scene) -> list[str]:
    """The seats whose pause is noted as ours."""
    path = here.folder / "reef.json"
    return sorted(json.loads(path.read_text())["parked"]) if path.exists() else []


def test_11_a_seat_is_parked_and_resumed(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """11: a pause of ours is noted, is known as ours to another process, and ends once there is room."""
    with scene(tmp_path, agent("ada")) as here:
        fill(here)
        parked = here.tick()
        assert ({"ada": "applied"}, [PAUSE], ["ada"]) == (words(parked), sent(here.hive), noted(here))
        assert snapshot == operator(parked)

        here.forget()
        assert {"ada": "keep"} == acts(here.tick())
        here.use("north", 10)
        assert {"ada": "applied"} == words(here.tick())
        assert ([PAUSE, RESUME], [], None) == (sent(here.hive), noted(here), here.hive.agents["ada"].paused)


def test_11_a_pause_somebody_else_made_first_is_not_ours(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """11: `changed: false` says that an operator was quicker: a conflict, not noted, and never ended by us."""
    with scene(tmp_path, agent("ada")) as here:
        fill(here)
        here.hive.meanwhile = lambda: here.hive.put(evolve(agent("ada"), paused="dashboard-api", paused_at=NOON))
        report = here.tick()

        assert ({"ada": "conflict"}, []) == (words(report), noted(here))
        assert snapshot == operator(report)
        here.use("north", 10)
        assert {"ada": "leave"} == acts(here.tick())
        assert [PAUSE] == sent(here.hive)


def test_11_a_park_somebody_else_ended_first_is_given_up(tmp_path: Path) -> None:
    """11: `changed: false` at the resume says that the seat runs already; only our note goes."""
    with scene(tmp_path, agent("ada")) as here:
        fill(here)
        here.tick()
        here.use("north", 10)
        here.hive.meanwhile = lambda: here.hive.put(agent("ada"))

        assert ({"ada": "unchanged"}, []) == (words(here.tick()), noted(here))
        assert [PAUSE, RESUME] == sent(here.hive)


def test_11_a_pause_whose_answer_was_lost_is_known_as_ours(tmp_path: Path) -> None:
    """11: what was noted before it was asked for is read back as ours, so that it ends."""
    with scene(tmp_path, agent("ada"), habits=Habits(drops=True)) as here:
        fill(here)
        assert {"ada": "indeterminate"} == words(here.tick())
        here.hive.habits = Habits()
        here.forget()
        assert {"ada": "applied"} == words(here.tick())
        here.use("north", 10)

        assert {"ada": "applied"} == words(here.tick())
        assert [PAUSE, RESUME] == sent(here.hive)


def test_11_a_pause_that_was_refused_is_not_noted(tmp_path: Path) -> None:
    """11: where the hive did not take it, no note stays behind."""
    with scene(tmp_path, agent("ada")) as here:
        fill(here)
        here.hive.spoil("/api/pause/ada", Answer(400, {"error": "unknown agent ada"}))

        assert ({"ada": "rejected"}, []) == (words(here.tick()), noted(here))


def test_11_a_pause_that_cannot_be_noted_is_not_made(tmp_path: Path) -> None:
    """11: a pause nobody remembers would never end, so it is not asked for."""
    with scene(tmp_path / "missing", agent("ada")) as here:
        fill(here)
        report = here.tick()

        assert ({"ada": "rejected"}, []) == (words(report), sent(here.hive))
        assert "a pause that is not noted would never end" in report.outcomes[0][1].detail


@pytest.mark.parametrize("who", ["dashboard-api", "login-detector"])
def test_12_a_pause_of_others_is_never_ended(tmp_path: Path, who: str, snapshot: SnapshotAssertion) -> None:
    """12: with room everywhere, a seat an operator or a login detector paused stays as it is."""
    with scene(tmp_path, agent("ada", paused=who, paused_at=NOON)) as here:
        report = here.tick()

        assert ({"ada": "leave"}, []) == (acts(report), sent(here.hive))
        assert snapshot == operator(report)


def test_12_a_pause_after_ours_is_the_operators(tmp_path: Path) -> None:
    """12: an operator who ended our pause and paused the seat again, over the same API, has paused it himself."""
    with scene(tmp_path, agent("ada")) as here:
        fill(here)
        here.tick()
        here.hive.put(evolve(agent("ada"), paused="dashboard-api", paused_at=NOON + 30 * MINUTES))
        here.use("north", 10)

        assert {"ada": "leave"} == acts(here.tick())
        assert [PAUSE] == sent(here.hive)


@pytest.mark.parametrize("held", [{"on_demand": True}, {"pins": frozenset({"cli"})}])
def test_12_nothing_held_is_parked(tmp_path: Path, held: dict[str, object]) -> None:
    """12: a seat that runs on demand, or is pinned, is not ours to pause either."""
    with scene(tmp_path, agent("ada", **held)) as here:
        fill(here)

        assert {"ada": "leave"} == acts(here.tick())
        assert [] == sent(here.hive)
