"""Finds the program, builds the models, starts servers; without the program its tests are skipped, aloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from . import llama, tiny

Serve = Callable[..., llama.Server]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two tiny models, `tiny-a` and `tiny-b`."""
    folder = tmp_path_factory.mktemp("models")
    tiny.write(folder, "tiny-a", "tiny-b")
    return folder


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts a server with the given arguments; it ends with the test."""
    program = llama.found()
    if program is None:
        pytest.skip(llama.ABSENT)
    folders = count()
    with ExitStack() as running:

        def start(*arguments: str) -> llama.Server:
            folder = tmp_path / f"server-{next(folders)}"
            folder.mkdir()
            return running.enter_context(llama.serving(program, folder, *arguments))

        yield start


@pytest.fixture
def route(serve: Serve, models: Path) -> Serve:
    """Starts a router over the two models that holds one at a time, each in two slots of 1024 tokens."""
    usual = ("--models-dir", str(models), "--models-max", "1", "--ctx-size", "2048", "--parallel", "2")
    return lambda *arguments: serve(*usual, *arguments)
