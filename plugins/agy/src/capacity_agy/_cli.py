"""The command line, run headless: nothing is typed into it, and it is ended as soon as it asks for a login.

JSON is asked for first, with the flag before the command: behind it, only the usage text comes back. A program too old
for the flag says so, and is asked once more without it; no other failure is asked about again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from attrs import evolve, field, frozen
from capacity.errors import NotFound
from capacity.ports import Document, Env, Exit, Key, Run, Secret

from capacity_agy._login import ADDRESS, WAITING

PROGRAM = "agy"

COLD = timedelta(seconds=90)
"""What a start may take: three or four seconds are usual, and a cold one was seen to take a minute and a half."""

CAP = 2**20
"""Bytes it may say. The longest answer known has a few thousand."""

AS_JSON = ("--output-format", "json")

PROMPTS = (ADDRESS.encode(), WAITING.encode())
"""What it says only where it asks for a login, and then waits for ever."""

UNKNOWN_FLAG = re.compile(rb"(?i)(?:not defined|unknown|undefined|unrecognized)[^\n]{0,200}output-format")
"""How a program too old for the flag says so."""

PASSED = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HTTPS_PROXY", "NO_PROXY")
"""Variables passed on where they are set: how a keyring and the network are reached. No key is among them: with one in
its environment the program would measure another account."""


def program(path: str) -> str:
    """The program's name or path."""
    if not path.strip() or "\0" in path:
        raise ValueError("program must be a name on PATH, or the path of a file")
    return path


def home(path: str | None) -> str | None:
    """The home folder, without a slash at its end."""
    if path is not None and not path.startswith("/"):
        raise ValueError("home must be an absolute path: the program is given it as it stands")
    return path if path is None else path.rstrip("/")


@frozen(kw_only=True)
class Cli:
    """One installed command line with one login.

    Attributes:
        program: its name on PATH, or its path.
        home: its home folder; None = the host's own.
    """

    program: str = field(default=PROGRAM, converter=program)
    home: str | None = field(default=None, converter=home)

    async def ask(self, *words: str) -> Document:
        """What it answers to a command.

        Args:
            words: the command.

        Raises:
            WireError: it cannot be started, or did not end in time.
        """
        env = await self._environment()
        said = await self._run((*AS_JSON, *words), env)
        if UNKNOWN_FLAG.search(said.stdout + said.stderr):
            said = await self._run(words, env)
        return _document(said)

    async def _run(self, words: tuple[str, ...], env: Mapping[str, str | Secret]) -> Exit:
        return await Run((self.program, *words), env=env, timeout=COLD, cap=CAP, until=PROMPTS)

    async def _environment(self) -> Mapping[str, str | Secret]:
        given: dict[str, str | Secret] = {"AGY_CLI_DISABLE_AUTO_UPDATE": "true"}
        for name in PASSED:
            try:
                given[name] = await Env(name)
            except NotFound:
                continue
        return given if self.home is None else {**given, "HOME": self.home}


def _document(said: Exit) -> Document:
    """What it printed; what it complained, where that is all it said or asks for a login."""
    complained = not said.stdout.strip() or any(prompt in said.stderr for prompt in PROMPTS)
    return evolve(said.document, body=said.stderr) if complained else said.document


def installed(credentials: Key | None, path: str, folder: str | None) -> Cli:
    """The command line that the options of an account mean.

    Raises:
        ValueError: an option is wrong.
    """
    if credentials is not None:
        raise ValueError("agy keeps its own login: leave credentials out, and name another login's home under options")
    return Cli(program=path, home=folder)
