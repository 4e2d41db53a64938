"""What every tier source owes, held by this one."""

from __future__ import annotations

from typing import ClassVar

import pytest
from capacity.ports import TierSource
from capacity.testing.contracts import TierContract
from capacity.testing.flows import FakeWorld
from capacity_harbor import tiers

from .hub import AT, healthy


class TestTiers(TierContract):
    construct: ClassVar = "from capacity_harbor import tiers; tiers()"

    @pytest.fixture
    def tiers(self) -> TierSource:
        return tiers(versions=["2.1", "4.0"])

    @pytest.fixture
    def world(self) -> FakeWorld:
        return FakeWorld(AT, web=healthy)
