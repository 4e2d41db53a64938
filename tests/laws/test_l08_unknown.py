"""L8, seats: a pool without a reading never comes before an observed eligible one."""

from __future__ import annotations

from attrs import evolve
from hypothesis import assume, given

from capacity import decide
from capacity.testing.strategies import World, worlds
from capacity.values.limits import PoolHeadroom


@given(worlds(pools=4, seats=5))
def test_observed_before_unknown(world: World) -> None:
    """A seat newly placed where nobody can tell had no candidate with a yes."""
    decision = decide(*world)
    for seat in decision.seats:
        placed = seat.placement
        if placed.act not in ("move", "demote", "resume", "restore") or placed.candidate is None or seat.need is None:
            continue
        answers = dict(decision.answers(seat.need))
        chosen = answers.get(placed.candidate)
        if chosen is not None and chosen.answer == "cannot-tell":
            assert "yes" not in {verdict.answer for verdict in answers.values()}


@given(worlds(pools=4, seats=5))
def test_forgetting_attracts_nobody(world: World) -> None:
    """Taking a pool's reading away moves no seat onto it that would not have gone there before."""
    inventory, headroom, policy, history = world
    observed = [name for name, pool in policy.pools.items() if not pool.unmeasurable and name in headroom.pools]
    assume(observed)
    pool = observed[0]
    blind = evolve(headroom, pools={**headroom.pools, pool: PoolHeadroom(pool)})
    after = decide(inventory, blind, policy, history)
    for seat in after.seats:
        placed = seat.placement
        arrives = placed.act in ("move", "demote", "restore") and placed.candidate is not None
        if arrives and placed.candidate is not None and placed.candidate.pool == pool and seat.need is not None:
            others = [verdict.answer for one, verdict in after.answers(seat.need) if one.pool != pool]
            assert "yes" not in others
