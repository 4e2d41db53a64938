"""What the tests of this folder write: an instant, seats as rows, a fleet's page, and placements."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from capacity.ports import Candidate, Placement, Seat
from capacity.testing.contracts.actuator import FLEET
from capacity.values.conditions import Fact
from capacity.values.decision import Act

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def row(seat: Seat) -> dict[str, Any]:
    """A seat as an orchestrator writes it: what is not said is left out."""
    told = {
        "harness": seat.harness,
        "model": seat.model,
        "effort": seat.effort,
        "pool": seat.pool,
        "role": seat.role,
        "cadence_s": seat.cadence and seat.cadence.total_seconds(),
        "pinned": seat.pinned or None,
        "held": seat.held or None,
        "paused_by": seat.paused_by,
        "placement": seat.placement,
    }
    return {key: value for key, value in told.items() if value is not None}


def page(*seats: Seat, **more: Any) -> bytes:
    """A fleet's file."""
    return json.dumps({"form": 1, "seats": {seat.name: row(seat) for seat in seats}, **more}).encode()


def placement(act: Act, there: Candidate | None, expected: Candidate | None, number: int = 1, **more: Any) -> Placement:
    """A placement of the seat `ada`."""
    return Placement(f"{number}/{FLEET}/ada", FLEET, "ada", act, Fact("core:room"), there, expected, **more)
