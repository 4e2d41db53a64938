"""Files as a flow meets them: read, found, replaced."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import stat
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from capacity.errors import NotFound, Refused, TimedOut, TooLarge
from capacity.ports import File, List, Read, Replace, Secret, key
from capacity.wire import Host, run, run_all

from .conftest import LONG, SHORT, descriptors, leaks


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def ask(effect):
    return await effect


@pytest.fixture
def perform(host):
    """Perform one effect."""
    return lambda effect: run(ask(effect), deadline=LONG, host=host)


@pytest.fixture
def path(tmp_path):
    """A file."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    return path


# --- read -------------------------------------------------------------------------------------


def test_a_file_is_read_whole(perform, path):
    """With its digest, and as a document that says what was asked."""
    file = perform(Read(str(path)))

    assert (b"0123456789", digest(b"0123456789"), None) == (file.body, file.digest, file.secret)
    assert (str(path), file.at) == (file.document.asked, file.document.at)


@pytest.mark.parametrize(("tail", "body"), [(0, b""), (3, b"789"), (10, b"0123456789"), (99, b"0123456789")])
def test_the_end_of_a_file_may_be_enough(perform, path, tail, body):
    """The digest is that of the whole file, and no cap holds for what is not asked for."""
    file = perform(Read(str(path), tail=tail, cap=5))

    assert (body, digest(b"0123456789")) == (file.body, file.digest)


def test_the_end_of_a_long_file(perform, tmp_path):
    """A log of several reads comes down to its last bytes."""
    content = os.urandom(3 * 2**20 + 7)
    path = tmp_path / "log"
    path.write_bytes(content)
    file = perform(Read(str(path), tail=2**20 + 1))

    assert (content[-(2**20 + 1) :], digest(content)) == (file.body, file.digest)


@pytest.mark.parametrize(("cap", "fits"), [(10, True), (9, False)])
def test_a_file_larger_than_its_cap_is_not_held(perform, path, cap, fits):
    """To the byte."""
    if fits:
        assert b"0123456789" == perform(Read(str(path), cap=cap)).body
    else:
        with pytest.raises(TooLarge, match="larger than 9 bytes"):
            perform(Read(str(path), cap=cap))


def test_a_secret_file_comes_masked(perform, tmp_path):
    """The shape is there to be read, the text is a secret, and its parts are secrets."""
    path = tmp_path / "login"
    path.write_text('\n{"login":{"key":"sk-1","plan":"pro","blank":"","expires":3}}\n')
    file = perform(Read(str(path), secret=True, plain=frozenset({"plan"})))

    assert {"login": {"key": "***", "plan": "pro", "blank": "", "expires": 3}} == json.loads(file.body)
    assert Secret("sk-1") == file.secret.part("login", "key")
    assert "sk-1" not in repr(file)


def test_a_key_file_is_a_secret_and_nothing_else(perform, tmp_path, host):
    """A text that is no JSON has no body to show; white space at its ends is not part of the key."""
    path = tmp_path / "key"
    path.write_text("sk-1\n")
    file = perform(Read(str(path), secret=True))

    assert (b"", Secret("sk-1"), digest(b"sk-1\n")) == (file.body, file.secret, file.digest)
    assert Secret("sk-1") == run(key(Read(str(path), secret=True)), deadline=LONG, host=host)


