"""L1: same inputs give an equal decision, and nothing but the inputs is in it."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given

from capacity import decide
from capacity.testing.strategies import World, worlds


@given(worlds())
def test_equal_inputs_equal_decision(world: World) -> None:
    """Equal values, though not the same objects, give an equal decision."""
    assert decide(*world) == decide(*deepcopy(world))


@given(worlds())
def test_no_name_out_of_nothing(world: World) -> None:
    """Every model a seat is placed on stands in the inventory, in the adopted rows, or in the journal."""
    inventory, _, policy, history = world
    listed = {one.model.id for pool in inventory.pools.values() for found in pool.answering.values() for one in found}
    adopted = {row.model for row in policy.tiers.rows}
    told = {alias for harness in policy.harnesses.values() for alias in harness.aliases.values()}
    homes = {entry.home.model for entry in history.journal.entries if entry.home}
    running = {seat.model for fleet in history.fleets for seat in fleet.seats}
    placed = {one.candidate.model for one in decide(*world).placements if one.candidate}
    assert placed <= listed | adopted | told | homes | running
