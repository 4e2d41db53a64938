"""Stores: where documents and claims are kept. Both keep one contract, `capacity.ports.Store`.

Making a store touches nothing; the first call opens it.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from capacity.ports import Clock, Store

__all__ = ["memory", "sqlite", "usual_path"]


def memory(*, clock: Clock | None = None) -> Store:
    """A store that lasts as long as it is held, for one process.

    Args:
        clock: what tells its time; None = the system's clock.
    """
    from capacity.store.in_memory import MemoryStore

    return MemoryStore(clock.now if clock else _now)


def sqlite(*, path: str | os.PathLike[str] | None = None, clock: Clock | None = None) -> Store:
    """A store in one file, for every thread and process of this machine.

    The file is private to its user and made at the first call, with its folder. `docs/reference/store.md` describes it.

    Args:
        path: the file; None = `$XDG_STATE_HOME/capacity/capacity.db`, and `~/.local/state` where that is not set.
        clock: what tells its time; None = the system's clock.
    """
    from capacity.store.in_file import SqliteStore

    file = usual_path() if path is None else Path(path).expanduser()
    return SqliteStore(file.absolute(), clock.now if clock else _now)


def _now() -> datetime:
    return datetime.now(UTC)


def usual_path() -> Path:
    """The file of the store where none is named."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    # The specification of these variables says that a relative one counts as none.
    return (state if state.is_absolute() else Path.home() / ".local" / "state") / "capacity" / "capacity.db"
