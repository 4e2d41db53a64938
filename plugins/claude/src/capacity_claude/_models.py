"""One page of the model list as a listing, and every name its models answer to.

No name is known beforehand: families, short names and undated forms are all cut from the ids and display names told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from attrs import evolve
from capacity.ports import Authority, Document, Listing, Model

from capacity_claude._wire import ROWS_MOST, number, text

PATH = "/v1/models"
SOURCE = "models"

VENDOR = "claude"
"""The word every id and display name begins with; it names the vendor's product, not a model."""

LONG_CONTEXT = 1_000_000
"""Tokens from which the harness takes the suffix that asks for the long window."""

LONG_SUFFIX = "[1m]"

TOKENS_MOST = 1e9
"""Tokens beyond which a context size is no figure."""

_DATED = re.compile(r"(.+)-20[0-9]{6}")
_VERSION = re.compile(r"v?[0-9].*")
_CHANNELS = frozenset({"latest", "preview"})
_IN_URL = re.compile(r"[A-Za-z0-9._:@-]{1,200}")


def is_listing(doc: Document, body: Any) -> bool:
    """Whether a document answers the model list: because it says so, or because its rows are models in such a page."""
    if doc.asked is not None and PATH in doc.asked:
        return True
    rows = body.get("data") if isinstance(body, dict) and {"has_more", "last_id"} <= body.keys() else None
    if not isinstance(rows, list):
        return False
    return not rows or any(isinstance(row, dict) and row.get("type") == "model" for row in rows)


def listing(doc: Document, body: Any) -> Listing:
    """The models of one page. Only a last page whose every row could be read may say what does not exist."""
    models = tuple(_models(body))
    authority: Authority = "unknown"
    if models:
        whole = body.get("has_more") is False and len(models) == len(body["data"])
        authority = "authoritative" if whole else "partial"
    return Listing(None, authority, source=SOURCE, observed_at=doc.at, models=models)


def next_page(body: Any) -> str | None:
    """The id after which the next page begins; None where no page follows or the id cannot stand in a URL."""
    last = body.get("last_id") if isinstance(body, dict) and body.get("has_more") is True else None
    return last if isinstance(last, str) and _IN_URL.fullmatch(last) else None


def _models(body: Any) -> Iterator[Model]:
    rows = body.get("data") if isinstance(body, dict) else None
    for row in rows[:ROWS_MOST] if isinstance(rows, list) else ():
        ident = text(row.get("id")) if isinstance(row, dict) and row.get("type", "model") == "model" else None
        if ident is not None:
            yield _model(ident, row)


def _model(ident: str, row: Mapping[str, Any]) -> Model:
    name = text(row.get("display_name"))
    context = number(row.get("max_input_tokens"), TOKENS_MOST)
    long = context is not None and context >= LONG_CONTEXT
    abilities = row.get("capabilities")
    return Model(
        ident,
        name=name,
        names=frozenset(_names(ident, name, long=long)),
        efforts=_efforts(_part(abilities, "effort")),
        context=int(context) if context else None,
        modalities=_modalities(_part(abilities, "image_input")),
    )


def _part(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _supported(value: object) -> bool | None:
    told = _part(value, "supported")
    return told if isinstance(told, bool) else None


def _efforts(effort: object) -> tuple[str, ...] | None:
    """The words that are supported, in the order of the wire: `()` where none is taken, None where it is not told."""
    if _supported(effort) is False:
        return ()
    words = effort.items() if isinstance(effort, dict) else ()
    return tuple(word for word, told in words if _supported(told)) or None


def _modalities(image: object) -> tuple[str, ...] | None:
    taken = _supported(image)
    return None if taken is None else ("text", "image") if taken else ("text",)


# --- labels -----------------------------------------------------------------------------------

Labels = Mapping[str, tuple[str, ...]]
"""Word of a cap → patterns of the ids it is about."""


def labels(told: Any) -> Labels:
    """What an operator says of words that no list explains; None says nothing.

    Raises:
        ValueError: it is no table of lists of patterns.
    """
    rows: Any = {} if told is None else told
    if not isinstance(rows, Mapping) or not all(map(_is_patterns, rows.values())):
        raise ValueError('labels must be a table of lists of patterns, such as { some_word = ["some-id-*"] }')
    return {word.casefold(): tuple(pattern.casefold() for pattern in patterns) for word, patterns in rows.items()}


def _is_patterns(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


def labelled(listing: Listing, labels: Labels) -> Listing:
    """The listing, its models answering to the words of the caps that are about them."""
    return evolve(listing, models=tuple(_labelled(model, labels) for model in listing.models)) if labels else listing


def _labelled(model: Model, labels: Labels) -> Model:
    ident = model.id.casefold()
    words = {word for word, patterns in labels.items() if any(fnmatchcase(ident, pattern) for pattern in patterns)}
    return evolve(model, names=model.names | words)


# --- names ------------------------------------------------------------------------------------


def _names(ident: str, name: str | None, *, long: bool) -> Iterator[str]:
    """Id, undated id, display name, the same without the vendor, and the family's words; the long window's forms."""
    dated = _DATED.fullmatch(ident)
    accepted = [ident, *([dated[1]] if dated else []), *_family(ident), *_family(name or "")]
    yield from accepted
    if name is not None:
        yield name
        yield from _short(name)
    if long:
        yield from (f"{word}{LONG_SUFFIX}" for word in accepted)


def _family(name: str) -> list[str]:
    """What is left of a name without vendor, versions, dates and channels."""
    words = [word for word in re.split(r"[\s\-_/:@()]+", name.casefold()) if word]
    return [word for word in words if word != VENDOR and word not in _CHANNELS and not _VERSION.fullmatch(word)]


def _short(name: str) -> Iterator[str]:
    """A display name without the vendor: whole, and with the family's words alone."""
    words = name.split()
    if words[0].casefold() == VENDOR:
        words = words[1:]
    for told in (words, [word for word in words if not _VERSION.fullmatch(word.casefold())]):
        if told:
            yield " ".join(told)
