"""What every tier source owes, held by this one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

import pytest
from capacity.ports import TierSource
from capacity.testing.contracts import TierContract
from capacity.testing.flows import FakeWorld
from capacity_aider import tiers

SAMPLE = Path(__file__).parents[3] / "tests" / "samples" / "tiers" / "aider" / "polyglot_leaderboard.yml"


class TestTiers(TierContract):
    construct: ClassVar = "from capacity_aider import tiers; tiers()"

    @pytest.fixture
    def tiers(self) -> TierSource:
        return tiers(boards=["polyglot", "edit"])

    @pytest.fixture
    def world(self) -> FakeWorld:
        world = FakeWorld(datetime(2026, 9, 20, 12, tzinfo=UTC))
        world.serve(SAMPLE.read_bytes())
        return world
