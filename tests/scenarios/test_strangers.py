"""A reader takes its own backend's answers and nobody else's: what is not ours never becomes a reading of zero."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import capacity_agy
import capacity_claude
import capacity_codex
import capacity_deepseek
import capacity_hive
import capacity_llama_cpp
import pytest

from capacity.ports import Document, Reader

SAMPLES = Path(__file__).parents[1] / "samples"
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
READERS = {
    "agy": capacity_agy.reader(),
    "claude": capacity_claude.reader(),
    "codex": capacity_codex.reader(),
    "deepseek": capacity_deepseek.reader(),
    "hive": capacity_hive.reader(),
    "llamacpp": capacity_llama_cpp.reader(),
}
FILES = sorted(
    path for path in SAMPLES.rglob("*") if path.is_file() and path.name not in {"README.md", "expected.json"}
)


def test_there_are_strangers() -> None:
    """Every folder brings samples, also those of no backend at all: places that publish scores, pacing's figures."""
    scores = {"aider", "artificial-analysis", "harbor", "models-dev", "terminal-bench"}
    assert {"agy", "claude", "codex", "common", "deepseek", "llamacpp", "pacing"} | scores == {
        path.parent.name for path in FILES
    }
    assert len(FILES) > 100


REFUSALS = ("error_", "limit_texts", "load_", "health_503", "headers_", "b11434_error_")
STRANGERS = pytest.mark.parametrize(
    ("path", "folder"),
    [(path, folder) for path in FILES for folder in READERS if path.parent.name != folder],
    ids=lambda value: f"{value.parent.name}/{value.name}" if isinstance(value, Path) else value,
)


@STRANGERS
def test_a_strangers_answer_is_not_mine(path: Path, folder: str) -> None:
    """Whatever another backend says is neither a reading nor a listing."""
    document = Document(path.read_bytes(), AT)
    reader: Reader = READERS[folder]
    assert (None, None) == (reader.readings(document), reader.listing(document))


@STRANGERS
def test_a_strangers_good_answer_is_no_failure(path: Path, folder: str) -> None:
    """What tells usage, models or a login refuses nobody's turn, and the error of one backend breaks no other's reader.

    Error bodies are alike between backends: more than one calls a burst `rate_limit_error`. So a reader may know a
    stranger's error, and nobody asks it: a failure is shown to the reader of the account that failed alone.
    """
    told = READERS[folder].failure(Document(path.read_bytes(), AT))

    assert told is None or path.name.startswith(REFUSALS)
