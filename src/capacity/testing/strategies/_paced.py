"""Worlds in which pools are paced: rungs that burn differently, cadences that may be moved, levels that were commanded."""

from __future__ import annotations

from datetime import timedelta

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from capacity.testing.strategies.worlds import World, worlds
from capacity.values.history import History, Level
from capacity.values.limits import Estimate, LimitHeadroom, Pace, PoolHeadroom
from capacity.values.policy import Policy
from capacity.values.seats import Fleet

PACES: tuple[Pace, ...] = ("over", "under", "on-pace", "learning")
BURNS = (0.2, 1.0, 3.0, 5.0)
CADENCES = (None, timedelta(minutes=5), timedelta(hours=1))


@st.composite
def paced_worlds(draw: DrawFn, *, pools: int = 3, seats: int = 5) -> World:
    """Worlds as `worlds()` draws them, with a pace and a wanted level for every pool that has an unscoped percentage.

    Among them: every mode; pools that are over with and without a lever left; levels never recorded, recorded long ago
    and just now; wanted levels far off both ends of the reach, at nothing and below.

    Args:
        draw: given by hypothesis.
        pools: at most so many, 1 to 5.
        seats: at most so many per fleet, 0 to 5.
    """
    inventory, headroom, policy, history = draw(worlds(pools=pools, seats=seats))
    names = sorted({model.id for pool in inventory.pools.values() for model in pool.models})
    pacing = evolve(
        policy.pacing,
        mode=draw(st.sampled_from(("level", "level", "level", "notch", "off"))),
        rungs={name: draw(st.sampled_from(BURNS)) for name in names},
    )
    policy = evolve(policy, pacing=pacing)
    paced = {name: draw(_pools(pool, policy)) for name, pool in headroom.pools.items()}
    return World(inventory, evolve(headroom, pools=paced), policy, draw(_histories(history, policy)))


@st.composite
def _pools(draw: DrawFn, pool: PoolHeadroom, policy: Policy) -> PoolHeadroom:
    bound = [one for one in pool.limits if one.limit.scope is None and one.limit.percent is not None]
    if not bound or pool.pace == "exhausted":
        return pool
    pace = draw(st.sampled_from(PACES))
    wanted = draw(st.one_of(st.none(), st.floats(-10, 60), st.sampled_from((0.0, 1.0))))
    return evolve(
        pool,
        pace=pace,
        wanted=None if policy.pacing.mode == "off" else wanted,
        paced=policy.pacing.mode != "off",
        jump=draw(st.booleans()),
        binding=bound[0].limit.name if pace != "learning" else None,
        pressure=Estimate(0.5, 1.0, 2.0) if pace != "learning" else None,
        limits=tuple(_assessed(one, pace) if one in bound else one for one in pool.limits),
    )


def _assessed(one: LimitHeadroom, pace: Pace) -> LimitHeadroom:
    return evolve(one, pace=pace, why="evidence" if pace == "learning" else None, rate=Estimate(1.0, 2.0, 3.0))


@st.composite
def _histories(draw: DrawFn, history: History, policy: Policy) -> History:
    ages = st.sampled_from((timedelta(0), timedelta(minutes=5), timedelta(hours=2)))
    levels = {
        name: Level(name, history.as_of - draw(ages), draw(st.floats(0, 60)))
        for name in policy.pools
        if draw(st.booleans())
    }
    fleets = tuple(draw(_fleets(fleet)) for fleet in history.fleets)
    return evolve(history, fleets=fleets, journal=evolve(history.journal, levels=levels))


@st.composite
def _fleets(draw: DrawFn, fleet: Fleet) -> Fleet:
    seats = tuple(evolve(seat, cadence=draw(st.sampled_from(CADENCES))) for seat in fleet.seats)
    return evolve(fleet, seats=seats, abilities=draw(st.sampled_from(((), ("cadence",)))))
