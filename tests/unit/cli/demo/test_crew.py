"""The demo's fleet and the orchestrator that follows its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capacity.cli.demo import crew


def table(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((folder / crew.FILE).read_text(encoding="utf-8"))
    return made


@pytest.mark.parametrize("seats", [crew.LEAST, 22, 300])
def test_a_fleet_of_any_size_has_everybody_the_story_needs(tmp_path: Path, seats: int) -> None:
    """More seats are more builders; the last of them, and nobody else, is pinned."""
    crew.write_fleet(tmp_path, crew.people(seats))
    rows = crew.seats_in(tmp_path)

    assert seats == len(rows)
    assert [f"build-{seats - crew.FIXED}"] == [name for name, row in rows.items() if row.get("pinned")]


def told(folder: Path, **changes: Any) -> dict[str, Any]:
    """The first seat's row after the file was changed and the orchestrator has looked."""
    (folder / crew.FILE).write_text(json.dumps({**table(folder), **changes}), encoding="utf-8")
    crew.follow(folder)
    return crew.seats_in(folder)["lead-1"]


def test_the_orchestrator_follows_each_placement_once(tmp_path: Path) -> None:
    """A park stops a seat, a placement moves and starts it, and what was followed is not followed again."""
    crew.write_fleet(tmp_path, crew.people(22))
    park = {"id": "1", "act": "park", "harness": None, "pool": None, "model": None, "effort": None}
    place = {"harness": "h", "pool": "p", "model": "sample-small-1", "effort": None}
    before = table(tmp_path)["seats"]["lead-1"]
    parked = told(tmp_path, placements={"lead-1": park})
    moved = told(tmp_path, placements={"lead-1": {"id": "2", "act": "resume", **place}})
    changed = told(tmp_path, seats={"lead-1": {**moved, "model": "sample-other-1"}})

    assert {**before, "paused_by": "capacity", "placement": "1"} == parked
    assert {**place, "placement": "2"} == moved
    assert "sample-other-1" == changed["model"]
