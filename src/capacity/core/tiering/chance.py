"""Logits, percents and the normal distribution: the few formulas all of this rests on."""

from __future__ import annotations

from math import erfc, exp, log, log1p, sqrt

RATING = log(10) / 400
"""Logits in a point of a rating: 400 points are odds of ten to one."""

MIDDLE = 1000.0
"""The rating that is worth nought logits, as arenas have it; where it lies does not matter to any difference."""

Z95 = 1.959964
"""Standard errors on either side of a 95 percent interval."""


def logit(share: float) -> float:
    """A share, more than 0 and less than 1, in logits."""
    return log(share) - log1p(-share)


def share(logits: float) -> float:
    """Logits as a share."""
    return 1 / (1 + exp(-logits)) if logits > -700 else 0.0


def slope(of: float) -> float:
    """Shares in a logit at a share, p (1 - p), never so near to the ends that an error bar means nothing.

    0.0025 is that of one failure in four hundred trials.
    """
    return max(of * (1 - of), 0.0025)


def binomial(of: float, n: int) -> float:
    """Standard error of a share of n trials, with half a success added to either side."""
    corrected = (of * n + 0.5) / (n + 1)
    return sqrt(corrected * (1 - corrected) / n)


def below(z: float) -> float:
    """Chance that a standard normal figure is below z."""
    return 0.5 * erfc(-z / sqrt(2))


def above_chi_square(figure: float, freedom: float) -> float:
    """Chance that a chi-square figure of so many degrees of freedom, not whole ones either, is larger.

    Wilson and Hilferty's approximation by a cube root: right to two decimal places from two degrees on.
    """
    spread = 2 / (9 * freedom)
    return below(-((figure / freedom) ** (1 / 3) - 1 + spread) / sqrt(spread))


def not_worse(difference: float, stderr: float, margin: float) -> float:
    """Chance that something whose estimate differs so much is not worse by more than a margin.

    Args:
        difference: it less what it would replace, logits.
        stderr: of the difference; nought where they are one thing.
        margin: logits.
    """
    reach = difference + margin
    return below(reach / stderr) if stderr > 0 else float(reach > 0)


def alike(difference: float, stderr: float, margin: float) -> float:
    """Chance that two things are within a margin of each other, both ways."""
    return not_worse(difference, stderr, margin) - not_worse(difference, stderr, -margin)
