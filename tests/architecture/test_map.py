"""The map in AGENTS.md is true: what it names is there, and what is there it names."""

from __future__ import annotations

import re

from . import house

MAP = house.ROOT / "AGENTS.md"
UNDRAWN = {"py.typed", "__init__.py"}
FOLDERS = (".", "plugins", "src/capacity", "tests")  # the depth at which the map is complete


def mapped() -> set[str]:
    """The paths in the first column of the map's tables."""
    return set(re.findall(r"^\| `([^`]+)` \|", MAP.read_text(encoding="utf-8"), re.MULTILINE))


def standing(folder: str) -> set[str]:
    """What stands in one folder, as the map writes it: folders end in a slash."""
    found = (path for path in (house.ROOT / folder).glob("*") if house.kept(path) and path.name not in UNDRAWN)
    return {house.short(path) + ("/" if path.is_dir() else "") for path in found}


def test_everything_on_the_map_is_there() -> None:
    """No line of the map leads nowhere."""
    assert [] == sorted(path for path in mapped() if not (house.ROOT / path).exists())


def test_everything_there_is_on_the_map() -> None:
    """Whoever adds a room or a top-level file draws it in."""
    there = set().union(*map(standing, FOLDERS))

    assert [] == sorted(there - mapped())
