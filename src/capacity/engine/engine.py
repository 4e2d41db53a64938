"""The engine: one policy, one store, and everything that is done with them. Sync, and safe to use from several threads.

Two engines share nothing but a store they are both given.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from attrs import evolve

from capacity.core.epochs import Course
from capacity.engine import tick as steps
from capacity.engine.backends import check
from capacity.engine.operator import accepted, known, stopped
from capacity.engine.settings import Settings
from capacity.engine.snapshot import snapshot
from capacity.engine.stopping import failed, rearm
from capacity.engine.tick import Report, Works
from capacity.engine.tiering import Tiering
from capacity.engine.works import Given, made, same_time
from capacity.plugins import Plugins, load_plugins
from capacity.ports import Actuator, Clock, Document, Listing, Outcome, Placement, Reading, Snapshot, Store
from capacity.store import sqlite
from capacity.values.failures import Failure, Stop, Subject
from capacity.values.policy import Policy
from capacity.values.seats import Candidate
from capacity.values.tick import Tick
from capacity.values.tiers import TierSet
from capacity.wire import Host

T = TypeVar("T")


class Engine:
    """Knows what is left, decides who runs where, and does it.

    Args:
        policy: what the operator wants. An empty one is fine: nothing is asked, nothing decided.
        store: where everything is kept; None = the SQLite file at its usual place, closed with the engine.
        plugins: what is installed; None = whatever is found, of the names the policy mentions.
        clock: tells the time to the host and the store that are made here; None = the system's. A store that is
            given has its own, which must tell the same time.
        host: where flows run; None = a new one.
        actuators: fleet → actuator, for fleets whose plugin is not to be used.
        settings: lives of claims, and how long things are kept.
        folder: where the names of files in the policy begin that do not say it themselves: the folder of the policy's
            own file; None = the one the process works in.

    Raises:
        PolicyError: the policy names a plugin that nobody offers, or gives options nobody takes; all of it is told.
        StoreError: the store cannot be opened.
        CapacityError: the given store's clock tells another time than the given clock.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        store: Store | None = None,
        plugins: Plugins | None = None,
        clock: Clock | None = None,
        host: Host | None = None,
        actuators: Mapping[str, Actuator] | None = None,
        settings: Settings | None = None,
        folder: Path | None = None,
    ) -> None:
        self.policy = policy
        self._lock = threading.RLock()
        plugins, actuators = load_plugins() if plugins is None else plugins, actuators or {}
        check(policy, plugins, actuators)
        self._store = sqlite(clock=clock) if store is None else store
        self._owns_store = store is None
        if clock is not None:
            same_time(clock, self._store)
        given = Given(plugins, actuators, host or Host(clock=clock), settings or Settings(), folder or Path())
        self._works, self._preparing = made(policy, self._store, given)

    # --- what is left and what can run ----------------------------------------------------------

    def probe(self) -> tuple[Reading, ...]:
        """Ask every source that is due, and publish what it says. What is not due is not asked, whoever wants it.

        Returns:
            The readings that were published now, sorted by pool.

        Raises:
            StoreError: it could not be published.
        """
        with self._lock:
            return steps.probe(self._works)

    def refresh(self, account: str, sooner: bool = False) -> tuple[Reading, ...]:
        """Ask the sources of one account if they are due, or wait for whoever is asking them.

        Args:
            account: the account's name in the policy.
            sooner: something is known to have changed: what may be asked by its floor is due.

        Raises:
            StoreError: it could not be published.
        """
        with self._lock:
            return self._works.producer.produce(only=(account,), sooner=sooner).readings

    def observe(
        self, account: str, document: Document, origin: str, seat: str | None = None
    ) -> tuple[Reading | Listing, ...]:
        """Publish what a document says that somebody else saw: headers, an event, a report.

        It counts as evidence like a probe's, and puts the next probe off. What says the same as the newest reading
        did, sooner than the source might be asked again, is not published twice.

        Args:
            account: the account's name in the policy.
            document: what was seen.
            origin: who saw it (`gateway`, an orchestrator's name).
            seat: the seat it was seen on, where that is known.

        Returns:
            What it says; `()` where the backend says that the document is not its own.

        Raises:
            PolicyError: the policy has no such account.
            PluginError: nobody reads documents of this account.
        """
        with self._lock:
            known(self.policy.accounts, "accounts", account)
            return self._works.producer.observe(account, document, f"{origin}/{seat}" if seat else origin)

    def snapshot(self) -> Snapshot:
        """What is known, decided and held, from what was published. Nobody is asked."""
        with self._lock:
            return snapshot(self._works.ledger, self.policy)

    def courses(self) -> Mapping[str, Sequence[Course]]:
        """Pool → its limits as epochs, each with the figures that were published: what a burn-down is drawn from.

        Raises:
            StoreError: the store cannot be read.
            FormError: a record in it cannot.
        """
        with self._lock:
            return self._works.ledger.courses(self.policy, self._works.ledger.now())

    # --- deciding and doing ---------------------------------------------------------------------

    def plan(self, *, probe: bool = False) -> Tick:
        """Decide, and do nothing: no claim, no journal, nothing applied.

        Args:
            probe: ask first what is due.
        """
        with self._lock:
            if probe:
                steps.probe(self._works)
            return steps.plan(self._works)

    def tick(self) -> Report:
        """Ask what is due, decide for every fleet, apply where the policy says `enforce`, and keep all of it."""
        with self._lock:
            report = steps.tick(self._works)
            if report.adopted is not None:
                self._adopt(report.adopted)
            return report

    def prepare(self, pool: str, model: str) -> Outcome:
        """Make a model ready, because somebody asks for it: load it, and wait until it serves or the time is up.

        By whom is what the policy says of the pool: see `prepare` there. Other calls go on meanwhile; a second request
        for the pool, from wherever, is a `conflict`. It is noted in the store.

        Args:
            pool: full name.
            model: any name that the pool's listing knows it by.

        Returns:
            `applied`, or `unchanged` where it served already; `applied-not-running` where it is still on its way; else
            why not.

        Raises:
            PolicyError: the policy has no such pool, or says of none of its models how it is loaded.
            NoSuch: the pool's listing has no such model, or several of that name.
            StoreError: it could not be noted.
        """
        with self._lock:
            request = self._preparing.request(pool, model)
        return self._preparing.carry_out(request)  # outside of the lock: no tick waits for minutes of loading

    # --- what stops a place, and what an operator says ------------------------------------------

    def fail(
        self, candidate: Candidate, failure: Failure, *, session: str = "", context: int | None = None
    ) -> tuple[Stop, ...]:
        """Tell of a failure, and learn what it stops.

        Args:
            candidate: where it happened.
            failure: what `classify` makes of it, with the holds of the policy.
            session: whose turn it was; `""` = nobody can tell, and then it is no evidence against a whole pool.
            context: tokens of the request; None = not known.

        Raises:
            PolicyError: the policy knows no such harness or pool.
        """
        with self._lock:
            return failed(self._works, failure, candidate, session=session, context=context)

    def rearm(self, name: str) -> tuple[Stop, ...]:
        """Take back what failures stopped, and tell what was taken back. An operator's own stop is left: `lift` ends it.

        Args:
            name: a pool with its candidates, a backend with its pools, a candidate, or `all`.

        Raises:
            PolicyError: the policy knows nothing of that name.
        """
        with self._lock:
            return rearm(self._works.ledger, self.policy, name)

    @property
    def tiers(self) -> Tiering:
        """What the evidence says about tiers, and what is done about it."""
        return Tiering(lambda: self._works, self._lock, self._adopt)

    def _adopt(self, made: TierSet) -> None:
        """Decide by another adopted set from now on."""
        self.policy = evolve(self.policy, tiers=evolve(self.policy.tiers, rows=made.rows, stale_at=made.stale_at))
        self._works = evolve(self._works, policy=self.policy)

    def stop(self, subject: Subject, name: str, note: str = "") -> Stop:
        """Stop a candidate (`harness|pool|model|effort`), a pool or a backend, until it is lifted.

        Raises:
            PolicyError: the policy knows nothing of that name.
        """
        return self._say(subject, name, note, lifted=False)

    def lift(self, subject: Subject, name: str, note: str = "") -> Stop:
        """Take an operator's stop back.

        Raises:
            PolicyError: the policy knows nothing of that name.
        """
        return self._say(subject, name, note, lifted=True)

    def _say(self, subject: Subject, name: str, note: str, *, lifted: bool) -> Stop:
        with self._lock:
            stop = stopped(self.policy, subject, name, note, self._works.ledger.now(), lifted=lifted)
            self._works.ledger.stop(stop)
            return stop

    def accept(self, fleet: str, seat: str) -> Placement:
        """Take a seat as it stands: what others did to it is no conflict, and it is ours to place again.

        Raises:
            PolicyError: the policy has no such fleet, or the fleet no such seat.
            CapacityError: the fleet cannot be read, or another controller is writing to it.
        """
        with self._lock:
            known(self.policy.fleets, "fleets", fleet)
            return accepted(self._works, fleet, seat)

    # --- what was kept --------------------------------------------------------------------------

    def ticks(self) -> tuple[str, ...]:
        """Ids of the decisions that are kept, oldest first."""
        with self._lock:
            return self._works.ledger.archive.ticks()

    def rebuild(self, id: str) -> Tick:
        """A kept decision with everything it was made from, as it was.

        Raises:
            StoreError: no decision of that id is kept.
        """
        with self._lock:
            return self._works.ledger.archive.rebuild(id)

    # --- its end --------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the store, if it was made here."""
        with self._lock:
            if self._owns_store:
                self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def works_of(engine: Engine) -> Works:
    """What an engine works with, for the broker beside it; whose login each account is has been looked at."""
    works, lock = engine._works, engine._lock  # noqa: SLF001 - of one room, and of no use to anybody outside it
    with lock:
        works.producer.identify()
    return works
