"""L9: across a reset no rate is negative; nor anywhere else."""

from __future__ import annotations

from math import isnan

from hypothesis import given

from capacity.values.limits import Estimate

from .pacing import Story, assessed, stories


def in_order(known: Estimate | None) -> bool:
    """Whether an estimate is one: from 0 up, and in order."""
    return known is None or (not isnan(known.middle) and 0 <= known.low <= known.middle <= known.high)


@given(stories())
def test_no_history_yields_a_negative_rate(story: Story) -> None:
    """Whatever was read, of whatever windows: rate, allowed rate and pressure are from 0 up and in order."""
    for one in assessed(story).limits:
        assert all(in_order(known) for known in (one.rate, one.allowed_rate, one.pressure))
