"""What the command writes, and how: tables and colour on a terminal, the same words in plain columns anywhere else.

Rich is loaded where a table is shown on a terminal, and nowhere else. A reader who has gone away is no failure.
"""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from attrs import frozen

from capacity.core.sentences import one_line
from capacity.errors import CapacityError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

PATIENCE = 1.0
"""Seconds after which somebody who waits is told what for."""

GAP = "  "
"""Between two columns."""

STYLES: Mapping[str, str] = {
    "exhausted": "red", "full": "red", "loud": "bold red", "invalid": "red", "failed": "red", "fault": "red",
    "park": "yellow", "demote": "yellow", "wait": "yellow", "unknown": "yellow", "cannot-tell": "yellow",
    "open": "green", "yes": "green", "valid": "green", "ok": "green", "fine": "green", "applied": "green",
}  # fmt: skip  # read as rows: bad, doubtful, good
"""A cell that is one of these words → its style on a terminal."""


@frozen
class Table:
    """Rows for a person.

    Attributes:
        title: what they are.
        columns: a heading for each.
        rows: texts, as many in each as there are columns.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@frozen
class Page:
    """What is shown together.

    Attributes:
        head: one line above all.
        tables: those without rows are left out.
        notes: sentences below the head.
    """

    head: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def top(self) -> str:
        """The head, and each note on a line of its own."""
        return "\n".join((self.head, *self.notes))

    @property
    def filled(self) -> tuple[Table, ...]:
        """The tables that have rows."""
        return tuple(table for table in self.tables if table.rows)


class Screen:
    """Standard output and standard error of one call.

    Args:
        out: where answers go; None = standard output.
        err: where complaints and progress go; None = standard error.
    """

    def __init__(self, out: IO[str] | None = None, err: IO[str] | None = None) -> None:
        # a program that was started with its output closed has none; what it would say is lost, and nothing else
        self._out = out or sys.stdout or io.StringIO()
        self._err = err or sys.stderr or io.StringIO()
        self.closed = False
        self._above: Callable[[str], None] | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether answers are read by a person at a terminal."""
        return self._out.isatty()

    def write(self, body: bytes) -> None:
        """An answer as it is: one of the text forms."""
        with self._reader():
            self._out.flush()
            binary: IO[bytes] | None = getattr(self._out, "buffer", None)
            if binary is None:
                self._out.write(body.decode())
            else:
                binary.write(body)
            self._out.flush()

    def say(self, text: str) -> None:
        """An answer in words."""
        with self._reader():
            self._out.write(_encodable(printable(text), self._out) + "\n")
            self._out.flush()

    def show(self, *tables: Table) -> None:
        """Answers in rows. A table without any is left out."""
        for table in tables:
            if table.rows and self.is_terminal:
                console = self._console()
                with self._reader():
                    console.print(drawn(table, console.width))
            elif table.rows:
                self.say("\n".join(plain(table)))

    def turn(self, page: Page) -> None:
        """Show a page below whatever was shown before."""
        self.say(page.top)
        for table in page.filled:
            self.say("")
            self.show(table)

    @contextmanager
    def live(self) -> Iterator[Callable[[Page], None]]:
        """What shows a page in the place of the one before; anywhere but on a terminal, below it."""
        if not self.is_terminal:
            yield self.turn
            return
        from rich.console import Group
        from rich.live import Live
        from rich.text import Text

        console = self._console()
        with Live(console=console, auto_refresh=False, vertical_overflow="visible") as shown:
            self._above = shown.console.print
            try:
                yield lambda page: shown.update(
                    Group(Text(printable(page.top)), *(drawn(table, console.width) for table in page.filled)),
                    refresh=True,
                )
            finally:
                self._above = None

    def complain(self, text: str) -> None:
        """A sentence for whoever watches the command, not its output. While a page is live it goes above that."""
        if self._above is not None:
            self._above(printable(text))
            return
        try:
            self._err.write(_encodable(printable(text), self._err) + "\n")
            self._err.flush()
        except BrokenPipeError:
            _forget(self._err)

    def _console(self) -> Console:
        """Rich's idea of the terminal; it keeps to `NO_COLOR` and to `TERM=dumb`."""
        from rich.console import Console  # heavy, and only a terminal needs it

        return Console(file=self._out, highlight=False, markup=False, emoji=False)

    @contextmanager
    def progress(self, what: str) -> Iterator[None]:
        """Say on a terminal what is being waited for, once it takes longer than a person likes."""
        if not self._err.isatty():
            yield
            return
        done = threading.Event()
        teller = threading.Thread(target=self._tell, args=(what, done), daemon=True)
        teller.start()
        try:
            yield
        finally:
            done.set()
            teller.join()

    def _tell(self, what: str, done: threading.Event) -> None:
        seconds = 0.0
        while not done.wait(PATIENCE):
            seconds += PATIENCE
            self._draw(f"\r{what} … {seconds:.0f} s")
        if seconds:
            self._draw(f"\r{' ' * len(f'{what} … {seconds:.0f} s')}\r")

    def _draw(self, text: str) -> None:
        try:
            self._err.write(_encodable(text, self._err))
            self._err.flush()
        except OSError:
            return  # a terminal that has gone is told nothing more

    @contextmanager
    def _reader(self) -> Iterator[None]:
        """Whoever reads may stop reading; the work goes on, and is not told as a failure."""
        try:
            yield
        except BrokenPipeError:
            self.closed = True
            _forget(self._out)
        except OSError as error:
            _forget(self._out)
            raise CapacityError(f"the answer cannot be written where it goes: {error.strerror or error}") from None


