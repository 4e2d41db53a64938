"""What somebody else's JSON says, taken field by field. Pure; nothing is guessed.

What is missing, null, or of another kind is None: never nought, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from math import inf, isfinite
from typing import Any, final

LINE_MOST = 1000
"""Characters of a name, a version or an address. The longest that is read anywhere here, an address, has some two hundred."""

EARLIEST, LATEST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
"""An instant outside is none: no agent that anybody runs is older than the first, and zero is how some say *never*."""

_NUMERAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?([eE][+-]?[0-9]{1,2})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@final
class Fields:
    """One object of a foreign answer.

    Args:
        tree: what stands where the object should; anything else has no fields.
    """

    __slots__ = ("_tree",)

    def __init__(self, tree: object) -> None:
        self._tree: Mapping[Any, Any] = tree if isinstance(tree, Mapping) else {}

    def __bool__(self) -> bool:
        """Whether there is an object with anything in it."""
        return bool(self._tree)

    def text(self, *names: str) -> str | None:
        """The first of these fields that is a text of one printable line, without white space at its ends."""
        return next(filter(None, (_line(self._tree.get(name)) for name in names)), None)

    def number(self, name: str, low: float = -inf, high: float = inf) -> float | None:
        """A finite number from `low` to `high`, also where it is spelt as a text; no flag, and no NaN."""
        figure = _figure(self._tree.get(name))
        return figure if figure is not None and isfinite(figure) and low <= figure <= high else None

    def whole(self, name: str, low: int = 0) -> int | None:
        """A whole number from `low` up."""
        figure = self.number(name, low)
        return int(figure) if figure is not None and figure.is_integer() else None

    def money(self, name: str) -> Decimal | None:
        """An amount above nought, exact as it is spelt. Nought is how a missing price is told, and is none."""
        figure = self.number(name, 0.0)
        return Decimal(str(self._tree[name]).strip()) if figure else None

    def flag(self, name: str) -> bool | None:
        """True or false."""
        value = self._tree.get(name)
        return value if isinstance(value, bool) else None

    def instant(self, name: str) -> datetime | None:
        """An instant, UTC: an ISO date, then its midnight, or an ISO date and time, UTC where it names no offset."""
        return _instant(_line(self._tree.get(name)) or "")

    def inside(self, name: str) -> Fields:
        """The object in a field; one without fields where there is none."""
        return Fields(self._tree.get(name))

    def items(self, name: str) -> list[Any] | None:
        """The list in a field."""
        value = self._tree.get(name)
        return value if isinstance(value, list) else None

    def each(self) -> Iterator[tuple[str, Fields]]:
        """Every field that holds an object, by its name, in order."""
        for name, value in self._tree.items():
            if isinstance(name, str) and isinstance(value, Mapping):
                yield name, Fields(value)


def _line(value: object) -> str | None:
    line = value.strip() if isinstance(value, str) and len(value) <= LINE_MOST else ""
    return line if line and line.isprintable() else None


def _figure(value: object) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMERAL.fullmatch(value := value.strip()) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _instant(text: str) -> datetime | None:
    if not _DAY.match(text):  # Python reads more spellings than anybody writes, a week and a bare year among them
        return None
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if EARLIEST <= moment < LATEST else None
