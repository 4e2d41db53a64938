"""The recorded answers, as the documents they were; readings and listings, as plain JSON to compare them by."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
from capacity.ports import Document, Reader, Scope

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "agy"
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)


def body(name: str) -> bytes:
    """The bytes of one sample."""
    return (SAMPLES / name).read_bytes()


def recorded(name: str, **known: Any) -> Document:
    """One sample: a body of which nothing else is known but what is given."""
    return Document(body(name), AT, **known)


def plain(reader: Reader, doc: Document) -> dict[str, Any]:
    """What a reader makes of a document."""
    readings, listing = reader.readings(doc), reader.listing(doc)
    return {
        "readings": None if readings is None else [_plain(reading) for reading in readings],
        "listing": None if listing is None else _plain(listing),
    }


def _plain(value: Any) -> Any:
    """A value as JSON, without what stands at its default."""
    if isinstance(value, Scope):
        return {value.kind: value.name}
    if attrs.has(type(value)):
        pairs = ((part.name, part.default, getattr(value, part.name)) for part in attrs.fields(type(value)))
        return {name: _plain(told) for name, default, told in pairs if told != default and told not in (None, {})}
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, Decimal) else value
