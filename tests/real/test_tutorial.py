"""The tutorial on a real router, typed again: what it shows is what is printed.

Run this file to write anew what was printed: `python -m tests.real.test_tutorial`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest

from capacity.cli import main
from capacity.testing.clocks import SettableClock

from . import llama, tiny

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "real-llama.md"
PORT = "8080"  # the page's; the server of a test listens wherever a port is free
FILES = ("policy.toml", "adopted.toml", "fleet.json")  # in the order in which the page shows them
NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Terminal:
    """Types what the page types, on a clock that only its `sleep` moves.

    A model that `curl` tells to load is stopped while it does so, until the page sleeps or waits for it: so it is seen
    loading by whatever is typed between, however quick the machine. Waiting for one takes the machine's own time.

    Args:
        program: the server.
        folder: the working folder, where everything is.
    """

    def __init__(self, program: Path, folder: Path) -> None:
        self._program, self._folder = program, folder
        self._clock = SettableClock(NOON)
        self._running, self._loading = ExitStack(), ExitStack()
        self._server: llama.Server | None = None

    def __enter__(self) -> Terminal:
        self._running.enter_context(patch.dict(os.environ))
        self._running.enter_context(chdir(self._folder))
        return self

    def __exit__(self, *_: object) -> None:
        self._loading.close()
        self._running.close()

    @property
    def server(self) -> llama.Server:
        """The router, once it was started."""
        assert self._server is not None
        return self._server

    def put(self, files: Mapping[str, str]) -> None:
        """Write files, with the port on which the router really listens."""
        for name, text in files.items():
            Path(name).write_text(text.replace(PORT, str(self.server.port)), encoding="utf-8")

    def type(self, line: str) -> str:
        """What one line prints."""
        program, *words = shlex.split(line)
        printed: str = getattr(self, f"_{program.replace('-', '_')}")(*words)
        # on a slow machine the loading that a request began is over when somebody asks for it
        return printed.replace("was ready already", "ready (it was loading already)")

    def _python(self, _: str, folder: str, *names: str) -> str:
        Path(folder).mkdir()
        tiny.write(Path(folder), *names)
        return ""

    def _llama_server(self, *words: str) -> str:
        assert words[-2:] == ("--port", PORT)
        home = self._folder / "server"
        home.mkdir()
        arguments = [str(self._folder / word) if word == "models" else word for word in words[:-2]]
        self._server = self._running.enter_context(llama.serving(self._program, home, *arguments))
        return ""

    def _curl(self, *words: str) -> str:
        path, body, before = words[1].partition(PORT)[2], json.loads(words[-1]), llama.children(self.server)
        assert self.server.ask(path, body) == (200, {"success": True})
        llama.until(lambda: len(llama.children(self.server)) > len(before))
        self._loading.enter_context(llama.held(self.server, but=before))
        return '{"success":true}\n'

    def _sleep(self, seconds: str) -> str:
        self._loading.close()
        llama.until(lambda: "loading" not in self.server.statuses().values())
        self._clock.advance(timedelta(seconds=float(seconds)))
        return ""

    def _export(self, *words: str) -> str:
        os.environ.update(dict(word.split("=", 1) for word in words))
        return ""

    def _cat(self, name: str) -> str:
        return Path(name).read_text(encoding="utf-8")

    def _capacity(self, *words: str) -> str:
        printed = StringIO()
        waits = words[:2] == ("models", "prepare")
        if waits:
            self._loading.close()
        with redirect_stdout(printed), redirect_stderr(printed):
            main(words, clock=None if waits else self._clock)
        return printed.getvalue()


def shown(page: str) -> Mapping[str, str]:
    """Name → content of the files that the page shows."""
    return dict(zip(FILES, re.findall(r"^```(?:toml|json)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL), strict=True))


def typed_again(page: str, terminal: Terminal) -> str:
    """The page with what its lines print now."""

    def block(found: re.Match[str]) -> str:
        said = []
        for line in re.findall(r"^\$ (.*)$", found[1], re.MULTILINE):
            if line.startswith("export "):  # by now the page has shown its files
                terminal.put(shown(page))
            said.append(f"$ {line}\n{terminal.type(line)}")
        return f"```console\n{''.join(said)}```"

    return CONSOLE.sub(block, page)


@pytest.mark.real
def test_the_tutorial_shows_what_is_printed(tmp_path: Path) -> None:
    """A resident and a loadable model are seen, one that loads is waited for, and a seat is placed once it is there."""
    program = llama.found()
    if program is None:
        pytest.skip(llama.ABSENT)
    page = PAGE.read_text(encoding="utf-8")
    with Terminal(program, tmp_path) as terminal:
        assert page == typed_again(page, terminal)
        assert {"tiny-a": "loaded", "tiny-b": "loaded"} == terminal.server.statuses()


if __name__ == "__main__":
    found = llama.found()
    assert found is not None, llama.ABSENT
    with TemporaryDirectory() as folder, Terminal(found, Path(folder)) as typist:
        anew = typed_again(PAGE.read_text(encoding="utf-8"), typist)
    PAGE.write_text(anew, encoding="utf-8")
