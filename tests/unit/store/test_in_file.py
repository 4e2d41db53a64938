"""What the store in a file does beyond the contract: levels of safety, look-ups instead of scans, errors that stay apart."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from capacity.errors import StoreError
from capacity.ports import Store
from capacity.store import in_file, sqlite

from .conftest import NOON


def level(store: Store) -> int:
    """SQLite's `synchronous` of the connection this thread's transaction is on: 1 = NORMAL, 2 = FULL."""
    return store._transactions.within.execute("PRAGMA synchronous").fetchone()[0]


def test_only_durable_transactions_wait_for_the_disk(store: Store) -> None:
    """NORMAL for what may be lost in a power cut, FULL for what may not, whichever came before."""
    levels = []
    for durable in (False, True, False, True):
        with store.transaction(durable=durable):
            levels.append(level(store))

    assert [1, 2, 1, 2] == levels


@pytest.mark.parametrize(
    ("query", "values", "by"),
    [
        (in_file.NEWEST, ("log", 0, 1), "record_by_log (log=? AND rowid>?)"),
        (in_file.NEWEST_OF_KEY, ("log", "key", 0, 1), "record_by_key (log=? AND key=? AND rowid>?)"),
        (in_file.KEYS, {"log": "log"}, "record_by_key (log=? AND key>?)"),
        (in_file.OLD, ("log", 0), "record_by_at (log=? AND at<?)"),
        (in_file.DOCUMENT, ("key",), "(key=?)"),
        (in_file.FIRST, ("key", 0), "(key=? AND slot=?)"),
    ],
    ids=["newest", "newest of a key", "keys", "old", "document", "first holder"],
)
def test_questions_are_look_ups(store: Store, path: Path, query: str, values: object, by: str) -> None:
    """SQLite's plan walks over no table and sorts nothing, so the newest record costs the same in a log of any length."""
    store.append("log", "key", NOON, b"")
    db = sqlite3.connect(path)
    plan = "; ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}", values))
    db.close()

    assert by in plan
    assert "TEMP B-TREE" not in plan
    assert "SCAN" not in plan.replace("SCAN found", "")  # the keys found so far, one after the other


def test_a_fault_of_the_caller_is_not_told_as_one_of_the_file(store: Store) -> None:
    """An `OSError` or a `sqlite3.Error` thrown inside a transaction comes out as it is."""
    for thrown in (FileNotFoundError("mine"), sqlite3.OperationalError("mine")):
        with pytest.raises(type(thrown), match="mine"), store.transaction():
            raise thrown


def test_a_failed_operation_is_not_half_kept(store: Store) -> None:
    """When the file fails in the middle of a transaction, nothing of it is kept, even if the caller looks away."""
    store.append("log", "key", NOON, b"before")

    def careless() -> None:
        with store.transaction():
            store.append("log", "key", NOON, b"1")
            store._transactions.within.execute("DROP TABLE fence")
            with pytest.raises(StoreError, match="fence"):
                store.claim("key", "me", 1, NOON - NOON)
            store.append("log", "key", NOON, b"2")

    with pytest.raises(StoreError, match="undone"):
        careless()
    assert [b"before"] == [record.body for record in store.read("log")]


def test_two_stores_in_one_process_do_not_notice_each_other(store: Store, tmp_path: Path) -> None:
    """Each has its own file, claims and transactions, in one thread too."""
    other = sqlite(path=tmp_path / "other.db")
    with store.transaction():
        store.append("log", "key", NOON, b"1")
        other.append("log", "key", NOON, b"other")

    assert [b"1"] == [record.body for record in store.read("log")]
    assert [b"other"] == [record.body for record in other.read("log")]
    other.close()
