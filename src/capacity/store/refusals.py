"""What the operator is told when the file will not do: one sentence on what is wrong, one on what to do.

Nothing here touches the file. The remedy never costs what was published: files are moved, not removed.
"""

from __future__ import annotations

import errno
import shlex
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from capacity.errors import StoreError

DAMAGED = (
    "is damaged, or no store ({cause}). Nothing was changed. Move it away with `{move}` and a new one is made; "
    "`sqlite3 {away} .recover` may show what is in it"
)
FULL = (
    "there is no room to write ({cause}). Everything acknowledged before is still there. Make room "
    "and try again, or move it away with `{move}` and name a path on another disk"
)
FORBIDDEN = (
    "cannot be written or read by this user ({cause}). Give this user the right to write the file and its folder, or "
    "move it away with `{move}` and a new one is made, or name another path"
)
BUSY = "another program holds it ({cause}). End that program, or wait and try again"
DISK = (
    "the disk failed, or gives this user no more room ({cause}). Everything acknowledged before was left alone. Look after "
    "the disk; `{move}` moves the store away"
)
OTHER = "refused ({cause}). If it does so again, move it away with `{move}` and a new one is made"

BY_CODE: Mapping[int, str] = {
    sqlite3.SQLITE_ERROR: DAMAGED,  # a table or column is missing
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_FORMAT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_MISMATCH: DAMAGED,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_AUTH: FORBIDDEN,
    sqlite3.SQLITE_CANTOPEN: FORBIDDEN,
    sqlite3.SQLITE_PERM: FORBIDDEN,
    sqlite3.SQLITE_READONLY: FORBIDDEN,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_PROTOCOL: BUSY,
    sqlite3.SQLITE_IOERR: DISK,
}
BY_EXTENDED_CODE: Mapping[int, str] = {
    sqlite3.SQLITE_IOERR_SHMSIZE: FULL,  # the file that connections share cannot grow: a full disk, told as a failed one
}
"""Looked up before the plain code."""

BY_ERRNO: Mapping[int, str] = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EIO: DISK}


class told:  # noqa: N801 - read as a word: `with told(path)`; a generator would cost five times as much, a dozen times a verb
    """Let every fault of the file out as one `StoreError` that names it."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error):
            # An extended code says in its low byte which of the plain ones it is; an error of the module itself has none.
            code = getattr(error, "sqlite_errorcode", 0)
            sentence = BY_EXTENDED_CODE.get(code) or BY_CODE.get(code & 0xFF, OTHER)
            raise refusal(self._path, sentence, str(error)) from error
        if isinstance(error, UnicodeEncodeError):
            raise StoreError(
                f"{self._path}: {error.object!r:.40} is no name that can be kept: it holds bytes that are no UTF-8; "
                "name it in text"
            ) from error
        if isinstance(error, OSError):
            raise refusal(self._path, BY_ERRNO.get(error.errno or 0, FORBIDDEN), str(error)) from error


def refusal(path: Path, sentence: str, cause: str = "") -> StoreError:
    """The sentence about this file, as an error."""
    away = path.parent / "moved-away"
    move = f"mkdir -p {quoted(away)} && mv {quoted(path)}* {quoted(away)}/"
    return StoreError(f"{path}: " + sentence.format(cause=cause, move=move, away=quoted(away / path.name)))


def quoted(path: Path) -> str:
    """A path as a shell takes it."""
    return shlex.quote(str(path))
