"""Which tier an estimate belongs in. A newcomer has to be sure of its tier; who has one keeps it until sure of another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from capacity.core.tiering.cuts import chances
from capacity.values.methods import Method


def proven(estimate: float, stderr: float, at: Sequence[float], certainty: float) -> int:
    """The best class it is in, or above, with so much certainty; 0 is the best. Not knowing never helps.

    Args:
        estimate: logits.
        stderr: of it.
        at: the cuts, best first.
        certainty: a probability.
    """
    sums = accumulate(chances(estimate, stderr, at))
    return next((place for place, chance in enumerate(sums) if chance >= certainty), len(at))


def moved(estimate: float, stderr: float, now: int, at: Sequence[float], z: float) -> int:
    """The class it moves to from the one it is in: as far as it is past a cut by `z` standard errors, and no further."""
    up = next((place for place in range(min(now, len(at))) if estimate - z * stderr > at[place]), None)
    if up is not None:
        return up
    under = (place for place in range(now, len(at)) if estimate + z * stderr >= at[place])
    return next(under, max(now, len(at)))


def placed(
    estimate: float, stderr: float, now: int, at: Sequence[float], method: Method, leant: int
) -> tuple[int, int | None]:
    """The class it belongs in, and the one it only leans to; None = it leans to none.

    Args:
        estimate: logits.
        stderr: of it.
        now: the class it is in.
        at: the cuts, best first.
        method: the margins.
        leant: for how many refreshes with new evidence in a row it leans, this one included, if it does.
    """
    sure = moved(estimate, stderr, now, at, method.move_z)
    lean = moved(estimate, stderr, now, at, method.confirm_z)
    if sure != now or lean == now:
        return sure, None
    return (lean, None) if leant >= method.confirmations else (now, lean)
