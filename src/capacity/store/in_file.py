"""The store in one SQLite file. Every write is a transaction at the head of the queue; reads wait for nobody.

`schema.py` says what stands in the file, `connections.py` who has it open, `queue.py` who writes next, `refusals.py`
what is said when it will not do.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from attrs import evolve

from capacity.errors import StoreError
from capacity.ports import Claim, Record
from capacity.store.claims import free_slot
from capacity.store.connections import Connections
from capacity.store.instants import instant, micros
from capacity.store.queue import queue
from capacity.store.refusals import told
from capacity.store.transactions import Transactions

APPEND = "INSERT INTO record (log, key, at, body) VALUES (?, ?, ?, ?)"
NEWEST_OF_KEY = (
    "SELECT seq, log, key, at, body FROM record WHERE log = ? AND key = ? AND seq > ? ORDER BY seq DESC LIMIT ?"
)
NEWEST = "SELECT seq, log, key, at, body FROM record WHERE log = ? AND seq > ? ORDER BY seq DESC LIMIT ?"
KEYS = """
    WITH RECURSIVE found (key) AS (
        SELECT min(key) FROM record WHERE log = :log
        UNION ALL
        SELECT (SELECT min(key) FROM record WHERE log = :log AND key > found.key) FROM found WHERE found.key NOT NULL
    )
    SELECT key FROM found WHERE key NOT NULL
"""  # one look-up a key; DISTINCT would walk over every record
BUMP = "INSERT INTO fence VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET generation = generation + 1"
RENEW = "UPDATE claim SET expires_at = ? WHERE key = ? AND slot = ? AND holder = ? AND generation = ?"
RELEASE = "DELETE FROM claim WHERE key = ? AND slot = ? AND holder = ? AND generation = ?"
BATCH = 500
"""Records that are forgotten before others may write again: some five milliseconds' worth."""

OLD = "SELECT seq FROM record WHERE log = ? AND at < ?"
DOCUMENT = "SELECT body FROM document WHERE key = ?"
FIRST = "SELECT holder FROM claim WHERE key = ? AND slot = 0 AND expires_at > ?"


