"""Failures and the circuits they open: what stops a place from being used, since when, until when, on whose word."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.conditions import Fact

FailureKind = Literal[
    "quota", "lapsed", "balance", "rate", "overload", "connect", "auth", "model", "entitlement",
    "context", "context-tier", "payload", "busy", "loading", "noop", "other",
]  # fmt: skip  # one closed list, read as rows
Blames = Literal["none", "candidate", "pool"]
Subject = Literal["candidate", "pool", "backend"]
Origin = Literal["operator", "refusal", "reading"]


@frozen
class Failure:
    """A failure, classified.

    Attributes:
        kind: what kind it is.
        blames: whose fault it is.
        hold: how long to stay away; None = not by time.
        reset_at: when it ends, UTC; None = not known.
        reset_known: whether the provider told `reset_at`; a guessed one is never shown as a promise.
        indicts: whether it is evidence against the provider as a whole.
        facts: what it rests on.
    """

    kind: FailureKind
    blames: Blames
    hold: timedelta | None = None
    reset_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    reset_known: bool = False
    indicts: bool = False
    facts: tuple[Fact, ...] = ()


@frozen
class Stop:
    """One entry of the failure log: a stop put on something, or lifted from it.

    Attributes:
        at: when, UTC.
        origin: whose word it is.
        subject: what it stops: one candidate, a pool, or a whole backend (an operator only).
        name: the pool's or backend's name, or the candidate's key joined by `|`.
        kind: the class of failure; an operator's stop is `other`.
        until: when it ends, UTC; None = by nothing but a word to the contrary.
        lifted: true takes back every earlier stop of the same origin, subject, name and kind.
        note: one sentence for a person.
    """

    at: datetime = field(converter=_check.utc)
    origin: Origin
    subject: Subject
    name: str
    kind: FailureKind = "other"
    until: datetime | None = field(default=None, converter=_check.utc_or_none)
    lifted: bool = False
    note: str = ""


@frozen
class Circuit:
    """A stop in force.

    Attributes:
        origin: whose word opened it.
        subject: what it stops.
        name: which one.
        kind: the class of failure.
        opened_at: when, UTC.
        ends_at: when it ends at the latest, UTC; None only for an operator's stop.
        note: one sentence for a person.
    """

    origin: Origin
    subject: Subject
    name: str
    kind: FailureKind
    opened_at: datetime = field(converter=_check.utc)
    ends_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    note: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """(subject, name, kind, origin)."""
        return self.subject, self.name, self.kind, self.origin
