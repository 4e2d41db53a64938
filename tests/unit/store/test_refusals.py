"""When the file will not do: one clear error that names it and what to do, and nothing published is lost."""

from __future__ import annotations

import errno
import os
import resource
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from capacity.errors import StoreError
from capacity.ports import Store
from capacity.store import refusals, sqlite

from .conftest import CHILDREN, NOON

NOBODY = 65534


def bodies(store: Store) -> list[bytes]:
    return [record.body for record in store.read("log")]


def refused(store: Store, path: Path) -> str:
    """What reading and writing alike are refused with."""
    with pytest.raises(StoreError) as reading:
        store.read("log")
    with pytest.raises(StoreError) as writing:
        store.append("log", "key", NOON, b"x")
    assert str(reading.value) == str(writing.value)
    assert str(reading.value).startswith(f"{path}: ")
    return str(reading.value)


def command(sentence: str) -> str:
    """The shell command in a message that moves the file away."""
    return next(part for part in sentence.split("`") if part.startswith("mkdir"))


def foreign(path: Path) -> None:
    path.unlink()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE bookmarks (x)")
    db.close()


def overwritten(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[4096:] = b"\xa5" * (len(body) - 4096)
    path.write_bytes(body)


RUINS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: path.write_text("version = 1\n" * 100, encoding="ascii"),
    "emptied": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "overwritten": overwritten,
    "another program's": foreign,
}


@pytest.mark.parametrize("ruin", RUINS)
def test_a_ruined_file_is_moved_away_by_hand(store: Store, path: Path, ruin: str) -> None:
    """It is refused, never emptied or changed; the command in the message makes room for a new one, and the open store finds it."""
    for n in range(50):
        store.append("log", "key", NOON, b"x" * n * 100)
    store.close()
    RUINS[ruin](path)
    was = path.read_bytes()

    again = sqlite(path=path)
    sentence = refused(again, path)
    assert was == path.read_bytes()
    subprocess.run(["sh", "-c", command(sentence)], check=True)
    assert was == (path.parent / "moved-away" / path.name).read_bytes()
    again.append("log", "key", NOON, b"new")
    assert [b"new"] == bodies(again)
    again.close()