class SqliteStore:
    """A `Store` in one file, for every thread and process of one machine.

    Args:
        path: the file, absolute.
        now: its clock.
    """

    def __init__(self, path: Path, now: Callable[[], datetime]) -> None:
        self._path, self._now = path, now
        self._connections = Connections(path)
        self._transactions = Transactions(str(path), self._begin)

    def append(self, log: str, key: str, at: datetime, body: bytes) -> int:
        """Keep a document; its sequence number."""
        with self._writing() as db:
            return db.execute(APPEND, (log, key, micros(at), body)).lastrowid or 0

    def read(self, log: str, *, key: str | None = None, since: int = 0, last: int | None = None) -> tuple[Record, ...]:
        """Records of a log with a sequence number above `since`, oldest first; with `last`, only the newest so many."""
        most = -1 if last is None else max(0, last)
        with self._reading() as db:
            if key is None:
                rows = db.execute(NEWEST, (log, since, most)).fetchall()
            else:
                rows = db.execute(NEWEST_OF_KEY, (log, key, since, most)).fetchall()
        return tuple(Record(seq, log, of, instant(at), body) for seq, log, of, at, body in reversed(rows))

    def keys(self, log: str) -> tuple[str, ...]:
        """The keys of a log, sorted."""
        with self._reading() as db:
            return tuple(key for (key,) in db.execute(KEYS, {"log": log}).fetchall())

    def prune(self, log: str, before: datetime, keep: Collection[int] = ()) -> int:
        """Forget records of a log told before an instant, but those whose number is kept; how many."""
        kept = frozenset(keep)
        with self._reading() as db:
            old = db.execute(OLD, (log, micros(before))).fetchall()
        gone = [row for row in old if row[0] not in kept]
        for first in range(0, len(gone), BATCH):
            with self._writing() as db:
                db.executemany("DELETE FROM record WHERE seq = ?", gone[first : first + BATCH])
        return len(gone)

    def get(self, key: str) -> bytes | None:
        """The document at a key; None where there is none."""
        with self._reading() as db:
            body: bytes | None = _one(db, DOCUMENT, key)
            return body

    def swap(self, key: str, body: bytes | None, was: bytes | None) -> bool:
        """Put a document at a key (None removes it) if what stands there is still `was`; whether it was done."""
        with self._writing() as db:
            if _one(db, DOCUMENT, key) != was:
                return False
            if body is None:
                db.execute("DELETE FROM document WHERE key = ?", (key,))
            else:
                db.execute("INSERT OR REPLACE INTO document VALUES (?, ?)", (key, body))
            return True

    def claim(self, key: str, holder: str, slots: int, life: timedelta) -> Claim | None:
        """Take a free slot of a key for that long; None where none is free."""
        with self._settling(key) as (db, now):
            taken = {slot for (slot,) in db.execute("SELECT slot FROM claim WHERE key = ?", (key,)).fetchall()}
            slot = free_slot(taken, slots)
            if slot is None:
                return None
            db.execute(BUMP, (key,))
            generation = _one(db, "SELECT generation FROM fence WHERE key = ?", key)
            claim = Claim(key, holder, slot, generation, now + life)
            row = (key, slot, holder, generation, micros(claim.expires_at))
            db.execute("INSERT INTO claim VALUES (?, ?, ?, ?, ?)", row)
            return claim

    def renew(self, claim: Claim, life: timedelta) -> Claim | None:
        """Hold on to it; None where it has lapsed or was taken over."""
        with self._settling(claim.key) as (db, now):
            renewed = evolve(claim, expires_at=now + life)
            row = (micros(renewed.expires_at), claim.key, claim.slot, claim.holder, claim.generation)
            return renewed if db.execute(RENEW, row).rowcount else None

    def release(self, claim: Claim) -> bool:
        """Give it back; False where it was not held any more."""
        with self._settling(claim.key) as (db, _):
            row = (claim.key, claim.slot, claim.holder, claim.generation)
            return db.execute(RELEASE, row).rowcount == 1

    def holder(self, key: str) -> str | None:
        """Who holds the first slot of a key; None where nobody does."""
        with self._reading() as db:
            holder: str | None = _one(db, FIRST, key, micros(self.now()))
            return holder

    def now(self) -> datetime:
        """The store's clock, UTC."""
        self._connections.check()
        return instant(micros(self._now()))

    @contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[None]:
        """All or nothing, for this thread; `durable` survives a power cut once it has ended."""
        with self._transactions.block(durable):
            yield

    def close(self) -> None:
        """Let go of everything; a closed store refuses every other call."""
        self._connections.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if self._transactions.within:
            with self._writing() as db:
                yield db
        else:
            with told(self._path), self._connections.lend() as db:
                yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._transactions.block() as db, told(self._path):
            yield db

    @contextmanager
    def _settling(self, key: str) -> Iterator[tuple[sqlite3.Connection, datetime]]:
        """A transaction on the claims of a key, its instant, and what had lapsed by then forgotten for good."""
        with self._writing() as db:
            now = self.now()
            db.execute("DELETE FROM claim WHERE key = ? AND expires_at <= ?", (key, micros(now)))
            yield db, now

    @contextmanager
    def _begin(self, durable: bool) -> Iterator[sqlite3.Connection]:
        owner = os.getpid()
        with ExitStack() as held:
            with told(self._path):
                db = held.enter_context(self._connections.lend(durable))
                held.callback(self._connections.move, db, owner)  # once the next writer is let in
                held.enter_context(queue(self._path))
            try:
                with told(self._path):
                    db.execute("BEGIN IMMEDIATE")
                yield db
                self._commit(db, owner)
            except BaseException:
                # SQLite has undone some failures by itself; and what a parent began is not ours to undo.
                if os.getpid() == owner and db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _commit(self, db: sqlite3.Connection, owner: int) -> None:
        if os.getpid() != owner:
            raise StoreError(f"{self._path}: a transaction ends in the process that began it; fork outside of it")
        with told(self._path):
            db.execute("COMMIT")


def _one(db: sqlite3.Connection, query: str, *values: str | int) -> Any:
    row = db.execute(query, values).fetchone()
    return row[0] if row else None
