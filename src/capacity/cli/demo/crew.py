"""The demo's fleet: its seats, the file they stand in, and an orchestrator that follows the placements in it.

The orchestrator knows nothing of quota. It does what the file tells, as a real one would, between two ticks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from capacity.cli.exits import UsageFault

FLEET = "crew"
FILE = "fleet.json"
PLACE = ("harness", "pool", "model", "effort")


@frozen
class Group:
    """Seats that do the same work.

    Attributes:
        name: what their names begin with.
        count: how many there are; None = all that are left over.
        place: harness, pool, model and effort they start on.
        work: what they are there for.
    """

    name: str
    count: int | None
    place: tuple[str, str, str, str | None]
    work: str


GROUPS = (
    Group("lead", 4, ("claude", "team", "sample-large-2", "high"), "tier high, never below mid"),
    Group(
        "build", None, ("claude", "team", "sample-medium-3", "medium"), "tier mid, low if need be; the last is pinned"
    ),
    Group("scribe", 2, ("claude", "team", "sample-small-1", "low"), "tier low, anywhere"),
    Group("lab", 4, ("claude", "lab", "sample-medium-3", "medium"), "tier mid, on the login of the lab only"),
    Group("sweep", 3, ("opencode", "purse", "sample-swift-4", None), "tier low, never on a subscription"),
    Group("local", 2, ("opencode", "rack", "sample-local-1", None), "tier low, nothing leaves the house"),
)
"""Who works here. Names of models are invented."""

FIXED = sum(group.count or 0 for group in GROUPS)
LEAST = FIXED + 2
"""Seats the story needs: one builder that is pinned, and one that is not."""


def people(seats: int) -> list[tuple[str, Group]]:
    """The name of every seat, with its group.

    Raises:
        UsageFault: they are too few for the story.
    """
    if seats < LEAST:
        raise UsageFault(f"the story needs at least {LEAST} seats, not {seats}; ask for more, or leave out --seats")
    counts = ((group, group.count or seats - FIXED) for group in GROUPS)
    return [(f"{group.name}-{number}", group) for group, count in counts for number in range(1, count + 1)]


def write_fleet(folder: Path, seats: Sequence[tuple[str, Group]]) -> None:
    """Write the fleet file as its orchestrator does: every seat with its place, the last builder pinned."""
    rows: dict[str, dict[str, Any]] = {name: dict(zip(PLACE, group.place, strict=True)) for name, group in seats}
    rows[[name for name in rows if name.startswith("build-")][-1]]["pinned"] = True
    write_table(folder, {"form": 1, "seats": rows})


def seats_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Seat → its row, as the orchestrator shows it."""
    rows: dict[str, dict[str, Any]] = _read(folder)["seats"]
    return rows


def follow(folder: Path) -> None:
    """Do with every seat what its newest placement says, and note its id."""
    table = _read(folder)
    for name, placement in table.get("placements", {}).items():
        row = table["seats"][name]
        if row.get("placement") != placement["id"]:
            _obey(row, placement)
    write_table(folder, table)


def _obey(row: dict[str, Any], placement: dict[str, Any]) -> None:
    if placement["act"] == "park":
        row["paused_by"] = "capacity"
    else:
        row.update({key: placement[key] for key in (*PLACE, *(("cadence_s",) if placement.get("cadence_s") else ()))})
        row.pop("paused_by", None)
    row["placement"] = placement["id"]


def _read(folder: Path) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return table


def write_table(folder: Path, table: dict[str, Any]) -> None:
    """Whole: whoever reads sees the old file or the new one."""
    new = folder / f"{FILE}.new"
    new.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    new.replace(folder / FILE)
