"""Failures and the circuits they open: what stops a place from being used, since when, until when, on whose word."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal, Self

from attrs import field, frozen

from capacity.values import _check
from capacity.values.conditions import Fact

FailureKind = Literal[
    "quota", "lapsed", "balance", "rate", "overload", "connect", "auth", "model", "entitlement",
    "context", "context-tier", "payload", "busy", "loading", "noop", "other",
]  # fmt: skip  # one closed list, read as rows
Blames = Literal["none", "candidate", "pool"]
Subject = Literal["candidate", "pool", "backend"]
Origin = Literal["operator", "refusal", "reading", "evidence"]
Transport = Literal["unreached", "broken", "timeout", "aborted"]
"""How a request ended without an answer: never connected; broken after connecting; our patience ran out; we gave it up."""


@frozen
class Hold:
    """What one kind of failure blames, and for how long.

    Attributes:
        blames: whose fault it is.
        span: how long to stay away where the provider does not say; None = not at all.
        waits: it is waited for, not refused.
    """

    blames: Blames
    span: timedelta | None = None
    waits: bool = False


HOLDS: Mapping[FailureKind, Hold] = {
    "quota": Hold("pool", timedelta(minutes=15)),
    "lapsed": Hold("pool", timedelta(hours=6)),
    "balance": Hold("pool", timedelta(minutes=15)),
    "rate": Hold("candidate", timedelta(minutes=5)),
    "overload": Hold("candidate", timedelta(seconds=15)),
    "connect": Hold("pool", timedelta(seconds=60)),
    "auth": Hold("candidate", timedelta(minutes=1)),
    "model": Hold("candidate", timedelta(hours=24)),
    "entitlement": Hold("candidate", timedelta(hours=24)),
    "context": Hold("none"),
    "context-tier": Hold("candidate", timedelta(hours=24)),
    "payload": Hold("none"),
    "busy": Hold("candidate", timedelta(seconds=5), waits=True),
    "loading": Hold("candidate", timedelta(seconds=5), waits=True),
    "noop": Hold("none"),
    "other": Hold("candidate", timedelta(minutes=5)),
}
"""Kind → its hold where the policy says nothing else. Long enough that nothing is hammered, short enough that what heals
is found within a turn or two; the spans are those a peer arrived at in a year of use, and are settings of the policy."""

NEEDS_HUMAN = "core:needs-human"
"""Code of the fact that a failure does not end until a person does something."""


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

    @classmethod
    def of(
        cls,
        kind: FailureKind,
        *,
        blames: Blames | None = None,
        hold: timedelta | None = None,
        reset_at: datetime | None = None,
        human: bool = False,
        facts: tuple[Fact, ...] = (),
    ) -> Self:
        """A failure of that kind, with what its kind blames and how long it holds filled in.

        Args:
            kind: the kind.
            blames: whose fault it is; None = what the kind blames.
            hold: how long the provider says to stay away; None = as long as the kind holds.
            reset_at: when the provider says that it ends, UTC; None = it does not say.
            human: it does not end until a person does something.
            facts: what it rests on.
        """
        usual = HOLDS[kind]
        span = usual.span if hold is None else hold
        facts = (*facts, Fact(NEEDS_HUMAN)) if human else facts
        return cls(kind, usual.blames if blames is None else blames, span, reset_at, reset_at is not None, facts=facts)

    @property
    def needs_human(self) -> bool:
        """Whether nothing but a person ends it."""
        return any(fact.code == NEEDS_HUMAN for fact in self.facts)


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
        known: whether a provider told `until`; a guess is never shown as a promise.
        indicts: it is evidence against the pool of the candidate it names, which may put it in quarantine.
        session: whose failure it was; `""` = nobody can tell.
        above: it stops only needs with a larger context than so many tokens; None = every need.
    """

    at: datetime = field(converter=_check.utc)
    origin: Origin
    subject: Subject
    name: str
    kind: FailureKind = "other"
    until: datetime | None = field(default=None, converter=_check.utc_or_none)
    lifted: bool = False
    note: str = ""
    known: bool = False
    indicts: bool = False
    session: str = ""
    above: int | None = None


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
        known: whether a provider told when it ends; a guess is never shown as a promise.
        probation_at: from when on one lease at a time tries it, UTC; None = it is not tried before it ends.
        above: it stops only needs with a larger context than so many tokens; None = every need.
        waits: it is waited for, not refused.
    """

    origin: Origin
    subject: Subject
    name: str
    kind: FailureKind
    opened_at: datetime = field(converter=_check.utc)
    ends_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    note: str = ""
    known: bool = False
    probation_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    above: int | None = None
    waits: bool = False

    @property
    def key(self) -> tuple[str, str, str, str]:
        """(subject, name, kind, origin)."""
        return self.subject, self.name, self.kind, self.origin
