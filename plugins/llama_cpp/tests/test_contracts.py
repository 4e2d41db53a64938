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
from capacity_llama_cpp import inventory, prober, reader

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "llamacpp"
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
ABOUT = "?model=tiny-a&autoload=false"
THREE = (
    b'[{"n_ctx": 8, "is_processing": true}, {"n_ctx": 8, "is_processing": false}, {"n_ctx": 8, "is_processing": false}]'
)
"""Two of three slots are free: whichever one is lost on the way, one is left."""


def answer(name: str, asked: str, status: int = 200) -> Document:
    """A sample as the answer to a path and query."""
    return Document((SAMPLES / name).read_bytes(), AT, asked=asked, status=status)


def service(request: Get | Send) -> Document:
    """A router with one resident model, in good health."""
    url = urlsplit(request.url)
    name = {"/models": "b11434_router_models.json", "/props": "b11434_props.json", "/metrics": "b11434_metrics.txt"}[
        url.path
    ]
    return answer(name, f"{url.path}?{url.query}".rstrip("?"))


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld(AT, environ={"LL_KEY": "not-a-real-one"}, web=service)


class TestReader(ReaderContract):
    construct: ClassVar = "from capacity_llama_cpp import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        return [
            Case(answer("health_ok.json", "/health")),
            Case(answer("props.json", "/props")),
            Case(answer("b11434_props.json", f"/props{ABOUT}"), frozenset({"tiny-a"})),
            Case(answer("b11434_props_router.json", "/props")),
            Case(answer("metrics.txt", "/metrics")),
            Case(Document(THREE, AT, asked="/slots")),
            Case(Document(THREE, AT, asked=f"/slots{ABOUT}"), frozenset({"tiny-a"})),
        ]

    @pytest.fixture
    def throttled(self) -> Document:
        return Document(b"", AT, asked="/slots", status=429)


class TestProber(ProberContract):
    construct: ClassVar = "from capacity_llama_cpp import prober; prober()"

    @pytest.fixture
    def prober(self) -> Prober:
        return prober(credentials=Env("LL_KEY"))


class TestInventory(InventoryContract):
    construct: ClassVar = "from capacity_llama_cpp import inventory; inventory()"

    @pytest.fixture
    def inventory(self) -> InventorySource:
        return inventory(credentials=Env("LL_KEY"))
