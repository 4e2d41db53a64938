"""What is written, and how: tables and colour on a terminal, plain columns elsewhere, nothing a terminal obeys."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest

from capacity.cli import screen
from capacity.cli.lines import age, model_traits
from capacity.cli.screen import Page, Screen, Table, plain, printable
from capacity.ports import Model

from .house import House

TABLE = Table("pools", ("pool", "pace", ""), (("work", "exhausted", ""), ("a longer name", "ok", "why")))
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")


def shown(out: io.StringIO, *tables: Table) -> str:
    Screen(out, io.StringIO()).show(*tables)
    return out.getvalue()


def test_a_table_is_plain_columns_where_nobody_looks() -> None:
    """Two blanks apart, each as wide as its widest cell, no blank at the end of a line."""
    assert [
        "pools:",
        "  pool           pace",
        "  work           exhausted",
        "  a longer name  ok         why",
    ] == shown(io.StringIO(), TABLE).splitlines()


def test_a_table_is_drawn_on_a_terminal() -> None:
    """With colour for the words that are bad or good."""
    text = shown(Terminal(), TABLE)

    assert "\x1b[31mexhausted" in text
    assert "\x1b[32mok" in text
    assert re.fullmatch(r"\W*a longer name +ok +why *", COLOUR.sub("", text).splitlines()[-1])


WIDE = Table(
    "pools",
    ("pool", "pace", "limit", "resets", "last answer"),
    (
        ("work", "exhausted", "weekly", "Mon 2026-03-02 15:00Z", "unreachable: nobody answered"),
        ("", "", "5h", "Mon 2026-03-02 15:00Z", ""),
        ("play", "ok", "", "", "ok"),
    ),
)


@pytest.mark.parametrize("width", [52, 60, 80, 100])
def test_no_word_of_a_table_is_broken(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell is wrapped between its words; every word of it is whole on some line, and no line is too long."""
    monkeypatch.setenv("COLUMNS", str(width))
    text = COLOUR.sub("", shown(Terminal(), WIDE))

    assert {word for row in (WIDE.columns, *WIDE.rows) for cell in row for word in cell.split()} <= set(text.split())
    assert "─" in text
    assert max(map(len, text.splitlines())) <= width


def test_where_a_table_does_not_fit_each_row_is_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every filled cell with its heading; a row that goes on with the one above stays in its block."""
    monkeypatch.setenv("COLUMNS", "48")
    text = shown(Terminal(), WIDE)

    assert "\x1b[31mexhausted" in text
    assert [
        "pools",
        "",
        "pool: work",
        "  pace: exhausted",
        "  limit: weekly",
        "  resets: Mon 2026-03-02 15:00Z",
        "  last answer: unreachable: nobody answered",
        "  limit: 5h",
        "  resets: Mon 2026-03-02 15:00Z",
        "",
        "pool: play",
        "  pace: ok",
        "  last answer: ok",
    ] == COLOUR.sub("", text).splitlines()


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table stays a table."""
    monkeypatch.setenv(name, value)
    text = shown(Terminal(), TABLE)

    assert "\x1b[31m" not in text
    assert "─" in text


def test_a_table_without_rows_is_left_out() -> None:
    """On a terminal and elsewhere."""
    empty = Table("none", ("a",), ())

    assert "" == shown(io.StringIO(), empty) == shown(Terminal(), empty)


@pytest.mark.parametrize("out", [io.StringIO(), Terminal()])
def test_a_stranger_cannot_write_to_the_terminal(out: io.StringIO) -> None:
    """What a terminal would obey, or a table would take for markup, is shown as it is spelt."""
    made = Screen(out, io.StringIO())
    made.say("evil \x1b[2J\r name")
    made.show(Table("t", ("c",), (("\x1b]0;x\x07[red]",),)))
    text = COLOUR.sub("", out.getvalue())

    assert "evil \\x1b[2J\\r name" in text
    assert "\\x1b]0;x\\x07[red]" in text


def test_a_line_may_have_lines() -> None:
    """A newline is the one sign that is kept; letters of any script are."""
    assert "größe\n日本 \\t" == printable("größe\n日本 \t")


def test_the_width_of_a_column_is_that_of_what_is_shown() -> None:
    """A sign that is spelt out takes the room it takes."""
    lines = list(plain(Table("t", ("a", "b"), (("\x07", "x"), ("yy", "z")))))

    assert ["  \\x07  x", "  yy    z"] == lines[2:]


