"""Quarantine: cells that all others speak against are kept out, shown, and wait for a person.

In a round only the worst cell of a model and of a benchmark goes, since a broken one makes its neighbours look broken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from capacity.core.tiering.cells import Cell
from capacity.core.tiering.model import Check, Fit, solved, unknowns
from capacity.core.tiering.spreads import fitted
from capacity.values.methods import Method

ROUNDS = 12
"""Rounds at most. Where more are needed the model is wrong, not the rows."""


class Sifted(NamedTuple):
    """What is left, and what was taken out.

    Attributes:
        fit: the model of what is left.
        out: checks of what was taken out, as they stood when it was.
        checks: row id → check, of what is left.
    """

    fit: Fit
    out: Sequence[Check]
    checks: Mapping[str, Check]


def sifted(cells: Sequence[Cell], method: Method, harnesses: Iterable[str], accepted: Collection[str]) -> Sifted:
    """The model of the cells that agree with it.

    Args:
        cells: at least one.
        method: the policy's; its spreads are fitted where there are cells enough, before and after cells are taken out.
        harnesses: others that are to have an effect of their own.
        accepted: ids of rows an operator let in; cells of such rows stay.
    """
    harnesses, left, out = tuple(harnesses), list(cells), list[Check]()
    index = unknowns(left, harnesses)
    spreads = fitted(left, method, index)
    for _ in range(ROUNDS):
        worst = _worst(solved(left, spreads, index).checks(), method.quarantine_z, accepted)
        if not worst:
            break
        out += worst
        gone = {check.cell for check in worst}
        left = [cell for cell in left if cell not in gone]
        index = unknowns(left, harnesses)
    spreads = fitted(left, method, index) if out else spreads
    fit = solved(left, spreads, index)
    return Sifted(fit, out, {id: check for check in fit.checks() for id in check.cell.ids})


def _worst(checks: Iterable[Check], line: float, accepted: Collection[str]) -> list[Check]:
    """The worst over the line, no two of one model or of one benchmark."""
    over = [one for one in checks if abs(one.residual) > line and not set(one.cell.ids) <= set(accepted)]
    taken: list[Check] = []
    for one in sorted(over, key=lambda one: (-abs(one.residual), one.cell.ids)):
        if all(
            one.cell.subject != other.cell.subject and one.cell.benchmark != other.cell.benchmark for other in taken
        ):
            taken.append(one)
    return taken
