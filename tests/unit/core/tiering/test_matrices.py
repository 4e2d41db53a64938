"""The factor of a sparse matrix solves what the matrix says."""

from __future__ import annotations

from random import Random

import pytest

from capacity.core.tiering.matrices import Factor, dot


def matrix(size: int, seed: int) -> list[list[float]]:
    """Symmetric, positive definite, and full of noughts."""
    chance = Random(seed)
    dense = [[0.0] * size for _ in range(size)]
    for row in range(size):
        dense[row][row] = size + chance.random()
        for column in range(row):
            if chance.random() < 0.3:
                dense[row][column] = dense[column][row] = chance.uniform(-1, 1)
    return dense


@pytest.mark.parametrize("seed", range(5))
def test_it_solves(seed: int) -> None:
    """Forward and then backward, A x is what was asked for."""
    dense, right = matrix(9, seed), [float(place) for place in range(9)]
    factor = Factor({(r, c): dense[r][c] for r in range(9) for c in range(r + 1) if dense[r][c]}, 9)
    solved = factor.backward(factor.forward(dict(enumerate(right))))

    assert right == [pytest.approx(dot(row, solved), abs=1e-9) for row in dense]


def test_a_right_side_of_few_entries_is_the_same() -> None:
    """What begins late is solved from there on, and is nought before."""
    dense = matrix(6, 7)
    factor = Factor({(r, c): dense[r][c] for r in range(6) for c in range(r + 1) if dense[r][c]}, 6)

    assert factor.forward({4: 1.0}) == factor.forward({0: 0.0, 4: 1.0})
    assert [0.0] * 4 == factor.forward({4: 1.0})[:4]
