"""What every tier source owes, held by this one."""

from __future__ import annotations

from typing import ClassVar

import pytest
from capacity.ports import TierSource
from capacity.testing.contracts import TierContract
from capacity.testing.flows import FakeWorld
from capacity_models_dev import tiers

from .catalogue import AT, served


class TestTiers(TierContract):
    construct: ClassVar = "from capacity_models_dev import tiers; tiers()"

    @pytest.fixture
    def tiers(self) -> TierSource:
        return tiers()

    @pytest.fixture
    def world(self) -> FakeWorld:
        world = FakeWorld(AT)
        world.serve(served())
        return world
