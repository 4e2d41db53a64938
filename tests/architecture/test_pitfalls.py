"""Each way in which rankings mislead is held by a test that is there."""

from __future__ import annotations

import re

from . import house

PAGE = house.ROOT / "docs" / "explanation" / "when-rankings-mislead.md"
ROW = re.compile(r"^\| (\d+) \| .* \| ([^|]*) \|$", re.MULTILINE)


def test_every_pitfall_names_tests_that_are_there() -> None:
    """All twenty-seven, in order, each with at least one test by the name it has."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    written = "\n".join(path.read_text(encoding="utf-8") for path in house.written())
    there = set(re.findall(r"^ *def (test_\w+)\(", written, re.MULTILINE))
    named = {int(number): re.findall(r"`(\w+)`", cell) for number, cell in rows}

    assert list(range(1, 28)) == list(named)
    assert all(named.values())
    assert [] == [name for names in named.values() for name in names if name not in there]
