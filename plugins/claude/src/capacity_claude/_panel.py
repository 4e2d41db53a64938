"""What a terminal showed of the harness's `/usage` panel. Only ever read, never asked for: it costs what a probe costs.

Captures lose blanks and letters, repeat themselves and hold what is no figure: a status bar, a promotion, an older
panel. A figure counts under the heading of its section, and only the last panel counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from attrs import field, mutable
from capacity.ports import Document, Limit, Reading, Scope

from capacity_claude._extra import NAME as EXTRA
from capacity_claude._resets import reset
from capacity_claude._usage import BUDGET
from capacity_claude._windows import ALL_MODELS, SESSION, WEEK
from capacity_claude._wire import percent, word

SOURCE = "usage-panel"

WIDEST = 1000
"""Characters of a line of a terminal; longer ones are none."""

LINES_MOST = 2000
"""Lines of a capture that are looked at, the last ones: the last panel counts, and one has about thirty."""

CAPTURE_MOST = LINES_MOST * WIDEST
"""Characters of a capture that are looked at, the last ones."""

ALIKE = 0.85
"""How alike a heading must be to what it should say, from 0 to 1: one that lost two of its letters still is."""

HEADINGS: Mapping[str, str] = {"session": "currentsession", "week": "currentweek", "extra": "extrausage"}
"""Section → its heading, blanks left out."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_USED = re.compile(r"(?<![0-9.+-])([0-9]{1,3}(?:\.[0-9]{1,6})?)%(used|left|remaining)")
_RESETS = re.compile(r"^resets?(.+)$", re.IGNORECASE)
_ONLY = re.compile(r"\s*only$")


@mutable
class Section:
    """One section of a panel.

    Attributes:
        heading: `session`, `week` or `extra`.
        label: what its heading says in brackets, casefolded; None = it has none.
        percent: percent used; None = not told.
        resets: what it says of its reset; blank = nothing.
    """

    heading: str
    label: str | None = None
    percent: float | None = None
    resets: str = ""


@mutable
class Panel:
    """The last panel of a capture.

    Attributes:
        seen: there was one.
        trouble: what it says instead of figures, blanks left out.
        sections: (heading, label) → section.
        open: the section being read.
    """

    seen: bool = False
    trouble: str = ""
    sections: dict[tuple[str, str | None], Section] = field(factory=dict)
    open: Section | None = None

    def anew(self, trouble: str = "") -> None:
        """A new panel begins, or the one there is says why it has no figures."""
        self.seen, self.trouble, self.sections, self.open = True, trouble, {}, None

    def begin(self, section: Section) -> None:
        """A section begins; one that has begun before begins a newer panel."""
        if (section.heading, section.label) in self.sections:
            self.anew()
        self.seen, self.open = True, section
        self.sections[section.heading, section.label] = section


def panel(doc: Document, body: Any) -> Reading | None:
    """The reading that a capture makes; None where it shows no such panel."""
    if body is not None or b"\x00" in doc.body:
        return None
    shown = Panel()
    for line in _lines(doc.text):
        _read(shown, line)
    if not shown.seen:
        return None
    told = [section for section in shown.sections.values() if section.percent is not None]
    return _figures(doc, shown, told) if told else _nothing(doc, shown)


def _lines(text: str) -> Iterator[str]:
    for line in re.split(r"[\r\n]+", _ANSI.sub("", text[-CAPTURE_MOST:]))[-LINES_MOST:]:
        if line.strip() and len(line) <= WIDEST:
            yield line.strip()


def _read(shown: Panel, line: str) -> None:
    """One line of a capture: a panel begins, a section begins, or the section goes on."""
    close = "".join(line.split()).casefold()
    if _is_trouble(close) or (close.startswith("settings:") and "usage" in close):
        return shown.anew("" if close.startswith("settings:") else close)
    section = _heading(line, close)
    if section is not None:
        return shown.begin(section)
    if shown.open is None:
        return None
    used, resets = _USED.search(close), _RESETS.match(line)
    if used and shown.open.percent is None:
        shown.open.percent = _share(float(used[1]), used[2])
    if resets:  # the last line of a section; a figure behind it belongs to one whose heading got lost
        shown.open.resets, shown.open = resets[1], None
    return None


def _share(told: float, direction: str) -> float | None:
    """Percent used, whichever direction the panel counts in."""
    return percent(told if direction == "used" else 100 - told)


def _is_trouble(close: str) -> bool:
    return close.startswith("loadingusagedata") or "failedtoloadusagedata" in close or "subscriptiontopower" in close


def _heading(line: str, close: str) -> Section | None:
    name, bracket, rest = close.partition("(")
    label = word(line.partition("(")[2].rpartition(")")[0])
    for heading, whole in HEADINGS.items():
        if name[:2] == whole[:2] and len(name) <= len(whole) + 1 and _alike(name, whole):
            closed = not bracket or (rest.endswith(")") and label is not None)
            return Section(heading, _ONLY.sub("", label) if label and bracket else None) if closed else None
    return None


def _alike(name: str, whole: str) -> bool:
    return SequenceMatcher(None, name, whole, autojunk=False).ratio() >= ALIKE


# --- what it says -----------------------------------------------------------------------------


def _figures(doc: Document, shown: Panel, told: list[Section]) -> Reading:
    windows = [_window(section, doc) for section in told if section.heading != "extra"]
    limits = [limit for limit, _ in windows]
    limits += [_extra(section, beside=bool(limits)) for section in told if section.heading == "extra"]
    unread = [section.label or section.heading for section in shown.sections.values() if section.percent is None]
    unread = [name for name in unread if name != "extra"]
    notes = [f"no figure for {', '.join(unread)}"] if unread else []
    notes += ["a reset it shows has passed"] if any(past for _, past in windows) else []
    return Reading("", "ok", SOURCE, doc.at, detail="; ".join(notes) or None, limits=tuple(limits))


def _window(section: Section, doc: Document) -> tuple[Limit, bool]:
    """The limit of a section, and whether the reset it shows was before the capture."""
    whole = section.label is None or "".join(section.label.split()) == "".join(ALL_MODELS.split())
    name, length = ("5h", SESSION) if section.heading == "session" else ("weekly", WEEK)
    scope = None if whole or section.label is None else Scope("model", section.label)
    ends = reset(section.resets, doc.at, doc.zone, length)
    named = name if scope is None else f"{name}:{scope.name}"
    return Limit(named, percent=section.percent, resets_at=ends.at, window=length, scope=scope), ends.past


def _extra(section: Section, *, beside: bool) -> Limit:
    return Limit(EXTRA, percent=section.percent, scope=Scope("feature", EXTRA) if beside else None)


def _nothing(doc: Document, shown: Panel) -> Reading:
    if "failed" in shown.trouble and ("rate_limit" in shown.trouble or "ratelimited" in shown.trouble):
        refused = "the harness's own probe was refused, which says nothing of the quota"
        return Reading("", "throttled", SOURCE, doc.at, detail=refused, retry_at=BUDGET.retry_at(doc))
    if "failed" in shown.trouble or shown.trouble.startswith("loading"):
        return Reading("", "unreachable", SOURCE, doc.at, detail="the panel had no usage to show yet")
    return Reading("", "unrecognised", SOURCE, doc.at, detail="the panel shows no figure that this version knows")
