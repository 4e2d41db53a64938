"""The end of a lease: what it used, whose fault it was, what that stops, and whether the session goes on.

The first end stands, also that of a lease that lapsed or was taken back: whoever is late changes nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from attrs import evolve

from capacity.core.circuits import stops_for, success
from capacity.core.classify import classify
from capacity.core.leases import Book
from capacity.core.watch import looping
from capacity.engine.granting import Granting, settlement
from capacity.engine.leasing import LATE, Reply
from capacity.engine.ledger import Ledger
from capacity.engine.warm import Warm
from capacity.errors import CapacityError, NoSuch
from capacity.ports import Document, Reader
from capacity.values.conditions import Fact
from capacity.values.failures import Failure, FailureKind, Stop, Transport
from capacity.values.leases import Amount, Ending, Lease, Settled, Usage
from capacity.values.policy import Policy
from capacity.values.seats import Candidate

SAME_AGAIN: frozenset[FailureKind] = frozenset({"payload", "context", "noop"})
"""Kinds of which the same request would fail again wherever it went, or which were no failure of anybody's."""


class Endings:
    """Ends leases under one policy.

    Args:
        policy: what the operator wants.
        ledger: where ends are entered, and stops.
        granting: gives slots back.
    """

    def __init__(self, policy: Policy, ledger: Ledger, granting: Granting) -> None:
        self._policy, self._ledger, self._leasing, self._granting = policy, ledger, ledger.leasing, granting

    def end(
        self, lease: Lease, ending: Ending, usage: Usage, failure: Failure | None, book: Book, warm: Warm, now: datetime
    ) -> Reply:
        """End a lease, once.

        Raises:
            NoSuch: no such lease is known.
            CapacityError: the lease of that id is another one.
        """
        held = book.find(lease.id)
        if held is None:
            return self._first(lease)
        _same(lease, held.candidate)
        stops = self._stops(held, ending, failure, warm, now)
        settled = settlement(held, ending, now, usage, failure)
        until, known = _until(stops)
        loops = self._looping(settled, book)
        retry = loops is None and (failure is None or failure.kind not in SAME_AGAIN)
        reply = Reply(settled, stops, until, known, retry, loops)
        self._ledger.stop(*stops)
        rests = None if loops is None or self._policy.watch is None else now + self._policy.watch.rest
        self._granting.end(held, reply, prompt=prompt(usage), rests=rests)
        return reply

    def _first(self, lease: Lease) -> Reply:
        """What was said when it ended, by whomever that was told."""
        first = self._leasing.reply(lease.id)
        if first is None:
            raise NoSuch(f"no lease {lease.id!r} is known; one that ended long ago is forgotten")
        _same(lease, first.settled.candidate)
        return first

    def _looping(self, settled: Settled, book: Book) -> Fact | None:
        """Whether the session has to stop. Where the turn itself read little anew nobody need look at those before it."""
        watch, usage = self._policy.watch, settled.usage
        if watch is None or usage.cache_read is None or (_sum((usage.input, usage.cache_write)) or 0) < watch.prompt:
            return None
        stay = book.stays.get(settled.session)
        before = (one.settled for one in self._leasing.replies(settled.session, LATE))
        stopped_at = None if stay is None else stay.looped_at
        return looping((settled, *before), self._policy, settled.at, stopped_at=stopped_at)

    def _stops(
        self, lease: Lease, ending: Ending, failure: Failure | None, warm: Warm, now: datetime
    ) -> tuple[Stop, ...]:
        if failure is not None:
            return stops_for(
                failure,
                lease.candidate,
                at=now,
                session=lease.session,
                headroom=warm.headroom,
                policy=self._policy,
                context=lease.context,
            )
        if ending != "used":
            return ()
        return success(warm.circuits, lease.candidate, began_at=lease.offered_at, at=now)


def classified(
    reader: Reader | None, seen: Document, policy: Policy, *, text: str, transport: Transport | None, provider: str
) -> Failure:
    """Whose fault a failure was, by what the backend's reader says and by the rules for everybody."""
    return classify(
        at=seen.at,
        body=seen.body,
        status=seen.status,
        headers=seen.headers,
        text=text,
        exit_code=seen.exit_code,
        transport=transport,
        zone=seen.zone,
        provider=provider,
        told=None if reader is None else _read(reader, seen, text),
        holds=policy.circuits.holds,
    )


def _read(reader: Reader, seen: Document, text: str) -> Failure | None:
    """What the backend's reader says; None where it does not know the failure, or cannot read it."""
    whole = seen if seen.body or not text else evolve(seen, body=text.encode("utf-8", "replace"))
    try:
        return reader.failure(whole)
    except Exception:  # noqa: BLE001 - a plugin's fault must not lose a report; the rules for everybody still apply
        return None


def prompt(usage: Usage) -> int | None:
    """Tokens of a turn's prompt, as far as they were told; None where nothing was."""
    return _sum((usage.input, usage.cache_read, usage.cache_write))


def _sum(amounts: Sequence[Amount | None]) -> int | None:
    told = [one.value for one in amounts if one is not None]
    return int(sum(told)) if told else None


def _until(stops: Iterable[Stop]) -> tuple[datetime | None, bool]:
    """When what was stopped may be had again, and whether a provider told it."""
    ends = [(stop.until, stop.known) for stop in stops if not stop.lifted]
    if not ends or any(at is None for at, _ in ends):
        return None, False
    return max((at, known) for at, known in ends if at is not None)


def _same(lease: Lease, candidate: Candidate) -> None:
    """Refuse a lease that is not the one of its id: a report for another place must not be charged to this one."""
    if lease.candidate != candidate:
        raise CapacityError(
            f"lease {lease.id} grants {'|'.join(candidate.key)}, not {'|'.join(lease.candidate.key)}; "
            "tell the end of a lease with the lease that was given"
        )
