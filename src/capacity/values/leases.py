"""Leases: a time-limited, fenced grant of one candidate to one session; what was asked, granted, used and settled."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.conditions import Fact
from capacity.values.failures import Failure
from capacity.values.seats import Candidate, Egress

RefusalCode = Literal[
    "quota-spent", "share-spent", "no-candidate", "no-local-candidate", "not-resolvable", "too-large", "login-required",
    "unknown-profile", "looping",
]  # fmt: skip  # one closed list, read as rows
WaitCode = Literal["candidate-preparing", "candidate-busy", "step-closed"]
NoLease = Literal[RefusalCode, WaitCode]
"""Why there is no lease: refused, or to be waited for."""
Ending = Literal["used", "failed", "released", "abandoned", "expired"]
Told = Literal["reported", "estimated"]


@frozen
class Amount:
    """A figure of use, and whether it was reported or estimated. What nobody told is no `Amount`, never a nought.

    Attributes:
        value: how much, 0 and up.
        told: `reported` by the provider, or `estimated` by whoever settles.
    """

    value: Decimal = field(converter=_check.amount)
    told: Told = "reported"


@frozen
class Usage:
    """What one turn used. None = not told, which is not nothing.

    Attributes:
        requests: requests made.
        input: tokens read that no cache held.
        output: tokens written.
        cache_read: tokens read from a cache.
        cache_write: tokens written to one.
        money: unit → amount charged.
    """

    requests: Amount | None = None
    input: Amount | None = None
    output: Amount | None = None
    cache_read: Amount | None = None
    cache_write: Amount | None = None
    money: Mapping[str, Amount] = field(factory=dict, converter=_check.by_key)


@frozen
class Lease:
    """One grant. Offered first; it counts for its holder once it is claimed, and against the room from the offer on.

    Attributes:
        id: names it; no other lease ever has it.
        session: whose it is.
        candidate: what it grants.
        lane: the lane it was chosen in.
        egress: how far its requests leave.
        key: what is claimed in the store.
        slot: which slot of it.
        generation: the fence: a holder with an older one is refused.
        offered_at: when it was offered, UTC.
        expires_at: when it lapses unless it is claimed or renewed, UTC.
        claimed: whether its holder has taken it.
        home: the candidate the session belongs on, where this one is a fallback; None = this is its home.
        returns_at: the earliest instant its home may be had again, UTC; None = not known, or at home.
        context: tokens of its prompt; None = not known.
        team: who it is charged to; `""` = nobody in particular.
        decision: id of the choice it rests on.
        waited: how long it waited for readings that were due; no part of deciding.
        unread: its pool's own did not come in that time, so that it rests on what was known before.
    """

    id: str
    session: str
    candidate: Candidate
    lane: str
    egress: Egress
    key: str
    slot: int
    generation: int
    offered_at: datetime = field(converter=_check.utc)
    expires_at: datetime = field(converter=_check.utc)
    claimed: bool = False
    home: Candidate | None = None
    returns_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    context: int | None = None
    team: str = ""
    decision: str = ""
    waited: timedelta = timedelta(0)
    unread: bool = False

    @property
    def fallback(self) -> bool:
        """Whether it is not the session's home."""
        return self.home is not None


@frozen
class Wait:
    """Nothing yet: something is being made ready, or is in use, or opens later. Asking again is worth while.

    Attributes:
        code: what is waited for.
        fact: why.
        candidate: what it is about, where it is one alone.
        span: how long it may take at the most; None = not known.
    """

    code: WaitCode
    fact: Fact
    candidate: Candidate | None = None
    span: timedelta | None = None


@frozen
class Refused:
    """No lease, and asking again at once is not worth while.

    Attributes:
        code: why, of a closed list.
        fact: the same with its figures.
        until: when it may be had, UTC; None = not known, or somebody has to act.
        known: whether `until` was told by a provider; a guess is never shown as a promise.
    """

    code: RefusalCode
    fact: Fact
    until: datetime | None = field(default=None, converter=_check.utc_or_none)
    known: bool = False


@frozen
class Settled:
    """The end of one lease. The first one stands; whoever settles again is told it.

    Attributes:
        lease: its id.
        session: whose it was.
        candidate: what it granted.
        at: when it ended, UTC.
        ending: how.
        usage: what it used.
        failure: what went wrong; None where nothing did.
        team: who it is charged to.
        lane: the lane it was chosen in.
    """

    lease: str
    session: str
    candidate: Candidate
    at: datetime = field(converter=_check.utc)
    ending: Ending = "used"
    usage: Usage = field(factory=Usage)
    failure: Failure | None = None
    team: str = ""
    lane: str = ""
