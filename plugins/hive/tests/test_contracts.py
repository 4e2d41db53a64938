"""What every reader, prober, inventory source and actuator owes, held by these four."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from capacity.ports import Actuator, Document, InventorySource, Prober, Reader
from capacity.testing.contracts import ActuatorContract, Case, InventoryContract, ProberContract, ReaderContract
from capacity.testing.contracts.actuator import FLEET, SEATS
from capacity.testing.flows import FakeWorld
from capacity.testing.servers import HiveAgent, HiveServer
from capacity_hive import actuator, inventory, prober, reader

from .world import AT, KEY, URL, hive, world

POOLS = {"loom": "harbour", "lathe": "well"}
WINDOWS = [
    {"id": "w", "kind": "weekly", "percent_used": 67, "resets_at": "2026-09-23T00:00:00Z", "duration_mins": 10080},
    {"id": "s", "kind": "weekly_scoped", "percent_used": 100, "scope": {"model": "Quarry"}},
]
HEADROOM = {
    "providers": [{"provider": "anthropic", "available": False, "pct_remaining": 0, "limits": WINDOWS}],
    "enabled": True,
    "readings": True,
}
BACKENDS = [{"id": "claude", "name": "Claude", "models": ["m-one", "m-two"], "fallback": False, "degraded": False}]
PUBLISHED = {
    "state": "available",
    "limits": [{"id": "w", "kind": "weekly", "pct_remaining": 33, "resets_at": "2026-09-23T00:00:00Z"}],
}


def document(body: Any, asked: str | None = "/api/providers/headroom", status: int = 200) -> Document:
    return Document(json.dumps(body).encode(), AT, asked=asked, status=status)


@pytest.fixture
def server() -> HiveServer:
    made = hive(agents=[])
    made.headroom, made.backends = dict(HEADROOM), list(BACKENDS)
    return made


class TestReader(ReaderContract):
    construct: ClassVar = "from capacity_hive import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        own = [Case(document(HEADROOM, asked), frozenset({"quarry"})) for asked in ("/api/providers/headroom", None)]
        return [*own, Case(document(PUBLISHED, "/x/1f49f53cdfcecfbc.reading.json")), Case(document(PUBLISHED, None))]

    @pytest.fixture
    def throttled(self) -> Document:
        return document({"error": "slow down"}, status=429)


class TestProber(ProberContract):
    construct: ClassVar = "from capacity_hive import prober; prober()"

    @pytest.fixture
    def world(self, server: HiveServer) -> FakeWorld:
        return world(server)

    @pytest.fixture
    def prober(self) -> Prober:
        return prober(credentials=KEY, base_url=URL)


class TestInventory(InventoryContract):
    construct: ClassVar = "from capacity_hive import inventory; inventory()"

    @pytest.fixture
    def world(self, server: HiveServer) -> FakeWorld:
        return world(server)

    @pytest.fixture
    def inventory(self) -> InventorySource:
        return inventory(credentials=KEY, base_url=URL)


class TestActuator(ActuatorContract):
    construct: ClassVar = "from capacity_hive import actuator; actuator(fleet='day')"

    @pytest.fixture
    def world(self) -> FakeWorld:
        agents = [
            HiveAgent(seat.name, seat.harness, seat.model, effort=seat.effort, cadence={"busy": 0}) for seat in SEATS
        ]
        return world(hive(agents=agents))

    @pytest.fixture
    def actuator(self) -> Actuator:
        return actuator(fleet=FLEET, credentials={"env": "HIVE_TOKEN"}, base_url=URL, pools=POOLS, path="parked.json")

    @pytest.fixture
    def failing(self) -> Actuator:
        return actuator(
            fleet=FLEET, credentials={"env": "HIVE_TOKEN"}, base_url=URL, pools=POOLS, path="parked.json", auth="cookie"
        )
