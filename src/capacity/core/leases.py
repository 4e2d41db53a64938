"""The life of a lease, as a fold over its log: offered, claimed, renewed, ended. Pure; whoever writes the log holds its lock.

A session holds one lease at the most. What was ended stays ended, whatever comes late or twice. A lease that lapsed is
ended by the next line that anybody writes, for good: a clock that is set back brings none of them to life again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Literal

from attrs import evolve, field, frozen

from capacity.core.lanes import serving
from capacity.values import _check
from capacity.values.leases import Ending, Lease
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.seats import Candidate

Doing = Literal["offered", "claimed", "renewed", "ended"]

UNBOUNDED = 2**31
"""Slots of a candidate that nobody bounds."""

REMEMBERED = timedelta(hours=4)
"""How long a session's place is remembered after its last turn: longer than a pause in the middle of a piece of work, and
no provider keeps a prompt nearly so long."""


@frozen
class Entered:
    """One line of the log of leases.

    Attributes:
        doing: what was done.
        lease: id of the lease.
        at: when, UTC.
        granted: the lease itself, with the first line about it.
        until: when it lapses from now on, UTC; None = as before.
        ending: how it ended; None where it did not.
        draws: counters that were drawn on by granting it.
        prompt: tokens of the turn's prompt that its provider may still hold; None = not told.
        rests_until: its session is left alone until then, UTC, because it looped; None = it may go on.
    """

    doing: Doing
    lease: str
    at: datetime = field(converter=_check.utc)
    granted: Lease | None = None
    until: datetime | None = field(default=None, converter=_check.utc_or_none)
    ending: Ending | None = None
    draws: tuple[str, ...] = ()
    prompt: int | None = None
    rests_until: datetime | None = field(default=None, converter=_check.utc_or_none)


@frozen
class Stay:
    """Where a session was last.

    Attributes:
        candidate: the place it was granted last, and took.
        at: its last turn, UTC.
        home: where it belongs; None = there.
        prompt: tokens of its last prompt; None = not told.
        rests_until: it is left alone until then, UTC, because it looped.
        looped_at: when it did, UTC; None = never.
    """

    candidate: Candidate
    at: datetime
    home: Candidate | None = None
    prompt: int | None = None
    rests_until: datetime | None = None
    looped_at: datetime | None = None


@frozen
class Book:
    """The log of leases as its present.

    Attributes:
        open: session → the lease that has not ended; it may have lapsed.
        stays: session → where it was last.
        granted: counter → how often it was drawn on.
        count: leases that were granted so far.
    """

    open: Mapping[str, Lease] = field(factory=dict)
    stays: Mapping[str, Stay] = field(factory=dict)
    granted: Mapping[str, int] = field(factory=dict)
    count: int = 0

    def find(self, id: str) -> Lease | None:
        """The lease of that id, unless it has ended."""
        lease = self.open.get(session_of(id))
        return lease if lease is not None and lease.id == id else None

    def here(self, session: str, as_of: datetime) -> Stay | None:
        """Where a session was last; None where that is forgotten."""
        stay = self.stays.get(session)
        return stay if stay is not None and as_of - stay.at < REMEMBERED else None

    def lapsed(self, as_of: datetime) -> list[Lease]:
        """The leases that are due to be ended, those of dead holders and of offers nobody claimed."""
        return [lease for lease in self.open.values() if lease.expires_at <= as_of]

    def on_slot(self, key: str, slot: int, session: str) -> list[Lease]:
        """The leases that have not ended and are on a slot, but for one session's own: one at the most."""
        return [one for one in self.others(session) if one.slot == slot and one.key == key]

    def others(self, session: str) -> tuple[Lease, ...]:
        """The leases that have not ended, but for one session's own."""
        return tuple(lease for of, lease in self.open.items() if of != session)


def lease_id(session: str, number: int) -> str:
    """The id of a lease: its session and which of all leases it is, counted from 1."""
    return f"{session}/{number}"


def session_of(id: str) -> str:
    """The session a lease was granted to."""
    return id.rpartition("/")[0]


def number_of(id: str) -> int:
    """Which of all leases it is; 0 = it is no such id."""
    number = id.rpartition("/")[2]
    return int(number) if number.isascii() and number.isdigit() else 0


