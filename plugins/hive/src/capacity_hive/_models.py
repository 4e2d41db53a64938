"""A hive's model lists as listings, one for each part. Pure.

Only a list that says it is whole may say that a model is gone. One that a hive fell back to, knows in part, or does not
speak of in that way, adds names and takes none away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from attrs import evolve, frozen
from capacity.ports import Authority, Document, Listing, Model

from capacity_hive._status import EFFORTS, SUFFIXED, suffix
from capacity_hive._wire import names, rows, text

PATH = "/api/config/backends"
INFERENCE = "/api/inference/models/"

SELECTOR = "auto"
"""What stands among models and lets a backend choose: no model."""

SHORTEST = 3
"""Letters a word of an id has at least to stand for it."""

_WORD = re.compile(r"[^a-z0-9]+")

PROVIDERS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("claude", "pi"),
    "deepseek": ("litellm",),
    "github": ("copilot",),
    "google": ("agy",),
    "openai": ("codex",),
}
"""Provider → backends, as a hive has it unless its own settings say otherwise."""


@frozen
class Shelf:
    """What one backend lists.

    Attributes:
        backend: which.
        authority: whether it is whole.
        models: what it lists, sorted.
        inference: whether it is a gateway, which tells more when it is asked by itself.
    """

    backend: str
    authority: Authority
    models: tuple[Model, ...]
    inference: bool = False


def shelves(doc: Document) -> tuple[Shelf, ...] | None:
    """The backends of a list of them; None = not that list."""
    if doc.status not in (None, 200):
        return None
    try:
        body = doc.json()
    except ValueError:
        return None
    told = [row for row in rows(body) if text(row.get("id")) and isinstance(row.get("models"), list)]
    return tuple(map(_shelf, told)) if told else None


def gateway(doc: Document) -> Shelf | None:
    """A gateway's own list; None = not that, or a gateway that is not configured."""
    try:
        body = doc.json()
    except ValueError:
        return None
    if doc.status not in (None, 200) or not isinstance(body, dict):
        return None
    backend = text(body.get("backend"))
    if backend is None or not isinstance(body.get("models"), list) or "fallback" not in body:
        return None
    whole = body["fallback"] is False and body.get("partial") is False
    return Shelf(backend, _authority(whole, body["models"]), _models(backend, body["models"], None), inference=True)


def _shelf(row: Mapping[str, Any]) -> Shelf:
    backend, discovery = row["id"].strip(), row.get("discovery")
    found = not (isinstance(discovery, dict) and discovery.get("ok") is False)
    whole = row.get("fallback") is False and row.get("degraded") is not True and found
    models = _models(backend, row["models"], row.get("reasoning_efforts"))
    return Shelf(backend, _authority(whole, row["models"]), models, row.get("inference") is True)


def _authority(whole: bool, listed: list[Any]) -> Authority:
    """A list with an entry nobody can read is known in part, and an empty one is no sample."""
    if not listed:
        return "unknown"
    return "authoritative" if whole and len(names(listed)) == len(set(map(str, listed))) else "partial"


def _models(backend: str, listed: list[Any], efforts: Any) -> tuple[Model, ...]:
    ids = sorted(name for name in names(listed) - {SELECTOR} if not any(sign.isspace() for sign in name))
    words = tuple(sorted(names(efforts))) or None
    return tuple(Model(id_, names=_names(id_), efforts=_efforts(backend, id_, words)) for id_ in ids)


def _names(id_: str) -> frozenset[str]:
    """An id, also without who provides it, and the words of it: a list of ids says no family, and caps are told by it."""
    tail = id_.rpartition("/")[2]
    words = {word for word in _WORD.split(tail.casefold())[1:] if len(word) >= SHORTEST and word.isalpha()}
    return frozenset({id_, tail, *(words - EFFORTS)})


def _efforts(backend: str, id_: str, words: tuple[str, ...] | None) -> tuple[str, ...] | None:
    implied = suffix(id_) if backend == SUFFIXED else None
    return (implied,) if implied else words


def parts(providers: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Backend → the part it belongs to; a backend not in it is a part of its own."""
    return {backend: provider for provider, backends in providers.items() for backend in backends}


def listings(told: Iterable[Shelf], at: datetime, of: Mapping[str, str]) -> Iterator[Listing]:
    """One listing for each part that was told of; it is as whole as the least of its backends."""
    found: dict[str, list[Shelf]] = {}
    for shelf in told:
        found.setdefault(of.get(shelf.backend, shelf.backend), []).append(shelf)
    for part, here in sorted(found.items()):
        words = {shelf.authority for shelf in here if shelf.models}
        authority: Authority = "authoritative" if words == {"authoritative"} else "partial" if words else "unknown"
        models = {model.id: model for shelf in here for model in shelf.models}
        placed = tuple(evolve(model, pool=part) for model in models.values())
        yield Listing(None, authority, f"backends {part}", at, models=placed)