def test_a_page_is_read_from_top_to_bottom() -> None:
    """Its head, then its tables, a blank line before each."""
    out = io.StringIO()
    Screen(out, io.StringIO()).turn(Page("head", (TABLE, Table("none", ("a",), ()), TABLE)))

    assert ["head", "", "pools:"] == out.getvalue().splitlines()[:3]
    assert 2 == out.getvalue().count("\n\n")


def test_pages_follow_each_other_where_nobody_looks() -> None:
    """A log of a watch is read later."""
    out = io.StringIO()
    with Screen(out, io.StringIO()).live() as draw:
        draw(Page("one"))
        draw(Page("two"))

    assert "one\ntwo\n" == out.getvalue()


def test_pages_replace_each_other_on_a_terminal() -> None:
    """The last one stays; a complaint stands above it and is not lost."""
    out, err = Terminal(), io.StringIO()
    made = Screen(out, err)
    with made.live() as draw:
        draw(Page("one", (TABLE,)))
        made.complain("odd \x07")
        draw(Page("two", (TABLE,)))
    made.complain("later")

    text = COLOUR.sub("", out.getvalue())
    assert "\x1b[1A\x1b[2K" in out.getvalue()
    assert text.index("one") < text.index("odd \\x07") < text.index("two")
    assert "later\n" == err.getvalue()


# --- progress -----------------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Somebody who wants to know at once."""
    monkeypatch.setattr(screen, "PATIENCE", 0.01)
    return


@pytest.mark.usefixtures("impatient")
def test_who_waits_is_told_what_for() -> None:
    """On a terminal, on standard error, in one line that is wiped at the end."""
    told = threading.Event()

    class Watched(Terminal):
        def write(self, text: str) -> int:
            if "asking" in text:
                told.set()
            return super().write(text)

    err = Watched()
    with Screen(io.StringIO(), err).progress("asking"):
        assert told.wait(30)

    assert err.getvalue().startswith("\rasking … ")
    assert re.fullmatch(r"\r +\r", err.getvalue()[err.getvalue().rindex("s\r") + 1 :])


@pytest.mark.usefixtures("impatient")
def test_nobody_is_told_where_nobody_waits() -> None:
    """A log keeps no progress."""
    err = io.StringIO()
    with Screen(io.StringIO(), err).progress("asking"):
        threading.Event().wait(0.05)

    assert "" == err.getvalue()


def test_a_short_wait_is_not_told() -> None:
    """What ends before a person gets impatient leaves no trace."""
    err = Terminal()
    with Screen(io.StringIO(), err).progress("asking"):
        pass

    assert "" == err.getvalue()


# --- a real terminal ----------------------------------------------------------------------------


def on_a_terminal(*words: str) -> str:
    """What the command writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    try:
        done = subprocess.Popen([sys.executable, "-m", "capacity.cli", *words], stdout=theirs, stderr=subprocess.PIPE)
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # the other side has closed
                break
            if not piece:
                break
            text += piece
        assert done.communicate(timeout=60)[1] == b""
    finally:
        os.close(ours)
    return text.decode()


def test_a_terminal_gets_tables_and_json_gets_none(house: House) -> None:
    """The same command, by who reads it; a text form is the same everywhere."""
    house.run("tick", "--json")
    words = ["--policy", str(house.policy), "--store", str(house.store), "status"]
    drawn, told = on_a_terminal(*words), on_a_terminal(*words, "--json")

    assert "─" in drawn
    assert "\x1b[" in drawn
    assert told.startswith('{"as_of"')
    assert "\x1b" not in told


# --- lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("span", "told"),
    [
        (timedelta(seconds=-3), "0 s"),
        (timedelta(seconds=119), "119 s"),
        (timedelta(minutes=2), "2 min"),
        (timedelta(minutes=119), "119 min"),
        (timedelta(hours=47), "47 h"),
        (timedelta(days=90), "90 d"),
    ],
)
def test_an_age_is_told_in_one_unit(span: timedelta, told: str) -> None:
    """The largest of which there are two; what lies ahead is no age."""
    assert told == age(span)


def test_what_nobody_tells_of_a_model_is_a_question() -> None:
    """Unknown is not none."""
    assert ("?", "?", "?", "") == model_traits(Model("a"))
    assert ("none", "1,000", "text", "resident") == model_traits(
        Model("a", efforts=(), context=1000, modalities=("text",), residency="resident")
    )


def test_a_reader_who_has_gone_is_noticed() -> None:
    """Once; what is written afterwards goes nowhere, in words and in bytes."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as out:
        made = Screen(out, io.StringIO())
        made.say("words")
        assert made.closed
        made.write(b"bytes\n")
        made.show(TABLE)
