"""Replies: what effects bring back. Each carries `at`, the instant it arrived; none of them is a failure to answer."""

from __future__ import annotations

from datetime import datetime

from attrs import field, frozen

from capacity.ports.document import Document
from capacity.ports.secret import Secret


@frozen
class Reply:
    """What an HTTP server answered, whatever its status.

    Attributes:
        document: body, status, headers, and path and query asked.
        at: when it had arrived, UTC.
        unchanged: the server said 304: the document is the last good answer.
    """

    document: Document
    at: datetime
    unchanged: bool = False

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.document.status or 0


@frozen
class Exit:
    """How a child ended.

    Attributes:
        code: exit code; negative = killed by that signal.
        stdout: what it printed.
        stderr: what it complained.
        at: when it had ended, UTC.
        asked: the argv, joined by spaces, without secrets.
    """

    code: int
    stdout: bytes = field(repr=lambda body: f"<{len(body)} bytes>")
    stderr: bytes = field(repr=lambda body: f"<{len(body)} bytes>")
    at: datetime
    asked: str

    @property
    def document(self) -> Document:
        """Standard output as a document."""
        return Document(self.stdout, self.at, asked=self.asked, exit_code=self.code)


@frozen
class Child:
    """A running child of this flow. The driver owns it and kills its group when the flow ends.

    Attributes:
        id: the driver's number for it.
        at: when it was started, UTC.
    """

    id: int
    at: datetime


@frozen
class Pulse:
    """Something is done.

    Attributes:
        at: when, UTC.
    """

    at: datetime


@frozen
class Line:
    """A line a child said.

    Attributes:
        text: without its newline.
        at: when it arrived, UTC.
    """

    text: str
    at: datetime


@frozen
class File:
    """A file's content.

    Attributes:
        path: as asked, unexpanded.
        body: the bytes; of a secret file its masked JSON, or nothing.
        digest: sha-256 of the whole file, hexadecimal.
        at: when it was read, UTC.
        secret: the whole text, without white space at its ends, for a secret file; None otherwise.
    """

    path: str
    body: bytes = field(repr=lambda body: f"<{len(body)} bytes>")
    digest: str
    at: datetime
    secret: Secret | None = None

    @property
    def document(self) -> Document:
        """The body as a document."""
        return Document(self.body, self.at, asked=self.path)


@frozen
class Paths:
    """The files a pattern matches.

    Attributes:
        paths: absolute, newest modification first.
        at: when it was looked, UTC.
    """

    paths: tuple[str, ...]
    at: datetime


@frozen
class Replaced:
    """What became of a replacement.

    Attributes:
        done: whether the content is in place.
        digest: of the content that is in place now; None = the file does not exist.
        at: when, UTC.
    """

    done: bool
    digest: str | None
    at: datetime
