"""The prober that the how-to shows to plugin authors keeps every contract it tells them of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from capacity.ports import Document, Reader
from capacity.testing.contracts import Case, ReaderContract

from . import house

CODE = house.examples("docs/how-to/write-a-prober.md")
PAGE: dict[str, Any] = {"__name__": "page"}
exec("\n".join(CODE), PAGE)

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
Shown: Any = PAGE["TestToyProber"]
MADE = "\n".join(CODE[:2])  # what a reader of the page would put into the module


class TestReader(ReaderContract):
    construct = f"{MADE}\nToyReader()"

    @pytest.fixture
    def reader(self) -> Reader:
        reader: Reader = PAGE["ToyReader"]()
        return reader

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        return [Case(Document(b'{"used": 41}', NOON, asked="/quota", status=status)) for status in (None, 200)]

    @pytest.fixture
    def throttled(self) -> Document:
        return Document(b"", NOON, asked="/quota", status=429)


class TestProber(Shown):  # type: ignore[misc]  # a class that a page makes is known to nobody
    construct = f"{MADE}\nfrom capacity.ports import Env\nprober(credentials=Env('TOY_KEY'))"
