"""The list of models, in each form it has had: JSON, ids with names behind a tab, bare ids, names alone, prose.

Only ids can be given to the command line, so only a whole list of ids may say what does not exist. An effort is no
setting of its own here: it is the end of an id, and the word in brackets behind the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen
from capacity.ports import Authority, Document, Listing, Model

from capacity_agy._refusals import error_of
from capacity_agy._wire import objects, part, text

PRINTED, TEXT = "models", "models-text"
"""Sources: JSON; text."""

ASKED = re.compile(r"(?:^|\s)/?models$")
"""What a document says it answers, where that is the list."""

EFFORTS = frozenset({"low", "medium", "high", "thinking"})
"""Words that stand where an effort does."""

_ID = re.compile(r"[a-z0-9][a-z0-9._]*(?:-[a-z0-9._]+)+")
_NAME = re.compile(r"(?:[*•-] +)?([A-Z0-9][\w.+-]*(?: [\w.+-]+)* \([A-Za-z]+\))(?: +\(current\))?")
_BRACKETS = re.compile(r"(.+?) \(([A-Za-z]+)\)")
_BLURB = " · "


@frozen
class _Told:
    """The rows of a text.

    Attributes:
        models: one for each row that could be read.
        ids: whether each of them gave an id.
        lost: whether there was a row nobody could read.
    """

    models: tuple[Model, ...]
    ids: bool
    lost: bool


def listing(doc: Document, body: Mapping[str, Any] | None, told: Sequence[str]) -> Listing | None:
    """The list in a document; None where it is none.

    Args:
        doc: the answer.
        body: its JSON object; None where it is none.
        told: its lines.
    """
    asked = ASKED.search(doc.asked or "") is not None
    if body is not None:
        ours = asked or part(body, "command", "name") == "models"
        return _printed(doc, body) if ours else None
    found = _text(told)
    if found.models and not found.lost:
        ours = asked or any(re.search(r"[0-9]", model.id) for model in found.models)
    else:
        ours = asked
    return _listing(doc, TEXT, found.models, whole=_is_whole(doc, found)) if ours else None


def placed(models: Iterable[Model], served: Mapping[str, tuple[str, ...]]) -> tuple[Model, ...]:
    """The models under the parts whose families they belong to; one that belongs to none, or to several, stays under none.

    Args:
        models: as they are listed.
        served: part → the families its description names.
    """
    words = {name: [_words(family) for family in families] for name, families in served.items()}
    return tuple(_placed(model, words) for model in models)


def _placed(model: Model, words: Mapping[str, list[set[str]]]) -> Model:
    own = _words(f"{model.id} {model.name or ''}")
    found = [name for name, families in words.items() if any(family and family <= own for family in families)]
    return evolve(model, pool=found[0]) if len(found) == 1 else model


def _words(name: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", name.casefold()))


# --- JSON -------------------------------------------------------------------------------------


def _printed(doc: Document, body: Mapping[str, Any]) -> Listing:
    """The list as the command line tells it in JSON; without a model where it tells an error instead."""
    rows = part(body, "command", "data", "models")
    idents = [(text(row.get("id")), text(row.get("label"))) for row in objects(rows)] if not error_of(body) else []
    models = [_model(ident, label) for ident, label in idents if ident is not None]
    return _listing(doc, PRINTED, models, whole=isinstance(rows, list) and len(models) == len(rows))


def _listing(doc: Document, source: str, models: Iterable[Model], *, whole: bool) -> Listing:
    """A listing with each id once. One that says nothing is no sample, and one after a failure is not the whole."""
    each = {model.id: model for model in models}
    authority: Authority = "unknown"
    if each:
        authority = "authoritative" if whole and not doc.exit_code and (doc.status or 200) < 400 else "partial"
    return Listing(None, authority, source, doc.at, models=tuple(each.values()))


# --- text -------------------------------------------------------------------------------------


def _is_whole(doc: Document, told: _Told) -> bool:
    """Whether every row gave an id and none is broken off at the end."""
    return told.ids and not told.lost and doc.body.endswith((b"\n", b"\r"))


def _text(told: Sequence[str]) -> _Told:
    rows = [_row(line) for line in told if not line.rstrip().endswith(("...", "…", ":"))]
    prose = any(line.rstrip().endswith(":") for line in told)
    models = [row for row in rows if row is not None]
    ids = not prose and all(_ID.fullmatch(model.id) for model in models)
    return _Told(tuple(models), ids, len(models) < len(rows))


def _row(line: str) -> Model | None:
    """The model of a line; None where it is none."""
    ident, tab, rest = line.strip().partition("\t")
    if _ID.fullmatch(ident.strip()):
        return _model(ident.strip(), text(rest.partition(_BLURB)[0]) if tab else None)
    name = _NAME.fullmatch(line.strip())
    return _model(name[1], name[1]) if name and not tab else None


# --- models -----------------------------------------------------------------------------------


def _model(ident: str, label: str | None) -> Model:
    effort = _effort(ident, label)
    return Model(ident, name=label, names=frozenset(_names(ident, label)), efforts=(effort,) if effort else ())


def _effort(ident: str, label: str | None) -> str | None:
    """The effort an id stands for: how it ends, or the word behind its name; None where it has none."""
    end = ident.rpartition("-")[2].casefold()
    found = _BRACKETS.fullmatch(label or "")
    told = found[2].casefold() if found else None
    return next((one for one in (end, told) if one in EFFORTS), told if told == end else None)


def _names(ident: str, label: str | None) -> Iterator[str]:
    """Id and name, and the name without its effort, which all its efforts answer to."""
    yield ident
    found = _BRACKETS.fullmatch(label or "")
    yield from filter(None, (label, found[1] if found else None))
