"""L2: reordering anything not ordered by meaning changes nothing. Ordered by meaning: tiers and preference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from capacity import decide
from capacity.testing.strategies import World, worlds
from capacity.values.history import Holds, Journal
from capacity.values.policy import Policy


def shuffled(chance: Random, things: Iterable[Any]) -> tuple[Any, ...]:
    """The same things in another order."""
    mixed = list(things)
    chance.shuffle(mixed)
    return tuple(mixed)


def remapped(chance: Random, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """The same mapping, put together in another order."""
    return dict(shuffled(chance, mapping.items()))


def reordered(chance: Random, world: World) -> World:
    """The same world, told in another order."""
    inventory, headroom, policy, history = world
    pools = {
        name: evolve(pool, models=shuffled(chance, pool.models), missed=shuffled(chance, pool.missed))
        for name, pool in remapped(chance, inventory.pools).items()
    }
    left = {
        name: evolve(pool, limits=shuffled(chance, pool.limits))
        for name, pool in remapped(chance, headroom.pools).items()
    }
    fleets = [evolve(fleet, seats=shuffled(chance, fleet.seats)) for fleet in history.fleets]
    return World(
        evolve(inventory, pools=pools),
        evolve(headroom, pools=left),
        _policy(chance, policy),
        evolve(
            history,
            fleets=shuffled(chance, fleets),
            journal=Journal(shuffled(chance, history.journal.entries), history.journal.levels),
            holds=Holds(shuffled(chance, history.holds.circuits)),
            conditions=shuffled(chance, history.conditions),
        ),
    )


def _policy(chance: Random, policy: Policy) -> Policy:
    return evolve(
        policy,
        tiers=evolve(policy.tiers, rows=shuffled(chance, policy.tiers.rows)),
        pools=remapped(chance, policy.pools),
        accounts=remapped(chance, policy.accounts),
        harnesses={
            name: evolve(harness, pools=shuffled(chance, harness.pools))
            for name, harness in remapped(chance, policy.harnesses).items()
        },
        seats=shuffled(chance, policy.seats),
    )


@given(worlds(), st.randoms(use_true_random=False))
def test_order_is_no_input(world: World, chance: Random) -> None:
    """A world told in another order gives the same decision."""
    assert decide(*reordered(chance, world)) == decide(*world)
