"""The demo's text: an episode as a table and its promises; rows that are wrapped where no terminal does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap

from capacity.cli.demo.week import Episode
from capacity.cli.screen import Table, plain

COLUMNS = ("when", "who", "what", "why")
WIDTH = 48
"""Characters of a column where no terminal tells how many there is room for."""

LISTED = 12
"""Ticks of an episode that are named one by one."""

Out = Callable[[str], None]
Show = Callable[[Table], None]


LEGEND = (
    ("keep", "it stays where it is; room elsewhere is no reason to move"),
    ("leave", "it is not ours to touch: pinned, held or paused by somebody"),
    ("move", "to another place of its tier, since its own is proven unusable"),
    ("demote", "to a lower tier, never below its floor, until its home has room"),
    ("restore", "back to its home after that"),
    ("park", "stopped, since no place is left; it says until when, or who ends it"),
    ("resume", "started again after that"),
)
"""What may be done with a seat, for who never saw it."""


def legend() -> Table:
    """The words of the tables."""
    return Table("What may be done with a seat", ("act", "means"), LEGEND)


def table_of(episode: Episode) -> Table:
    """What happened, and what was done."""
    rows = tuple((line.when, line.who, line.what, line.why) for line in episode.lines)
    title = f"{episode.number}. {episode.title[:1].upper()}{episode.title[1:]}"
    return Table(title, COLUMNS, rows)


def outcome_of(episode: Episode) -> str:
    """What should have come of it and whether it did, and where its ticks are, if it left any."""
    if not episode.ticks:
        return promises(episode.promises)
    numbers = [f"{number:04}" for number in episode.ticks]
    files = ", ".join(numbers) if len(numbers) <= LISTED else f"{numbers[0]} … {numbers[-1]}"
    return f"{promises(episode.promises)}\n  ticks: {files}"


def promises(told: Mapping[str, bool]) -> str:
    """What should have come of something, and whether it did."""
    return "\n".join(f"  {'held' if held else 'BROKEN'}: {text}" for text, held in told.items())


def in_lines(out: Out) -> Show:
    """What shows a table where there is no terminal."""
    return lambda table: out("\n".join(plain(wrapped(table))))


def wrapped(table: Table) -> Table:
    """A table whose long cells go on in the next row."""
    rows = tuple(row for whole in table.rows for row in _wrapped(whole))
    return Table(table.title, table.columns, rows)


def _wrapped(row: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip_longest(*(wrap(cell, WIDTH) or [""] for cell in row), fillvalue="")