@pytest.mark.parametrize(
    ("name", "fault", "why"),
    [
        ("missing", NotFound, "No such file or directory"),
        ("file/inside", NotFound, "Not a directory"),
        ("folder", Refused, "Is a directory|not a regular file"),
        ("pipe", Refused, "not a regular file"),
        ("zero\0byte", Refused, "null byte"),
        ("loop", Refused, "symbolic links"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(perform, path, name, fault, why):
    """A missing file is told apart from one that may not be read; a named pipe keeps nobody waiting."""
    (path.parent / "folder").mkdir()
    (path.parent / "loop").symlink_to("loop")
    os.mkfifo(path.parent / "pipe")
    asked = str(path.parent / name)
    with pytest.raises(fault, match=why) as error:
        perform(Read(asked))
    assert asked == error.value.asked


def test_a_forbidden_file_is_refused(perform, path, monkeypatch):
    """Permission is not absence. The system's refusal is played, since a test may run as root."""

    def forbidden(*args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(Refused, match="Permission denied"):
        perform(Read(str(path)))


# --- list -------------------------------------------------------------------------------------


def test_files_are_found_newest_first(perform, tmp_path):
    """Absolute paths of files, in one order on every machine; folders are no files."""
    for name, age in [("a/new", 0), ("b/old", 100), ("c/d/older", 200), ("b/same", 100)]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (10**9 - age, 10**9 - age))
    names = ("a/new", "b/old", "b/same", "c/d/older")

    assert tuple(str(tmp_path / name) for name in names) == perform(List(f"{tmp_path}/**")).paths
    assert (str(tmp_path / "a/new"),) == perform(List(f"{tmp_path}/**", most=1)).paths
    assert (str(tmp_path / "b/old"), str(tmp_path / "b/same")) == perform(List(f"{tmp_path}/b/*[de]")).paths
    assert () == perform(List(f"{tmp_path}/nothing/*")).paths


def test_a_file_that_vanishes_is_left_out(perform, tmp_path):
    """A link that leads nowhere is no file."""
    (tmp_path / "link").symlink_to("nowhere")

    assert () == perform(List(f"{tmp_path}/*")).paths


# --- replace ----------------------------------------------------------------------------------


def test_a_file_is_replaced_if_it_is_what_it_was(perform, path):
    """And the answer says what is in place now, done or not."""
    done = perform(Replace(str(path), b"new", digest(b"0123456789")))
    late = perform(Replace(str(path), b"newer", digest(b"0123456789")))

    assert (True, digest(b"new")) == (done.done, done.digest)
    assert (False, digest(b"new")) == (late.done, late.digest)
    assert b"new" == path.read_bytes()


def test_a_file_is_made_only_where_there_is_none(perform, path, tmp_path):
    """`was=None` means it must not exist; a digest means it must."""
    new = tmp_path / "new"

    assert perform(Replace(str(new), b"1", None)).done
    assert not perform(Replace(str(new), b"2", None)).done
    assert (False, None) == (
        (gone := perform(Replace(str(tmp_path / "gone"), b"1", digest(b"")))).done,
        gone.digest,
    )
    assert (b"1", False) == (new.read_bytes(), (tmp_path / "gone").exists())


def test_a_replaced_file_keeps_its_mode_and_its_link(perform, path, tmp_path):
    """What points to it still does, and who could read it still can."""
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    perform(Replace(str(link), b"new", digest(b"0123456789")))

    assert (True, b"new", 0o640) == (link.is_symlink(), path.read_bytes(), stat.S_IMODE(path.stat().st_mode))


def test_a_replacement_leaves_only_its_lock(perform, path):
    """Nothing else lies about, and what a crash left is no obstacle."""
    Path(f"{path}.new").write_bytes(b"left by a crash, and longer than what comes")
    perform(Replace(str(path), b"new", digest(b"0123456789")))

    assert {"file", "file.lock", "home"} == {found.name for found in path.parent.iterdir()}
    assert b"new" == path.read_bytes()


@pytest.mark.parametrize(("name", "fault"), [("no/folder/file", NotFound), ("folder", Refused)])
def test_a_file_that_cannot_be_replaced_says_why(perform, path, name, fault):
    """A missing folder, and a folder where the file should be."""
    (path.parent / "folder").mkdir()
    with pytest.raises(fault):
        perform(Replace(str(path.parent / name), b"new", None))


def test_a_full_disk_changes_nothing(path):
    """The fault says so in the system's words; the file is what it was, and no half file is left."""
    code = f"""
import os, resource
from datetime import timedelta
from capacity.errors import Refused
from capacity.ports import Replace
from capacity.wire import Host, run

async def flow():
    await Replace({str(path)!r}, b"x" * 10_000, {digest(b"0123456789")!r})

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    run(flow(), deadline=timedelta(seconds=20), host=Host())
except Refused as fault:
    print(fault)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert f"{path}: File too large\n" == done.stdout
    assert (b"0123456789", False) == (path.read_bytes(), Path(f"{path}.new").exists())


def test_a_lock_that_is_held_is_waited_for(host, path):
    """Somebody else's replacement comes first; then ours sees what it left."""
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)

    def let_go():
        path.write_bytes(b"theirs")
        os.close(lock)

    timer = threading.Timer(0.1, let_go)
    timer.start()
    got = run(ask(Replace(str(path), b"ours", digest(b"0123456789"))), deadline=LONG, host=host)
    timer.join()

    assert (False, digest(b"theirs")) == (got.done, got.digest)


def test_a_lock_that_is_never_let_go_ends_with_the_deadline(host, path):
    """And then nothing is replaced any more, however late the lock is let go."""
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(TimedOut):
            run(ask(Replace(str(path), b"ours", digest(b"0123456789"))), deadline=SHORT, host=host)

    assert b"0123456789" == path.read_bytes()


ADDING = """
import sys
from datetime import timedelta
from capacity.ports import Read, Replace
from capacity.wire import Host, run

async def add(path):
    while True:
        file = await Read(path)
        if (await Replace(path, b"%d" % (int(file.body) + 1), file.digest)).done:
            return

for _ in range(25):
    run(add(sys.argv[1]), deadline=timedelta(seconds=60), host=Host())
"""


def test_two_processes_lose_no_change(path):
    """Each adds one, twenty-five times: nobody's one is lost."""
    path.write_bytes(b"0")
    children = [subprocess.Popen([sys.executable, "-c", ADDING, str(path)]) for _ in range(2)]

    assert [0, 0] == [child.wait(60) for child in children]
    assert b"50" == path.read_bytes()


def test_flows_side_by_side_lose_no_change(host, path):
    """Nor is one lost within a process."""
    path.write_bytes(b"0")

    async def add():
        while True:
            file: File = await Read(str(path))
            if (await Replace(str(path), b"%d" % (int(file.body) + 1), file.digest)).done:
                return

    run_all({str(number): (add(), LONG) for number in range(8)}, host=host)

    assert b"8" == path.read_bytes()


def test_no_descriptor_is_left(host, path):
    """Whatever became of it."""
    effects = [Read(str(path)), Read("/"), Replace("/no/such", b"", None), Replace(str(path), b"", None), List("/*")]

    async def flow():
        for effect in effects:
            try:
                await effect
            except (NotFound, Refused):
                continue

    before = descriptors()
    run(flow(), deadline=timedelta(seconds=20), host=host)

    assert not leaks(before)


def test_a_flow_reads_where_its_host_lives(host, tmp_path):
    """Paths are filled in from the host's environment; the reply says what was asked."""
    (tmp_path / "home" / "file").write_bytes(b"1")
    host = Host(environ={**host.environ, "ROOT": str(tmp_path)})

    async def flow():
        return [(await Read(asked)).path for asked in ("~/file", "${ROOT}/home/file", "${NONE:-~}/file")]

    assert ["~/file", "${ROOT}/home/file", "${NONE:-~}/file"] == run(flow(), deadline=LONG, host=host)
