"""The real Codex program on this machine: found, or installed for these tests; it sees nobody but loopback.

What it is given is a folder with an invented login, and settings that name our server; anything else it wants to reach
is sent to a port where nothing listens.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

PROGRAM = "codex"
VARIABLE = "CAPACITY_CODEX"
PACKAGE = "@openai/codex@0.171.0"  # the release these tests were written against; name another one in the variable
PATIENCE = 120.0  # seconds an installation may take
CLOSED = "http://127.0.0.1:9"  # nothing listens on the port of `discard`


@cache
def found() -> tuple[Path | None, str]:
    """The program, or why there is none: the one the variable names, on PATH, or installed by npm."""
    named = os.environ.get(VARIABLE) or shutil.which(PROGRAM)
    if named:
        return Path(named), ""
    if shutil.which("npm") is None:
        return None, f"no {PROGRAM} on PATH, none named in {VARIABLE}, and no npm to install it with"
    return _installed()


def _installed() -> tuple[Path | None, str]:
    """Install it into a folder that the next run finds again."""
    folder = Path(tempfile.gettempdir()) / f"capacity-{PACKAGE.rpartition('/')[2].replace('@', '-')}-{os.getuid()}"
    program = folder / "node_modules" / ".bin" / PROGRAM
    if program.exists():
        return program, ""
    command = ("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder), PACKAGE)
    environ = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir}  # where npm is told which registry to ask
    try:
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return None, f"npm did not install {PACKAGE} within {PATIENCE:.0f} s"
    if done.returncode or not program.exists():
        return None, f"npm could not install {PACKAGE}: {done.stderr.strip()[-300:]}"
    return program, ""


def command(program: Path) -> list[str]:
    """The command line by which it reaches this machine and nothing else."""
    return ["env", f"HTTPS_PROXY={CLOSED}", f"HTTP_PROXY={CLOSED}", "NO_PROXY=127.0.0.1", str(program)]


def left(folder: Path) -> list[int]:
    """The processes that were told of a folder in their environment and have not ended, where the system tells."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in told:
            found.append(int(process.name))
    return found
