"""The `file` actuator: a JSON file with `seats`, the orchestrator's, and `placements`, ours.

Neither side writes the other's half. A placement of ours is shown over its seat for as long as the orchestrator still
shows the place it replaces, or shows the place it asks for; once it shows anything else, it has the last word.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast, get_args

from attrs import evolve, field, frozen

from capacity.actuators._form import Row, opened, seats_in, written
from capacity.actuators._transaction import ABILITIES, OURS, Place, WritesPlacements, judge, place_of
from capacity.core.advance import seat_after
from capacity.errors import CapacityError, Fault, FormError, NotFound, TimedOut, WireError
from capacity.ports import Ability, Candidate, File, Fleet, Outcome, Placement, Read, Replace, Seat
from capacity.values.conditions import Fact
from capacity.values.decision import Act

ATTEMPTS = 3
"""How often the file is read again when somebody else wrote it between our reading and our writing."""


@frozen
class Page:
    """The file, read.

    Attributes:
        table: everything in it.
        shown: seat → as the orchestrator shows it.
        ours: seat → our placement, with the places it is shown over.
        refuses: why the orchestrator may not be written to now; None = it may.
    """

    table: Mapping[str, Any]
    shown: Mapping[str, Seat]
    ours: Mapping[str, tuple[Placement, frozenset[Place]]]
    refuses: str | None

    def seat(self, name: str) -> Seat | None:
        """A seat with our placement over it; None where there is no such seat."""
        seat = self.shown.get(name)
        if seat is None or name not in self.ours:
            return seat
        placement, places = self.ours[name]
        if place_of(seat) not in places:
            return seat
        after = seat_after(seat, placement)
        return after if seat.paused_by in (None, OURS) else evolve(after, paused_by=seat.paused_by)

    def with_placement(self, placement: Placement, at: datetime) -> bytes:
        """The file's text with that placement in it; nothing else is changed."""
        row = _row(placement, self.shown[placement.seat], at)
        placements = {**(self.table.get("placements") or {}), placement.seat: row}
        return written({**self.table, "placements": placements})


@frozen(kw_only=True)
class FileActuator(WritesPlacements):
    """Reads and writes one fleet's file.

    Attributes:
        name: the fleet's name.
        path: the file; may hold `~/` and `${NAME}`.
        abilities: what it can do.
    """

    name: str
    path: str
    abilities: frozenset[Ability] = field(default=ABILITIES, init=False)

    async def fleet(self) -> Fleet:
        """The seats, with our placements over them.

        Raises:
            CapacityError: the file is missing, cannot be read, or is not in its form; every fault is named.
        """
        file = await self._file()
        page = read_page(file, self.name)
        seats = (seat for name in page.shown if (seat := page.seat(name)) is not None)
        return Fleet(self.name, file.at, tuple(seats), refuses=page.refuses)

    async def apply(self, placement: Placement) -> Outcome:
        """Write a placement where its seat still is as expected; the file is replaced whole, under its lock."""
        for _ in range(ATTEMPTS):
            try:
                file = await self._file()
                page = read_page(file, self.name)
            except CapacityError as error:
                return Outcome("rejected", str(error))
            answer = judge(page.seat(placement.seat), placement)
            if answer is not None:
                return evolve(answer, at=file.at)
            outcome = await self._replace(page.with_placement(placement, file.at), file.digest)
            if outcome is not None:
                return outcome
        return Outcome("rejected", f"{self.path}: changed {ATTEMPTS} times while it was being written; nothing was")

    async def _file(self) -> File:
        try:
            return await Read(self.path)
        except NotFound as error:
            remedy = f'write {{"form": 1, "seats": {{}}}} there, or correct `path` of the fleet {self.name}'
            raise CapacityError(f"{error.asked}: {error.why}; {remedy}") from error

    async def _replace(self, content: bytes, was: str) -> Outcome | None:
        """What became of it; None where somebody else wrote the file first."""
        try:
            done = await Replace(self.path, content, was)
        except TimedOut as error:
            return Outcome("indeterminate", str(error))
        except WireError as error:
            return Outcome("rejected", str(error))
        return Outcome("applied", at=done.at) if done.done else None


def file(*, fleet: str, path: str) -> FileActuator:
    """The actuator of a fleet that keeps its seats in a JSON file: `{"form": 1, "seats": {…}, "placements": {…}}`.

    `seats` is the orchestrator's: NAME → `harness` and `model`, and where they are known `effort`, `pool`, `role`,
    `cadence_s`, `pinned`, `held`, `paused_by`. Beside it may stand `refuses`, a sentence: why nothing may be written now.
    `placements` is ours: NAME → `id`, `act`, where to (`harness`, `pool`, `model`, `effort`; all null for a park),
    `cadence_s`, `until`, `expected` (harness, model, effort it replaces), `at`, and `over`, the place the orchestrator
    still showed where that was another. Instants are UTC. Every other key is kept as it is.

    Args:
        fleet: the fleet's name.
        path: the file; may hold `~/` and `${NAME}`. Whoever else writes it locks `<path>.lock` exclusively meanwhile, or
            replaces it whole.
    """
    return FileActuator(name=fleet, path=path)


def read_page(file: File, fleet: str) -> Page:
    """The file's content as values.

    Raises:
        FormError: it is not in its form; every fault is named.
    """
    table = opened(file.body, file.path)
    faults: list[Fault] = []
    top = Row(table, "", faults)
    shown = seats_in(top, fleet)
    rows = top.row("placements")
    ours = {name: _ours(fleet, name, row) for name, row in rows.rows()} if rows else {}
    page = Page(table, shown, ours, top.text("refuses"))
    if faults:
        raise FormError(file.path, tuple(faults))
    return page


def _ours(fleet: str, name: str, row: Row) -> tuple[Placement, frozenset[Place]]:
    expected, over = _place(row.row("expected")), _place(row.row("over"))
    target = _target(row)
    placement = Placement(
        row.word("id"), fleet, name, _act(row), Fact("file:written", name), target,
        until=row.instant("until"), cadence=row.span("cadence_s"),
    )  # fmt: skip  # in the order of the class
    places = (expected, over, place_of(target) if target else None)
    return placement, frozenset(place for place in places if place is not None)


def _target(row: Row) -> Candidate | None:
    if row.text("model") is None:
        return None
    return Candidate(row.word("harness"), row.word("pool"), row.word("model"), row.text("effort"))


def _act(row: Row) -> Act:
    act = row.word("act")
    if act not in get_args(Act):
        row.fault("act", f"is none of the acts: {act!r}", f"one of {', '.join(get_args(Act))}")
    return cast("Act", act)


def _place(row: Row | None) -> Place | None:
    return None if row is None else (row.word("harness"), row.word("model"), row.text("effort"))


def _row(placement: Placement, shown: Seat, at: datetime) -> dict[str, Any]:
    """A placement as it is written. `over` is what the orchestrator showed, where it had not followed us yet."""
    there = placement.candidate
    raw = place_of(shown)
    expected = place_of(placement.expected) if placement.expected else raw
    row = {
        "id": placement.id,
        "act": placement.act,
        "harness": there and there.harness,
        "pool": there and there.pool,
        "model": there and there.model,
        "effort": there and there.effort,
        "cadence_s": None if placement.cadence is None else placement.cadence.total_seconds(),
        "until": None if placement.until is None else _text(placement.until),
        "expected": dict(zip(PLACE, expected, strict=True)),
        "at": _text(at),
    }
    return row if raw == expected else {**row, "over": dict(zip(PLACE, raw, strict=True))}


PLACE = ("harness", "model", "effort")


def _text(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
