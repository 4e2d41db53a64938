"""L14: raising a limit's used never turns the refusal of a candidate it binds into acceptance."""

from __future__ import annotations

from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from capacity import decide
from capacity.testing.strategies import World, worlds
from capacity.values.limits import Interval, LimitHeadroom, PoolHeadroom

WORSE = {"no": 0, "wait": 1, "cannot-tell": 2, "yes": 3}


@given(worlds(pools=4), st.floats(0.0, 120.0), st.data())
def test_more_used_is_never_better(world: World, more: float, data: st.DataObject) -> None:
    """In the pool of the limit that rose no candidate has a better verdict than before."""
    inventory, headroom, policy, history = world
    spots = [
        (name, at)
        for name, pool in headroom.pools.items()
        for at, one in enumerate(pool.limits)
        if one.limit.percent is not None
    ]
    assume(spots)
    name, at = data.draw(st.sampled_from(spots))
    risen = evolve(headroom, pools={**headroom.pools, name: raised(headroom.pools[name], at, more)})
    before, after = decide(*world), decide(inventory, risen, policy, history)
    for need, table in enumerate(before.tables):
        twin = next((i for i, other in enumerate(after.tables) if other.need == table.need), None)
        if twin is None:
            continue
        for (candidate, old), (_, new) in zip(before.answers(need), after.answers(twin), strict=True):
            if candidate.pool == name:
                assert WORSE[new.answer] <= WORSE[old.answer]


def raised(pool: PoolHeadroom, at: int, more: float) -> PoolHeadroom:
    """The pool with one limit's used risen."""
    one = pool.limits[at]
    assert one.limit.percent is not None
    percent = one.limit.percent + more
    used = Interval(percent, percent) if one.evidence == "fresh" else Interval(percent, max(percent, 100.0))
    if one.evidence == "void":
        used = Interval(0.0, max(percent, 100.0))
    risen = LimitHeadroom(evolve(one.limit, percent=percent), one.evidence, used)
    return evolve(pool, limits=(*pool.limits[:at], risen, *pool.limits[at + 1 :]))
