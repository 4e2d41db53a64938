"""Files of other releases: an older one is upgraded whole or not at all, a newer one is left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from capacity.errors import StoreError
from capacity.ports import Store
from capacity.store import schema, sqlite

from .conftest import NOON

ADDING = ("ALTER TABLE record ADD COLUMN note TEXT", "CREATE TABLE later (x)")
FAILING = ("CREATE TABLE later (x)", "ALTER TABLE missing ADD COLUMN note TEXT")


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(path, isolation_level=None)
    yield db
    db.close()


def version(path: Path) -> int:
    with opened(path) as db:
        return db.execute("PRAGMA user_version").fetchone()[0]


@pytest.fixture
def before(store: Store, path: Path) -> Path:
    """A file as this release leaves it, with one record and one claim made."""
    store.append("log", "key", NOON, b"before")
    store.swap("k", b"document", None)
    store.close()
    return path


def test_an_older_file_is_upgraded(before: Path, monkeypatch) -> None:
    """The next release finds everything the one before kept, and runs only the steps the file lacks."""
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, ADDING))
    later = sqlite(path=before)

    assert [b"before"] == [record.body for record in later.read("log")]
    assert b"document" == later.get("k")
    assert 2 == later.append("log", "key", NOON, b"after")
    later.close()
    assert len(schema.STEPS) == version(before)


def test_an_upgrade_that_fails_changes_nothing(before: Path, monkeypatch) -> None:
    """The file stays of its version, whole, and the release that wrote it goes on with it."""
    with monkeypatch.context() as broken:
        broken.setattr(schema, "STEPS", (*schema.STEPS, FAILING))
        later = sqlite(path=before)
        with pytest.raises(StoreError, match="no such table: missing"):
            later.read("log")
        later.close()

    assert len(schema.STEPS) == version(before)
    with opened(before) as db:
        assert [] == db.execute("SELECT name FROM sqlite_schema WHERE name = 'later'").fetchall()
    again = sqlite(path=before)
    assert [b"before"] == [record.body for record in again.read("log")]
    again.close()


def test_a_newer_file_is_refused(before: Path) -> None:
    """The message names both versions and what to do, and nothing is changed."""
    with opened(before) as db:
        db.execute("PRAGMA user_version = 7")
    was = before.read_bytes()
    store = sqlite(path=before)
    with pytest.raises(
        StoreError, match=rf"version 7, and this release knows versions up to {len(schema.STEPS)}\. Upgrade"
    ) as refused:
        store.append("log", "key", NOON, b"")
    store.close()

    assert str(refused.value).startswith(f"{before}: ")
    assert was == before.read_bytes()


def test_an_upgrade_never_goes_back(before: Path) -> None:
    """A newer release that upgraded the file while this one waited in line keeps its version."""
    with opened(before) as db:
        db.execute("PRAGMA user_version = 7")
        schema.upgrade(db)

    assert 7 == version(before)


def test_a_restored_copy_is_taken_into_use(before: Path) -> None:
    """A copy that a tool wrote in another journal mode is a store, and gets the right mode back."""
    copy = before.with_name("copy.db")
    with opened(before) as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    with opened(copy) as db:
        assert "wal" != db.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    store = sqlite(path=copy)

    assert [b"before"] == [record.body for record in store.read("log")]
    store.close()
    with opened(copy) as db:
        assert "wal" == db.execute("PRAGMA journal_mode").fetchone()[0]
