"""The reader: which documents are ours, and which part of this plugin reads them. Bytes in, values out."""

from __future__ import annotations

from capacity.ports import DOCUMENT_CAP, Document, Failure, Listing, Reader, Reading

from capacity_claude import _credentials, _models, _usage
from capacity_claude._events import events, text
from capacity_claude._failures import failure
from capacity_claude._headers import headers, is_turn
from capacity_claude._panel import panel
from capacity_claude._wire import parsed


class ClaudeReader:
    """Reads the usage endpoint, the model list and the credentials file, and what a running harness shows of its limits."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """One reading of the account's one pool, named `""`; None for a document that is not about quota or login."""
        body = parsed(doc)
        if _credentials.is_credentials(doc, body):
            return (_credentials.credentials(doc, body),)
        if _usage.is_usage(doc, body):
            return (_usage.usage(doc, body),)
        if is_turn(doc):
            return (headers(doc),)
        if _usage.is_elsewhere(doc) or len(doc.body) > DOCUMENT_CAP:
            return None
        told = events(doc, body) or panel(doc, body) or text(doc)
        return None if told is None else (told,)

    def listing(self, doc: Document) -> Listing | None:
        """The models of one page; without any, and with authority `unknown`, where the list was refused."""
        body = parsed(doc)
        return _models.listing(doc, body) if _models.is_listing(doc, body) else None

    def failure(self, doc: Document) -> Failure | None:
        """A refusal of a turn; None for what answers the usage endpoint, and for what this backend does not word so."""
        return failure(doc)


def reader() -> Reader:
    """The reader of Claude's documents."""
    return ClaudeReader()
