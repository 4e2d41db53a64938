"""Every recorded answer is what `expected.json` says, and nothing else is one of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from capacity_codex import reader

from .documents import SAMPLES, plain, recorded

FILES = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {"README.md", "expected.json"})
EXPECTED: Any = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))


def test_every_sample_has_its_entry() -> None:
    """No file is left out, and no entry is about a file that is gone."""
    assert FILES == sorted(EXPECTED)


@pytest.mark.parametrize("name", FILES)
def test_a_sample_is_read_as_expected(name: str) -> None:
    """Readings and listing of the file are those written down for it."""
    assert EXPECTED[name] == plain(reader(), recorded(name))
