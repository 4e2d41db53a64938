"""What stands in the file, and how a file of an earlier release becomes one of this release.

A step is never changed once it was released; the next one is added behind it. Steps only add, because a process of the
release before may have the file open while they run. `docs/reference/store.md` tells users the same.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from capacity.store.refusals import DAMAGED, refusal

APPLICATION = int.from_bytes(b"capa", "big")
"""SQLite's application id of every store: what tells it from another program's file, and from an emptied one."""

STEPS: tuple[tuple[str, ...], ...] = (
    (
        # AUTOINCREMENT: without it the number of a pruned record would be given again.
        """
        CREATE TABLE record (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            log TEXT NOT NULL,
            key TEXT NOT NULL,
            at INTEGER NOT NULL,
            body BLOB NOT NULL
        )
        """,
        # Every index ends in `seq` by itself: the first two make the newest record one look-up.
        "CREATE INDEX record_by_key ON record (log, key)",
        "CREATE INDEX record_by_log ON record (log)",
        "CREATE INDEX record_by_at ON record (log, at)",
        "CREATE TABLE document (key TEXT NOT NULL PRIMARY KEY, body BLOB NOT NULL)",
        """
        CREATE TABLE claim (
            key TEXT NOT NULL,
            slot INTEGER NOT NULL,
            holder TEXT NOT NULL,
            generation INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            PRIMARY KEY (key, slot)
        ) WITHOUT ROWID
        """,
        "CREATE TABLE fence (key TEXT NOT NULL PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID",
    ),
    # Nothing new in the file; but documents about stops have keys that releases before take for faults, tick after tick.
    # A file that they may not open is told apart at once.
    (),
)
"""Statements that bring a file from each version to the next. The version of a file is how many were run."""

NEWER = "is of store version {cause}. Upgrade capacity-core, or move the file away with `{move}` and a new one is made"


def is_current(db: sqlite3.Connection, path: Path) -> bool:
    """Whether the file is as this release writes it; False = it has to be upgraded.

    Raises:
        StoreError: it is another program's file, an empty one, or one of a newer release.
    """
    application, version = _pragma(db, "application_id"), _version(db)
    if application != APPLICATION:
        raise refusal(path, DAMAGED, f"it is empty or of another program, with application id {application}")
    if version > len(STEPS):
        raise refusal(path, NEWER, f"{version}, and this release knows versions up to {len(STEPS)}")
    return version == len(STEPS) and _pragma(db, "journal_mode") == "wal"


def upgrade(db: sqlite3.Connection) -> None:
    """Run the steps the file lacks, all or none. The caller is at the head of the queue."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    try:
        version = _version(db)  # others may have been quicker, also those of a newer release
        for step in STEPS[version:]:
            for statement in step:
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {max(version, len(STEPS))}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk makes SQLite undo it by itself
            db.execute("ROLLBACK")
        raise


def _version(db: sqlite3.Connection) -> int:
    return int(_pragma(db, "user_version"))


def _pragma(db: sqlite3.Connection, name: str) -> str | int:
    value: str | int = db.execute(f"PRAGMA {name}").fetchone()[0]
    return value
