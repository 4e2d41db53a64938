"""What a lease is decided on, kept warm: folded anew only when it may have changed, or is older than `BOUND`.

It may have changed when a log of evidence has grown, when a circuit or a window has ended since, and when the clock went
back. All of it is of one instant, that of its making.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from attrs import frozen

from capacity.engine.ledger import LISTINGS, READINGS, STOPS, Ledger
from capacity.engine.producer import Producer
from capacity.values.failures import Circuit
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy

BOUND = timedelta(seconds=5)
"""How old the present may be. A figure of a source is minutes old; folding all of it takes some milliseconds."""

EVIDENCE = (READINGS, LISTINGS, STOPS)
"""The logs that change what a lease is decided on."""


@frozen(eq=False)
class Warm:
    """Every log of evidence, folded at one instant, with what is due.

    Attributes:
        as_of: the instant, UTC.
        until: when it has to be made anew at the latest, UTC.
        inventory: what can run.
        headroom: what is left.
        circuits: stops in force.
        seed: what chance is drawn from.
        due: account → when it is due to be asked by its usual rhythm, UTC; None = now.
        sooner: account → when it is once a window of its has ended, UTC; None = now.
        asking: accounts that somebody was asking then. Who begins later asks what is due here too.
        numbers: log → number of the newest record in it.
    """

    as_of: datetime
    until: datetime
    inventory: Inventory
    headroom: Headroom
    circuits: tuple[Circuit, ...]
    seed: int
    due: Mapping[str, datetime | None]
    sooner: Mapping[str, datetime | None]
    asking: frozenset[str]
    numbers: Mapping[str, int]

    def is_due(self, pool: str, account: str, now: datetime) -> bool:
        """Whether an account is due to be asked before a lease of a pool is granted."""
        if account in self.asking or _passed(self.due.get(account, now), now):
            return True
        return self.has_reset(pool, now) and _passed(self.sooner.get(account, now), now)

    def has_reset(self, pool: str, now: datetime) -> bool:
        """Whether a window of a pool has ended since it was read."""
        known = self.headroom.pools.get(pool)
        resets = (one.limit.resets_at for one in known.limits if one.limit.scope is None) if known else ()
        return any(at is not None and at <= now for at in resets)


class Warmth:
    """Keeps the present warm. Not thread-safe.

    Args:
        policy: what the operator wants.
        ledger: what was published.
        producer: knows what is due.
    """

    def __init__(self, policy: Policy, ledger: Ledger, producer: Producer) -> None:
        self._policy, self._ledger, self._producer = policy, ledger, producer
        self._warm: Warm | None = None

    def present(self, now: datetime) -> Warm:
        """What is known now."""
        warm = self.recent(now)
        if self._grown(warm):
            warm = self._warm = self._made(now)
        return warm

    def recent(self, now: datetime) -> Warm:
        """What was known a moment ago, no longer ago than the bound; for what nothing newer can change."""
        warm = self._warm
        if warm is None or not warm.as_of <= now < warm.until:
            warm = self._warm = self._made(now)
        return warm

    def _grown(self, warm: Warm) -> bool:
        read = self._ledger.store.read
        return any(read(log, since=number, last=1) for log, number in warm.numbers.items())

    def _made(self, now: datetime) -> Warm:
        policy, ledger, producer = self._policy, self._ledger, self._producer
        numbers = {log: _newest(ledger, log) for log in EVIDENCE}  # first: what comes after is seen next time
        headroom, circuits = ledger.headroom(policy, now), ledger.circuits(now, policy.circuits)
        told = ledger.changed()
        changes = (at for at in _changes(headroom, circuits) if at > now)
        return Warm(
            now,
            min([*changes, now + BOUND]),
            ledger.inventory(policy, now),
            headroom,
            circuits,
            ledger.seed(),
            {name: producer.due_at(name, told, sooner=False) for name in policy.accounts},
            {name: producer.due_at(name, told, sooner=True) for name in policy.accounts},
            frozenset(name for name in policy.accounts if producer.is_asking(name)),
            numbers,
        )


def _changes(headroom: Headroom, circuits: tuple[Circuit, ...]) -> Iterator[datetime]:
    """The instants at which something ends by itself."""
    for circuit in circuits:
        yield from (at for at in (circuit.ends_at, circuit.probation_at) if at is not None)
    for pool in headroom.pools.values():
        yield from (one.limit.resets_at for one in pool.limits if one.limit.resets_at is not None)


def _newest(ledger: Ledger, log: str) -> int:
    found = ledger.store.read(log, last=1)
    return found[-1].seq if found else 0


def _passed(at: datetime | None, now: datetime) -> bool:
    return at is None or at <= now
