"""L5: no placement below a floor."""

from __future__ import annotations

from hypothesis import given

from capacity import decide
from capacity.testing.strategies import World, worlds
from capacity.values.decision import WRITES


@given(worlds(pools=4, seats=5))
def test_nothing_is_placed_below_its_floor(world: World) -> None:
    """Whatever a seat is newly placed on holds its floor, or is the home it came from."""
    policy = world.policy
    ranks = {name: rank for rank, name in enumerate(policy.tiers.names)}
    decision = decide(*world)
    homes = {entry.key: entry.home for entry in world.history.journal.entries}
    for seat in decision.seats:
        placed = seat.placement
        if placed.act not in WRITES or placed.candidate is None or seat.need is None:
            continue
        need = decision.tables[seat.need].need
        floor = need.floor or need.tier
        tiers = _tiers(
            world, placed.candidate.harness, placed.candidate.model, placed.candidate.pool, placed.candidate.effort
        )
        if floor is None or (not tiers and homes.get(placed.key) == placed.candidate):
            continue
        assert tiers, "a seat was placed on something no adopted row names"
        assert min(ranks.get(tier, len(ranks)) for tier in tiers) <= ranks[floor]


def _tiers(world: World, harness: str, model: str, pool: str, effort: str | None) -> list[str]:
    """The tiers that are certain of a candidate, by the adopted rows in force that it answers to."""
    shelf = world.inventory.pools.get(pool)
    names = {model.casefold()}
    if shelf is not None:
        names |= {name for one in shelf.find(model) for name in one.model.names}
    rules = world.policy.harnesses[harness]
    return [
        row.proven or row.tier
        for row in world.policy.tiers.rows
        if row.harness == harness
        and row.effort == effort
        and (row.expires_at is None or row.expires_at > world.inventory.as_of)
        and rules.aliases.get(row.model, row.model).casefold() in names
    ]
