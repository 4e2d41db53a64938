"""What is decided can be written: no placement meets a conflict of the decision's own making."""

from __future__ import annotations

from attrs import evolve
from hypothesis import given

from capacity.actuators import file
from capacity.core.advance import advance
from capacity.core.decide import decide
from capacity.ports import Seat
from capacity.testing.flows import FakeWorld, play
from capacity.testing.strategies import World, worlds
from capacity.values.decision import WRITES

from .shapes import page


def shown(seats: tuple[Seat, ...]) -> list[Seat]:
    """Seats as a file without older placements shows them."""
    return [evolve(seat, placement=None) if (seat.placement or "").startswith("past/") else seat for seat in seats]


@given(worlds())
def test_every_decided_placement_is_applied(world: World) -> None:
    """Written to a file that shows what was observed, each act takes, and the fleet then stands as `advance` has it."""
    decision = decide(*world)
    after = {fleet.name: fleet for fleet in advance(world.history, decision).fleets}
    for fleet in world.history.fleets:
        disk = FakeWorld(world.history.as_of, files={"fleet.json": page(*fleet.seats)})
        actuator = file(fleet=fleet.name, path="fleet.json")
        acts = [one for one in decision.placements if one.fleet == fleet.name and one.act in WRITES]
        outcomes = [play(actuator.apply(act), disk) for act in acts]

        assert {"applied", "unchanged"} >= {outcome.word for outcome in outcomes}, outcomes
        assert shown(after[fleet.name].seats) == shown(play(actuator.fleet(), disk).seats)
