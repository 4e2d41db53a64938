"""The form in which seats are told and placements are written: a JSON table, read with every fault collected.

Keys nobody here knows belong to the orchestrator; they are neither read nor faults.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

from capacity.codec.faults import Faulty, wrong
from capacity.codec.text import json_tree
from capacity.errors import Fault, FormError
from capacity.ports import Seat

V = TypeVar("V")


class Row:
    """One table of a JSON text, read key by key; what is wrong is noted with its path.

    Args:
        keys: the table.
        path: where it stands, dotted.
        faults: where faults are noted.
    """

    def __init__(self, keys: Mapping[str, Any], path: str, faults: list[Fault]) -> None:
        self._keys = keys
        self._path = path
        self._faults = faults

    def form(self, number: int) -> None:
        """Note a fault unless the table says that it is of that form."""
        if self._keys.get("form") != number:
            self.fault("form", f"is not {number}", f'write "form": {number}; other forms need another release')

    def word(self, key: str) -> str:
        """A text that must be there."""
        text = self.text(key)
        if not text:
            self._missing(key, "give it a text")
        return text or ""

    def text(self, key: str) -> str | None:
        """A text, or None where there is none."""
        return self._typed(key, str, "is no text")

    def flag(self, key: str) -> bool:
        """A flag; not said is false."""
        return self._typed(key, bool, "is neither true nor false") or False

    def span(self, key: str) -> timedelta | None:
        """A span in seconds, or None where there is none."""
        value = self._keys.get(key)
        if value is None:
            return None
        try:
            if isinstance(value, bool):
                raise TypeError
            return timedelta(seconds=value)
        except (TypeError, ValueError, OverflowError):
            self.fault(key, f"is no number of seconds: {value!r}", "write seconds, or null")
            return None

    def instant(self, key: str) -> datetime | None:
        """An aware instant, or None where there is none."""
        text = self.text(key)
        try:
            at = datetime.fromisoformat(text) if text else None
        except ValueError:
            at = None
        if text and (at is None or at.tzinfo is None):
            self.fault(key, f"is no instant with a zone: {text!r}", "write it like 2026-01-31T12:00:00Z")
            return None
        return at

    def row(self, key: str) -> Row | None:
        """A table in this table, or None where there is none."""
        inner = self._typed(key, dict, "is no table")
        return None if inner is None else Row(inner, self._at(key), self._faults)

    def required_row(self, key: str, remedy: str) -> Row:
        """A table that must be there; an empty one where it is not."""
        inner = self.row(key)
        if inner is None:
            self._missing(key, remedy)
        return inner or Row({}, self._at(key), self._faults)

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Every key with its table."""
        for key in self._keys:
            inner = self.row(key)
            if inner is not None:
                yield key, inner

    def fault(self, key: str, wrong: str, remedy: str = "") -> None:
        """Note that something is wrong with a key."""
        self._faults.append(Fault(self._at(key), wrong, remedy))

    def _typed(self, key: str, cls: type[V], wrong: str) -> V | None:
        value = self._keys.get(key)
        if value is None or isinstance(value, cls):
            return value
        self.fault(key, wrong)
        return None

    def _at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def _missing(self, key: str, remedy: str) -> None:
        if all(fault.path != self._at(key) for fault in self._faults):
            self.fault(key, "is missing", remedy)


def opened(body: bytes, source: str) -> dict[str, Any]:
    """The table a text holds.

    Raises:
        FormError: it holds something else, or is no JSON.
    """
    try:
        table = json_tree(body)
        if not isinstance(table, dict):
            raise wrong("is no table", 'it begins like {"form": 1, "seats": {')
    except Faulty as error:
        raise FormError(source, error.faults) from None
    return table


def seats_in(top: Row, fleet: str) -> dict[str, Seat]:
    """Name → seat, from the table's `seats`; a table without its form or its seats is at fault."""
    top.form(1)
    rows = top.required_row("seats", 'write "seats": {} where there are none')
    seats = {name: _seat(fleet, name, row) for name, row in rows.rows()}
    if "" in seats:
        rows.fault('""', "is no name for a seat", "name it, or take it out")
    return seats


def _seat(fleet: str, name: str, row: Row) -> Seat:
    return Seat(
        fleet,
        name,
        row.word("harness"),
        row.word("model"),
        effort=row.text("effort"),
        pool=row.text("pool"),
        role=row.text("role"),
        cadence=row.span("cadence_s"),
        pinned=row.flag("pinned"),
        held=row.flag("held"),
        paused_by=row.text("paused_by"),
        placement=row.text("placement"),
    )


def written(table: Mapping[str, Any]) -> bytes:
    """A table as text a person can read, its keys in the order they came."""
    return (json.dumps(table, indent=2, ensure_ascii=False) + "\n").encode()
