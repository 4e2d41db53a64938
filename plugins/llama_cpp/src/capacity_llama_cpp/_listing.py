"""What a list of models says can run, and whether it can right now. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from capacity.ports import Authority, Listing, Model

from capacity_llama_cpp._shapes import Props, Row, Rows

ENDING = ".gguf"
"""Of every file llama.cpp loads."""


def listing(at: datetime, told: Rows, known: Mapping[str, Props]) -> Listing:
    """The models of a list.

    Args:
        at: when the list arrived.
        told: what it says.
        known: id → `/props` of those that were asked for them.
    """
    models = tuple(_model(row, known.get(row.id) or Props()) for row in told.rows)
    return Listing(None, _authority(told), "models", at, models=models)


def _authority(told: Rows) -> Authority:
    """An empty list is no sample; one with a row nobody could read knows only part of it."""
    if not told.rows:
        return "unknown"
    return "authoritative" if told.whole else "partial"


def _model(row: Row, known: Props) -> Model:
    return Model(
        row.id,
        names=names(row),
        context=known.context or row.context,
        modalities=known.modalities or row.modalities,
        tools=known.tools,
        residency="sleeping" if known.sleeping else row.residency,
    )


def names(row: Row) -> frozenset[str]:
    """Everything a request may call a model."""
    return frozenset((row.id, *row.aliases, *_basenames(row.id)))


def _basenames(id_: str) -> tuple[str, ...]:
    """The file's name, with and without its ending, where the id is the path of a file."""
    if not id_.casefold().endswith(ENDING):
        return ()
    name = id_.replace("\\", "/").rpartition("/")[2]
    return tuple(word for word in (name, name[: -len(ENDING)]) if word)
