"""Where one tier ends and the next begins: cut where two halves differ most, as long as that is neither chance nor small.

Cuts are made once and kept: a refresh estimates pairs anew, not boundaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt
from typing import NamedTuple

from capacity.core.tiering.chance import above_chi_square, below
from capacity.values.methods import Method

Point = tuple[float, float]
"""An estimate and its standard error, logits."""


class Cut(NamedTuple):
    """A boundary.

    Attributes:
        at: where, logits.
        z: standard errors between the means of its two halves.
        gap: between the two neighbours it parts, in the larger of their standard errors; below 1 it is soft.
    """

    at: float
    z: float
    gap: float


def cuts(points: Sequence[Point], method: Method) -> list[Cut]:
    """The boundaries between classes, best first, in the manner of Scott and Knott.

    Args:
        points: estimates with their standard errors, in any order.
        method: the least gap, and the chance of a false cut among equals.
    """
    return _cut(sorted(points, reverse=True), method)


def _cut(points: Sequence[Point], method: Method) -> list[Cut]:
    if len(points) < 2:
        return []
    splits = [(*_apart(points[:place], points[place:]), place) for place in range(1, len(points))]
    z, gap, place = max(splits, key=lambda split: (split[0], -split[2]))
    if _by_chance(z, len(points)) >= method.cut_alpha or gap < method.cut_gap:
        return []
    above, under = points[:place], points[place:]
    (upper, one), (lower, other) = above[-1], under[0]
    made = Cut((upper + lower) / 2, z, (upper - lower) / max(one, other))
    return [*_cut(above, method), made, *_cut(under, method)]


def _by_chance(z: float, count: int) -> float:
    """How often equals, once sorted, have halves so far apart: the test of Scott and Knott (1974), their error known.

    A plain test of the two means would cut two of three worlds of twenty equals, since sorting alone parts them.
    """
    freedom = count / (pi - 2)
    return above_chi_square(pi / (2 * (pi - 2)) * z**2, freedom)


def _apart(above: Sequence[Point], under: Sequence[Point]) -> tuple[float, float]:
    """Standard errors between the means of two groups, and the gap itself."""
    (one, first), (other, second) = _mean(above), _mean(under)
    return (one - other) / sqrt(first + second), one - other


def _mean(points: Sequence[Point]) -> tuple[float, float]:
    """Mean by inverse variance, and its variance."""
    total = sum(1 / stderr**2 for _, stderr in points)
    return sum(estimate / stderr**2 for estimate, stderr in points) / total, 1 / total


def strongest(made: Sequence[Cut], most: int) -> list[Cut]:
    """The cuts that part most surely, as many as a ladder has room for, best first."""
    return sorted(sorted(made, key=lambda cut: (-cut.z, -cut.at))[: max(most, 0)], key=lambda cut: -cut.at)


def chances(estimate: float, stderr: float, at: Sequence[float]) -> tuple[float, ...]:
    """The probability of each class, best first.

    Args:
        estimate: logits.
        stderr: of it.
        at: the cuts, best first.
    """
    above = [below((estimate - cut) / stderr) if stderr > 0 else float(estimate > cut) for cut in at]
    return tuple(upper - lower for upper, lower in zip([*above, 1.0], [0.0, *above], strict=True))
