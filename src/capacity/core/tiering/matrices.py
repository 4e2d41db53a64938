"""Symmetric positive definite systems, kept by their skyline: each row from its first entry that may not be nought.

A model's unknowns stand side by side and those it shares with others come last, so most rows are short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from operator import mul

Vector = list[float]


class Factor:
    """The Cholesky factor of a matrix.

    Args:
        entries: (row, column) → value of the lower triangle; every diagonal entry is there.
        size: rows of the matrix.
    """

    def __init__(self, entries: Mapping[tuple[int, int], float], size: int) -> None:
        self._firsts = list(range(size))
        for row, column in entries:
            self._firsts[row] = min(self._firsts[row], column)
        self._rows = [[0.0] * (row - first + 1) for row, first in enumerate(self._firsts)]
        for (row, column), value in entries.items():
            self._rows[row][column - self._firsts[row]] = value
        for row in range(size):
            self._reduce(row)

    def _reduce(self, index: int) -> None:
        row, first = self._rows[index], self._firsts[index]
        for column in range(first, index):
            other, start = self._rows[column], self._firsts[column]
            begin = max(first, start)
            behind = sum(map(mul, row[begin - first : column - first], other[begin - start :]))
            row[column - first] = (row[column - first] - behind) / other[-1]
        row[-1] = sqrt(row[-1] - sum(map(mul, row[:-1], row[:-1])))

    @property
    def diagonal(self) -> Vector:
        """Its diagonal; the sum of twice their logarithms is that of the matrix's determinant."""
        return [row[-1] for row in self._rows]

    def forward(self, right: Mapping[int, float]) -> Vector:
        """The x of L x = right, where `right` tells the entries that are not nought."""
        begin = min(right, default=len(self._rows))
        solved = [0.0] * len(self._rows)
        for index in range(begin, len(self._rows)):
            row, first = self._rows[index], self._firsts[index]
            start = max(first, begin)
            behind = sum(map(mul, row[start - first : -1], solved[start:index]))
            solved[index] = (right.get(index, 0.0) - behind) / row[-1]
        return solved

    def backward(self, right: Sequence[float]) -> Vector:
        """The x of L' x = right."""
        solved = list(right)
        for index in reversed(range(len(self._rows))):
            row, first = self._rows[index], self._firsts[index]
            solved[index] /= row[-1]
            for column, value in enumerate(row[:-1], first):
                solved[column] -= value * solved[index]
        return solved


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """Their inner product."""
    total: float = sum(map(mul, left, right))
    return total
