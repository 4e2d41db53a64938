"""What every tier source owes, held by this one."""

from __future__ import annotations

from typing import ClassVar

import pytest
from capacity.ports import TierSource
from capacity.testing.contracts import TierContract
from capacity.testing.flows import FakeWorld
from capacity_artificial_analysis import tiers

from .service import AT, KEY, healthy


class TestTiers(TierContract):
    construct: ClassVar = "from capacity_artificial_analysis import tiers; tiers()"

    @pytest.fixture
    def tiers(self) -> TierSource:
        return tiers()

    @pytest.fixture
    def world(self) -> FakeWorld:
        return FakeWorld(AT, environ={"ARTIFICIAL_ANALYSIS_API_KEY": KEY}, web=healthy)
