"""Letters: two pairs that share none differ, with all comparisons held to one chance of error (Holm); insert and absorb.

They overlap, so they are no tiers; they say which of the neighbours the evidence can tell apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from capacity.core.tiering.chance import below
from capacity.core.tiering.model import Worth

MOST = 250
"""Pairs that are compared, the best; their 31,000 differences take a quarter of a second, and nobody reads more letters."""


def letters(worths: Sequence[Worth], alpha: float) -> list[str]:
    """The letters of each, `a` for the best group; `""` from the 251st on.

    Args:
        worths: best first.
        alpha: chance of one false difference among all.
    """
    compared = worths[:MOST]
    groups = [(1 << len(compared)) - 1] if compared else []
    for one, other in _different(compared, alpha):
        groups = _parted(groups, 1 << one, 1 << other)
    names = [(group, _name(place)) for place, group in enumerate(sorted(groups, key=_first))]
    return ["".join(name for group, name in names if group >> place & 1) for place in range(len(worths))]


def _different(worths: Sequence[Worth], alpha: float) -> list[tuple[int, int]]:
    """The pairs of places that differ; step by step the surest first, until the first that does not."""
    apart = []
    for one, other in combinations(range(len(worths)), 2):
        stderr = worths[one].apart(worths[other])
        z = abs(worths[one].mean - worths[other].mean) / stderr if stderr > 0 else 0.0
        apart.append((2 * below(-z), one, other))
    apart.sort()
    found = []
    for place, (p, one, other) in enumerate(apart):
        if p * (len(apart) - place) >= alpha:
            break
        found.append((one, other))
    return found


def _parted(groups: Sequence[int], one: int, other: int) -> list[int]:
    """The groups with every one that holds both replaced by it without the one and without the other."""
    split = [group & ~out for group in groups if group & one and group & other for out in (one, other)]
    kept = [group for group in groups if not (group & one and group & other)]
    for group in split:
        if not any(group & ~held == 0 for held in kept):
            kept.append(group)
    return kept


def _first(group: int) -> tuple[int, int]:
    return group & -group, -group


def _name(place: int) -> str:
    return chr(ord("a") + place % 26) * (place // 26 + 1)
