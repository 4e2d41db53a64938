"""The pages on failures say what the code does, and name only tests that exist."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import get_args

from capacity.values.failures import HOLDS, FailureKind

from . import house

FOLDER = house.ROOT / "docs" / "explanation"
KINDS = (FOLDER / "failure-kinds.md").read_text(encoding="utf-8")
PEER = [FOLDER / "failures-of-a-peer.md", FOLDER / "failures-of-a-peer-sessions.md"]
SPANS = {"min": "minutes", "h": "hours", "s": "seconds"}


def span(cell: str) -> timedelta | None:
    """The span a cell begins with; None where it is blank."""
    found = re.match(r"(\d+) (min|h|s)\b", cell.strip())
    return None if found is None else timedelta(**{SPANS[found[2]]: int(found[1])})


def test_every_kind_is_told_with_its_hold() -> None:
    """In the table of kinds: whom it blames, and for how long where nobody says."""
    rows = re.findall(r"^\| `([\w-]+)` \| [^|]+ \| (\w+) \|([^|]*)\|$", KINDS, re.MULTILINE)

    assert set(get_args(FailureKind)) == {kind for kind, *_ in rows}
    assert {kind: (hold.blames, hold.span) for kind, hold in HOLDS.items()} == {
        kind: ("none" if blames == "nobody" else blames, span(cell)) for kind, blames, cell in rows
    }


def test_every_bug_of_the_peer_is_walked_once() -> None:
    """105 rows, in their order, each with what is right and where it is held."""
    rows = [
        row
        for page in PEER
        for row in re.findall(r"^\| (\d+) \| (.+) \| (.+) \|$", page.read_text("utf-8"), re.MULTILINE)
    ]

    assert [*range(1, 106)] == [int(number) for number, *_ in rows]


def test_only_tests_that_exist_are_named() -> None:
    """A page that promises a test is worth what the test is."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md"))
    folders = [house.ROOT / "tests", *(plugin / "tests" for plugin in house.PLUGINS)]
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("test_*.py")]
    there = {name for source in sources for name in re.findall(r"def (test_\w+)\(", source)}
    bugs = set(
        re.findall(
            r"^    \((\d+), \{", next(s for s in sources if re.search(r"^BUGS: list", s, re.MULTILINE)), re.MULTILINE
        )
    )

    assert set() == set(re.findall(r"`(test_\w+)`", text)) - there
    assert set() == set(re.findall(r"`bug-(\d+)`", text)) - bugs
