"""One producer, many readers: a source is claimed, asked once if it is due, and what it said is published.

Cadence comes from budgets and the policy's accounts only; no number of seats, engines or readers changes it [L18]. That
a source is asked is noted before it is, so a producer that dies while asking does not make the next one ask too soon.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import evolve, frozen

from capacity.core.tellers import told as spoken
from capacity.engine.answers import UNREADABLE, Login, Said, said, told, unread
from capacity.engine.backends import Backend, Source
from capacity.engine.cadence import due, due_at
from capacity.engine.ledger import Ledger
from capacity.engine.logins import Logins
from capacity.engine.settings import Settings
from capacity.errors import PluginError
from capacity.plugins.factories import said as told_of
from capacity.ports import Claim, Document, Flow, Listing, Reader, Reading
from capacity.values.conditions import Fact
from capacity.values.policy import Policy
from capacity.wire import Host, run_all

NEVER = datetime.max.replace(tzinfo=UTC)
"""When an account is due that nobody can ask."""

LOOK_AGAIN_S = 0.02
"""Real seconds between two looks at a claim of others: a read of the store takes a hundredth of that."""


@frozen
class Produced:
    """What one round published.

    Attributes:
        readings: sorted by pool.
        listings: sorted by account.
        raised: what is wrong with accounts and plugins.
        asked: names of the sources that were asked.
    """

    readings: tuple[Reading, ...] = ()
    listings: tuple[Listing, ...] = ()
    raised: tuple[Fact, ...] = ()
    asked: frozenset[str] = frozenset()


@frozen(eq=False)
class Question:
    """A source that is ours to ask now.

    Attributes:
        source: which.
        login: whose.
        key: what claims and memory go by.
        claim: ours on it.
        count: how often it was asked, this time included.
    """

    source: Source
    login: Login
    key: str
    claim: Claim
    count: int


class Producer:
    """Asks the sources of a policy and publishes what they say.

    Args:
        policy: whose accounts.
        backends: account → its ports.
        ledger: where it is published.
        host: where flows run.
        holder: who claims.
        settings: how long a claim lives.
    """

    def __init__(
        self, policy: Policy, backends: Mapping[str, Backend], ledger: Ledger, host: Host, holder: str, settings: Settings
    ) -> None:  # fmt: skip  # what it works with, each once
        self._backends, self._ledger = backends, ledger
        self._host, self._holder, self._settings = host, holder, settings
        self._logins = Logins(backends, policy, ledger, self._run, settings)

    @property
    def sources(self) -> frozenset[str]:
        """Names of everything that can be asked."""
        return frozenset(source.name for backend in self._backends.values() for source in backend.sources)

    def produce(
        self, idle: Collection[str] = (), only: Collection[str] | None = None, *, sooner: bool = False
    ) -> Produced:
        """Ask everything that is due, together, and publish the answers.

        Args:
            idle: pools nobody runs on, or that are exhausted.
            only: accounts that are asked; None = every account.
            sooner: something is known to have changed: what may be asked by its floor is due.
        """
        wanted = self._backends.keys() if only is None else self._backends.keys() & only
        faults = [
            *self._logins.identify(wanted),
            *(one for backend in self._backends.values() for one in backend.faults),
        ]
        doubles = {double.subject: double for double in self._logins.doubles()}
        asked = [one for name, one in self._backends.items() if name in wanted and name not in doubles]
        sources = [source for one in asked for source in one.sources]
        questions = [question for source in sources if (question := self._claim(source, idle, sooner)) is not None]
        answers = self._run({one.source.name: (one.source.ask, one.source.budget.deadline) for one in questions})
        with self._ledger.transaction():  # whoever reads beside us sees the whole round, or none of it
            found = [self._publish(one, answers[one.source.name]) for one in questions]
        for one in questions:
            self._ledger.store.release(one.claim)
        self._await_others(source for source in sources if source.name not in answers)
        return Produced(
            tuple(sorted((one for each in found for one in each.readings), key=lambda one: one.pool)),
            tuple(sorted((one for each in found for one in each.listings), key=lambda one: one.account or "")),
            (*faults, *doubles.values(), *(each.fault for each in found if each.fault is not None)),
            frozenset(answers),
        )

    def observe(self, account: str, document: Document, origin: str) -> tuple[Reading | Listing, ...]:
        """Publish what a document says that somebody else saw, and put the next question off.

        Args:
            account: the account's name in the policy.
            document: what was seen.
            origin: who saw it.

        Returns:
            What it says; `()` where the backend's reader says that the document is not its own.

        Raises:
            PluginError: nobody reads documents of this account, or the reader broke its contract.
        """
        if self._logins.get(account) is None:
            self._logins.identify()
        found = self._read(self._backends[account], self._logins[account], document, origin)
        with self._ledger.transaction():
            self._enter(account, evolve(found, readings=tuple(filter(self._is_news, found.readings))))
            for source in self._backends[account].sources:
                if (source.kind == "probe") is bool(found.readings):
                    self._put_off(_key(source, self._logins[account].fingerprint), found)
        return (*found.readings, *found.listings)

    def identify(self) -> None:
        """Look at whose login each account is, unless that was done."""
        self._logins.identify()

    def due_at(self, account: str, changed: Mapping[str, datetime], *, sooner: bool) -> datetime | None:
        """When an account is next due to be asked how much is left; None = now, for all that is known here.

        Args:
            account: the account's name in the policy.
            changed: pool → when a failure last told something of it.
            sooner: as for `produce`.
        """
        login = self._logins.get(account)
        if login is None:
            return None
        for source in self._probes(account):
            key = _key(source, login.fingerprint)
            sooner = sooner or self._has_failed(source, login, key, changed)
            return due_at(source.budget, self._ledger.asked(key), key, idle=False, account=account, sooner=sooner)
        return NEVER

    def is_asking(self, account: str) -> bool:
        """Whether somebody, here or elsewhere, asks an account just now how much is left."""
        login = self._logins.get(account)
        keys = [] if login is None else [_key(source, login.fingerprint) for source in self._probes(account)]
        return any(self._ledger.store.holder(key) is not None for key in keys)

    def reader(self, account: str) -> Reader | None:
        """What reads the answers of an account; None = its plugin offers none."""
        return self._backends[account].reader

    def _probes(self, account: str) -> list[Source]:
        return [source for source in self._backends[account].sources if source.kind == "probe"]

    # --- asking ---------------------------------------------------------------------------------

    def _claim(self, source: Source, idle: Collection[str], sooner: bool) -> Question | None:
        """Take a source that is due, and note that it is being asked."""
        login = self._logins[source.account]
        rests = all(pool in idle for pool in login.pools)
        if not self._due(source, login, rests, sooner):
            return None
        key = _key(source, login.fingerprint)
        claim = self._ledger.store.claim(
            key, self._holder, 1, max(self._settings.probe_life, 2 * source.budget.deadline)
        )
        if claim is None:
            return None
        if not self._due(source, login, rests, sooner):  # somebody asked between the two looks
            self._ledger.store.release(claim)
            return None
        with self._ledger.transaction():
            asking = self._ledger.asked(key).asking(self._ledger.now(), source.account)
            self._ledger.remember(key, asking)
        return Question(source, login, key, claim, asking.count)

    def _await_others(self, sources: Iterable[Source]) -> None:
        """Wait for what others are asking just now, no longer than they may take: half an answer is no ground to act on."""
        began = time.monotonic()
        for source in sources:
            key = _key(source, self._logins[source.account].fingerprint)
            end = began + source.budget.deadline.total_seconds()
            while time.monotonic() < end and self._ledger.store.holder(key) not in (None, self._holder):
                time.sleep(LOOK_AGAIN_S)

    def _due(self, source: Source, login: Login, rests: bool, sooner: bool) -> bool:
        """Whether it may be asked. A login that could not be told for a moment is not asked twice within a floor."""
        key, now, floor = _key(source, login.fingerprint), self._ledger.now(), source.budget.floor
        sooner = sooner or self._has_failed(source, login, key, self._ledger.changed())
        asked_at = None if login.alias is None else self._ledger.asked(_key(source, login.alias)).asked_at
        just_asked = asked_at is not None and asked_at <= now < asked_at + floor
        return not just_asked and due(
            source.budget, self._ledger.asked(key), key, now, idle=rests, account=source.account, sooner=sooner
        )

    def _has_failed(self, source: Source, login: Login, key: str, told: Mapping[str, datetime]) -> bool:
        """Whether a failure has told something since it was last asked that its reading would tell better."""
        since = self._ledger.asked(key).since
        if since is None or source.kind != "probe":
            return False
        return any(told.get(pool, since) > since for pool in login.pools)

    def _run(self, flows: Mapping[str, tuple[Callable[[], Flow[Any]], timedelta]]) -> Mapping[str, Any]:
        started = {name: (_begun(make), deadline) for name, (make, deadline) in flows.items()}
        return run_all(started, host=self._host) if started else {}

    # --- publishing -----------------------------------------------------------------------------

    def _publish(self, question: Question, answer: Any) -> Said:
        found = said(question.source, answer, question.login, self._ledger.now())
        with self._ledger.transaction():
            self._enter(question.source.account, found)
            asked = self._ledger.asked(question.key)
            if asked.count == question.count:  # else it took so long that somebody asked again, and knows better
                known = asked.answered(good=found.good, retry_at=found.retry_at, refused_at=found.refused_at)
                self._ledger.remember(question.key, known)
        return found

    def _put_off(self, key: str, found: Said) -> None:
        """Remember of a source what somebody else heard of it."""
        asked, good, now = self._ledger.asked(key), found.good, self._ledger.now()
        heard = asked.told(now, good=good, retry_at=found.retry_at, refused_at=found.refused_at)
        if heard != asked:
            self._ledger.remember(key, heard)

    def _enter(self, account: str, found: Said) -> None:
        for reading in found.readings:
            self._ledger.publish(reading)
        for listing in found.listings:
            self._ledger.publish_listing(account, listing)

    def _is_news(self, reading: Reading) -> bool:
        """Whether it says anything else than what is known and no older than a floor: a gateway sees every answer there is."""
        known, account = self._ledger.seen().get(reading.pool), reading.pool.partition("/")[0]
        floors = [one.budget.floor for one in self._backends[account].sources if one.kind == "probe"]
        if known is None or not floors or known.last.state != reading.state:
            return True
        told = {one.limit.name: one for one in spoken(known.told, reading.observed_at)}
        alike = [told[limit.name] for limit in reading.limits if limit.name in told and told[limit.name].limit == limit]
        if len(alike) < len(reading.limits):
            return True
        since = min((one.reading.observed_at for one in alike), default=known.last.observed_at)
        return reading.observed_at - since >= floors[0]

    def _read(self, backend: Backend, login: Login, document: Document, origin: str) -> Said:
        """A document through the backend's reader; what was seen says who saw it."""
        name, plugin, at = login.account, backend.account.plugin, self._ledger.now()
        if backend.reader is None:
            raise PluginError(
                f"account {name}: no reader of {plugin} is there for what others saw; see `capacity plugins`"
            )
        try:
            readings, listing = backend.reader.readings(document), None
            if readings is None:
                listing = backend.reader.listing(document)
        except UNREADABLE as error:
            return Said(unread(login, origin, error, at, None))
        except Exception as error:
            raise PluginError(f"account {name}: the reader of {plugin} broke its contract: {told_of(error)}") from error
        values = readings if readings is not None else () if listing is None else (listing,)
        return told((evolve(one, source=f"{origin}:{one.source}") for one in values), login, at, None)


async def _begun(make: Callable[[], Flow[Any]]) -> Any:
    """The flow, made inside another: one that fails while it is made fails alone."""
    return await make()


def _key(source: Source, login: str) -> str:
    return f"{source.kind}:{source.plugin.name}/{login}"
