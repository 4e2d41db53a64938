"""What holds for every test in the house.

No test sees the home, the keys or the proxies of whoever runs it, and none reaches further than
this machine: a connection elsewhere fails the test even where the code under test swallowed the
error. Children are not watched, only given the same empty environment.
"""

from __future__ import annotations

import ipaddress
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from sybil import Sybil
from sybil.parsers.myst import PythonCodeBlockParser, SkipParser

# --- the environment --------------------------------------------------------------------------

HOMES = (
    "HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_HOME",
)
FOREIGN = ("ANTHROPIC_", "CAPACITY_", "CLAUDE_", "CODEX_", "DEEPSEEK_", "GEMINI_", "GOOGLE_", "LLAMA_", "OPENAI_")
# where the tests of tests/real find programs; nobody's secret or home
KEPT = {"CAPACITY_CODEX", "CAPACITY_LLAMA_SERVER"}
PROXIES = ("ALL_PROXY", "FTP_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
TOOL_CACHE = os.environ.get("UV_CACHE_DIR") or str(
    Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uv"
)


def foreign(name: str) -> bool:
    """Whether a variable belongs to the person at the machine and not to the test."""
    return name.upper() not in KEPT and (name.upper().startswith(FOREIGN) or name.upper() in PROXIES)


def strange_home(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Point every notion of a home into `folder` and drop every foreign variable."""
    for name in [name for name in os.environ if foreign(name)]:
        monkeypatch.delenv(name)
    for name in HOMES:
        home = folder / name.lower().replace("_", "-")
        home.mkdir(mode=0o700)
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("UV_CACHE_DIR", TOOL_CACHE)  # so that a test which builds a wheel need not fetch its tools anew


@pytest.fixture(autouse=True)
def _strange_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    strange_home(monkeypatch, tmp_path_factory.mktemp("home"))


# --- the network ------------------------------------------------------------------------------

REACHED: list[str] = []  # what tests tried to reach; emptied and judged around each test
WATCHED = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1, "socket.getaddrinfo": 0}


class OutOfBounds(OSError):
    """A test tried to reach something that is not this machine."""


def within(host: object) -> bool:
    """Whether a host is this machine, or only a number that no name server is asked about."""
    name = host.decode() if isinstance(host, bytes) else host
    if name is None or name in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(str(name).partition("%")[0]).is_loopback
    except ValueError:
        return False


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Judge one audit event. A path (a Unix socket) and a connected socket's None stay on this machine."""
    if event not in WATCHED:
        return
    target = arguments[WATCHED[event]]
    host = target[0] if isinstance(target, tuple) else target
    named = isinstance(target, tuple) or event == "socket.getaddrinfo"
    if named and not within(host):
        REACHED.append(f"{event} {target!r}")
        raise OutOfBounds(f"tests stay on this machine; refused: {event} {target!r}")


@pytest.fixture(autouse=True)
def _within_bounds() -> Iterator[None]:
    REACHED.clear()
    yield
    if REACHED:
        pytest.fail("the test tried to leave this machine: " + ", ".join(REACHED))


# --- hypothesis -------------------------------------------------------------------------------

hypothesis.settings.register_profile("dev", max_examples=30, deadline=None)
hypothesis.settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("thorough", max_examples=2_000, deadline=None, print_blob=True)
hypothesis.settings.register_profile("exhaustive", max_examples=5_000, deadline=None, print_blob=True)


def pytest_configure(config: pytest.Config) -> None:
    """Before anything is collected: leave the person's home, start the watch, choose the profile."""
    home = tempfile.TemporaryDirectory(prefix="capacity-tests-")
    environment = pytest.MonkeyPatch()
    config.add_cleanup(home.cleanup)
    config.add_cleanup(environment.undo)
    profile = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
    strange_home(environment, Path(home.name))
    sys.addaudithook(watch)
    hypothesis.settings.load_profile(profile)


# --- documents --------------------------------------------------------------------------------

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/**/*.md", "plugins/*/README.md"],
).pytest()
