"""Files: read, found, replaced. A replacement is whole or did not happen, and nobody's change is lost under it."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import glob
import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from capacity.errors import NotFound, Refused, TooLarge
from capacity.ports import File, List, Paths, Read, Replace, Replaced, Secret
from capacity.ports.secret import masked
from capacity.wire.host import Host

CHUNK = 2**20
"""Bytes read at a time while a file is digested."""

AGAIN = 0.01
"""Seconds between two looks at a lock that somebody else holds. A replacement takes a few milliseconds."""


async def read(effect: Read, host: Host) -> File:
    """Read a file, or the end of it.

    Raises:
        NotFound: there is none.
        Refused: it may not be read, or is no regular file.
        TooLarge: it is larger than its cap, and not only its end was asked for.
    """
    body, digest = await asyncio.to_thread(_read, effect, host.path(effect.path))
    at = host.clock.now()
    if not effect.secret:
        return File(effect.path, body, digest, at)
    secret = Secret(body.decode("utf-8", "replace").strip())
    return File(effect.path, masked(body, effect.plain), digest, at, secret=secret)


async def find(effect: List, host: Host) -> Paths:
    """Find the files a pattern matches, newest first. What vanishes meanwhile is left out."""
    paths = await asyncio.to_thread(_find, host.path(effect.pattern))
    return Paths(paths[: effect.most], host.clock.now())


async def replace(effect: Replace, host: Host) -> Replaced:
    """Replace a file's content, if it is still what it was.

    Raises:
        NotFound: its folder does not exist.
        Refused: it may not be written, or the disk is full; it is then what it was before.
    """
    asked = host.path(effect.path)
    with _told(effect.path), _lock_file(path := Path(os.path.realpath(asked))) as lock:  # a link stays a link
        while not _locked(lock):  # noqa: ASYNC110 - the event is in another process
            await asyncio.sleep(AGAIN)  # a thread that waits for the lock could not be called off at the deadline
        # From here to the end nothing is awaited: a deadline may not fall between comparison and rename.
        now = _digest(path)
        if now != effect.was:
            return Replaced(False, now, host.clock.now())
        _write(path, effect.content)
        return Replaced(True, hashlib.sha256(effect.content).hexdigest(), host.clock.now())


def _read(effect: Read, path: str) -> tuple[bytes, str]:
    """The bytes asked for, and the digest of the whole file."""
    wanted = effect.cap if effect.tail is None else effect.tail
    digest, body = hashlib.sha256(), bytearray()
    with _told(effect.path), _regular(path) as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            body += chunk
            if len(body) > wanted and effect.tail is None:
                raise TooLarge(effect.path, f"the file is larger than {wanted} bytes")
            del body[: max(0, len(body) - wanted)]
    return bytes(body), digest.hexdigest()


@contextmanager
def _regular(path: str) -> Iterator[io.BufferedReader]:
    """A file opened without waiting: a named pipe would keep us until somebody writes to it."""
    with open(path, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        yield file


def _find(pattern: str) -> tuple[str, ...]:
    found = []
    for path in glob.iglob(pattern, recursive=True):
        with suppress(OSError):
            state = os.stat(path)
            if stat.S_ISREG(state.st_mode):
                found.append((-state.st_mtime_ns, os.path.abspath(path)))
    return tuple(path for _, path in sorted(found))


@contextmanager
def _told(asked: str) -> Iterator[None]:
    """Tell the system's errors as faults of the wire."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(asked, error.strerror or str(error)) from None
    except OSError as error:
        raise Refused(asked, error.strerror or str(error)) from None
    except ValueError as error:  # a zero byte in a path
        raise Refused(asked, str(error)) from None


@contextmanager
def _lock_file(path: Path) -> Iterator[int]:
    """The lock beside a file. It stays: a lock file that is removed locks nobody out who opened it before."""
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        yield lock
    finally:
        os.close(lock)


def _locked(lock: int) -> bool:
    """Whether the lock is ours now. It goes with the process that holds it, however that ends."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _digest(path: Path) -> str | None:
    try:
        with _regular(str(path)) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes) -> None:
    """Write beside the file, then rename. Only who holds the lock writes there, so what a crash left is overwritten."""
    beside = f"{path}.new"
    try:
        with open(beside, "wb", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o666)) as file:
            _like(path, file.fileno())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise
    _sync(path.parent)


def _like(path: Path, new: int) -> None:
    """Give the new file the old one's mode, and its owner where we may."""
    with suppress(FileNotFoundError):
        old = path.stat()
        with suppress(PermissionError):
            os.fchown(new, old.st_uid, old.st_gid)
        os.fchmod(new, stat.S_IMODE(old.st_mode))


def _sync(folder: Path) -> None:
    """Make the rename survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
