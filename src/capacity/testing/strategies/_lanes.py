"""What the policy of a drawn world says of leases: lanes, deals and budgets over its own tiers, pools and harnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.testing.strategies._names import EFFORTS, MODEL_WORDS, PROFILES, Parts, mostly, odd, some
from capacity.values.budgets import Spent
from capacity.values.lanes import BudgetWindow, Deal, Lane, Lanes, Pick, PoolBudget, Step

AGENTS: tuple[Mapping[str, str], ...] = ({"sort*": "classifier", "general": "inherit"}, {})
TEAMS: tuple[str, ...] = ("writers", "checkers")
WINDOWS = (
    BudgetWindow("5h", timedelta(hours=5), ceiling=Decimal(1_000_000)),
    BudgetWindow("weekly", timedelta(days=7), "requests", Decimal(400), stops=True),
    BudgetWindow("monthly", timedelta(days=30), "USD", Decimal(20), datetime(2026, 1, 1, tzinfo=UTC), stops=True),
    BudgetWindow("any", timedelta(days=1)),
)
"""One of each meter, one that is anchored, one whose ceiling nobody knows."""


@st.composite
def world_lanes(draw: DrawFn, tiers: tuple[str, ...], pools: list[str], harnesses: list[str]) -> Lanes:
    """Lanes of some of those tiers and of some profile, in half of the worlds; aliases lead upwards."""
    if draw(st.booleans()):
        return Lanes()
    lane = _lanes(tuple(pools), tuple(harnesses))
    of_tiers = {tier: draw(lane(tier)) for tier in (draw(some(tiers)) if tiers else ())}
    of_profiles: dict[str, Lane] = {
        profile: draw(lane(profile)) for profile in draw(mostly([], [draw(st.sampled_from(PROFILES))]))
    }
    return Lanes(
        of_tiers,
        of_profiles,
        default=draw(st.sampled_from((None, *tiers))),
        agents=draw(st.sampled_from(AGENTS)),
        aliases=draw(mostly({}, {tiers[-1]: tiers[0]})) if len(tiers) > 1 else {},
        classifier=draw(mostly(None, draw(lane("classifier")))),
    )


def _lanes(pools: tuple[str, ...], harnesses: tuple[str, ...]) -> Callable[[str], SearchStrategy[Lane]]:
    """A lane of that name, mostly with picks that some place answers to."""
    picks = st.lists(st.sampled_from(tuple(_picks(pools, harnesses))), min_size=1, max_size=3, unique=True).map(tuple)
    after = st.sampled_from((timedelta(0), timedelta(seconds=30)))
    steps = st.lists(st.builds(Step, picks, after), max_size=2).map(tuple)
    parts = odd(_odd_lanes(pools))

    def lane(name: str) -> SearchStrategy[Lane]:
        return st.builds(lambda own, rest, more: Lane(name, own, rest, **more), st.just(()) | picks, steps, parts)

    return lane


def _picks(pools: tuple[str, ...], harnesses: tuple[str, ...]) -> Iterator[Pick]:
    yield from (Pick(pool=pool) for pool in pools)
    yield from (Pick(harness=harness) for harness in harnesses)
    yield from (Pick(model=word) for word in MODEL_WORDS)
    yield from (Pick(pool=pools[0], effort=effort) for effort in EFFORTS if effort is not None)


def _odd_lanes(pools: tuple[str, ...]) -> tuple[Parts, ...]:
    return (
        {"local_share": 0.25},
        {"local_share": 0.5},
        {"weights": {pools[0]: 2.0}},
        {"weights": {pools[-1]: 0.5}},
        {"fit": {"heron-2": 2.0}},
        {"fit": {"finch-1": 0.5, "heron-3": 3.0}},
    )


def world_deals(pools: list[str]) -> SearchStrategy[tuple[Deal, ...]]:
    """Mostly none; else one of the first pool, for all day or for the night in some zone."""
    night = Deal(pools[0], 0.5, "heron", timedelta(hours=22), timedelta(hours=6), "Asia/Shanghai")
    return mostly((), (Deal(pools[0], 0.5),), (night, Deal(pools[-1], 0.75)))


@st.composite
def world_budgets(draw: DrawFn, pools: list[str]) -> Mapping[str, PoolBudget]:
    """Mostly none; else one of the first pool, with shares or without."""
    if draw(mostly(True, False)):
        return {}
    windows = draw(some(WINDOWS, 1, 2))
    odds: tuple[Parts, ...] = ({}, {"shares": dict.fromkeys(TEAMS, 0.25), "reserve": 0.5}, {"weights": {"output": 5.0}})
    more = draw(st.sampled_from(odds))
    return {pools[0]: PoolBudget(pools[0], tuple(windows), **more)}


@st.composite
def world_spent(draw: DrawFn, budgets: Mapping[str, PoolBudget], as_of: datetime) -> list[Spent]:
    """What was spent of each window and each share of it: nothing, a part, all, or more."""
    spent = []
    for budget in budgets.values():
        for window in budget.windows:
            share = st.sampled_from((0, 1, 50, 99, 100, 130)).map(lambda percent: Decimal(percent) / 100)
            whole = window.ceiling or Decimal(1_000)
            began_at = as_of - window.length * draw(st.sampled_from((0.0, 0.5, 0.9)))
            rest = [("", 1.0 - budget.reserve)] if budget.reserve else []
            for name, part in (("", None), *budget.shares.items(), *rest):
                amount = draw(share) * whole * Decimal(part or 1.0)
                told = (window.meter, amount, began_at, began_at + window.length, window.ceiling)
                spent.append(Spent(budget.pool, window.name, *told, name=name, share=part, stops=window.stops))
    return spent
