"""L6: a scoped cap never exhausts a pool. It removes the models it names and nothing else."""

from __future__ import annotations

from attrs import evolve
from hypothesis import assume, given

from capacity import decide
from capacity.testing.strategies import World, worlds
from capacity.values.limits import Interval, Limit, LimitHeadroom, Scope

CAP = LimitHeadroom(Limit("weekly:capped", 100.0, scope=Scope("model", "capped")), "fresh", Interval(100.0, 100.0))


@given(worlds())
def test_a_full_scope_removes_only_what_it_names(world: World) -> None:
    """With one more scoped limit, full, only candidates that answer to its word change their verdict, and to no."""
    inventory, headroom, policy, history = world
    assume(any(pool.limits for pool in headroom.pools.values()))
    pool = min(name for name, known in headroom.pools.items() if known.limits)
    known = headroom.pools[pool]
    capped = evolve(headroom, pools={**headroom.pools, pool: evolve(known, limits=(*known.limits, CAP))})
    shelf = inventory.pools.get(pool)
    before = decide(inventory, headroom, policy, history)
    after = decide(inventory, capped, policy, history)
    assert not [
        one for one in after.conditions if one.fact.code == "core:pool-exhausted" and one not in before.conditions
    ]
    if shelf is None or not shelf.models:
        return
    named = shelf.models[0]
    marked = evolve(shelf, models=(evolve(named, names=named.names | {"capped"}), *shelf.models[1:]))
    inventory = evolve(inventory, pools={**inventory.pools, pool: marked})
    before = decide(inventory, headroom, policy, history)
    after = decide(inventory, capped, policy, history)
    for need in range(min(len(before.tables), len(after.tables))):
        for (candidate, old), (_, new) in zip(before.answers(need), after.answers(need), strict=True):
            if (candidate.pool, candidate.model) == (pool, named.id):
                assert new.answer == "no"
            else:
                assert new == old