def printable(text: str) -> str:
    """A text without anything a terminal obeys: names come from strangers."""
    return "\n".join(map(one_line, text.split("\n")))


def plain(table: Table) -> Iterator[str]:
    """A table as lines: its title, then columns two blanks apart."""
    rows = (table.columns, *table.rows)
    widths = [max(len(one_line(row[at])) for row in rows) for at in range(len(table.columns))]
    yield f"{table.title}:"
    for row in rows:
        cells = (one_line(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {GAP.join(cells)}".rstrip()


def drawn(table: Table, width: int) -> RichTable | Text:
    """A table for a terminal so wide; where it could not hold every column without breaking words, one block for each row."""
    widths = fitted(table, width)
    return stacked(table) if widths is None else rich_table(table, widths)


def fitted(table: Table, width: int) -> list[int] | None:
    """How wide each column is on a terminal so wide; None where its longest words alone need more.

    What is left beyond the longest words goes to the columns that are still to be wrapped, a cell at a time to the one
    that lacks most.
    """
    columns = [[one_line(row[at]) for row in (table.columns, *table.rows)] for at in range(len(table.columns))]
    widths = [max(len(word) for cell in cells for word in (*cell.split(), "")) for cells in columns]
    whole = [max(map(len, cells)) for cells in columns]
    room = width - len(GAP) * (len(widths) - 1) - sum(widths)
    if room < 0:
        return None
    for _ in range(room):
        lack, at = max((full - now, at) for at, (full, now) in enumerate(zip(whole, widths, strict=True)))
        if lack <= 0:
            break
        widths[at] += 1
    return widths


def rich_table(table: Table, widths: list[int]) -> RichTable:
    """A table whose columns are so wide."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(
        title=table.title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, show_edge=False, pad_edge=False,
        padding=(0, len(GAP) - 1, 0, 0),
    )  # fmt: skip  # the box puts another blank between two columns
    for column, width in zip(table.columns, widths, strict=True):
        made.add_column(column, overflow="fold", width=width)
    for row in table.rows:
        made.add_row(*(Text(one_line(cell), style=STYLES.get(cell, "")) for cell in row))
    return made


def stacked(table: Table) -> Text:
    """A table as blocks, one for each row: its first filled cell, and below it every other, each with its heading.

    A row that begins with two blanks goes on with the one above.
    """
    from rich.text import Text

    told = Text(table.title, style="bold")
    for row in table.rows:
        named = [(name, one_line(cell)) for name, cell in zip(table.columns, row, strict=True) if cell]
        for at, (name, cell) in enumerate(named):
            told.append("\n\n" if at == 0 and any(row[:2]) else "\n  ", style="not bold")
            told.append(f"{name}: " if name else "", style="not bold dim")
            told.append(cell, style=f"not bold {STYLES.get(cell, '')}".rstrip())
    return told


def _encodable(text: str, stream: IO[Any]) -> str:
    """The text in what the stream can say; a terminal that knows no dash still gets its sentence."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _forget(stream: IO[Any]) -> None:
    """Let what is still to be written go nowhere, so that the interpreter does not fail on it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
