"""Looking in at the door costs nothing that is not used."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "asyncio",
    "cattrs",
    "hypothesis",
    "httpx",
    "importlib.metadata",
    "importlib_metadata",
    "pytest",
    "rich",
    "sqlite3",
    "tenacity",
    "typer",
}


def loaded(code: str) -> set[str]:
    """The modules a new interpreter has loaded after running `code`."""
    # -S -E would also drop the installed package; -I keeps it and drops the caller's environment
    show = f"{code}\nimport sys\nprint(*sys.modules, sep='\\n')"
    before = subprocess.run([sys.executable, "-I", "-c", "import sys\nprint(*sys.modules, sep='\\n')"], **PIPES)
    after = subprocess.run([sys.executable, "-I", "-c", show], **PIPES)
    return set(after.stdout.split()) - set(before.stdout.split())


PIPES = {"capture_output": True, "text": True, "check": True}


@pytest.mark.parametrize("code", ["import capacity", "from capacity import assess, decide", "import capacity.ports"])
def test_import_loads_nothing_heavy(code: str) -> None:
    """Neither the door, nor the pure functions, nor the ports load a codec, a client, a loop or a store."""
    assert set() == loaded(code) & HEAVY


def test_the_door_alone_loads_no_room() -> None:
    """The door is lazy: a name is fetched when it is asked for."""
    assert {"capacity"} == {
        name for name in loaded("import capacity") if name.partition(".")[0] in {"capacity", "attrs"}
    }
