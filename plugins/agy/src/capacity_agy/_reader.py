"""The reader: which documents are ours, and which part of this plugin reads them. Bytes in, values out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from capacity.ports import Document, Failure, Listing, Reader, Reading

from capacity_agy import _groups, _listing, _login, _models_quota, _refusals, _screens
from capacity_agy._failures import failure
from capacity_agy._wire import lines, tree


@final
class AgyReader:
    """Reads quota and models in every form the command line and its services have, and the login's own texts.

    Errors and texts of a running agent are read only where they answer a question about quota.
    """

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """One reading for each group; one without a part for what speaks of the account; None = not about quota."""
        body = tree(doc)
        found = _of_text(doc) if body is None else _of_tree(doc, body)
        if found is None and _refusals.asks_usage(doc, body or {}):
            return _refusals.refusal(doc, body or {})
        return found

    def listing(self, doc: Document) -> Listing | None:
        """The models; without any, and of authority `unknown`, where the list was refused."""
        return _listing.listing(doc, tree(doc), lines(doc))

    def failure(self, doc: Document) -> Failure | None:
        """A refusal of a turn; None for what answers a question about quota, and for what nobody here words so."""
        return failure(doc)


def _of_tree(doc: Document, body: Mapping[str, Any]) -> tuple[Reading, ...] | None:
    if _login.is_token(doc, body):
        return (_login.token(doc, body),)
    if _refusals.error_of(body) or (doc.status or 200) >= 400:
        return None
    if _groups.groups(body):
        return _groups.usage(doc, body)
    if _models_quota.is_status(body):
        return _models_quota.status(doc, body)
    return _models_quota.cloud(doc, body) if _models_quota.is_cloud(body) else None


def _of_text(doc: Document) -> tuple[Reading, ...] | None:
    told = lines(doc)
    if _login.is_prompt(told):
        return (_login.prompt(doc),)
    return _screens.table(doc, told) or _screens.screen(doc, told)


def reader() -> Reader:
    """The reader of Antigravity's documents."""
    return AgyReader()
