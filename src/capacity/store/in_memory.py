"""The store in memory. What it holds is one frozen value; a transaction makes the next one, and keeping it is one assignment.

So a reader needs no lock and never sees half of a transaction, and undoing is forgetting.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

from attrs import define, evolve, field, frozen

from capacity.errors import StoreError
from capacity.ports import Claim, Record
from capacity.store.claims import free_slot
from capacity.store.instants import instant, micros
from capacity.store.transactions import Transactions

K = TypeVar("K")
V = TypeVar("V")


@frozen
class _Held:
    """Everything a store holds: log → key → records, documents by key, claims by (key, slot), generations by key."""

    seq: int = 0
    logs: Mapping[str, Mapping[str, tuple[Record, ...]]] = field(factory=dict)
    documents: Mapping[str, bytes] = field(factory=dict)
    claims: Mapping[tuple[str, int], Claim] = field(factory=dict)
    generations: Mapping[str, int] = field(factory=dict)

    def slots(self, key: str) -> set[int]:
        """The slots of a key that are taken."""
        return {slot for of, slot in self.claims if of == key}

    def holds(self, claim: Claim) -> bool:
        """Whether the claim is the one on its slot, renewed or not."""
        standing = self.claims.get((claim.key, claim.slot))
        return standing is not None and evolve(standing, expires_at=claim.expires_at) == claim


@define
class _Draft:
    held: _Held

    def change(self, **parts: Any) -> None:
        self.held = evolve(self.held, **parts)


class MemoryStore:
    """A `Store` for one process.

    Args:
        now: its clock.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._held = _Held()
        self._closed = False
        self._writing = threading.Lock()
        self._transactions = Transactions("memory", self._begin)

    def append(self, log: str, key: str, at: datetime, body: bytes) -> int:
        """Keep a document; its sequence number."""
        with self._transactions.block() as draft:
            seq, keys = draft.held.seq + 1, draft.held.logs.get(log, {})
            record = Record(seq, log, key, instant(micros(at)), bytes(body))
            draft.change(seq=seq, logs={**draft.held.logs, log: {**keys, key: (*keys.get(key, ()), record)}})
            return seq

    def read(self, log: str, *, key: str | None = None, since: int = 0, last: int | None = None) -> tuple[Record, ...]:
        """Records of a log with a sequence number above `since`, oldest first; with `last`, only the newest so many."""
        keys = self._seen().logs.get(log, {})
        chosen = keys.values() if key is None else (keys.get(key, ()),)
        newest = [record for records in chosen for record in _tail(records, since, last)]
        return _tail(tuple(sorted(newest, key=lambda record: record.seq)), since, last)

    def keys(self, log: str) -> tuple[str, ...]:
        """The keys of a log, sorted."""
        return tuple(sorted(self._seen().logs.get(log, {})))

    def prune(self, log: str, before: datetime, keep: Collection[int] = ()) -> int:
        """Forget records of a log told before an instant, but those whose number is kept; how many."""
        line, kept = instant(micros(before)), frozenset(keep)
        with self._transactions.block() as draft:
            old = draft.held.logs.get(log, {})
            stay = {key: tuple(r for r in records if r.at >= line or r.seq in kept) for key, records in old.items()}
            draft.change(logs={**draft.held.logs, log: {key: records for key, records in stay.items() if records}})
            return sum(map(len, old.values())) - sum(map(len, stay.values()))

    def get(self, key: str) -> bytes | None:
        """The document at a key; None where there is none."""
        return self._seen().documents.get(key)

    def swap(self, key: str, body: bytes | None, was: bytes | None) -> bool:
        """Put a document at a key (None removes it) if what stands there is still `was`; whether it was done."""
        with self._transactions.block() as draft:
            if draft.held.documents.get(key) != was:
                return False
            others = _without(draft.held.documents, key)
            draft.change(documents=others if body is None else {**others, key: bytes(body)})
            return True

    def claim(self, key: str, holder: str, slots: int, life: timedelta) -> Claim | None:
        """Take a free slot of a key for that long; None where none is free."""
        with self._settling(key) as (draft, now):
            slot = free_slot(draft.held.slots(key), slots)
            if slot is None:
                return None
            generation = draft.held.generations.get(key, 0) + 1
            claim = Claim(key, holder, slot, generation, now + life)
            draft.change(
                claims={**draft.held.claims, (key, slot): claim},
                generations={**draft.held.generations, key: generation},
            )
            return claim

    def renew(self, claim: Claim, life: timedelta) -> Claim | None:
        """Hold on to it; None where it has lapsed or was taken over."""
        with self._settling(claim.key) as (draft, now):
            if not draft.held.holds(claim):
                return None
            renewed = evolve(claim, expires_at=now + life)
            draft.change(claims={**draft.held.claims, (claim.key, claim.slot): renewed})
            return renewed

    def release(self, claim: Claim) -> bool:
        """Give it back; False where it was not held any more."""
        with self._settling(claim.key) as (draft, _):
            if not draft.held.holds(claim):
                return False
            draft.change(claims=_without(draft.held.claims, (claim.key, claim.slot)))
            return True

    def holder(self, key: str) -> str | None:
        """Who holds the first slot of a key; None where nobody does."""
        first = self._seen().claims.get((key, 0))
        return first.holder if first and self.now() < first.expires_at else None

    def now(self) -> datetime:
        """The store's clock, UTC."""
        self._open()
        return instant(micros(self._now()))

    @contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[None]:
        """All or nothing, for this thread. Nothing survives a power cut here, whatever `durable` says."""
        with self._transactions.block(durable):
            yield

    def close(self) -> None:
        """Let go of everything; a closed store refuses every other call."""
        self._closed = True
        self._held = _Held()

    @contextmanager
    def _settling(self, key: str) -> Iterator[tuple[_Draft, datetime]]:
        """A transaction on the claims of a key, its instant, and what had lapsed by then forgotten for good."""
        with self._transactions.block() as draft:
            now = self.now()
            claims = draft.held.claims
            draft.change(claims={at: held for at, held in claims.items() if at[0] != key or now < held.expires_at})
            yield draft, now

    @contextmanager
    def _begin(self, durable: bool) -> Iterator[_Draft]:
        with self._writing:
            self._open()
            draft = _Draft(self._held)
            yield draft
            self._held = draft.held

    def _seen(self) -> _Held:
        self._open()
        draft = self._transactions.within
        return draft.held if draft else self._held

    def _open(self) -> None:
        if self._closed:
            raise StoreError("memory: the store is closed; make a new one")


def _without(mapping: Mapping[K, V], key: K) -> dict[K, V]:
    return {of: value for of, value in mapping.items() if of != key}


def _tail(records: tuple[Record, ...], since: int, last: int | None) -> tuple[Record, ...]:
    start = bisect_right(records, since, key=lambda record: record.seq)
    return records[start if last is None else max(start, len(records) - last) :]
