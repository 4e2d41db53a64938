"""The connections of this process to one file: opened when needed, lent one at a time, handed on between threads.

One connection behind a lock made readers wait for writers, ten times as long with eight threads; one per thread is
never closed by a thread that ends. A connection is never used, nor closed, by a process that was forked with it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from attrs import field, frozen

from capacity.errors import StoreError
from capacity.store import schema
from capacity.store.queue import PATIENCE_S, queue
from capacity.store.refusals import DAMAGED, refusal

PAGES = 8_000
"""Pages of changes after which a writer moves them into the file before the next may write: 32 MB. It waits for the disk,
and everybody for it."""

MOVED = 250
"""Transactions of one process after which it moves them while others write. A lease and its end change some twenty pages,
so that eight processes in a hurry come to `PAGES` with little left to move."""


@frozen
class _Pool:
    """The idle connections of one process to one file, by whether they are durable."""

    pid: int
    file: tuple[int, int]
    idle: dict[bool, list[sqlite3.Connection]] = field(factory=lambda: {False: [], True: []})

    def close(self) -> None:
        if self.pid != os.getpid():
            return
        for idle in self.idle.values():
            with suppress(IndexError):
                while True:
                    idle.pop().close()


class Connections:
    """Lends connections to the store at a path, and makes the file where there is none.

    Args:
        path: absolute.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pools: list[_Pool] = []
        self._written = 0
        self._closed = False
        weakref.finalize(self, _let_go, self._pools)  # a store that is dropped leaves no connection to the collector

    def move(self, db: sqlite3.Connection, owner: int) -> None:
        """Move changes into the file now and then, whoever writes meanwhile. Called after each transaction.

        Args:
            db: the connection of the transaction.
            owner: the process that began it; a child that was forked inside it leaves its connection alone.
        """
        self._written += 1
        if self._written % MOVED == 0 and os.getpid() == owner:
            with suppress(sqlite3.Error):  # what stays where it is is in nobody's way
                db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    @contextmanager
    def lend(self, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection for one operation or transaction; `durable`: its commits wait for the disk.

        Raises:
            StoreError: the store is closed, or the file is none this release can use.
            OSError, sqlite3.Error: the file cannot be made or opened.
        """
        pool = self._pool()
        try:
            db = pool.idle[durable].pop()
        except IndexError:
            db = connect(self._path, durable)
        try:
            yield db
        finally:
            # Put back first and look afterwards: so close() and this cannot miss each other.
            pool.idle[durable].append(db)
            if self._closed or pool is not self._pools[-1]:
                pool.close()

    def check(self) -> None:
        """Refuse if the store is closed."""
        if self._closed:
            raise StoreError(f"{self._path}: the store is closed; make a new one")

    def close(self) -> None:
        """Close what is idle; what is lent is closed when it comes back."""
        self._closed = True
        for pool in self._pools:
            pool.close()

    def _pool(self) -> _Pool:
        self.check()
        pid, file = os.getpid(), _file(self._path)
        pool = self._pools[-1] if self._pools else None
        if pool is None or (pool.pid, pool.file) != (pid, file):
            pool = self._renewed(_Pool(pid, file))
        return pool

    def _renewed(self, pool: _Pool) -> _Pool:
        """Begin a pool: the first, or the file was moved away, or this process was forked."""
        before = tuple(self._pools)
        # A parent's connections are kept without being used: to forget them would close them.
        self._pools[:] = [*(old for old in before if old.pid != pool.pid), pool]
        for old in before:
            old.close()
        return pool


def _let_go(pools: list[_Pool]) -> None:
    for pool in pools:
        pool.close()


def _file(path: Path) -> tuple[int, int]:
    """Device and inode of the file; it is made where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        create(path)
        found = path.stat()
    return found.st_dev, found.st_ino


def connect(path: Path, durable: bool = False) -> sqlite3.Connection:
    """A connection to a store that is there, of this release's version, upgraded where it was older.

    Raises:
        StoreError: the file is none this release can use.
        OSError, sqlite3.Error: it cannot be opened.
    """
    if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        # SQLite would open it for reading, and leave files beside it that nobody can write to later.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    db = _open(path)
    try:
        if not schema.is_current(db, path):
            with queue(path):
                schema.upgrade(db)
        db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        db.execute(f"PRAGMA wal_autocheckpoint = {PAGES}")
    except BaseException:
        db.close()
        raise
    return db


def create(path: Path) -> None:
    """Make an empty store, and its folder. It appears whole or not at all, for its user alone.

    Raises:
        StoreError: the file is gone but its log of changes is not.
        OSError, sqlite3.Error: it cannot be made.
    """
    make_folder(path.parent)
    with queue(path):
        if path.exists():
            return
        if Path(f"{path}-wal").exists():
            raise refusal(path, DAMAGED, f"it is gone, but {path.name}-wal with changes to it is still there")
        new = _new(path)
        new.rename(path)
        _settle(path.parent)


def _new(path: Path) -> Path:
    """A whole store under another name. What a killed process left there is replaced; what fails leaves nothing."""
    new = path.with_name(f"{path.name}.new")
    _remove(new)
    try:
        _build(new)
    except BaseException:
        _remove(new)
        raise
    return new


def _build(new: Path) -> None:
    os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    db = _open(new)
    try:
        db.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        schema.upgrade(db)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # closing would do it too, and say nothing where there is no room
    finally:
        db.close()


def _remove(file: Path) -> None:
    """Remove a file and what SQLite keeps beside it."""
    for each in (file, *(Path(f"{file}-{suffix}") for suffix in ("journal", "wal", "shm"))):
        each.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, for this user alone; those that are there stay as they are."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _settle(folder: Path) -> None:
    """Have the disk keep the names in a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _open(path: Path) -> sqlite3.Connection:
    # rw, never rwc: SQLite must not put an empty file where one was moved away.
    return sqlite3.connect(
        f"file:{quote(str(path))}?mode=rw", uri=True, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False
    )
