"""What is known of one failure, brought together from wherever it stands, and when it says that it ends. Judges nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from attrs import frozen

from capacity.core import phrases, resets
from capacity.core.bodies import Answer, answer, short
from capacity.core.resets import Reset
from capacity.values.failures import Failure, Transport

UNIFIED = "anthropic-ratelimit-unified-"
"""Prefix of the headers in which one dialect tells whether a subscription refuses, and which of its windows."""

WHOLE = ("5h", "7d")
"""Windows of that dialect that bind every model; all others bind some."""

WINDOWS: Sequence[tuple[str, timedelta]] = (
    ("session limit", timedelta(hours=5)),
    ("5-hour", timedelta(hours=5)),
    ("5 hour", timedelta(hours=5)),
    ("daily", timedelta(days=1)),
    ("weekly", timedelta(days=7)),
    ("monthly", timedelta(days=31)),
)
"""Words beside a limit → the length of its window: a reset further off was kept from an earlier one."""

Headers = Iterable[tuple[str, str]] | Mapping[str, str]


@frozen(kw_only=True)
class Evidence:
    """Everything that is known of one failure.

    Attributes:
        answer: what the body says.
        text: every text of it, its white space single blanks.
        folded: the same, casefolded.
        status: HTTP status of a failure, of the answer or told in it; None = none.
        direct: the status of this very answer; None = it had none.
        headers: of the answer and told in it, names lower case.
        transport: how the request ended without an answer.
        exit_code: of the process.
        told: what the backend's reader says.
        provider: who was asked; "" = not known.
        claimed: whether anything says that something failed.
        at: when, aware.
        zone: IANA zone of clocks without one.
    """

    answer: Answer
    text: str
    folded: str
    status: int | None
    direct: int | None
    headers: Mapping[str, str]
    transport: Transport | None
    exit_code: int | None
    told: Failure | None
    provider: str
    claimed: bool
    at: datetime
    zone: str | None


def evidence(
    *,
    at: datetime,
    body: bytes | str,
    status: int | None,
    headers: Headers,
    text: str,
    exit_code: int | None,
    transport: Transport | None,
    zone: str | None,
    provider: str,
    told: Failure | None,
) -> Evidence:
    """Bring it together; the arguments are those of `classify`."""
    said = answer(body)
    whole = " ".join(short(" ".join((text, *said.messages))).replace("’", "'").split())
    folded = whole.casefold()
    found = next((one for one in (status, *said.statuses) if one is not None and one >= 400), None)
    if found is None and (text or said.plain):
        found = next(phrases.statuses(folded), None)
    known = found is not None or transport is not None or told is not None
    return Evidence(
        answer=said,
        text=whole,
        folded=folded,
        status=found,
        direct=status,
        headers=_headers(said, headers),
        transport=transport,
        exit_code=exit_code,
        told=told,
        provider=provider,
        claimed=known or bool(text) or said.failed or bool(exit_code),
        at=at,
        zone=zone,
    )


def _headers(said: Answer, headers: Headers) -> Mapping[str, str]:
    """Those told in the body, and over them those of the answer itself."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return {**dict(said.headers), **{name.lower(): value for name, value in pairs}}


# --- when it ends -------------------------------------------------------------------------------

Source = Callable[[Evidence], Reset | None]


def told_reset(seen: Evidence) -> Reset | None:
    """When it ends: what its fields say, else its headers, else its text; None where nothing says anything."""
    return _first_instant(source(seen) for source in (_by_fields, _by_headers, _by_text))


def _first_instant(told: Iterable[Reset | None]) -> Reset | None:
    """The first that is an instant; else the first that tells anything."""
    first = None
    for one in told:
        if one is not None and one.at is not None:
            return one
        first = first or one
    return first


def _by_fields(seen: Evidence) -> Reset | None:
    return resets.fields_reset(seen.answer.times, seen.at, zone=seen.zone) if seen.answer.times else None


def _by_headers(seen: Evidence) -> Reset | None:
    """The windows that refuse, else the wait that is asked for, else the resets of what is used up."""
    if not seen.headers:
        return None
    refused = {f"{UNIFIED}{word}-reset" for word in WHOLE if seen.headers.get(f"{UNIFIED}{word}-status") == "rejected"}
    tests: Sequence[Callable[[str], bool]] = (
        refused.__contains__,
        lambda name: name.startswith("retry-after"),
        lambda name: "reset" in name and _binds(name, seen.headers),
    )
    told = ([pair for pair in seen.headers.items() if test(pair[0])] for test in tests)
    return _first_instant(resets.fields_reset(pairs, seen.at, zone=seen.zone) for pairs in told if pairs)


def _binds(name: str, headers: Mapping[str, str]) -> bool:
    """Whether the reset in a header is of what refuses: not of a window that still has room."""
    if name.startswith(UNIFIED):
        return name == f"{UNIFIED}reset" and headers.get(f"{UNIFIED}status") == "rejected"
    left = headers.get(name.replace("reset", "remaining"))
    return left is None or left.strip() in ("0", "0.0")


def _by_text(seen: Evidence) -> Reset | None:
    window = next((span for word, span in WINDOWS if word in seen.folded), None)
    return resets.reset_in(seen.text, seen.at, zone=seen.zone, window=window)