def fold(entered: Iterable[Entered], before: Book | None = None) -> Book:
    """The book after some more lines. `fold(b, fold(a))` equals `fold(a + b)` [L19].

    Args:
        entered: lines in the order in which they were written.
        before: the book before them; None = an empty one.
    """
    book = before or Book()
    open_, stays, granted, count = dict(book.open), dict(book.stays), Counter(book.granted), book.count
    for one in entered:
        number, session = number_of(one.lease), session_of(one.lease)
        lease = one.granted if number > count else open_.get(session)
        if lease is None or lease.id != one.lease or (one.granted is not None and number <= count):
            continue  # late, or told twice
        if number > count:
            count = number
            granted.update(one.draws)
        elif one.doing != "ended":
            claimed = lease.claimed or one.doing != "offered"
            lease = evolve(lease, claimed=claimed, expires_at=one.until or lease.expires_at)
        if one.doing == "ended":
            del open_[session]
        else:
            open_[session] = lease
        if lease.claimed:
            _stayed(stays, lease, one)
    return Book(open_, stays, dict(granted), count)


def _stayed(stays: dict[str, Stay], lease: Lease, line: Entered) -> None:
    """Remember where a session is; an offer that nobody claimed is no place it was at."""
    was = stays.get(lease.session)
    known = was if was is not None and was.candidate == lease.candidate else None
    prompt = line.prompt if line.prompt is not None else None if known is None else known.prompt
    rests, looped = (None, None) if was is None else (was.rests_until, was.looped_at)
    if line.rests_until is not None:
        rests, looped = line.rests_until, line.at
    stays[lease.session] = Stay(lease.candidate, line.at, lease.home, prompt, rests, looped)


def resting(book: Book, as_of: datetime) -> Book:
    """The book without what is forgotten by then; nothing that may still be asked about changes."""
    stays = {of: stay for of, stay in book.stays.items() if as_of - stay.at < REMEMBERED or session_rests(stay, as_of)}
    return evolve(book, stays=stays)


def session_rests(stay: Stay, as_of: datetime) -> bool:
    """Whether a session is left alone because it looped."""
    return stay.rests_until is not None and as_of < stay.rests_until


# --- how many at once -----------------------------------------------------------------------------


@frozen
class Bound:
    """What one lease of a candidate takes up.

    Attributes:
        key: what is claimed in the store.
        slots: how many may hold it at once.
        each: leases at once of the candidate itself; None = no bound of its own.
    """

    key: str
    slots: int
    each: int | None = None


def bound(candidate: Candidate, inventory: Inventory, headroom: Headroom, policy: Policy) -> Bound:
    """What one lease of a candidate takes up: a slot of its model where those are counted, else one of its own.

    The policy's word comes before the reading's: whoever declares slots knows that other programs use some.
    """
    names = names_of(inventory, candidate.pool, candidate.model)
    pool = policy.pools.get(candidate.pool)
    said = serving(() if pool is None else pool.serving, names)
    slots = said.slots if said.slots is not None else _told(candidate.pool, names, headroom)
    if slots is None:
        most = UNBOUNDED if said.each is None else said.each
        return Bound(f"lease:{'|'.join(candidate.key)}", most)
    return Bound(f"slots:{candidate.pool}|{candidate.model}", slots, said.each)


def names_of(inventory: Inventory, pool: str, model: str) -> frozenset[str]:
    """Every name that a model of a pool answers to; its id alone where nobody listed it."""
    shelf = inventory.pools.get(pool)
    found = () if shelf is None else shelf.find(model)
    return found[0].model.names if found else frozenset({model.casefold()})


def _told(pool: str, names: frozenset[str], headroom: Headroom) -> int | None:
    """How many slots the pool's reading tells; the least of those that bind the model."""
    known = headroom.pools.get(pool)
    limits = [one.limit for one in known.limits] if known is not None else []
    caps = [
        int(limit.cap["slots"])
        for limit in limits
        if "slots" in limit.cap and (limit.scope is None or (limit.scope.kind == "model" and limit.scope.name in names))
    ]
    return min(caps, default=None)


def has_room(bound: Bound, candidate: Candidate, others: Iterable[Lease]) -> bool:
    """Whether the candidate's own bound leaves room beside the leases of others."""
    return bound.each is None or sum(lease.candidate == candidate for lease in others) < bound.each
