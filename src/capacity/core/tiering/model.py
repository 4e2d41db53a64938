"""The additive model of all cells at once, with shrinkage; what is missing is estimated, never averaged over.

    y = benchmark + model + harness + model in harness + model at benchmark + error

The benchmark has no prior; the others are drawn to nought by their spread. All cells weigh in by their variance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt
from typing import NamedTuple

from attrs import frozen

from capacity.core.tiering.cells import Cell, Subject
from capacity.core.tiering.matrices import Factor, Vector, dot
from capacity.values.methods import Method

Unknown = tuple[str, ...]
"""What is estimated: a kind (`benchmark`, `model`, `harness`, `pair`, `skill`) and what it is of."""

KINDS: Mapping[str, str] = {
    "model": "tau_model",
    "harness": "tau_harness",
    "pair": "tau_pair",
    "skill": "tau_benchmark",
}
"""Kind of unknown → its spread; a benchmark has none."""


class Worth(NamedTuple):
    """What something is worth, in logits at the benchmark of reference.

    `root` is such that its product with another's is their covariance, `variance` its own, what nothing else shares included.
    """

    mean: float
    root: Vector
    variance: float

    @property
    def stderr(self) -> float:
        """Standard error, logits."""
        return sqrt(self.variance)

    def apart(self, other: Worth) -> float:
        """Standard error of the difference to another one, logits."""
        return sqrt(max(self.variance + other.variance - 2 * dot(self.root, other.root), 0.0))


class Check(NamedTuple):
    """A cell against what all others say of it."""

    cell: Cell
    residual: float
    predicted: float


@frozen(eq=False)
class Fit:
    """The model, solved.

    Attributes:
        cells: what it was solved for.
        method: its spreads.
        index: unknown → its place.
        factor: the factor of the posterior's inverse covariance.
        solution: the posterior's mean.
        likelihood: logarithm of the marginal likelihood, constants left out.
    """

    cells: Sequence[Cell]
    method: Method
    index: Mapping[Unknown, int]
    factor: Factor
    solution: Vector
    likelihood: float

    def knows(self, subject: Subject) -> bool:
        """Whether a model at an effort has a cell."""
        return ("model", *subject) in self.index

    def worth(self, harness: str, subject: Subject, reference: str, target: str | None) -> Worth:
        """What a pair is worth. What no cell tells of it comes from the priors, and widens.

        Args:
            harness: the harness.
            subject: the model and its effort; it has a cell.
            reference: key of the benchmark it is told at.
            target: key of the benchmark whose own effect counts; None = general work.
        """
        wanted: list[Unknown] = [("benchmark", reference), ("model", *subject), ("harness", harness)]
        wanted += [("pair", *subject, harness)]
        wanted += [] if target is None else [("skill", *subject, target)]
        known = [self.index[one] for one in wanted if one in self.index]
        alone = sum(getattr(self.method, KINDS[one[0]]) ** 2 for one in wanted if one not in self.index)
        root = self.factor.forward(dict.fromkeys(known, 1.0))
        return Worth(sum(self.solution[place] for place in known), root, dot(root, root) + alone)

    def checks(self) -> list[Check]:
        """Every cell against what the others predict, in standard errors of the difference; one alone predicts itself."""
        found = []
        for cell in self.cells:
            root = self.factor.forward(dict.fromkeys(_places(cell, self.index), 1.0))
            noise = cell.noise(self.method)
            free = 1 - dot(root, root) / noise
            residual = cell.logit - sum(self.solution[place] for place in _places(cell, self.index))
            if free > 1e-9:
                found.append(Check(cell, residual / sqrt(noise * free), cell.logit - residual / free))
        return found


def unknowns(cells: Sequence[Cell], harnesses: Iterable[str] = ()) -> dict[Unknown, int]:
    """Unknown → its place: those of one model side by side, those that models share at the end.

    Args:
        cells: the cells.
        harnesses: others that are to have an effect of their own, known by nothing but its spread.
    """
    own = {unknown for cell in cells for unknown in _unknowns(cell) if unknown[0] not in ("harness", "benchmark")}
    shared = {unknown for cell in cells for unknown in _unknowns(cell) if unknown[0] in ("harness", "benchmark")}
    shared |= {("harness", harness) for harness in harnesses}
    order = [*sorted(own, key=lambda unknown: (unknown[1:3], unknown)), *sorted(shared)]
    return {unknown: place for place, unknown in enumerate(order)}


def _unknowns(cell: Cell) -> list[Unknown]:
    inside: list[Unknown] = (
        [] if cell.harness is None else [("pair", *cell.subject, cell.harness), ("harness", cell.harness)]
    )
    return [("model", *cell.subject), ("skill", *cell.subject, cell.benchmark), *inside, ("benchmark", cell.benchmark)]


def _places(cell: Cell, index: Mapping[Unknown, int]) -> list[int]:
    return sorted(index[unknown] for unknown in _unknowns(cell))


def solved(cells: Sequence[Cell], method: Method, index: Mapping[Unknown, int]) -> Fit:
    """The model of some cells; a cell without a harness is noisier by what harnesses differ in.

    Args:
        cells: at least one.
        method: its spreads.
        index: of `unknowns`.
    """
    entries = {(place, place): _precision(unknown, method) for unknown, place in index.items()}
    right = [0.0] * len(index)
    squares = logs = 0.0
    for cell in cells:
        places, certainty = _places(cell, index), 1 / cell.noise(method)
        for row, place in enumerate(places):
            right[place] += cell.logit * certainty
            for column in places[: row + 1]:
                entries[place, column] = entries.get((place, column), 0.0) + certainty
        squares += cell.logit**2 * certainty
        logs += log(certainty)
    factor = Factor(entries, len(index))
    half = factor.forward(dict(enumerate(right)))
    logs += sum(log(_precision(unknown, method)) for unknown in index if unknown[0] in KINDS)
    likelihood = 0.5 * (logs + dot(half, half) - squares) - sum(map(log, factor.diagonal))
    return Fit(cells, method, index, factor, factor.backward(half), likelihood)


def _precision(unknown: Unknown, method: Method) -> float:
    return 1 / getattr(method, KINDS[unknown[0]]) ** 2 if unknown[0] in KINDS else 0.0
