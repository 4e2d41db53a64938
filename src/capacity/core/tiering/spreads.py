"""The spreads of the model, fitted to the cells: those under which what was measured is likeliest.

A search by coordinates on a coarse and then a finer ladder of factors; few cells tell nothing, and the policy's are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from capacity.core.tiering.cells import Cell
from capacity.core.tiering.model import Unknown, solved
from capacity.values.methods import Method

FACTORS = (1.6, 1.2)
"""By what a spread is tried larger and smaller: the likelihood is flat within a tenth of it."""

LOWEST, HIGHEST = 0.02, 2.0
"""Ends of a spread, logits: half a point is nothing, and twice as much as two says nothing more."""

ROUNDS = 4
"""Rounds of the search at each factor."""


def fitted(cells: Sequence[Cell], method: Method, index: Mapping[Unknown, int]) -> Method:
    """The method with the spreads that fit the cells best; the given one where there are too few.

    Args:
        cells: the cells.
        method: the policy's.
        index: of `unknowns`.
    """
    if len(cells) < method.fit_cells:
        return method
    names = _told(cells)
    best, likelihood = method, solved(cells, method, index).likelihood
    for factor in FACTORS:
        for _ in range(ROUNDS):
            before = likelihood
            for name in names:
                best, likelihood = _along(name, factor, best, likelihood, cells, index)
            if likelihood - before < 0.01:
                break
    return best


def _told(cells: Sequence[Cell]) -> list[str]:
    """The spreads these cells can tell: one thing alone has no spread, and what is met once is part of its error."""
    several: Mapping[str, set[object]] = {
        "tau_model": {cell.subject for cell in cells},
        "tau_harness": {cell.harness for cell in cells},
        "tau_benchmark": {cell.benchmark for cell in cells},
    }
    names = [name for name, found in several.items() if len(found) > 2]
    crossed = len({(cell.subject, cell.harness) for cell in cells}) > len(several["tau_model"])
    return [*names, *(["tau_pair"] if crossed and "tau_harness" in names else []), "tau_error"]


def _along(
    name: str, factor: float, method: Method, likelihood: float, cells: Sequence[Cell], index: Mapping[Unknown, int]
) -> tuple[Method, float]:
    """The best on a line: larger as long as that is likelier, else smaller."""
    for by in (factor, 1 / factor):
        moved = False
        while True:
            spread = min(max(getattr(method, name) * by, LOWEST), HIGHEST)
            trial = evolve(method, **{name: round(spread, 4)})
            found = solved(cells, trial, index).likelihood
            if found <= likelihood + 1e-9:
                break
            method, likelihood, moved = trial, found, True
        if moved:
            break
    return method, likelihood
