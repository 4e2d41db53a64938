"""The plugin of the tutorial is as short as the page says, and keeps the contracts of all it offers."""

from __future__ import annotations

from typing import Any

import pytest

from capacity.ports import Document, Env, Get, InventorySource, Prober, Send
from capacity.testing.contracts import InventoryContract, ProberContract
from capacity.testing.flows import FakeWorld

from . import house

LINES = 60
CODE = house.examples("docs/tutorial/first-plugin.md")
(MADE,) = (block for block in CODE if "class ToyReader" in block)
(OWED,) = (block for block in CODE if "class TestToyReader" in block)
PAGE: dict[str, Any] = {"__name__": "page"}
exec("\n".join(CODE), PAGE)
Reader: Any = PAGE["TestToyReader"]


def test_it_has_sixty_lines() -> None:
    """A complete backend fits on a page."""
    assert LINES >= len(MADE.splitlines())


class TestReader(Reader):  # type: ignore[misc]  # a class that a page makes is known to nobody
    construct = f"{MADE}\nToyReader()"


@pytest.fixture
def world() -> FakeWorld:
    """The service in good health."""
    bodies, clock = {"/quota": PAGE["QUOTA"], "/models": PAGE["MODELS"]}, PAGE["clock"]

    def web(request: Get | Send) -> Document:
        path = "/" + request.url.rpartition("/")[2]
        return Document(bodies[path], clock.now(), asked=path, status=200)

    return FakeWorld(clock.now(), environ={"TOY_KEY": "an-invented-key"}, web=web)


class TestProber(ProberContract):
    construct = f"{MADE}\nfrom capacity.ports import Env\nToy(credentials=Env('TOY_KEY'))"

    @pytest.fixture
    def prober(self) -> Prober:
        prober: Prober = PAGE["Toy"](credentials=Env("TOY_KEY"))
        return prober


class TestInventory(InventoryContract):
    construct = TestProber.construct

    @pytest.fixture
    def inventory(self) -> InventorySource:
        source: InventorySource = PAGE["Toy"](credentials=Env("TOY_KEY"))
        return source
