"""What every reader, prober and inventory source owes, held by these three."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest
from capacity.ports import Document, Get, InventorySource, Prober, Reader, Send
from capacity.testing.contracts import Case, InventoryContract, ProberContract, ReaderContract
from capacity.testing.flows import FakeWorld
from capacity_claude import inventory, prober, reader

from .documents import AT, SAMPLES, recorded

FOLDER = "~/somewhere"
FILES = {
    f"{FOLDER}/.credentials.json": (SAMPLES / "credentials.json").read_bytes(),
    f"{FOLDER}/.claude.json": b'{"oauthAccount": {"accountUuid": "00000000-0000-4000-8000-00000000000a"}}',
}


def service(request: Get | Send) -> Document:
    """The service in good health."""
    name = "usage_limits_list.json"
    if "/v1/models" in request.url:
        name = "models_page2.json" if "after_id" in request.url else "models_page1.json"
    path = "/" + request.url.partition("://")[2].partition("/")[2]
    return Document((SAMPLES / name).read_bytes(), AT, asked=path, status=200)


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld(AT, files=dict(FILES), web=service)


class TestReader(ReaderContract):
    construct: ClassVar = "from capacity_claude import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        scopes = {
            "usage_limits_list.json": {"extra-usage", "fable"},
            "usage_old_shape.json": {"opus", "sonnet"},
            "usage_drift.json": {"cowork", "omelette"},
            "usage_two_full_windows.json": set(),
        }
        return [Case(recorded(name), frozenset(words)) for name, words in scopes.items()]

    @pytest.fixture
    def throttled(self) -> Document:
        return recorded("usage_429_edge.http.txt")


class TestProber(ProberContract):
    construct: ClassVar = "from capacity_claude import prober; prober()"

    @pytest.fixture
    def prober(self) -> Prober:
        return prober(config_dir=FOLDER)


class TestInventory(InventoryContract):
    construct: ClassVar = "from capacity_claude import inventory; inventory()"

    @pytest.fixture
    def inventory(self) -> InventorySource:
        return inventory(config_dir=FOLDER)
