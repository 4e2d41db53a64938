"""Writers wait in turn at a lock file beside the store, so that none is turned away because another is under way.

The kernel lets go of the lock when its holder dies. SQLite's own locks still decide who writes: the lock file holds
nothing, and may be removed at any time.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from capacity.errors import StoreError

PATIENCE_S = 30.0
"""How long a writer waits, in seconds. A write takes about a millisecond (`benchmarks/store.py`), so whoever holds the
lock for so long was stopped by somebody."""

NAP_S = 0.0005
"""At most, between two looks at the lock, in seconds. With it eight processes that claim every 10 ms wait as long as in
the kernel's own queue, which knows no end of patience."""


@contextmanager
def queue(path: Path) -> Iterator[None]:
    """Hold the only place at the head of the line for the store at that path.

    Raises:
        StoreError: another process has held it for `PATIENCE_S` seconds.
        OSError: the lock file cannot be made.
    """
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    owner = os.getpid()
    try:
        _wait(lock, path)
        yield
    finally:
        if os.getpid() == owner:
            # Closing alone would leave it locked for as long as a child that was forked meanwhile lives.
            fcntl.flock(lock, fcntl.LOCK_UN)
        os.close(lock)


def _wait(lock: int, path: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while not _taken(lock):
        if time.monotonic() > end:
            raise StoreError(
                f"{path}: another process has been writing for {PATIENCE_S:.0f} s; "
                f"`fuser {path}.lock` names it: let it go on, or end it, and try again"
            )
        time.sleep(NAP_S * random.random())


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
