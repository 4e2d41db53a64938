"""Both stores keep the one contract; what only one of them can do stands in the files beside this one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from capacity.ports import Clock, Store
from capacity.store import memory, sqlite
from capacity.testing.contracts import StoreContract


class TestMemory(StoreContract):
    construct = "from capacity.store import memory; memory()"
    excused: ClassVar[Mapping[str, str]] = {
        "test_what_was_kept_is_there_next_time": "it lasts as long as it is held, by design"
    }

    def make(self, clock: Clock, folder: Path) -> Store:
        return memory(clock=clock)


class TestSqlite(StoreContract):
    construct = "from capacity.store import sqlite; sqlite()"

    def make(self, clock: Clock, folder: Path) -> Store:
        return sqlite(path=folder / "deep" / "down" / "capacity.db", clock=clock)
