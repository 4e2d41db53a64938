"""Wires that drift: a good answer, changed as the next release of a program, a proxy or a broken pipe changes it.

No change invents a figure or a word that an answer was not given with, so what a reader tells of a drifted answer and
not of the good one is its own invention. A list loses no row: a shorter list is another true answer, not a drift.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.ports import Document

MOST = 5
"""Changes one answer goes through at the most: enough for a figure, its scope and its reset to be lost together."""

JUNK = ("true", "-1", '"n/a"', '""', "[]", "{}", "[null]", "NaN", "Infinity", "1" + "0" * 30)
"""What stands where something of another type was, as JSON; the last is an instant that no calendar holds."""

WORDS = ("surprise", "note_2", "is_new")
"""Names of members nobody knows."""

ESCAPES = ("\x1b[1m", "\x1b[0m", "\x1b[38;5;208m", "\x1b[2K", "\x1b[?25l", "\x1b]0;title\x07")
"""What a terminal is told between words: bold, plain, a colour, erase, hide the cursor, a title."""

SECONDS = (10**9, 4 * 10**9)
"""Epoch seconds of 2001 to 2096; a number in this range is taken for an instant, and a thousand times it too."""

Change = Callable[[DrawFn, Any, Any], None]
"""One change to what stands in a table or list at a key or place."""


def drifted(document: Document) -> SearchStrategy[Document]:
    """The document as it may come one day: its body drifted, and headers lost, blank or spelt otherwise.

    Args:
        document: an answer in good health. Whatever is known of it beside body and headers stays as it is.
    """
    bodies = drifted_body(document.body)
    if not document.headers:
        return st.builds(evolve, st.just(document), body=bodies)
    return st.builds(evolve, st.just(document), body=bodies, headers=_headers(document.headers))


def drifted_body(body: bytes) -> SearchStrategy[bytes]:
    """The body as it may come one day: as JSON where it is JSON, as lines of JSON, else as text."""
    if _is_json(body):
        return drifted_json(body)
    if any(_is_json(line) and line.lstrip().startswith(b"{") for line in body.splitlines()):
        return st.one_of(drifted_text(body), _drifted_stream(body))
    return drifted_text(body)


def drifted_json(body: bytes) -> SearchStrategy[bytes]:
    """The same JSON with up to `MOST` changes.

    A member is missing, null, extra or of another type; a number is a string or the other way round; an instant is
    told as epoch seconds, milliseconds, RFC 3339 or without a zone; rows and members come in another order.

    Args:
        body: JSON.

    Raises:
        ValueError: it is none.
    """
    json.loads(body)  # a fault is the caller's, and told at once
    return _changed(body)


@st.composite
def drifted_text(draw: DrawFn, body: bytes) -> bytes:
    """The same text with up to `MOST` changes: lines lost or repeated, terminal codes, carriage returns, broken off."""
    lines = body.decode(errors="surrogateescape").splitlines(keepends=True)
    for _ in range(draw(st.integers(1, MOST))):
        if lines:
            place = draw(st.integers(0, len(lines) - 1))
            lines[place : place + 1] = draw(st.sampled_from(TEXT_CHANGES))(draw, lines[place])
    text = "".join(lines)
    if draw(st.booleans()):
        text = text[: draw(st.sampled_from(_breaks(text)))]
    return text.encode(errors="surrogateescape")


def spellings(at: datetime) -> tuple[Any, ...]:
    """One instant in every form that is met: RFC 3339 in two zones, without a zone, epoch seconds and milliseconds.

    Args:
        at: an aware instant.
    """
    seconds = at.timestamp()
    abroad = at.astimezone(timezone(timedelta(hours=2)))
    told = (at.astimezone(UTC).isoformat().replace("+00:00", "Z"), abroad.isoformat())
    naive = at.astimezone(UTC).replace(tzinfo=None).isoformat()
    return (*told, naive, int(seconds), seconds, int(seconds * 1000), str(int(seconds)), str(int(seconds * 1000)))


# --- trees ------------------------------------------------------------------------------------


@st.composite
def _changed(draw: DrawFn, body: bytes) -> bytes:
    root, touched = [json.loads(body)], set()
    for _ in range(draw(st.integers(1, MOST))):
        spots = [(inside, key) for inside, key in _spots(root) if (id(inside), key) not in touched]
        if spots:  # each place changes once: what was lost, and found again as something else, would be made up
            inside, key = draw(st.sampled_from(spots))
            touched.add((id(inside), key))
            draw(st.sampled_from(_changes(inside, key)))(draw, inside, key)
    return json.dumps(root[0]).encode()


@st.composite
def _drifted_stream(draw: DrawFn, body: bytes) -> bytes:
    """Lines of JSON, of which one is changed."""
    lines = body.splitlines()
    place = draw(st.sampled_from([n for n, line in enumerate(lines) if _is_json(line)]))
    lines[place] = draw(_changed(lines[place]))
    return b"\n".join(lines) + b"\n"


def _spots(inside: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a tree: the table or list, and the key or index in it."""
    for key, value in inside.items() if isinstance(inside, dict) else enumerate(inside):
        yield inside, key
        if isinstance(value, dict | list):
            yield from _spots(value)


