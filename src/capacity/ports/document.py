"""A document: what a source answered, with what was asked, and when. The only thing a reader is given."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from attrs import field, frozen

DOCUMENT_CAP = 8 * 2**20
"""Bytes a document may have before it is parsed. The largest real answer known is a 3 MB status page."""


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
