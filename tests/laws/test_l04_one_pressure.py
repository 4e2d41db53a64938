"""L4: one quota told as used or left, in cents or dollars, has one pressure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity import Limit, Policy, Reading, assess
from capacity.values.limits import Estimate, PoolHeadroom
from capacity.values.policy import AccountPolicy, PoolPolicy

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
POLICY = Policy(accounts={"p": AccountPolicy("p", "fake")}, pools={"p": PoolPolicy("p", "p", "metered")})
RESET = NOW + timedelta(days=9)


def told(limits: list[Limit]) -> PoolHeadroom:
    """A pool whose limit was read every twenty minutes."""
    readings = [
        Reading("p", "ok", "fake", NOW - timedelta(minutes=20 * ago), limits=(one,))
        for ago, one in enumerate(reversed(limits))
    ]
    return assess(readings, (), POLICY, NOW).pools["p"]


def three(known: Estimate | None) -> tuple[float, float, float]:
    """An estimate as its figures."""
    assert known is not None
    return known.low, known.middle, known.high


@given(st.integers(2000, 50_000), st.lists(st.integers(0, 120), min_size=4, max_size=9))
def test_in_whatever_unit(cap: int, spent: list[int]) -> None:
    """Cents, dollars, or a percentage of the same step: one pace, one pressure."""
    total = [sum(spent[: index + 1]) for index in range(len(spent))]
    month = timedelta(days=30)
    cents = [
        Limit("m", left={"cents": Decimal(cap - one)}, cap={"cents": Decimal(cap)}, resets_at=RESET, window=month)
        for one in total
    ]
    dollars = [
        Limit(
            "m",
            left={"USD": Decimal(cap - one).scaleb(-2)},
            cap={"USD": Decimal(cap).scaleb(-2)},
            resets_at=RESET,
            window=month,
        )
        for one in total
    ]
    percent = [Limit("m", 100 * one / cap, 100 / cap, resets_at=RESET, window=month) for one in total]
    pools = [told(limits) for limits in (cents, dollars, percent)]

    assert 1 == len({pool.pace for pool in pools})
    if pools[0].pressure is not None:
        for other in pools[1:]:
            assert three(other.pressure) == pytest.approx(three(pools[0].pressure))
