"""The formulas under everything else give the figures that were worked out by hand."""

from __future__ import annotations

import pytest

from capacity.core.tiering.chance import above_chi_square, alike, below, binomial, logit, not_worse, share, slope


def test_logit_and_share_undo_each_other() -> None:
    """A share in logits and back is the share; half is nought."""
    assert [0.01, 0.5, 0.93] == [pytest.approx(share(logit(one))) for one in (0.01, 0.5, 0.93)]
    assert 0 == logit(0.5)
    assert 0 == share(-1e6)


def test_an_error_bar_never_means_nothing() -> None:
    """At the very end of the scale a point is still some logits, not endless many."""
    assert 0.0025 == slope(0.0) == slope(1.0)


def test_the_binomial_error_of_a_real_row() -> None:
    """167 of 225 tasks: 74.2 percent and 2.9 points."""
    assert pytest.approx(0.029, abs=0.0003) == binomial(167 / 225, 225)


def test_the_normal_distribution() -> None:
    """A twentieth lies below -1.645 standard errors."""
    assert pytest.approx(0.05, abs=1e-4) == below(-1.645)


@pytest.mark.parametrize(("figure", "freedom"), [(5.991, 2), (11.070, 5), (18.307, 10), (43.773, 30)])
def test_the_chi_square_distribution(figure: float, freedom: float) -> None:
    """A twentieth lies above the figures of the tables."""
    assert pytest.approx(0.05, abs=0.003) == above_chi_square(figure, freedom)


@pytest.mark.parametrize(
    ("difference", "stderr", "at_least_as_good", "the_same"),
    [
        (0.18, 0.08, 1.00, 0.81),
        (0.29, 0.30, 0.96, 0.41),
        (0.10, 0.27, 0.90, 0.61),
        (0.04, 0.27, 0.86, 0.64),
        (-0.02, 0.27, 0.80, 0.64),
        (-0.23, 0.27, 0.53, 0.50),
    ],
)
def test_not_being_worse_is_not_being_the_same(
    difference: float, stderr: float, at_least_as_good: float, the_same: float
) -> None:
    """The table of six alternatives to one pair, at a margin of a quarter logit, to its two decimal places."""
    assert pytest.approx(at_least_as_good, abs=0.011) == not_worse(difference, stderr, 0.25)
    assert pytest.approx(the_same, abs=0.011) == alike(difference, stderr, 0.25)


def test_a_thing_may_replace_itself() -> None:
    """Without a difference and without doubt it is not worse; beyond the margin it is."""
    assert 1 == not_worse(0, 0, 0.25)
    assert 0 == not_worse(-0.3, 0, 0.25)
