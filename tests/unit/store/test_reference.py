"""The page on the store tells what is in the file, no more and no less; the engine's logs are compared by its own tests."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from capacity.ports import Store
from capacity.store import queue, schema

from .conftest import NOON

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "store.md").read_text(encoding="utf-8")

Tables = dict[str, list[tuple[str, str]]]


def told() -> Tables:
    """Table → its columns with their types, as the page tells them."""
    sections = re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    return {table: re.findall(r"^\| `(\w+)` \| (\w+) \|", text, re.MULTILINE) for table, text in sections}


def real(path: Path) -> Tables:
    """Table → its columns with their types, as SQLite tells them. Its own tables are left out."""
    db = sqlite3.connect(path)
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    columns = {table: [row[1:3] for row in db.execute(f"PRAGMA table_info({table})")] for table in tables}
    db.close()
    return {table: found for table, found in columns.items() if not table.startswith("sqlite_")}


def test_tables_and_columns(store: Store, path: Path) -> None:
    """Every table and column with its type, in order."""
    store.append("log", "key", NOON, b"")

    assert real(path) == told()


def test_files(store: Store, path: Path) -> None:
    """Every file that stands beside the store is explained."""
    store.append("log", "key", NOON, b"")
    explained = set(re.findall(r"^\| `(capacity\.db\S*)` \|", PAGE, re.MULTILINE))

    assert {each.name for each in path.parent.iterdir()} == explained - {"capacity.db.new"}


def test_numbers() -> None:
    """The application id, every version and the patience are those of the code."""
    assert f"`application_id` is {schema.APPLICATION} " in PAGE
    assert [str(n + 1) for n in range(len(schema.STEPS))] == re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)
    assert f"{queue.PATIENCE_S:.0f} seconds at most" in PAGE
