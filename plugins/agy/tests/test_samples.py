"""Every recorded answer is what `expected.json` says, and nothing else is one of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from capacity_agy import reader

from .documents import SAMPLES, plain, recorded

FILES = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {"README.md", "expected.json"})
EXPECTED: Any = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
ERRORS = [name for name in FILES if name.startswith(("error_", "limit_texts"))]


def test_every_sample_has_its_entry() -> None:
    """No file is left out, and no entry is about a file that is gone."""
    assert FILES == sorted(EXPECTED)


@pytest.mark.parametrize("name", FILES)
def test_a_sample_is_read_as_expected(name: str) -> None:
    """Readings and listing of the file are those written down for it."""
    assert EXPECTED[name] == plain(reader(), recorded(name))


@pytest.mark.parametrize("status", [400, 402, 403, 404, 429, 500, 503])
@pytest.mark.parametrize("name", ERRORS)
def test_an_error_stays_nobodys_with_its_status(name: str, status: int) -> None:
    """What answered a turn of a model is not about quota or models, whatever its status was."""
    assert {"readings": None, "listing": None} == plain(reader(), recorded(name, status=status))
