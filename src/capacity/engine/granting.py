"""From what a session asks to what it is given: the need completed, the choice made, the slot claimed, all of it entered.

Everything here happens inside one transaction of the broker; nothing here asks a source.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from attrs import evolve

from capacity.core.choose import choose
from capacity.core.facts import fact
from capacity.core.judging import liftings
from capacity.core.leases import Book, Doing, Entered, bound, fold, has_room, lease_id, session_rests
from capacity.engine.leasing import Reply
from capacity.engine.ledger import Ledger
from capacity.engine.settings import Settings
from capacity.engine.warm import Warm
from capacity.ports import Claim
from capacity.values.choice import Choice
from capacity.values.conditions import Fact
from capacity.values.failures import Failure
from capacity.values.history import History, Holds
from capacity.values.leases import Ending, Lease, Refused, Settled, Usage, Wait
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Need


def claim_of(lease: Lease) -> Claim:
    """What a lease holds in the store. Its session is the holder, so that any process may speak for it."""
    return Claim(lease.key, lease.session, lease.slot, lease.generation, lease.expires_at)


class Granting:
    """Grants leases under one policy.

    Args:
        policy: what the operator wants.
        ledger: where leases are entered, and the lifting of stops that newer readings contradict.
        settings: how long offers and leases live.
    """

    def __init__(self, policy: Policy, ledger: Ledger, settings: Settings) -> None:
        self._policy, self._ledger, self._settings = policy, ledger, settings
        self._leasing, self._store = ledger.leasing, ledger.store

    # --- choosing ---------------------------------------------------------------------------------

    def choose(self, session: str, need: Need, book: Book, warm: Warm, now: datetime) -> Choice:
        """What is chosen for a session as things are; nothing is done."""
        holds = Holds(warm.circuits, book.others(session))
        spent = self._ledger.spending.spent(self._policy, warm.as_of, warm.inventory)
        history = History(warm.as_of, book.count, warm.seed, holds=holds, spent=spent, granted=book.granted)
        asked = self._completed(session, need, book, now)
        choice = choose(asked, warm.inventory, warm.headroom, self._policy, history)
        return evolve(choice, id=f"{now.isoformat().replace('+00:00', 'Z')}-{session}")  # many are made of one instant

    def _completed(self, session: str, need: Need, book: Book, now: datetime) -> Need:
        """The need with what is remembered of its session, where it does not tell itself."""
        mine, stay = book.open.get(session), book.here(session, now)
        if stay is None:
            return evolve(need, turn=True, here=need.here or (None if mine is None else mine.candidate))
        here = need.here or (stay if mine is None else mine).candidate
        warm = here == stay.candidate and timedelta(0) <= now - stay.at < self._policy.lanes.cache_life
        cached = need.cached or (stay.prompt or 0 if warm else 0)
        return evolve(need, turn=True, here=here, home=need.home or stay.home, cached=cached)

    # --- granting ---------------------------------------------------------------------------------

    def resting(self, session: str, book: Book, now: datetime) -> Refused | None:
        """The refusal of a session that was stopped because it looped; None where it may go on."""
        stay = book.stays.get(session)
        if stay is None or not session_rests(stay, now):
            return None
        return Refused("looping", fact("looped", session, until=stay.rests_until), stay.rests_until)

    def answer(
        self, session: str, need: Need, choice: Choice, book: Book, warm: Warm, now: datetime, *, claimed: bool
    ) -> Lease | Wait | Refused:
        """Carry a choice out. A lease the session holds already is held on to where it is the same, else taken back."""
        self._ledger.stop(*liftings(choice.circuits, now))
        mine = book.open.get(session)
        if mine is not None:
            again = self._again(mine, choice, now, claimed=claimed)
            if again is not None:
                return again
            self._cut(mine, "abandoned", now)
        if choice.act != "stay" or book.here(session, now) is None:
            self._leasing.keep(session, choice, now)
        if choice.candidate is None:
            return _told(choice)
        return self._granted(session, need, choice, choice.candidate, book, warm, now, claimed=claimed)

    def _again(self, mine: Lease, choice: Choice, now: datetime, *, claimed: bool) -> Lease | None:
        """The lease it has, for another life: the same was asked twice, or it never told that its turn had ended."""
        if choice.candidate != mine.candidate:
            return None
        life = self._settings.lease_life if claimed or mine.claimed else self._settings.offer_life
        return self.renewed(mine, now, life, claimed=claimed or mine.claimed)

    def renewed(self, lease: Lease, now: datetime, life: timedelta, *, claimed: bool) -> Lease | None:
        """A lease for another life; None where its claim has lapsed."""
        claim = self._store.renew(claim_of(lease), life)
        if claim is None:
            return None
        doing: Doing = "renewed" if lease.claimed else "claimed" if claimed else "offered"
        self._leasing.enter(Entered(doing, lease.id, now, until=claim.expires_at))
        return evolve(lease, claimed=claimed, expires_at=claim.expires_at)

    def _granted(
        self, session: str, need: Need, choice: Choice, candidate: Candidate, book: Book, warm: Warm, now: datetime,
        *, claimed: bool,
    ) -> Lease | Wait:  # fmt: skip  # what it rests on, each once
        room = bound(candidate, warm.inventory, warm.headroom, self._policy)
        life = self._settings.lease_life if claimed else self._settings.offer_life
        free = has_room(room, candidate, book.others(session))
        claim = self._store.claim(room.key, session, room.slots, life) if free else None
        if claim is None:
            return _busy(candidate, book, now)
        for lapsed in book.on_slot(claim.key, claim.slot, session):
            self._cut(lapsed, "expired", now)  # the store looked at its clock a moment after we did
        pool = self._policy.pools[candidate.pool]
        lease = Lease(
            lease_id(session, book.count + 1), session, candidate, choice.lane, choice.egress or pool.egress,
            claim.key, claim.slot, claim.generation, now, claim.expires_at, claimed, choice.home,
            choice.opens_at if choice.home is not None else None, need.context, need.team, choice.id,
        )  # fmt: skip  # the fields of one value
        self._leasing.enter(Entered("claimed" if claimed else "offered", lease.id, now, lease, draws=choice.draws))
        return lease

    # --- ending -----------------------------------------------------------------------------------

    def end(self, lease: Lease, reply: Reply, *, prompt: int | None = None, rests: datetime | None = None) -> None:
        """Enter the end of a lease, and give its slot back."""
        at, ending = reply.settled.at, reply.settled.ending
        self._store.release(claim_of(lease))
        self._leasing.enter(Entered("ended", lease.id, at, ending=ending, prompt=prompt, rests_until=rests))
        self._leasing.put(reply)

    def _cut(self, lease: Lease, ending: Ending, now: datetime) -> None:
        """End a lease whose holder did not; one that was only offered was never used."""
        self.end(lease, Reply(settlement(lease, ending if lease.claimed else "released", now)))

    def swept(self, book: Book, now: datetime) -> Book:
        """The book after what has lapsed was ended, for good."""
        gone = book.lapsed(now)
        for lease in gone:
            self._cut(lease, "expired", now)
        return without(book, gone, now) if gone else book


def settlement(
    lease: Lease, ending: Ending, at: datetime, usage: Usage | None = None, failure: Failure | None = None
) -> Settled:
    """The end of a lease."""
    told = usage or Usage()
    return Settled(lease.id, lease.session, lease.candidate, at, ending, told, failure, lease.team, lease.lane)


def without(book: Book, gone: list[Lease], now: datetime) -> Book:
    """The book as if leases had ended."""
    return fold([Entered("ended", lease.id, now, ending="expired") for lease in gone], book)


def _told(choice: Choice) -> Wait | Refused:
    """A choice that grants nothing, as a session is told it."""
    code = choice.code or "no-candidate"
    if code == "candidate-preparing" or code == "candidate-busy" or code == "step-closed":
        return Wait(code, choice.fact, choice.about, choice.wait)
    return Refused(code, choice.fact, choice.opens_at, choice.known)


def _busy(candidate: Candidate, book: Book, now: datetime) -> Wait:
    """Every slot is held, whatever the choice knew: the first that lapses frees one at the latest."""
    held = (one.expires_at for one in book.open.values() if one.candidate.pool == candidate.pool)
    first = min(held, default=None)
    why: Fact = fact("slots-leased", candidate.model)
    return Wait("candidate-busy", why, candidate, None if first is None else max(first - now, timedelta(0)))
