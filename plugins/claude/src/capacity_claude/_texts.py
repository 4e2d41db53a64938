"""The line in which the harness says that a limit was hit, as the limit it speaks of.

Only a line that says nothing else counts: a model may write about limits. Refusals that end by themselves at once, or
that are no matter of a limit, are left alone, and a line whose reset has passed is evidence of nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from attrs import frozen
from capacity.ports import Document, Limit, Scope

from capacity_claude._resets import reset
from capacity_claude._turns import SERVICE
from capacity_claude._windows import SESSION, WEEK
from capacity_claude._wire import instant

LONGEST = 300
"""Characters of such a line; those seen have about a hundred."""

WINDOWS: Mapping[str, tuple[str, timedelta]] = {
    **dict.fromkeys(("session", "5-hour", "five-hour", "5h"), ("5h", SESSION)),
    **dict.fromkeys(("weekly", "week", "7-day"), ("weekly", WEEK)),
}
"""Word before `limit` → the window it names."""

FILLERS = frozenset(
    {
        *{"claude", "code", "ai", "usage", "plan", "account", "your", "the", "spend", "spending"},
        *{"monthly", "daily", "org's", "organization's", "team's"},
    }
)
"""Words before `limit` that name no window and no model."""

OTHERS = frozenset(
    {
        *{"context", "rate", "token", "tokens", "input", "output", "message", "turn", "turns"},
        *{"request", "requests", "concurrency", "concurrent"},
    }
)
"""Words before `limit` that make it none of an account's quota."""

_LINE = re.compile(
    r"(?:you've (?:hit|reached) your (?P<hit>[^·∙•|:]{0,60}?)\s?limit"
    r"|(?P<reached>[^·∙•|:]{0,60}?)\s?limit reached"
    r"|you're out of (?P<out>extra usage))"
    r"(?:\|(?P<epoch>[0-9]{10,13})"
    r"|\.?(?:\s?[·∙•|-]|\s?your limit(?: will)?)?\s?resets?(?: at)? (?P<reset>[^·∙•|]{1,80}?))?"
    r"(?P<more>\s?[·∙•|].*)?\.?",
    re.IGNORECASE,
)


@frozen
class Hit:
    """What such a line says.

    Attributes:
        limit: the limit that was hit.
        past: its reset was before the line was seen: the line speaks of a window that is over.
        sure: it could be nobody else's line.
    """

    limit: Limit
    past: bool
    sure: bool

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limit, where the line is evidence of it."""
        return () if self.past else (self.limit,)


def hit(line: str, doc: Document) -> Hit | None:
    """What a line says of a limit; None where it is no such line.

    Args:
        line: the line alone.
        doc: the document it stands in.
    """
    whole = len(line) <= LONGEST and line.isprintable()
    found = _LINE.fullmatch(" ".join(line.replace("’", "'").split())) if whole else None
    named = None if found is None else _named(found)
    if found is None or named is None:
        return None
    name, window, scope = named
    ends = reset(found["reset"] or "", doc.at, doc.zone, window)
    ends_at, past = ends.at, ends.past
    if found["epoch"]:
        ends_at = instant(found["epoch"])
        past = ends_at is not None and ends_at <= doc.at
    limit = Limit(name, blocked=True, resets_at=None if past else ends_at, window=window, scope=scope)
    return Hit(limit, past, sure=bool(found["reset"]) or "claude" in line.casefold())


def _named(found: re.Match[str]) -> tuple[str, timedelta | None, Scope | None] | None:
    """Name, window and scope of the limit a line speaks of; None for one that is no quota's."""
    words = (found["hit"] or found["reached"] or "").casefold().split()
    if OTHERS & set(words):
        return None
    windows = [WINDOWS[word] for word in words if word in WINDOWS]
    model = " ".join(word for word in words if word not in WINDOWS and word not in FILLERS)
    if model:
        timed = bool(windows or found["reset"])
        return (f"weekly:{model}", WEEK, Scope("model", model)) if timed else None
    return (*windows[0], None) if windows else (SERVICE, None, None)