def test_changes_without_their_file_are_not_thrown_away(store: Store, path: Path) -> None:
    """Where only the log of changes is left, no new file is put beside it: that would be the end of what is in it."""
    store.append("log", "key", NOON, b"1")
    path.rename(path.with_name("elsewhere.db"))
    wal = Path(f"{path}-wal").read_bytes()

    again = sqlite(path=path)
    assert "capacity.db-wal" in refused(again, path)
    assert wal == Path(f"{path}-wal").read_bytes()
    path.with_name("elsewhere.db").rename(path)
    assert [b"1"] == bodies(again)
    again.close()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Something else stands where the folder should be."""
    (tmp_path / "state").write_text("a file", encoding="ascii")
    path = tmp_path / "state" / "deep" / "capacity.db"
    store = sqlite(path=path)

    assert "Not a directory" in refused(store, path)
    store.close()


def test_a_folder_where_the_file_should_be(path: Path) -> None:
    """It is named, and moved away like a file."""
    path.mkdir(parents=True)
    store = sqlite(path=path)
    subprocess.run(["sh", "-c", command(refused(store, path))], check=True)

    store.append("log", "key", NOON, b"1")
    store.close()
    assert path.is_file()


def failing(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("told by SQLite")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (failing(sqlite3.SQLITE_CORRUPT_INDEX), "is damaged.* Move it away .*recover"),
        (failing(sqlite3.SQLITE_READONLY_DBMOVED), "Give this user the right"),
        (failing(sqlite3.SQLITE_BUSY_SNAPSHOT), "another program holds it"),
        (failing(sqlite3.SQLITE_IOERR_FSYNC), "the disk failed"),
        (failing(sqlite3.SQLITE_NOMEM), "If it does so again, move it away"),
        (sqlite3.ProgrammingError("told by the module"), "If it does so again, move it away"),
        (OSError(errno.ENOSPC, "No space left on device"), "Make room"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "Make room"),
        (OSError(errno.EIO, "Input/output error"), "the disk failed"),
        (OSError(errno.EROFS, "Read-only file system"), "Give this user the right"),
    ],
    ids=str,
)
def test_every_fault_has_its_remedy(path: Path, error: Exception, remedy: str) -> None:
    """Whatever SQLite or the system calls it, the error names the file, keeps the cause and says what to do."""
    with pytest.raises(StoreError, match=remedy) as said, refusals.told(path):
        raise error

    assert str(said.value).startswith(f"{path}: ")
    assert str(error) in str(said.value)
    assert said.value.__cause__ is error


# --- rights -----------------------------------------------------------------------------------


@pytest.fixture
def strangers() -> Iterator[Path]:
    """A folder in which this process has no more rights than anybody: root gives up its own for the test."""
    folder = Path(tempfile.mkdtemp())
    user = os.geteuid()
    if user == 0:
        os.chown(folder, NOBODY, -1)
        os.seteuid(NOBODY)
    yield folder
    os.seteuid(user)
    folder.chmod(0o700)
    shutil.rmtree(folder)


def test_a_file_nobody_may_write(strangers: Path) -> None:
    """It is refused before anything is left beside it, so giving the right back is all there is to do."""
    path = strangers / "capacity.db"
    store = sqlite(path=path)
    store.append("log", "key", NOON, b"1")
    store.close()
    path.chmod(0o400)

    again = sqlite(path=path)
    assert "Give this user the right to write the file and its folder" in refused(again, path)
    path.chmod(0o600)
    again.append("log", "key", NOON, b"2")
    assert [b"1", b"2"] == bodies(again)
    again.close()


def test_a_folder_nobody_may_write(strangers: Path) -> None:
    """Neither the file nor its lock can be made there."""
    strangers.chmod(0o500)
    path = strangers / "capacity.db"
    store = sqlite(path=path)

    assert "Permission denied" in refused(store, path)
    store.close()


# --- room -------------------------------------------------------------------------------------


@pytest.fixture
def full(store: Store, path: Path) -> Iterator[Callable[[], None]]:
    """Makes the disk full as far as this process can tell: no file of it may grow."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill() -> None:
        longest = max(each.stat().st_size for each in path.parent.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (longest, before[1]))

    yield fill
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("durable", [False, True])
def test_a_disk_that_takes_no_more(store: Store, path: Path, full, durable: bool) -> None:
    """What was acknowledged stays, what was not is not there by half, and with room again the same store goes on."""
    store.append("log", "key", NOON, b"kept")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    full()

    def write() -> None:
        with store.transaction(durable=durable):
            store.append("log", "key", NOON, b"small")
            store.append("log", "key", NOON, b"x" * 10**6)

    with pytest.raises(StoreError, match=f"^{path}: .*Everything acknowledged before"):
        write()
    assert [b"kept"] == bodies(store)
    resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    store.append("log", "key", NOON, b"later")
    assert [b"kept", b"later"] == bodies(store)


def test_a_file_that_may_not_grow(store: Store, path: Path) -> None:
    """The same where SQLite itself says that there is no room, in one of its own bounds."""
    store.append("log", "key", NOON, b"kept")
    with store._connections.lend() as db:
        db.execute("PRAGMA max_page_count = 20")
    with pytest.raises(StoreError, match=f"^{path}: there is no room to write .*Make room"):
        store.append("log", "key", NOON, b"x" * 10**6)

    assert [b"kept"] == bodies(store)


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """Wherever the room ends, while a store is made or while it is written: it is told as such, nothing that was
    acknowledged is lost, nothing is there by half, and with room again the same store goes on.
    """
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(tmp_path)]
    child = [sys.executable, str(CHILDREN), "on_a_small_disk", str(tmp_path)]
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    try:
        subprocess.run([*alone, shlex.join(mount)], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine lets no user mount a small disk: {error}")
    script = f"{shlex.join(mount)} && exec {shlex.join(child)}"
    done = subprocess.run([*alone, script], capture_output=True, text=True, timeout=120, check=False)

    assert ("", ["then written"] * 39) == (done.stderr, done.stdout.splitlines())


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Half of a surrogate pair, as bytes that are no UTF-8 are decoded to, names nothing in a file."""
    path = tmp_path / "capacity.db"
    with closing(sqlite(path=path)) as store, pytest.raises(StoreError, match="name it in text") as error:
        store.append("log", "\udcff", NOON, b"x")
    assert str(path) in str(error.value)
