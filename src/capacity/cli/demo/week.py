"""A week that is told as it happens: ticks on a clock that is stepped, what each of them did, and what was promised.

An episode is one incident with everything it brought about. A promise that does not hold is told, and fails the demo.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Protocol

from attrs import define, field, frozen

from capacity.cli.demo import words
from capacity.cli.demo.crew import follow, seats_in
from capacity.cli.demo.world import World
from capacity.cli.screen import Table
from capacity.codec import dump_tick
from capacity.engine import Engine, Report
from capacity.ports import Placement, Reading
from capacity.values.decision import WRITES, Act

STEP = timedelta(minutes=20)
"""From tick to tick while something happens: the rhythm of a slow probe."""

QUIET = timedelta(hours=2)
"""From tick to tick while nothing does."""


def tick_file(folder: Path, number: int) -> Path:
    """Where a tick is left; the first is number 1."""
    return folder / "ticks" / f"{number:04}.json"


@frozen
class Line:
    """One line of an episode.

    Attributes:
        when: day and time; blank where it is that of the line before.
        who: the pool or the seats it is about.
        what: what happened to them, or what was done with them.
        why: what it rests on.
    """

    when: str
    who: str
    what: str
    why: str = ""


@define
class Episode:
    """One incident.

    Attributes:
        number: its place in the week, from 1.
        title: what it is about.
        ticks: numbers of the ticks it is told by, from 1.
        lines: what happened, and what was done.
        promises: what should come of it → whether it did.
    """

    number: int
    title: str
    ticks: list[int] = field(factory=list)
    lines: list[Line] = field(factory=list)
    promises: dict[str, bool] = field(factory=dict)


class Played(Protocol):
    """An act after the week, once it is over: its episode was told."""

    @property
    def episode(self) -> Episode:
        """What was told."""

    @property
    def table(self) -> Table:
        """What it came to."""


@frozen
class Seen:
    """What one tick did.

    Attributes:
        report: as the engine gives it.
    """

    report: Report

    @cached_property
    def acts(self) -> Mapping[str, Placement]:
        """Seat → its act."""
        made = self.report.tick.decision
        return {one.seat: one for one in made.placements} if made is not None else {}

    @cached_property
    def writes(self) -> Mapping[str, Act]:
        """Seat → what was done with it, of those something was done with."""
        return {seat: one.act for seat, one in self.acts.items() if one.act in WRITES}

    def did(self, act: Act) -> set[str]:
        """The seats that were dealt with so."""
        return {seat for seat, what in self.writes.items() if what == act}

    def state(self, pool: str) -> str | None:
        """What the newest reading of a pool says."""
        return self.report.tick.headroom.pools[pool].state

    def pace(self, pool: str) -> str:
        """The word for a pool."""
        return self.report.tick.headroom.pools[pool].pace

    def answers(self, model: str) -> set[str]:
        """What every need that was asked is told about a model."""
        made = self.report.tick.decision
        if made is None:
            return set()
        rows = (row for need in range(len(made.tables)) for row in made.answers(need))
        return {verdict.answer for candidate, verdict in rows if candidate.model == model}

    def read(self, pool: str) -> Reading | None:
        """What was published of a pool in this tick; None = it was not asked."""
        return next((one for one in self.report.published if one.pool == pool), None)


class Week:
    """Ticks, one after another, and the episodes they make.

    Args:
        world: what it happens in.
        engine: the real one, over the real plugins, store and actuator.
        folder: where ticks are left.
        tell: is given each episode once it has ended.
    """

    def __init__(self, world: World, engine: Engine, folder: Path, tell: Callable[[Episode], None]) -> None:
        self.world = world
        self.seen: list[Seen] = []
        self.episodes: list[Episode] = []
        self.stirred: list[str] = []
        self._engine, self._folder, self._tell = engine, folder, tell
        self._monday = world.clock.now().replace(hour=0, minute=0)
        (folder / "ticks").mkdir()

    def begin(self) -> Seen:
        """The first tick, before anything happens."""
        seen = self._tick()
        self.stirred += seen.writes
        return seen

    # --- time -----------------------------------------------------------------------------------

    def at(self, day: int, hour: int, minute: int = 0) -> datetime:
        """An instant of the week; day 0 is its Monday."""
        return self._monday + timedelta(days=day, hours=hour, minutes=minute)

    def until(self, at: datetime) -> None:
        """Let time pass, with a tick now and then in which nothing should happen."""
        clock = self.world.clock
        while clock.now() + QUIET < at:
            clock.advance(QUIET)
            self.stirred += self._tick().writes
        clock.set(at)

    # --- telling --------------------------------------------------------------------------------

    @contextmanager
    def episode(self, title: str) -> Iterator[None]:
        """One incident: what is ticked and promised inside belongs to it."""
        self.episodes.append(Episode(len(self.episodes) + 1, title))
        yield
        self._tell(self.episodes[-1])

    def promise(self, text: str, held: bool) -> None:
        """What should have come of it, and whether it did."""
        self.episodes[-1].promises[text] = held

    # --- ticking --------------------------------------------------------------------------------

    def tick(self, events: Mapping[str, str], *, staying: Collection[str] = ()) -> Seen:
        """One tick, told: what happened before it, what was done, and why; a step later it is over.

        Args:
            events: pool → what happened to it; what was read of it is told too.
            staying: groups of seats, or seats, that are told of though nothing is done with them.
        """
        when = words.moment(self.world.clock.now())
        seen = self._tick()
        self.episodes[-1].ticks.append(len(self.seen))
        rows = [(pool, what, words.read(seen.read(pool))) for pool, what in events.items()]
        rows += (*words.done(seen.acts, staying), *words.told(seen.report.changed))
        times = (when, *[""] * len(rows))
        self.episodes[-1].lines += [Line(time, *row) for time, row in zip(times, rows, strict=False)]
        self.world.clock.advance(STEP)
        return seen

    def on(self, model: str, pool: str | None = None) -> set[str]:
        """The seats that run a model, on a pool if that is said."""
        rows = seats_in(self._folder).items()
        return {
            name
            for name, row in rows
            if row["model"] == model and pool in (None, row["pool"]) and "paused_by" not in row
        }

    @property
    def pinned(self) -> set[str]:
        """The seats an operator pinned."""
        return {name for name, row in seats_in(self._folder).items() if row.get("pinned")}

    def drawing(self, pool: str) -> set[str]:
        """The seats that run on a pool."""
        rows = seats_in(self._folder).items()
        return {name for name, row in rows if row["pool"] == pool and "paused_by" not in row}

    def _tick(self) -> Seen:
        self.world.live()
        seen = Seen(self._engine.tick())
        self.seen.append(seen)
        tick_file(self._folder, len(self.seen)).write_bytes(dump_tick(seen.report.tick))
        follow(self._folder)
        return seen
