"""Every recorded answer of llama.cpp, against what it has to be read as."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
import pytest
from capacity.ports import Document
from capacity_llama_cpp import reader

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "llamacpp"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
NOBODYS = {"readings": None, "listing": None}


def plain(value: Any) -> Any:
    """A value as JSON, without what stands at its default."""
    if attrs.has(type(value)):
        pairs = ((part.name, part.default, getattr(value, part.name)) for part in attrs.fields(type(value)))
        return {name: plain(told) for name, default, told in pairs if told != default and told not in (None, {}, ())}
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | frozenset):
        return [plain(inner) for inner in (value if isinstance(value, tuple) else sorted(value))]
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value) if isinstance(value, Decimal) else value


def read(doc: Document) -> dict[str, Any]:
    """What the reader makes of a document, in the form of `expected.json`."""
    return {"readings": plain(reader().readings(doc)), "listing": plain(reader().listing(doc))}


def test_every_sample_is_expected() -> None:
    """No recorded answer goes unread here, and none is expected that is not there."""
    files = {path.name for path in SAMPLES.iterdir()} - {"README.md", "expected.json"}

    assert set(EXPECTED) == files


@pytest.mark.parametrize("name", EXPECTED)
def test_sample(name: str) -> None:
    """A recorded body, of which nothing else is known, is read as `expected.json` says."""
    assert EXPECTED[name] == read(Document((SAMPLES / name).read_bytes(), AT))


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 501, 503])
def test_an_error_body_stays_nobodys_with_its_status(status: int) -> None:
    """An error that answered a turn, or a request to load, is not about slots, whatever its status was."""
    bodies = [path.read_bytes() for path in (*SAMPLES.glob("*error_*.json"), *SAMPLES.glob("load_*.json"))]

    assert [NOBODYS] * 13 == [read(Document(body, AT, status=status)) for body in bodies]
