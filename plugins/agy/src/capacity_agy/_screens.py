"""Quota groups as text: the table the command line prints, and what the terminal shows or once showed.

A title holds until the next; a window that comes twice under one title belongs to a group whose title is lost. What
cannot be told apart is dropped aloud.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from attrs import define, field
from capacity.ports import Document, Limit, Reading

from capacity_agy._pools import NAMELESS, WINDOWS, Row, part_of, readings, window_of
from capacity_agy._wire import NEAR, instant, span, used_in, word

TABLE, SCREEN = "print-usage-text", "usage-screen"
"""Sources: the printed table; a terminal."""

LEFT = "limit remaining"
"""How a label ends that says which way its percentage counts. A label without it says nothing."""

_TITLE = re.compile(r"[\w ,&+-]{1,60} models")
_LIST = "models within this group"
_WINDOW = re.compile(r"(.{1,40}? limit remaining)\b:?(.*)")
_REFRESH = re.compile(r"refreshes in (.+)")

SLACK = timedelta(minutes=15)
"""A reset this much beyond its window's length is still one: clocks differ. One further away is another window's."""


def table(doc: Document, told: Sequence[str]) -> tuple[Reading, ...] | None:
    """The printed table: title, label, percentage, instant, with tabs between them; None where no line is such a row."""
    split = ([field.strip() for field in line.split("\t")] for line in told)
    rows = [row for row in split if len(row) > 2 and row[1].casefold().endswith(LEFT)]
    if not rows:
        return None
    return readings(doc, TABLE, (_row(row, doc.at) for row in rows))


def _row(row: Sequence[str], at: datetime) -> Row:
    label = word(row[1])
    name = window_of(label) or label or NAMELESS
    share, step = used_in(row[2]) or (None, 1.0)
    resets_at = instant(row[3], at) if len(row) > 3 else None
    limit = Limit(name, percent=share, quantum=step, resets_at=resets_at, window=WINDOWS.get(name))
    return Row(part_of(word(row[0])), limit)


@define
class Block:
    """One window on a screen, as far as it was read.

    Attributes:
        part: of the group it stands under; None = that title is lost.
        name: the limit's.
        figure: percent used and its step; None = not yet told.
        resets_at: None = not told.
        torn: a figure came that cannot be its own: a heading is lost, and what follows belongs to another window.
    """

    part: str | None
    name: str
    figure: tuple[float, float] | None = None
    resets_at: datetime | None = None
    torn: bool = False

    def hear(self, line: str, at: datetime) -> None:
        """Take what a line tells of the window: a figure, told again more finely by the text than by the bar; a reset."""
        figure = None if "used" in line else used_in(line)
        if figure is not None and self.figure is not None and abs(figure[0] - self.figure[0]) > 1:
            self.torn = True
        if self.torn:
            return
        if figure is not None and (self.figure is None or figure[1] < self.figure[1]):
            self.figure = figure
        found = _REFRESH.search(line)
        wait = span(found[1]) if found else None
        if wait is not None and self.resets_at is None and wait <= WINDOWS.get(self.name, NEAR) + SLACK:
            self.resets_at = at + wait

    @property
    def row(self) -> Row:
        """The window as a limit."""
        share, step = self.figure or (None, 1.0)
        limit = Limit(self.name, percent=share, quantum=step, resets_at=self.resets_at, window=WINDOWS.get(self.name))
        return Row(self.part, limit)


@define
class _Screen:
    """A screen being read, line by line."""

    at: datetime
    blocks: list[Block] = field(factory=list)
    part: str | None = None
    fresh: bool = False  # the line before was a title
    seen: set[str] = field(factory=set)

    def read(self, line: str) -> None:
        window = _WINDOW.fullmatch(line)
        if line.startswith(_LIST):
            self.part = self.part if self.fresh else None
            self.seen.clear()
        elif window:
            self._begin(window_of(window[1].strip()) or window[1].strip(), window[2])
        elif _TITLE.fullmatch(line):
            self.part, self.fresh = part_of(line), True
            self.seen.clear()
            return
        elif self.blocks and not self.fresh:
            self.blocks[-1].hear(line, self.at)
        self.fresh = False

    def _begin(self, name: str, rest: str) -> None:
        block = Block(self.part, name)
        block.hear(rest, self.at)
        last = self.blocks[-1] if name in self.seen else block
        if last is not block and last.name == name and last.figure in {None, block.figure}:
            last.hear(rest, self.at)  # the same heading once more, as a terminal that is drawn anew leaves it
            return
        if name in self.seen:
            self.part = block.part = None
            self.seen.clear()
        self.seen.add(name)
        self.blocks.append(block)


def screen(doc: Document, told: Sequence[str]) -> tuple[Reading, ...] | None:
    """What a terminal shows; None where there is not both a group's title and a window under it."""
    shown = _Screen(doc.at)
    for line in told:
        shown.read(line.casefold())
    if not any(block.part for block in shown.blocks):
        return None
    return readings(doc, SCREEN, (block.row for block in shown.blocks))
