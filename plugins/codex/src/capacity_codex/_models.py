"""Models: a page of the program's catalogue, its cache of what one account was told, and the service's own list.

A catalogue is what a program was built with and no entitlement; so nothing here may reject a name on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from capacity.ports import Document, Listing, Model

from capacity_codex._frames import frames
from capacity_codex._wire import ROWS_MOST, flag, instant, number, part, text

LIST = "model/list"
CACHE_FILE = "models_cache.json"
CATALOGUE, CACHE, SERVICE = "model-list", "models-cache", "models"

TOKENS_MOST = 1e9
"""Tokens beyond which a context size is no figure."""

HIDDEN: Mapping[str, bool] = {"list": False, "hide": True, "none": True}
"""What a list says of who may see a model → whether it is kept out of pickers."""


def listing(doc: Document, body: Any) -> Listing | None:
    """The models of a document; None where it is no list of models.

    The cache is a sample of its own time. Whether the program that wrote it is the one that runs is not in it.
    """
    rows = _rows(body.get("models")) if isinstance(body, dict) else None
    if rows is not None and (not rows or any("slug" in row for row in rows)):
        fetched_at = instant(body.get("fetched_at"), doc.at)
        source = SERVICE if fetched_at is None and "client_version" not in body else CACHE
        return _listing(source, min(fetched_at or doc.at, doc.at), rows, "slug")
    pages = (page(frame, doc.at) for frame in frames(doc, body))
    return next((found for found in pages if found is not None), None)


def page(frame: Mapping[str, Any], at: datetime) -> Listing | None:
    """One page of the catalogue; None where the answer is none."""
    rows = _rows(part(frame.get("result"), "data"))
    if rows is None or not all("model" in row or "displayName" in row for row in rows):
        return None
    return _listing(CATALOGUE, at, rows, "model")


def next_page(frame: Mapping[str, Any]) -> str | None:
    """The cursor of the page that follows; None where none does."""
    return text(part(frame.get("result"), "next_cursor"))


def _listing(source: str, at: datetime, rows: list[dict[str, Any]], key: str) -> Listing:
    models = {model.id: model for model in _models(rows, key)}
    return Listing(None, "partial" if models else "unknown", source, at, models=tuple(models.values()))


def _rows(rows: object) -> list[dict[str, Any]] | None:
    if not isinstance(rows, list):
        return None
    return [row for row in rows[:ROWS_MOST] if isinstance(row, dict)]


def _models(rows: list[dict[str, Any]], key: str) -> Iterator[Model]:
    for row in rows:
        ident = text(row.get(key)) or text(row.get("id"))
        if ident is not None:
            yield _model(ident, row)


def _model(ident: str, row: Mapping[str, Any]) -> Model:
    name = text(part(row, "display_name"))
    names = frozenset(filter(None, (ident, text(row.get("id")), name)))
    context = number(part(row, "context_window"), TOKENS_MOST)
    return Model(
        ident,
        name=name,
        names=names,
        efforts=_efforts(part(row, "supported_reasoning_efforts", "supported_reasoning_levels")),
        context=int(context) if context else None,
        modalities=_words(part(row, "input_modalities")),
        hidden=_hidden(row),
    )


def _hidden(row: Mapping[str, Any]) -> bool | None:
    hidden, shown = flag(part(row, "hidden")), flag(part(row, "show_in_picker"))
    if hidden is None and shown is not None:
        hidden = not shown
    return HIDDEN.get(text(row.get("visibility")) or "") if hidden is None else hidden


def _efforts(rows: object) -> tuple[str, ...] | None:
    """The words, in the order of the wire; `()` where none is taken, None where it is not told."""
    if rows == []:
        return ()
    words = [part(row, "reasoning_effort", "effort") or row for row in rows] if isinstance(rows, list) else []
    return _words(words)


def _words(values: object) -> tuple[str, ...] | None:
    words = [text(value) for value in values] if isinstance(values, list) else []
    return tuple(dict.fromkeys(word for word in words if word is not None)) or None
