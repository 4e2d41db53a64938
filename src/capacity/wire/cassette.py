"""Cassettes: what flows asked and what came back, as JSON lines that a person may read and attach to a report.

One exchange a line, in the order the answers came: `{"effect":…,"flow":0,"form":1,"reply":…}`, or with `fault` in place
of `reply`. Nothing in it is a secret: redaction happens before an exchange is kept, not when it is written. All of it is
ASCII, since a file's name may be no text in any encoding.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from attrs import field, frozen

from capacity.errors import Fault, FormError, WireError
from capacity.ports import Effect
from capacity.wire.recorded import dump, load
from capacity.wire.redaction import Redaction

FORM = 1
"""The version of the lines this release writes and reads."""


@frozen
class Exchange:
    """One effect and what came of it.

    Attributes:
        flow: which flow asked: flows are numbered from 0 as they start.
        effect: the effect, as JSON.
        answer: the reply or the fault, as JSON.
        failed: whether the answer is a fault.
    """

    flow: int
    effect: Mapping[str, Any]
    answer: Any
    failed: bool = False

    @property
    def line(self) -> str:
        """Its line in a cassette."""
        row = {"form": FORM, "flow": self.flow, "effect": self.effect, "fault" if self.failed else "reply": self.answer}
        return json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n"

    @classmethod
    def of(cls, line: str) -> Exchange:
        """The exchange on a line of a cassette.

        Raises:
            ValueError: it is no such line; says why.
        """
        row = json.loads(line)
        if not isinstance(row, dict) or row.get("form") != FORM:
            raise ValueError(f"is not of form {FORM}")
        failed = "fault" in row
        try:
            exchange = cls(row["flow"], row["effect"], row["fault" if failed else "reply"], failed)
            load(exchange.answer)
        except (KeyError, TypeError) as error:
            raise ValueError(f"has no valid {error}") from None
        return exchange


def _exchanges(exchanges: Iterable[Exchange]) -> tuple[Exchange, ...]:
    return tuple(exchanges)


@frozen
class Cassette:
    """Recorded exchanges of one flow or several.

    Attributes:
        exchanges: in the order their answers came.
    """

    exchanges: tuple[Exchange, ...] = field(default=(), converter=_exchanges)

    @property
    def flows(self) -> tuple[int, ...]:
        """The numbers of the flows in it."""
        return tuple(sorted({exchange.flow for exchange in self.exchanges}))

    def flow(self, number: int) -> Cassette:
        """The exchanges of one flow, for `replay`."""
        return Cassette(exchange for exchange in self.exchanges if exchange.flow == number)

    def dumps(self) -> str:
        """Its text. Equal cassettes have equal texts."""
        return "".join(exchange.line for exchange in self.exchanges)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file."""
        Path(path).write_text(self.dumps(), encoding="utf-8")

    @classmethod
    def loads(cls, text: str, *, source: str = "text") -> Cassette:
        """The cassette behind a text.

        Raises:
            FormError: lines of it are no exchanges; names all of them.
        """
        exchanges, faults = [], []
        for number, line in enumerate(text.split("\n"), 1):
            try:
                exchanges += [Exchange.of(line)] if line else []
            except (ValueError, RecursionError) as error:
                faults.append(Fault(f"line {number}", str(error), "record it anew"))
        if faults:
            raise FormError(source, tuple(faults))
        return cls(exchanges)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Cassette:
        """The cassette in a file.

        Raises:
            FormError: it cannot be read, or lines of it are no exchanges.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FormError(str(path), (Fault("", f"cannot be read: {error}", "name a cassette"),)) from None
        return cls.loads(text, source=str(path))


class Recorder:
    """Collects the exchanges of every flow of the hosts it is given to. May be shared by threads and loops."""

    def __init__(self) -> None:
        self._exchanges: list[Exchange] = []
        self._numbers = itertools.count()

    def begin(self, redaction: Redaction) -> Callable[[Effect[Any], Any, WireError | None], None]:
        """Number a flow that starts; returns what takes its exchanges."""
        flow = next(self._numbers)

        def exchange(effect: Effect[Any], reply: Any, fault: WireError | None) -> None:
            answer = dump(reply if fault is None else fault, redaction)
            self._exchanges.append(Exchange(flow, dump(effect, redaction), answer, failed=fault is not None))

        return exchange

    @property
    def cassette(self) -> Cassette:
        """What was collected so far."""
        return Cassette(self._exchanges)

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was collected so far to a file."""
        self.cassette.save(path)
