"""From what is told of a quota group to readings: one for each part of the account, each limit of it once.

A group is a pool of its own and every window of it binds all its models. Which models those are is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta

from attrs import frozen
from capacity.ports import Document, Limit, Reading

TITLES: Mapping[str, str] = {"gemini models": "gemini", "claude and gpt models": "3p"}
"""Title of a group, casefolded → its part. The words for parts are those that ids of buckets begin with; another title
is told by its id, or else by itself."""

WINDOWS: Mapping[str, timedelta] = {"5h": timedelta(hours=5), "weekly": timedelta(days=7)}
"""Name of a limit → how long its window is."""

ALIASES: Mapping[str, str] = {
    "5 hour": "5h", "5h": "5h", "five hour": "5h", "session": "5h", "week": "weekly", "weekly": "weekly",
}  # fmt: skip  # one table, read as pairs
"""What ids, names and labels call a window → the limit's name."""

NAMELESS = "limit"
"""The name of a limit whose window nobody told: it binds all the same."""

NAMED_MOST = 5
"""So many dropped things are named in a reading's detail; the rest is counted, so that it stays one sentence."""


@frozen
class Row:
    """One limit of one part.

    Attributes:
        part: which; `""` = the account as a whole; None = nobody told.
        limit: the limit.
    """

    part: str | None
    limit: Limit


def part_of(title: str | None, ids: Iterable[str | None] = ()) -> str | None:
    """The part a group is: by its title, else by how the ids of its buckets begin, else by the title's own words."""
    known = TITLES.get(title or "")
    begins = [found[0] for ident in ids if ident and (found := _split(ident))[0]]
    own = re.sub(r"[^a-z0-9]+", "-", (title or "").removesuffix("models")).strip("-")
    return known or (begins[0] if begins else None) or own or None


def window_of(label: str | None) -> str | None:
    """The limit's name behind an id, a name or a label; None where it is no window we know."""
    return ALIASES.get(_plain(label)) or ALIASES.get(_plain(_split(label)[1])) if label else None


def _split(ident: str) -> tuple[str, str]:
    """An id as the word of its group and the rest; no word where the whole is a window's."""
    begin = None if _plain(ident) in ALIASES else re.match(r"([a-z0-9]+)[-_ ](?=.)", ident)
    return (begin[1], ident[begin.end() :]) if begin else ("", ident)


def _plain(label: str) -> str:
    """A label without what windows are called besides."""
    words = re.split(r"[-_ ]+", label.removesuffix(":"))
    return " ".join(word for word in words if word not in {"limit", "remaining", ""})


def readings(
    doc: Document, source: str, rows: Iterable[Row], *, dropped: Iterable[str] = (), plan: str | None = None
) -> tuple[Reading, ...]:
    """One reading for each part, sorted by part.

    A part of which no limit tells anything is `unrecognised`: what was known of it before says more.

    Args:
        doc: the answer.
        source: which wire told it.
        rows: what it tells.
        dropped: what was not read, and why.
        plan: the provider's word for the plan.
    """
    parts: dict[str, list[Limit]] = {}
    lost = list(dropped)
    for row in rows:
        if row.part is None:
            lost.append(f"{row.limit.name} of no group")
        else:
            parts.setdefault(row.part, []).append(row.limit)
    detail = _detail(lost)
    if not parts:
        return (Reading("", "unrecognised", source, doc.at, plan=plan, detail=detail or "no quota group is in it"),)
    return tuple(_reading(doc, source, name, parts[name], detail, plan) for name in sorted(parts))


def _reading(
    doc: Document, source: str, name: str, limits: Iterable[Limit], detail: str | None, plan: str | None
) -> Reading:
    told = unique(limits)
    if any(limit.percent is not None or limit.blocked is not None or limit.left for limit in told):
        return Reading(name, "ok", source, doc.at, plan=plan, detail=detail, limits=told)
    nothing = "; ".join(filter(None, ["no limit of it tells a figure", detail]))
    return Reading(name, "unrecognised", source, doc.at, plan=plan, detail=nothing)


def unique(limits: Iterable[Limit]) -> tuple[Limit, ...]:
    """Each name once: the one that refuses, then the fuller, then the one that lasts longer."""
    found: dict[str, Limit] = {}
    for limit in limits:
        found[limit.name] = max(limit, found.get(limit.name, limit), key=_weight)
    return tuple(found.values())


def _weight(limit: Limit) -> tuple[bool, float, float]:
    share = -1.0 if limit.percent is None else limit.percent
    return limit.blocked is True, share, 0.0 if limit.resets_at is None else limit.resets_at.timestamp()


def _detail(dropped: list[str]) -> str | None:
    """One sentence on what was dropped; None = nothing."""
    named, more = dropped[:NAMED_MOST], len(dropped) - NAMED_MOST
    return "not read: " + "; ".join([*named, *([f"{more} more"] if more > 0 else [])]) if named else None
