"""The `/status` screen, as text that somebody captured: parsed, never asked for.

The word beside a figure says which way it counts. A clock time is an instant only where the host's zone is known, and
one further away than its window is long is stale. Rows under a heading belong to what the heading names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from attrs import evolve, frozen
from capacity.ports import Document, Limit, Reading, Scope

from capacity_codex._clock import next_time
from capacity_codex._purse import CAP, credits_left, spending_cap
from capacity_codex._rollout import TOGETHER
from capacity_codex._told import Told
from capacity_codex._usage import failed
from capacity_codex._windows import KINDS, SLOTS, named, scope_of
from capacity_codex._wire import LONGEST, percent, word

SOURCE = "status"
BANNER = "OpenAI Codex"
STALE = "limits may be stale"

LABELS: Mapping[str, str] = {"usage": SLOTS[0], "secondary usage": SLOTS[1], "monthly credit": CAP}
"""Label of a row that is not called after its window → the name of its limit."""

SCREEN_MOST = 2**16
"""Bytes of a screen with its terminal codes; one has a few thousand. A longer text is none."""

WIDEST = 1000
"""Characters of a line of a terminal; longer ones are none."""

_CODES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_ROW = re.compile(
    rf"(?:(?P<name>.+?)\s+)??(?P<label>{'|'.join([*LABELS, *KINDS, '[0-9]+h'])})\s+limit:\s*(?P<rest>.*)", re.IGNORECASE
)
_HEADING = re.compile(r"(?P<name>\S.*?)\s+limit:", re.IGNORECASE)
_FIGURE = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?)\s*% (left|used)\b")
_RESETS = re.compile(r"\(resets\s+([^()]+)\)")
_GOES_ON = re.compile(r"\(resets|[0-9][0-9,]* of [0-9]")
_SPENT = re.compile(r"([0-9][0-9,]*) of ([0-9][0-9,]*) credits used")
_CREDITS = re.compile(
    r"Credits:\s*(?:(?P<all>Unlimited)|(?P<count>[0-9][0-9,]*(?:\.[0-9]+)?) credits?)\b", re.IGNORECASE
)
_ACCOUNT = re.compile(r"Account:\s+\S+ \(([^()]+)\)")
_NOTHING = re.compile(
    r"Limits:\s+(?P<none>not available for this account)|Limits:\s+(?:data not available|refresh requested)"
)


@frozen
class Row:
    """One row of the screen.

    Attributes:
        name: of its limit, without a scope.
        scope: what it binds.
        text: what stands behind its label, and below it where the row goes on.
    """

    name: str
    scope: Scope | None
    text: str


def is_status(doc: Document) -> bool:
    """Whether a document is such a screen: it has a row of a limit that we know by its figure or by the banner."""
    if len(doc.body) > SCREEN_MOST or doc.body.lstrip()[:1] in {b"{", b"[", b"<"}:
        return False
    text = "\n".join(_lines(doc))
    rows = [*_rows(doc)]
    return bool(_NOTHING.search(text)) or any(_FIGURE.search(row.text) or BANNER in text for row in rows)


def status(doc: Document) -> Reading:
    """The reading that a screen makes."""
    text = "\n".join(_lines(doc))
    nothing = _NOTHING.search(text)
    if nothing is not None and nothing["none"]:
        return failed(doc.at, "unsupported", "this login has no windows; it may still serve", SOURCE)
    if nothing is not None:
        return failed(doc.at, "unreachable", "the screen has no figures yet: look again shortly", SOURCE)
    plan = _ACCOUNT.search(text)
    limits = [limit for row in _rows(doc) if (limit := _limit(row, doc)) is not None]
    told = Told(_first([*limits, *_purse(text)]), word(plan[1]) if plan else None)
    return _aged(told.reading(SOURCE, doc.at)) if STALE in text else told.reading(SOURCE, doc.at)


def _aged(reading: Reading) -> Reading:
    """As old as the screen says that it is, at least."""
    return evolve(
        reading, observed_at=reading.observed_at - TOGETHER, detail="the screen says that its figures may be stale"
    )


def _lines(doc: Document) -> Iterator[str]:
    """The lines, without terminal codes and their box, each gap one blank; one that goes on below is one line."""
    whole = ""
    for part in _CODES.sub("", doc.text).splitlines():
        # a gap is one blank, because the patterns of a row try each of its blanks against all the others
        line = " ".join(part.strip(" \t│╭╮╰╯─").split()) if len(part) <= WIDEST else ""
        if _GOES_ON.match(line):
            whole += f" {line}"
            continue
        yield whole
        whole = line
    yield whole


def _rows(doc: Document) -> Iterator[Row]:
    """The rows of limits, in their order."""
    heading: Scope | None = None
    for line in _lines(doc):
        row, head = _ROW.fullmatch(line), _HEADING.fullmatch(line)
        if row is not None:
            label = row["label"].casefold()
            scope = scope_of(None, row["name"]) if row["name"] else heading
            yield Row(LABELS.get(label, label), scope, row["rest"])
        elif head is not None:
            heading = scope_of(None, head["name"])


def _limit(row: Row, doc: Document) -> Limit | None:
    """The row as a limit; None for one that was cut off before its figure."""
    figure, resets = _FIGURE.search(row.text), _RESETS.search(row.text)
    used = _used(*figure.groups()) if figure else None
    if used is None:
        return None
    window = KINDS.get(row.name)
    resets_at = next_time(resets[1], doc, window or LONGEST) if resets else None
    if row.name == CAP:
        return _cap(used, row.text, resets_at, doc.at)
    return Limit(named(row.name, row.scope), used, resets_at=resets_at, window=window, scope=row.scope)


def _used(figure: str, direction: str) -> float | None:
    told = percent(figure)
    if told is None or direction == "used":
        return told
    return 100 - told if told <= 100 else None


def _cap(used: float, text: str, resets_at: datetime | None, at: datetime) -> Limit | None:
    """The row of a cap on credits; whether the plan has windows beside it is not on the screen."""
    spent = _SPENT.search(text)
    amounts = [group.replace(",", "") for group in spent.groups()] if spent else [None, None]
    row = {"remaining_percent": 100 - used, "used": amounts[0], "limit": amounts[1]}
    found = spending_cap(row, None, at, alone=False)
    return None if found is None else evolve(found, resets_at=resets_at)


def _purse(text: str) -> Iterator[Limit]:
    found = _CREDITS.search(text)
    count = (found["count"] or "").replace(",", "") if found else ""
    row = {"unlimited": bool(found and found["all"]), "has_credits": bool(count.strip("0.")), "balance": count}
    purse = credits_left(row, alone=False)
    yield from () if purse is None else (purse,)


def _first(limits: list[Limit]) -> tuple[Limit, ...]:
    """Each name once, as it stands first: the account's rows come before those of any model."""
    return tuple({limit.name: limit for limit in reversed(limits)}.values())
