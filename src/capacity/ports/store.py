"""The store's contract: documents and claims. A store knows no value, no file, no lock and no pid."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Protocol

from attrs import field, frozen


@frozen
class Record:
    """One document of a log.

    Attributes:
        seq: grows over all logs of a store; never used twice.
        log: the log's name.
        key: what it is about.
        at: when what it tells was true, UTC.
        body: the document.
    """

    seq: int
    log: str
    key: str
    at: datetime
    body: bytes = field(repr=lambda body: f"<{len(body)} bytes>")


@frozen
class Claim:
    """A time-limited, fenced hold on one slot of a key.

    Attributes:
        key: what is held.
        holder: who holds it.
        slot: which slot, from 0.
        generation: grows with every claim of the key; an older one is refused.
        expires_at: when it lapses by the store's own clock, UTC.
    """

    key: str
    holder: str
    slot: int
    generation: int
    expires_at: datetime


class Store(Protocol):
    """Keeps documents. Thread-safe. Every method may raise `StoreError`, which names the store and the remedy."""

    def append(self, log: str, key: str, at: datetime, body: bytes) -> int:
        """Keep a document; its sequence number."""
        ...

    def read(self, log: str, *, key: str | None = None, since: int = 0, last: int | None = None) -> tuple[Record, ...]:
        """Records of a log with a sequence number above `since`, oldest first; with `last`, only the newest so many."""
        ...

    def keys(self, log: str) -> tuple[str, ...]:
        """The keys of a log, sorted."""
        ...

    def prune(self, log: str, before: datetime, keep: Collection[int] = ()) -> int:
        """Forget records of a log told before an instant, but those whose number is kept; how many."""
        ...

    def get(self, key: str) -> bytes | None:
        """The document at a key; None where there is none."""
        ...

    def swap(self, key: str, body: bytes | None, was: bytes | None) -> bool:
        """Put a document at a key (None removes it) if what stands there is still `was`; whether it was done."""
        ...

    def claim(self, key: str, holder: str, slots: int, life: timedelta) -> Claim | None:
        """Take a free slot of a key for that long; None where none is free."""
        ...

    def renew(self, claim: Claim, life: timedelta) -> Claim | None:
        """Hold on to it; None where it has lapsed or was taken over."""
        ...

    def release(self, claim: Claim) -> bool:
        """Give it back; False where it was not held any more."""
        ...

    def holder(self, key: str) -> str | None:
        """Who holds the first slot of a key; None where nobody does."""
        ...

    def now(self) -> datetime:
        """The store's clock, UTC."""
        ...

    def transaction(self, *, durable: bool = False) -> AbstractContextManager[None]:
        """All or nothing, for this thread; `durable` survives a power cut once it has ended.

        A block inside another joins it. An exception that leaves any of them undoes all, even where it is caught
        further out. Others see what was written once the outermost has ended, in the order of its numbers.

        Raises:
            StoreError: it is durable and would join one that is not, or something inside it has failed.
        """
        ...

    def close(self) -> None:
        """Let go of everything; a closed store refuses every other call."""
        ...
