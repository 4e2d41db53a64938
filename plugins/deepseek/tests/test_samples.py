"""Every recorded answer of DeepSeek, against what it has to be read as."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from capacity.codec import dumps
from capacity.ports import Document
from capacity_deepseek import reader

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "deepseek"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
EVERYWHERE = {"form": 1, "observed_at": "2026-09-20T12:00:00Z", "quantum": 1.0}


def told(value: Any) -> Any:
    """A value's text form without what stands at its default."""
    if isinstance(value, list):
        return [told(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: told(item) for key, item in value.items() if item not in (None, {}, [], EVERYWHERE.get(key))}


def read(doc: Document) -> Any:
    """What the reader makes of a document, in the form of `expected.json`."""
    readings, listing = reader().readings(doc), reader().listing(doc)
    found = {"readings": readings and [json.loads(dumps(reading)) for reading in readings]}
    found["listing"] = listing and json.loads(dumps(listing))
    return told(found) or None


def test_every_sample_is_expected() -> None:
    """No recorded answer goes unread by this page, and none is expected that is not there."""
    files = {path.name for path in SAMPLES.iterdir()} - {"README.md", "expected.json"}

    assert set(EXPECTED) == files


@pytest.mark.parametrize("name", EXPECTED)
def test_sample(name: str) -> None:
    """A recorded body, of which nothing else is known, is read as `expected.json` says."""
    assert EXPECTED[name] == read(Document((SAMPLES / name).read_bytes(), AT))


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.startswith("error")])
def test_an_error_body_stays_nobodys_with_its_status(name: str) -> None:
    """An error that answered a turn is not about the balance, whatever its status was."""
    statuses = (400, 401, 402, 422, 429, 500, 503)

    assert {None} == {read(Document((SAMPLES / name).read_bytes(), AT, status=status)) for status in statuses}


def test_failures_are_left_to_a_later_release() -> None:
    """The reader classifies no failure yet, and says so with None."""
    assert reader().failure(Document((SAMPLES / "error_402.json").read_bytes(), AT, status=402)) is None
