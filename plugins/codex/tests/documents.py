"""The recorded answers, as the documents they were; readings and listings, as plain JSON to compare them by."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
from capacity.ports import Document, Reader, Scope

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "codex"
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
OTHER_TIMES = {
    "usage_limits_scoped_exhausted.json": datetime(2026, 9, 2, 18, tzinfo=UTC),
    "usage_tui_ansi_cr.txt": datetime(2026, 12, 22, 9, tzinfo=UTC),
    "usage_tui_bars_fable.txt": datetime(2026, 7, 25, 3, tzinfo=UTC),
    "usage_tui_compact_garbled.txt": datetime(2026, 2, 11, 20, tzinfo=UTC),
}


def recorded(name: str, **parts: Any) -> Document:
    """One sample: header lines, or a body of which nothing else is known than what is given here."""
    body = (SAMPLES / name).read_bytes()
    if name.startswith("headers_"):
        return Document(b"", AT, headers=fields(body.decode()))
    return Document(body, AT, **parts)


def fields(lines: str) -> tuple[tuple[str, str], ...]:
    """Header lines as pairs."""
    pairs = (line.partition(":") for line in lines.splitlines() if ":" in line)
    return tuple((name.strip().lower(), value.strip()) for name, _, value in pairs)


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
        return {name: _plain(told) for name, default, told in pairs if told != default and told not in (None, {}, ())}
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    return (
        value.total_seconds() if isinstance(value, timedelta) else str(value) if isinstance(value, Decimal) else value
    )


def shown(value: object) -> str:
    """The name of a test's case: what is told, shortened."""
    return f"{value[:30]!r}{len(value)}" if isinstance(value, str | bytes) else repr(value)[:60]
