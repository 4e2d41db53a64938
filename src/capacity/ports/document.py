"""A document: what a source answered, with what was asked, and when. The only thing a reader is given."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any

from attrs import field, frozen

DOCUMENT_CAP = 8 * 2**20
"""Bytes a document may have before it is parsed. The largest real answer known is a 3 MB status page."""

DAY = timedelta(days=1)
"""Beyond this nobody's wish to be left alone is believed: no circuit but an operator's lasts longer."""

DEEPEST = 10
"""Levels of nesting that are searched for an object; an error wrapped by three programs has seven."""

VALUES_MOST = 10_000
"""Values, or lines, of one body that are searched for objects; an error has a few dozen."""

_OPENING = re.compile(r"^[ \t]*(?=\{)", re.MULTILINE)
_BEFORE = re.compile(r"(?:data:|[^{}\n]{0,60}?(?:\b[1-5][0-9]{2}\b:?|\berror:))?\s*(?=\{)", re.IGNORECASE)
"""What may stand before an object in a text: the field of an event stream, a status, or the word that it is an error."""


@frozen
class Document:
    """One recorded answer.

    Attributes:
        body: the bytes of the body, of standard output, or of the file.
        at: when it arrived, UTC.
        asked: path and query, argv or file it answers, without secrets; None = nobody knows.
        status: HTTP status; None = not HTTP, or not known.
        headers: names lower case, in the order they came.
        exit_code: of the process; None = no process.
        zone: IANA zone of the host a text was printed on; None = not known.
    """

    body: bytes = field(repr=lambda body: f"<{len(body)} bytes>")
    at: datetime
    asked: str | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    exit_code: int | None = None
    zone: str | None = None

    def header(self, name: str) -> str | None:
        """The first header of that name, in any case; None where there is none."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)

    @property
    def text(self) -> str:
        """The body as text; bytes that are no UTF-8 are replaced."""
        return self.body.decode("utf-8", "replace")

    @property
    def retry_after(self) -> timedelta | None:
        """The wait that `Retry-After` asks for, seconds or a date, at most a day; None = it asks for none.

        A date counts from the answer's own, so that no clock has to agree with another. Nought, the past and what
        nobody can read ask for none.
        """
        told = (self.header("retry-after") or "").strip()
        until, began = _date(told), _date(self.header("date") or "")
        dated = None if until is None else until - (began or self.at)
        waits = (_count(self.header("retry-after-ms"), 1000), _count(told, 1), dated)
        wait = next((one for one in waits if one is not None), None)
        return min(wait, DAY) if wait is not None and wait > timedelta(0) else None

    def objects(self) -> Iterator[dict[str, Any]]:
        """Every JSON object of the body, the outermost first.

        The body may be JSON, lines or a stream of it, or a program's words with JSON behind them; a text inside may hold
        more, as where one program quotes what another answered. What is no JSON has none.
        """
        try:
            roots: Iterable[Any] = (self.json(),)
        except ValueError:
            roots = _roots(self.text) if len(self.body) <= DOCUMENT_CAP else ()
        return _objects(roots)

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            ValueError: it is no JSON, is nested too deeply, or is larger than `DOCUMENT_CAP`.
        """
        if len(self.body) > DOCUMENT_CAP:
            raise ValueError(f"larger than {DOCUMENT_CAP} bytes")
        try:
            return json.loads(self.body)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def _count(told: str | None, a_second: int) -> timedelta | None:
    """So many seconds, or parts of one; None = no number, or none that counts anything."""
    try:
        return None if told is None else timedelta(seconds=min(float(told) / a_second, DAY.total_seconds()))
    except (ValueError, OverflowError):
        return None


def _date(text: str) -> datetime | None:
    """A date as HTTP writes it; None where it is none."""
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at


def _roots(text: str) -> Iterator[Any]:
    """The object that begins on a line of its own, however long, and that of each line."""
    opening = _OPENING.search(text)
    if opening is not None:
        yield _decoded(text, opening.end())
    lines = (line for line in text.splitlines() if "{" in line)
    yield from islice(lines, VALUES_MOST)


def _objects(roots: Iterable[Any]) -> Iterator[dict[str, Any]]:
    waiting = deque((root, 0) for root in roots)
    for _ in range(VALUES_MOST):
        if not waiting:
            return
        value, depth = waiting.popleft()
        if isinstance(value, str):
            value = _held(value)
        if isinstance(value, dict):
            yield value
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if depth < DEEPEST and len(waiting) < VALUES_MOST:
            waiting.extend((one, depth + 1) for one in islice(inner, VALUES_MOST) if isinstance(one, dict | list | str))


def _held(text: str) -> Any:
    """The object a text is, but for a few words before it; None where there is none."""
    before = _BEFORE.match(text)
    return None if before is None else _decoded(text, before.end())


def _decoded(text: str, start: int) -> Any:
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None
