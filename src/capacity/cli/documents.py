"""Files become documents: a body, a whole HTTP response, or header lines alone.

More than `DOCUMENT_CAP` bytes of a file are never read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Literal

from attrs import frozen

from capacity.cli.call import Call
from capacity.cli.exits import UsageFault
from capacity.ports import DOCUMENT_CAP, Document

STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?: [^\r\n]*)?\r?\n?")
FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*:(?: .*)?")
"""A header line as every recorder writes it. Without the blank it is some other text, such as a name with a colon."""

END_OF_HEAD = re.compile(rb"\r?\n\r?\n|\r?\n\Z")

Headers = tuple[tuple[str, str], ...]


@frozen
class Given:
    """What was said about recorded answers besides the files themselves.

    Attributes:
        at: when they were answered; None = they may tell.
        now: the present.
        status: of a bare body.
        headers: of a bare body.
        asked: what they answer.
    """

    at: datetime | None
    now: datetime
    status: int | None
    headers: Headers
    asked: str | None

    @classmethod
    def of(cls, call: Call, at: str | None, status: int | None, headers: Path | None, asked: str | None) -> Given:
        """From the options of a command line.

        Raises:
            UsageFault: the instant is none, or the file of headers holds none or cannot be read.
        """
        now = datetime.now(UTC) if call.clock is None else call.clock.now()
        told: tuple[int | None, Headers] = (None, ())
        if headers is not None:
            answer = recorded(capped(headers))
            if answer.body:
                raise UsageFault(f"{headers}: --headers takes header lines alone, one `name: value` each")
            told = answer.status, answer.headers
        return cls(None if at is None else instant(at), now, status or told[0], told[1], asked)

    def document(self, path: Path) -> Document:
        """A file as the document it records.

        Raises:
            UsageFault: it cannot be read, or is too large.
        """
        answer = recorded(capped(path))
        headers = answer.headers or self.headers
        at = self.at or dated(headers) or self.now
        status = self.status if answer.status is None else answer.status
        return Document(answer.body, at, asked=self.asked, status=status, headers=headers)


@frozen
class Recorded:
    """What a file records.

    Attributes:
        body: of the response.
        status: None = not told.
        headers: names lower case.
    """

    body: bytes
    status: int | None = None
    headers: Headers = ()


def recorded(text: bytes) -> Recorded:
    """A whole response, header lines alone, or a body. Of several heads, as a proxy leaves them, the last counts."""
    found = Recorded(b"", headers=lines_of(text)) if lines_of(text) else Recorded(text)
    while (head := STATUS_LINE.match(found.body)) is not None:
        text = found.body
        end = END_OF_HEAD.search(text, head.end() - 1)
        lines, body = (text[head.end() :], b"") if end is None else (text[head.end() : end.start()], text[end.end() :])
        found = Recorded(body, int(head[1]), pairs(lines.decode("latin-1").splitlines()))
    return found


def lines_of(text: bytes) -> Headers:
    """The header lines of a text that is nothing else; `()` where it is."""
    lines = text.decode("latin-1").strip().splitlines()
    return pairs(lines) if lines and all(FIELD.fullmatch(line) for line in lines) else ()


def pairs(lines: Iterable[str]) -> Headers:
    """Header lines as pairs; what is no such line is left out."""
    split = (line.partition(":") for line in lines if ":" in line)
    return tuple((name.strip().lower(), value.strip()) for name, _, value in split)


def dated(headers: Headers) -> datetime | None:
    """When a response says it was made; None where it does not, or not in a form anybody knows."""
    told = dict(headers).get("date")
    try:
        at = None if told is None else parsedate_to_datetime(told)
    except ValueError:
        return None
    return at if at is None or at.tzinfo is not None else at.replace(tzinfo=UTC)  # -0000: UTC, says RFC 5322


def instant(text: str) -> datetime:
    """An instant as it is typed.

    Raises:
        UsageFault: it is none, or has no zone.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise UsageFault(f"{text!r} is no instant: write it like 2026-09-20T12:00:00Z") from None
    if at.tzinfo is None:
        raise UsageFault(f"{text!r} has no zone, so nobody knows which moment it is: write it like {text}Z")
    return at


def capped(path: Path) -> bytes:
    """What a file holds; `-` is standard input.

    Raises:
        UsageFault: it cannot be read, or holds more than a document may.
    """
    try:
        body = stdin_bytes() if str(path) == "-" else file_bytes(path)
    except OSError as error:
        raise UsageFault(f"{path}: {(error.strerror or str(error)).lower()}; check the path") from None
    if len(body) > DOCUMENT_CAP:
        raise UsageFault(
            f"{path}: larger than {DOCUMENT_CAP // 2**20} MiB, which no answer is; of a session file only the last lines"
            " are needed: `tail -c 1000000 FILE | capacity read ... --from -`"
        )
    return body


def file_bytes(path: Path) -> bytes:
    """At most one byte more than a document may have."""
    with path.open("rb") as file:
        return file.read(DOCUMENT_CAP + 1)


def fill(path: Path, body: bytes, *, mode: Literal["wb", "xb"] = "wb") -> None:
    """Write a file; one that there is no room for is taken away again, so that half of it is not taken for the whole.

    Args:
        path: the file.
        body: all that it is to hold.
        mode: `xb` refuses one that is there already.

    Raises:
        OSError: it cannot be written.
    """
    with path.open(mode) as file:
        try:
            file.write(body)
            file.flush()
        except OSError:
            path.unlink(missing_ok=True)
            raise


def stdin_bytes() -> bytes:
    """Likewise, of standard input."""
    source: Any = getattr(sys.stdin, "buffer", sys.stdin)
    body: bytes = source.read(DOCUMENT_CAP + 1)
    return body
