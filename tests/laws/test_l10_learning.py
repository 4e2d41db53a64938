"""L10: below the evidence minimum the pace is `learning` and no pacing move is made."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from capacity import Limit, Policy, Reading, assess, decide
from capacity.core.pacing import OVER, UNDER
from capacity.testing.strategies import World, paced_worlds
from capacity.values.history import Level
from capacity.values.policy import AccountPolicy, PoolPolicy

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
POLICY = Policy(accounts={"p": AccountPolicy("p", "fake")}, pools={"p": PoolPolicy("p", "p", "subscription")})


@given(st.lists(st.tuples(st.integers(0, 59), st.integers(0, 89)), max_size=6), st.floats(0.1, 50))
def test_an_hour_of_figures_is_needed(told: list[tuple[int, int]], level: float) -> None:
    """However many figures an hour holds: no verdict and no wanted level come of them before it is over."""
    limit = [
        (NOW - timedelta(minutes=ago), Limit("weekly", float(used), resets_at=NOW + timedelta(days=3)))
        for ago, used in told
    ]
    readings = [Reading("p", "ok", "fake", at, limits=(one,)) for at, one in limit]
    pool = assess(readings, [Level("p", NOW - timedelta(days=1), level)], POLICY, NOW).pools["p"]

    assert pool.pace in {"learning", "unknown"}
    assert pool.wanted is None


@given(paced_worlds())
def test_no_wanted_level_no_move(world: World) -> None:
    """In `level` mode a pool without a wanted level keeps its seats as they are."""
    made = decide(*world)
    if world.policy.pacing.mode == "level":
        for one in made.placements:
            if one.fact.code in {OVER, UNDER}:
                assert world.headroom.pools[one.fact.subject].wanted is not None
