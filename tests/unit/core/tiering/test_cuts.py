"""Cuts part what differs, never noise; places move only for good reason; letters say who can be told apart."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from capacity.core.tiering.chance import logit, share
from capacity.core.tiering.cuts import Cut, chances, cuts, strongest
from capacity.core.tiering.letters import letters
from capacity.core.tiering.model import Worth
from capacity.core.tiering.places import moved, placed, proven
from capacity.values.methods import Method

BOARD = (
    83.82, 83.15, 80.45, 79.33, 78.88, 77.98, 76.6, 76.18, 76.18, 74.61, 73.93, 73.6, 68.9, 66.07, 65.84, 65.84, 65.62, 58.65,
)  # fmt: skip  # best first
"""Eighteen pairs of one board, percent, each to about two points."""


def points(scores: tuple[float, ...] = BOARD, stderr: float = 2.0) -> list[tuple[float, float]]:
    return [(logit(one / 100), stderr / 100 / (one / 100 * (1 - one / 100))) for one in scores]


def test_the_classes_of_a_real_board() -> None:
    """Four: down to 78.9, to 73.6, to 65.6, and the last alone."""
    made = cuts(points(), Method())

    assert [1, 5, 12, 17] == sorted({sum(logit(one / 100) > cut.at for one in BOARD) for cut in made} | {1, 5, 12, 17})
    assert [78.4, 71.3, 62.2] == [pytest.approx(100 * share(cut.at), abs=0.15) for cut in made]


def test_noise_is_not_cut() -> None:
    """Twenty pairs of one true worth are cut in one of twenty worlds, as the policy asks; a test of means cuts two of three."""
    chance = Random(5)
    worlds = [[(chance.gauss(0, 0.2), 0.2) for _ in range(20)] for _ in range(200)]

    assert 0.05 == pytest.approx(sum(bool(cuts(world, Method())) for world in worlds) / 200, abs=0.03)


def test_a_small_gap_is_no_boundary_however_sure() -> None:
    """Two tight groups a tenth of a logit apart are one class."""
    assert [] == cuts([(0.1, 0.001), (0.1, 0.001), (0.0, 0.001), (0.0, 0.001)], Method())


def test_a_ladder_takes_the_surest_cuts() -> None:
    """As many as it has room for, best first; a ladder of one takes none."""
    made = [Cut(2.0, 4.0, 2.0), Cut(1.0, 9.0, 2.0), Cut(0.0, 6.0, 2.0)]

    assert [1.0, 0.0] == [cut.at for cut in strongest(made, 2)]
    assert [] == strongest(made, 0) == strongest(made, -1)


def test_chances_are_of_every_class() -> None:
    """They add up to one; 79.3 to 2.1 points is on either side of 79.2 with the same chance."""
    told = chances(logit(0.7933), 0.0209 / (0.7933 * 0.2067), [logit(one) for one in (0.792, 0.714, 0.621)])

    assert 1 == pytest.approx(sum(told))
    assert [0.52, 0.48, 0.0, 0.0] == [pytest.approx(one, abs=0.01) for one in told]
    assert (1.0, 0.0) == chances(1.0, 0.0, [0.5])


@pytest.mark.parametrize(("stderr", "place"), [(0.01, 0), (0.2, 0), (0.5, 1), (2.0, 2)])
def test_not_knowing_never_proves_a_floor(stderr: float, place: int) -> None:
    """The wider an estimate, the lower the class it is proven to reach, though its middle stays in the best."""
    assert place == proven(0.2, stderr, [0.0, -0.5], 0.8)


def test_who_has_a_place_moves_only_past_the_cut_and_its_margin() -> None:
    """Up and down alike, and over several classes where the evidence goes so far."""
    assert [1, 1, 0] == [moved(0.0 + by, 0.1, 1, [0.0, -1.0], 1.645) for by in (0.0, 0.16, 0.17)]
    assert [1, 2] == [moved(-1.0 - by, 0.1, 1, [0.0, -1.0], 1.645) for by in (0.16, 0.17)]
    assert 0 == moved(2.0, 0.1, 2, [0.0, -1.0], 1.645)
    assert 2 == moved(-2.0, 0.1, 0, [0.0, -1.0], 1.645)


def test_a_weaker_margin_has_to_be_confirmed() -> None:
    """One standard error past the cut only leans; in the second refresh with new evidence it moves."""
    method = Method()

    assert (1, 0) == placed(0.12, 0.1, 1, [0.0, -1.0], method, 1)
    assert (0, None) == placed(0.12, 0.1, 1, [0.0, -1.0], method, 2)
    assert (0, None) == placed(0.5, 0.1, 1, [0.0, -1.0], method, 1)


def refreshes(chance: Random, truth: tuple[float, ...], count: int) -> int:
    """How many tier changes so many refreshes bring, each with fresh noise of two points and no true change."""
    at, method = (79.2, 71.4, 62.1), Method()
    tiers = [sum(one < cut for cut in at) for one in truth]
    leaning, changes = [(0, 0)] * len(truth), 0
    for _ in range(count):
        for pair, one in enumerate(truth):
            tiers[pair], leaning[pair], moves = _refresh(chance.gauss(one, 2.0), tiers[pair], leaning[pair], at, method)
            changes += moves
    return changes


def _refresh(
    told: float, now: int, leaning: tuple[int, int], at: tuple[float, ...], method: Method
) -> tuple[int, tuple[int, int], bool]:
    wanted = moved(told, 2.0, now, at, method.confirm_z)
    times = 0 if wanted == now else leaning[1] + 1 if wanted == leaning[0] else 1
    place, _ = placed(told, 2.0, now, at, method, times)
    return place, (wanted, times if place == now else 0), place != now


@pytest.mark.parametrize("seed", range(10))
def test_a_year_of_noise_changes_little(seed: int) -> None:
    """52 noisy refreshes of twenty pairs without a true change bring at most forty changes of tier; a refit brings 388."""
    assert 40 >= refreshes(Random(seed), (*BOARD, 74.38, 71.24), 52)


def test_a_true_change_is_noticed() -> None:
    """Six points more are noticed within four refreshes, on average over two hundred worlds."""
    taken = []
    for seed in range(200):
        chance, now, leaning, count = Random(seed), 1, (0, 0), 0
        while now and count < 52:
            now, leaning, _ = _refresh(chance.gauss(76.2 + 6, 2.0), now, leaning, (79.2, 71.4, 62.1), Method())
            count += 1
        taken.append(count)

    assert 4 >= sum(taken) / len(taken)


# --- letters --------------------------------------------------------------------------------------


def test_letters_tell_apart_what_differs_and_nothing_else() -> None:
    """Two that differ share none, neighbours do, and the first group is `a`."""
    worths = [Worth(estimate, [stderr], stderr**2) for estimate, stderr in points()]
    apart = [Worth(one.mean, [0.0], one.variance) for one in worths]
    told = letters(apart, 0.05)

    assert "a" == told[0]
    assert not set(told[0]) & set(told[-1])
    assert all(set(one) & set(other) for one, other in pairwise(told[:12]))


def test_letters_of_equals_and_of_nobody() -> None:
    """Equals share one letter; there are none without pairs; one alone has one."""
    same = [Worth(0.0, [0.0], 1.0)] * 4

    assert ["a"] * 4 == letters(same, 0.05)
    assert [] == letters([], 0.05)
    assert ["a", ""] == [letters([Worth(0.0, [0.0], 1.0)] * 251, 0.05)[place] for place in (249, 250)]
    assert ["a", "b", "c"] == letters([Worth(place, [0.0], 1e-4) for place in (2.0, 1.0, 0.0)], 0.05)
