"""What every reader, prober, inventory source and preparer owes, held by these four."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import pytest
from attrs import define
from capacity.ports import Document, Env, Get, InventorySource, Preparer, Prober, Reader, Send
from capacity.testing.contracts import Case, InventoryContract, PreparerContract, ProberContract, ReaderContract
from capacity.testing.flows import FakeWorld
from capacity_llama_cpp import inventory, preparer, prober, reader

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "llamacpp"
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
ABOUT = "?model=tiny-a&autoload=false"
THREE = (
    b'[{"n_ctx": 8, "is_processing": true}, {"n_ctx": 8, "is_processing": false}, {"n_ctx": 8, "is_processing": false}]'
)
"""Two of three slots are free: whichever one is lost on the way, one is left."""
THREE_OLD = b'[{"id": 0, "n_ctx": 8, "state": 0}, {"id": 1, "n_ctx": 8, "state": 1}, {"id": 2, "n_ctx": 8, "state": 0}]'
THREE_FULL = json.dumps(
    [
        {"id": at, "n_ctx": 4096, "speculative": False, "is_processing": at == 1, "params": {"n_predict": -1}}
        | ({"id_task": 7, "next_token": token, "n_prompt_tokens": 12} if at == 1 else {})
        for at, token in enumerate([None, [{"n_decoded": 3, "n_remain": -1, "has_next_token": True}], None])
    ]
).encode()
PROPS_OLD = b'{"default_generation_settings": {"n_ctx": 2048}, "total_slots": 4, "chat_template": "x"}'
METRICS_LABELLED = b'llamacpp:requests_processing{model="m"} 1\nllamacpp:requests_deferred{model="m"} 2\n'


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


@define
class Router:
    """A router whose second model comes to where it is told to when it is asked for.

    Attributes:
        after: the word for that.
        now: the word for where it is.
    """

    after: str
    now: str = "unloaded"

    def __call__(self, request: Get | Send) -> Document:
        path = urlsplit(request.url).path
        if path == "/models/load":
            self.now = self.after
            return answer("load_ok.json", path)
        told = json.loads((SAMPLES / "b11434_router_models.json").read_bytes())
        for row in told["data"]:
            if row["id"] == "tiny-b":
                row["status"]["value"] = self.now
        return Document(json.dumps(told).encode(), AT, asked=path, status=200)


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld(AT, environ={"LL_KEY": "not-a-real-one"}, web=service)


class TestReader(ReaderContract):
    construct: ClassVar = "from capacity_llama_cpp import reader; reader()"
    excused: ClassVar = {
        "test_good_answers_are_no_failure": "a server that loads its model says so to the probe and to a turn alike",
    }

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
            Case(answer("health_503.json", "/health", 503)),
            Case(answer("health_503.json", "/slots", 503)),
            Case(Document(PROPS_OLD, AT, asked="/props")),
            Case(answer("b11434_metrics.txt", f"/metrics{ABOUT}")),
            Case(Document(METRICS_LABELLED, AT, asked=f"/metrics{ABOUT}")),
            Case(Document(THREE, AT)),
            Case(Document(THREE_OLD, AT, asked="/slots")),
            Case(Document(THREE_FULL, AT, asked=f"/slots{ABOUT}"), frozenset({"tiny-a"})),
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


class TestPreparer(PreparerContract):
    construct: ClassVar = "from capacity_llama_cpp import preparer; preparer()"

    @pytest.fixture
    def preparer(self) -> Preparer:
        return preparer(credentials=Env("LL_KEY"))

    @pytest.fixture
    def world(self) -> FakeWorld:
        return FakeWorld(AT, environ={"LL_KEY": "not-a-real-one"}, web=Router("loaded"))

    @pytest.fixture
    def stuck(self) -> FakeWorld:
        return FakeWorld(AT, environ={"LL_KEY": "not-a-real-one"}, web=Router("loading"))

    @pytest.fixture
    def model(self) -> str:
        return "tiny-b"
