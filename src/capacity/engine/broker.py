"""The broker: one ledger, a lease for every turn. Any number of processes share one store, and none of them is in charge.

Every verb is one transaction: the lines others wrote are folded, what has lapsed is ended, then the verb is carried out.
Only the store's clock is asked. Sync, and safe to use from several threads; no lock is held while a source is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from types import TracebackType
from typing import Self

from attrs import evolve

from capacity.core.leases import Book
from capacity.engine.asking import Asking
from capacity.engine.endings import Endings, classified
from capacity.engine.engine import Engine, works_of
from capacity.engine.granting import Granting, without
from capacity.engine.leasing import Reply
from capacity.engine.ledger import Ledger
from capacity.engine.loading import Loader
from capacity.engine.refreshing import Patience, Refresher
from capacity.engine.settings import Settings
from capacity.engine.stopping import alarm
from capacity.engine.warm import Warmth
from capacity.errors import CapacityError
from capacity.plugins import Plugins
from capacity.ports import Clock, Document, Reader, Store
from capacity.values.choice import Choice
from capacity.values.failures import Failure, Transport
from capacity.values.leases import Ending, Lease, Refused, Usage, Wait
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Need
from capacity.wire import Host

NOTHING_TOLD = Usage()


class Broker:
    """Grants the turns of many sessions, one lease each, from whatever is left.

    Args:
        policy: what the operator wants.
        store: as for `Engine`.
        plugins: as for `Engine`.
        clock: as for `Engine`.
        host: as for `Engine`.
        settings: as for `Engine`.
        engine: an engine to share, of the same policy; the other arguments are then its own. None = one is made.
        load: begins to make a candidate ready that a lease waits for, and returns; None = a thread of this process does.

    Raises:
        PolicyError, StoreError, CapacityError: as for `Engine`; or the engine is of another policy.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        store: Store | None = None,
        plugins: Plugins | None = None,
        clock: Clock | None = None,
        host: Host | None = None,
        settings: Settings | None = None,
        engine: Engine | None = None,
        load: Callable[[Candidate], None] | None = None,
    ) -> None:
        if engine is not None and engine.policy != policy:
            raise CapacityError("the engine that was given has another policy; give the broker the engine's own")
        self._owns_engine = engine is None
        self._engine = engine or Engine(policy, store=store, plugins=plugins, clock=clock, host=host, settings=settings)
        self.policy, works = self._engine.policy, works_of(self._engine)
        self._producer, self._settings = works.producer, works.settings
        self._store = works.ledger.store
        # Its own ledger: the folds of an engine belong to whoever holds the engine's lock.
        ledger = self._ledger = Ledger(self._store)
        self._leasing = ledger.leasing
        self._warmth = Warmth(self.policy, ledger, self._producer)
        self._granting = Granting(self.policy, ledger, self._settings)
        self._endings = Endings(self.policy, ledger, self._granting)
        self._asking, self._stays = Asking(self.policy), False
        self._refresher = Refresher(self._refresh)
        self._load = load or Loader(self._loaded).begin
        self._lock = threading.RLock()

    # --- asking for a turn ------------------------------------------------------------------------

    def offer(self, session: str, need: Need) -> Lease | Wait | Refused:
        """Offer a session a place for its next turn. It counts at once, and lapses unless it is claimed.

        A pool that may leave the machine's network and is due to be asked is asked first; the lease waits for that, no
        longer than `Settings.lease_patience`, and tells how long it did. What its session asks again while it holds the
        same place is the lease it has, for another life; any other lease it holds is taken back.

        Args:
            session: names the session; no two that run at once share a name.
            need: what the turn asks for. Where its session is, where it belongs and what its provider still holds of its
                prompt is filled in from what is remembered, unless the need tells it.

        Returns:
            The lease; what is waited for, where asking again is worth while; or why there is none.

        Raises:
            StoreError: the store cannot be read or written.
        """
        return self._ask(session, need, claimed=False)

    def lease(self, session: str, need: Need) -> Lease | Wait | Refused:
        """Offer a place and claim it, in one transaction. Arguments, answers and errors are those of `offer`."""
        return self._ask(session, need, claimed=True)

    def preview(self, session: str, need: Need) -> Choice:
        """What would be chosen for a session now. Nobody is asked, nothing is written."""
        with self._lock:
            now = self._store.now()
            book = self._leasing.book()
            book = without(book, book.lapsed(now), now)
            return self._granting.choose(session, need, book, self._warmth.present(now), now)

    def _ask(self, session: str, need: Need, *, claimed: bool) -> Lease | Wait | Refused:
        patience = Patience(self._settings.lease_patience)
        while True:
            with self._verb() as (book, now):
                told = self._decided(session, need, book, now, patience, claimed=claimed)
            if not isinstance(told, dict):
                return self._after(told, patience)
            self._refresher.bring(told, patience)

    def _decided(
        self, session: str, need: Need, book: Book, now: datetime, patience: Patience, *, claimed: bool
    ) -> Lease | Wait | Refused | dict[str, bool]:
        """What a session is told, or the accounts that are to be asked before that."""
        rests = self._granting.resting(session, book, now)
        if rests is not None:
            return rests
        warm = self._warmth.present(now)
        choice = self._granting.choose(session, need, book, warm, now)
        due = self._asking.before(choice, warm, now, patience.asked)
        if due:
            return due
        if self._stays:  # who leases once and goes leaves it to those that stay
            self._refresher.begin(self._asking.beside(warm, now))
        return self._granting.answer(session, need, choice, book, warm, now, claimed=claimed)

    def _after(self, told: Lease | Wait | Refused, patience: Patience) -> Lease | Wait | Refused:
        """What is still to be done once the transaction has ended, and what the lease tells of it."""
        self._stays = True
        if isinstance(told, Wait) and told.fact.code == "core:preparable" and told.candidate is not None:
            self._load(told.candidate)
        if not isinstance(told, Lease) or not patience.asked:
            return told
        late = self.policy.pools[told.candidate.pool].account in patience.late
        return evolve(told, waited=patience.spent, unread=late)

    def _refresh(self, account: str, sooner: bool) -> None:
        with suppress(CapacityError):  # the store's: whoever leases next is told
            self._engine.refresh(account, sooner)

    def _loaded(self, pool: str, model: str) -> None:
        """Make a model ready, and have its account listed anew. Nobody waits here for what went wrong: it is noted."""
        with suppress(CapacityError):
            self._engine.prepare(pool, model)
            self._engine.refresh(self.policy.pools[pool].account, True)

    # --- a turn under way -------------------------------------------------------------------------

    def claim(self, lease: Lease) -> Lease | None:
        """Take an offer, or hold on to what was taken; None where it has lapsed or was taken back."""
        return self._hold(lease)

    def renew(self, lease: Lease) -> Lease | None:
        """Hold on to a lease for another life; None where it has lapsed or was taken back, and the turn should stop."""
        return self._hold(lease)

    def _hold(self, lease: Lease) -> Lease | None:
        with self._verb() as (book, now):
            known = book.find(lease.id)
            if known is None or known.generation != lease.generation:
                return None
            return self._granting.renewed(known, now, self._settings.lease_life, claimed=True)

    def find(self, id: str) -> Lease:
        """A lease by its id, ended or not.

        Raises:
            NoSuch: none of that id is known.
        """
        with self._lock:
            return self._leasing.book().find(id) or self._leasing.lease(id)

    def leases(self) -> tuple[Lease, ...]:
        """The leases in flight, offered or claimed, sorted by id."""
        with self._lock:
            return self._leasing.leases(self._store.now())

    # --- its end ----------------------------------------------------------------------------------

    def settle(self, lease: Lease, usage: Usage = NOTHING_TOLD) -> Reply:
        """End a lease whose turn went well. The first end stands; telling another returns what was said to the first.

        Args:
            lease: the lease that was given.
            usage: what the turn used; what was not told is not nothing.

        Raises:
            NoSuch: no such lease is known.
            CapacityError: the lease of that id is another one.
        """
        return self._end(lease, "used", usage, None)

    def release(self, lease: Lease) -> Reply:
        """Give a lease back unused. Errors and repetitions as for `settle`."""
        return self._end(lease, "released", NOTHING_TOLD, None)

    def fail(
        self,
        lease: Lease,
        document: Document | None = None,
        *,
        text: str = "",
        status: int | None = None,
        headers: Iterable[tuple[str, str]] = (),
        exit_code: int | None = None,
        transport: Transport | None = None,
        provider: str = "",
        usage: Usage = NOTHING_TOLD,
    ) -> Reply:
        """End a lease whose turn failed: whose fault it was is worked out, and what it stops is put.

        Args:
            lease: the lease that was given.
            document: what was answered, whole; `status`, `headers` and `exit_code` are then its own.
            text: what an error or a log says beside it.
            status: HTTP status; None = no answer.
            headers: of the answer.
            exit_code: of the process.
            transport: how the request ended without an answer; `aborted` = we gave it up, which is nobody's fault.
            provider: the name by which a gateway knows who was asked; a failure of anybody else is charged to nobody.
            usage: what was used all the same.

        Raises:
            NoSuch: no such lease is known.
            CapacityError: the lease of that id is another one.
        """
        seen = document or Document(b"", self._store.now(), status=status, headers=tuple(headers), exit_code=exit_code)
        reader = self._reader(lease)
        why = classified(reader, seen, self.policy, text=text, transport=transport, provider=provider)
        return self._end(lease, "failed", usage, why)

    def _reader(self, lease: Lease) -> Reader | None:
        pool = self.policy.pools.get(lease.candidate.pool)
        return None if pool is None else self._producer.reader(pool.account)

    def _end(self, lease: Lease, ending: Ending, usage: Usage, failure: Failure | None) -> Reply:
        with self._verb() as (book, now):
            warm = self._warmth.recent(now) if failure is None else self._warmth.present(now)
            reply = self._endings.end(lease, ending, usage, failure, book, warm, now)
        alarm(evolve(works_of(self._engine), ledger=self._ledger), reply.stops, self._lock)
        return reply

    # --- what was kept ----------------------------------------------------------------------------

    def choices(self, session: str) -> tuple[Choice, ...]:
        """The choices kept for a session, oldest first: where it was placed, moved, refused or made to wait, and why."""
        with self._lock:
            return self._leasing.choices(session)

    def close(self) -> None:
        """Wait for what is being asked, and let go of the engine, if it was made here."""
        self._refresher.close()
        if self._owns_engine:
            self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- below ------------------------------------------------------------------------------------

    @contextmanager
    def _verb(self) -> Iterator[tuple[Book, datetime]]:
        """One transaction: what is leased at its instant, with what has lapsed ended."""
        with self._lock:
            self._leasing.book()  # most of the folding is done before anybody is kept waiting
            self._warmth.recent(self._store.now())
            with self._store.transaction():
                now = self._store.now()
                yield self._granting.swept(self._leasing.book(), now), now
            if self._leasing.is_long:
                self._leasing.tidy(now, self._settings)
                self._ledger.spending.mark()
