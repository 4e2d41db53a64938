"""What every reader, prober and inventory source owes, held by these three."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import pytest
from capacity.ports import Document, Env, Get, InventorySource, Prober, Reader, Send
from capacity.testing.contracts import Case, InventoryContract, ProberContract, ReaderContract
from capacity.testing.flows import FakeWorld
from capacity_deepseek import inventory, prober, reader

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "deepseek"
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)

TWO = b"""{"is_available": true, "balance_infos": [
  {"currency": "CNY", "total_balance": "110.00", "granted_balance": "10.00", "topped_up_balance": "100.00"},
  {"currency": "USD", "total_balance": "-0.04", "granted_balance": "0.00", "topped_up_balance": "-0.04"}
]}"""
SILENT = b'{"balance_infos": [{"currency": "USD", "total_balance": "14.37"}]}'


def answer(name: str, path: str | None = "/user/balance", status: int = 200) -> Document:
    """A sample as the answer to a path."""
    return Document((SAMPLES / name).read_bytes(), AT, asked=path, status=status)


def service(request: Get | Send) -> Document:
    """The service in good health."""
    path = urlsplit(request.url).path
    return answer("models.json" if path == "/models" else "balance_ok.json", path)


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld(AT, environ={"DS_KEY": "sk-not-a-real-one"}, web=service)


class TestReader(ReaderContract):
    construct: ClassVar = "from capacity_deepseek import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        paths = ("/user/balance", None)
        samples = [Case(answer(path.name, asked)) for path in sorted(SAMPLES.glob("balance_*.json")) for asked in paths]
        return [*samples, *(Case(Document(body, AT, asked=asked)) for body in (TWO, SILENT) for asked in paths)]

    @pytest.fixture
    def throttled(self) -> Document:
        return answer("error_429.json", status=429)


class TestProber(ProberContract):
    construct: ClassVar = "from capacity_deepseek import prober; prober()"

    @pytest.fixture
    def prober(self) -> Prober:
        return prober(credentials=Env("DS_KEY"))


class TestInventory(InventoryContract):
    construct: ClassVar = "from capacity_deepseek import inventory; inventory()"

    @pytest.fixture
    def inventory(self) -> InventorySource:
        return inventory(credentials=Env("DS_KEY"))
