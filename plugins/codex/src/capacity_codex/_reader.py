"""The reader: which documents are ours, and which part of this plugin reads them. Bytes in, values out."""

from __future__ import annotations

from typing import Any

from capacity.ports import Document, Failure, Listing, Reader, Reading, Secret

from capacity_codex import _frames, _headers, _login, _models, _rollout, _screen, _usage
from capacity_codex._failures import failure
from capacity_codex._wire import parsed


class CodexReader:
    """Reads the usage endpoint, the program's server, headers, session files, the status screen, logins and models."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """One reading of the account's one pool, named `""`; None for a document that is not about quota or login."""
        reading = _reading(doc, parsed(doc))
        return None if reading is None else (reading,)

    def listing(self, doc: Document) -> Listing | None:
        """The models of one page, cache or list; None where it is none."""
        return _models.listing(doc, parsed(doc))

    def failure(self, doc: Document) -> Failure | None:
        """A refusal of a turn; None for what answers the usage endpoint, and for what this backend does not word so."""
        return failure(doc)


def _reading(doc: Document, body: Any) -> Reading | None:
    if _login.is_login(doc, body):
        return _login.login(doc, body, Secret(doc.text))
    if _usage.is_usage(doc, body):
        return _usage.usage(doc, body)
    if _rollout.is_rollout(doc):
        return _rollout.remembered(_rollout.events([doc]), doc.at)
    spoken = _frames.spoken(doc, body) or _headers.headed(doc)
    if spoken is None and body is None and _screen.is_status(doc):
        return _screen.status(doc)
    return spoken


def reader() -> Reader:
    """The reader of Codex's documents."""
    return CodexReader()
