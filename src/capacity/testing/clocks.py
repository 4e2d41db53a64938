"""Clocks that show what they are told, for one process or for several. Time passes when a test says so.

Sleeping lets the span pass at once, so a program that waits an hour is tested in no time.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from capacity.errors import CapacityError


def _aware(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise ValueError(f"{at.isoformat()} has no zone; a clock shows aware instants")
    return at.astimezone(UTC)


class SettableClock:
    """A clock for one process. Thread-safe.

    Args:
        at: what it shows first, aware.

    Raises:
        ValueError: the instant has no zone.
    """

    def __init__(self, at: datetime) -> None:
        self._at = _aware(at)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """What it shows, UTC."""
        return self._at

    def set(self, at: datetime) -> None:
        """Show another instant, earlier ones too."""
        with self._lock:
            self._at = _aware(at)

    def advance(self, span: timedelta) -> datetime:
        """Let a span pass; what it shows then."""
        with self._lock:
            self._at += span
            return self._at

    def sleep(self, span: timedelta) -> None:
        """Let a span pass, at once."""
        self.advance(span)


class FileClock:
    """A clock that several processes share: what it shows stands in a file, replaced whole under a lock.

    Args:
        path: the file. Beside it a lock file `<path>.lock` is kept.
        at: what it shows where the file is not there yet, aware; None = the file must be there.

    Raises:
        CapacityError: at any call: there is no such file, or no instant is in it.
    """

    def __init__(self, path: str | os.PathLike[str], at: datetime | None = None) -> None:
        self._path = Path(path)
        if at is not None:
            with self._locked():
                if not self._path.exists():
                    self._write(_aware(at))

    def now(self) -> datetime:
        """What it shows, UTC."""
        try:
            return _aware(datetime.fromisoformat(self._path.read_text(encoding="ascii").strip()))
        except (OSError, ValueError) as error:
            raise CapacityError(
                f"{self._path}: shows no time ({error}); give the clock an instant to start at"
            ) from None

    def set(self, at: datetime) -> None:
        """Show another instant, earlier ones too."""
        with self._locked():
            self._write(_aware(at))

    def advance(self, span: timedelta) -> datetime:
        """Let a span pass; what it shows then."""
        with self._locked():
            at = self.now() + span
            self._write(at)
            return at

    def sleep(self, span: timedelta) -> None:
        """Let a span pass, at once, for everybody."""
        self.advance(span)

    def _write(self, at: datetime) -> None:
        new = self._path.with_name(f"{self._path.name}.new")
        new.write_text(at.isoformat(), encoding="ascii")
        new.replace(self._path)  # a reader sees the old instant or the new one, never half of it

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with Path(f"{self._path}.lock").open("w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # held until the file is closed, also by a process that dies
            yield