def _changes(inside: Any, key: Any) -> list[Change]:
    """The changes that mean something for what stands there."""
    value = inside[key]
    changes: list[Change] = [_null, _junk]
    if isinstance(inside, dict):
        changes += [_drop, _extra]
    if isinstance(value, dict | list) and len(value) > 1:
        changes.append(_reorder)
    if _number(value) is not None:
        changes.append(_respell)
    if _instant(value) is not None:
        changes += [_retell, _retell]  # twice: the form in which an instant is told drifts most
    return changes


def _null(_: DrawFn, inside: Any, key: Any) -> None:
    inside[key] = None


def _drop(_: DrawFn, inside: Any, key: Any) -> None:
    del inside[key]


def _junk(draw: DrawFn, inside: Any, key: Any) -> None:
    """Another type: one word for another, or one truth for the other, would be another true answer."""
    kept = type(inside[key])
    others = [junk for junk in map(json.loads, JUNK) if kept not in {str, bool} or type(junk) is not kept]
    inside[key] = draw(st.sampled_from(others))


def _extra(draw: DrawFn, inside: Any, _: Any) -> None:
    inside[draw(st.sampled_from(WORDS))] = json.loads(draw(st.sampled_from(JUNK)))


def _reorder(draw: DrawFn, inside: Any, key: Any) -> None:
    value = inside[key]
    if isinstance(value, dict):
        rows = draw(st.permutations(list(value.items())))
        value.clear()
        value.update(rows)
    else:
        value[:] = draw(st.permutations(value))


def _respell(draw: DrawFn, inside: Any, key: Any) -> None:
    """The same number as a string, a fraction or a number."""
    value = inside[key]
    number = _number(value)
    told = [number] if isinstance(value, str) else [str(value), f" {value} ", float(value), str(float(value))]
    inside[key] = draw(st.sampled_from(told))


def _retell(draw: DrawFn, inside: Any, key: Any) -> None:
    at = _instant(inside[key])
    inside[key] = draw(st.sampled_from(spellings(at) if at else (None,)))


def _number(value: Any) -> int | float | None:
    """The number that stands there or is written there."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,9})?", value):
        return float(value) if "." in value else int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**18 else None


def _instant(value: Any) -> datetime | None:
    """The instant that is told there, in whichever form; None = it does not look like one."""
    if isinstance(value, str) and re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:", value):
        return _parsed(value)
    number = _number(value) or 0
    for scale in (1, 1000):
        if SECONDS[0] <= number / scale < SECONDS[1]:
            return datetime.fromtimestamp(number / scale, UTC)
    return None


def _parsed(text: str) -> datetime | None:
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        return None
    return told if told.tzinfo else told.replace(tzinfo=UTC)


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


# --- text -------------------------------------------------------------------------------------


def _lost(_: DrawFn, __: str) -> list[str]:
    return []


def _repeated(_: DrawFn, line: str) -> list[str]:
    return [line, line]


def _coloured(draw: DrawFn, line: str) -> list[str]:
    """Terminal codes before words, where programs put them."""
    words = re.split(r"(?<=\s)(?=\S)", line)
    return ["".join(draw(st.sampled_from(("", *ESCAPES))) + word for word in words)]


def _returned(draw: DrawFn, line: str) -> list[str]:
    """A carriage return before the end of the line, or at its beginning."""
    text, end = line.rstrip("\r\n"), line[len(line.rstrip("\r\n")) :]
    return [draw(st.sampled_from((f"{text}\r{end}", f"\r{text}{end}")))]


TEXT_CHANGES: tuple[Callable[[DrawFn, str], list[str]], ...] = (_lost, _repeated, _coloured, _returned)
"""What happens to one line."""


def _breaks(text: str) -> list[int]:
    """Where a text may break off: not inside a figure, for half of one is another figure and nobody could tell."""
    figures = re.finditer(r"[0-9][0-9.,:eE+-]*", text)
    inside = {place for figure in figures for place in range(figure.start() + 1, figure.end())}
    return [place for place in range(len(text) + 1) if place not in inside]


# --- headers ----------------------------------------------------------------------------------


@st.composite
def _headers(draw: DrawFn, headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    told = list(draw(st.permutations(headers)))
    for _ in range(draw(st.integers(0, MOST))):
        if told:
            place = draw(st.integers(0, len(told) - 1))
            told[place : place + 1] = draw(st.sampled_from(_header_changes(*told[place])))
    return tuple(told)


def _header_changes(name: str, value: str) -> list[list[tuple[str, str]]]:
    """One header gone, blank, of another type, told twice, or its instant told otherwise."""
    at = _instant(value)
    others = ("", "n/a", "-1", "nan", "inf", "1e400", *map(str, spellings(at) if at else ()))
    return [[], [(name, value)] * 2, *([(name, other)] for other in others)]
