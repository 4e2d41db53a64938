"""From evidence to what it says of each pair: which rows decide, which of them are kept out, and what the rest is worth."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve, frozen

from capacity.core.tiering.cells import Cell, cells
from capacity.core.tiering.chance import share
from capacity.core.tiering.estimates import Estimated, ranked, reference
from capacity.core.tiering.field import Shelf
from capacity.core.tiering.model import solved, unknowns
from capacity.core.tiering.outliers import Sifted, sifted
from capacity.values.evidence import Evidence
from capacity.values.methods import Method
from capacity.values.proposals import Docket
from capacity.values.rankings import Rankings


@frozen(eq=False)
class Weighed:
    """The evidence, and what it says.

    Attributes:
        rows: all of it, with its use.
        fitted: the model of what decides; None = nothing does.
        pairs: what it says of each pair, best first.
        benchmark: key of the benchmark worths are told at; None = there is no row.
        method: with the spreads of the fit.
    """

    rows: Sequence[Evidence]
    fitted: Sifted | None
    pairs: Sequence[Estimated]
    benchmark: str | None
    method: Method


def weighed(
    rows: Sequence[Evidence], rankings: Sequence[Rankings], docket: Docket, field: Shelf, as_of: datetime
) -> Weighed:
    """The evidence with its use settled, and what it says of each pair.

    Args:
        rows: compared with the last look.
        rankings: the answers, for their catalogues.
        docket: what an operator let in, and the benchmark the adopted set is told at.
        field: what could run.
        as_of: the present, UTC.
    """
    method = field.policy.tiers.method
    certain = cells([row for row in rows if _decides(row)], method, as_of)
    every = cells(
        [row for row in rows if _decides(row) or (row.use == "informs" and row.why != "weight")], method, as_of
    )
    if not every:
        return Weighed(rows, None, (), None, method)
    accepted = [row.id for row in rows if row.digest in docket.accepted]
    fitted = sifted(certain, method, field.policy.harnesses, accepted) if certain else None
    method = method if fitted is None else fitted.fit.method
    quarantined = {id for check in fitted.out for id in check.cell.ids} if fitted else frozenset[str]()
    wide = [cell for cell in every if not quarantined & {*cell.ids}]
    told_at = reference(fitted.fit.cells if fitted else wide, (method.reference, docket.adopted.benchmark))
    known = [one for answer in rankings for one in answer.known]
    pairs = ranked(
        fitted.fit if fitted else None,
        solved(wide, method, unknowns(wide, field.policy.harnesses)) if len(every) > len(certain) else None,
        field,
        sorted(known, key=lambda one: one.id),
        told_at,
        _target(fitted.fit.cells if fitted else wide, method),
    )
    return Weighed([_checked(row, fitted, method) for row in rows], fitted, pairs, told_at, method)


def _decides(row: Evidence) -> bool:
    return row.use in ("decides", "held") or (row.use == "quarantined" and row.why == "jump")


def _target(known: Sequence[Cell], method: Method) -> str | None:
    """The benchmark whose own effect counts. Of one alone, nobody can tell general work from it."""
    benchmarks = {cell.benchmark for cell in known}
    return method.target if method.target in benchmarks or len(benchmarks) > 1 else benchmarks.pop()


def _checked(row: Evidence, fitted: Sifted | None, method: Method) -> Evidence:
    """A row with what all others say of it."""
    out = {id: check for check in fitted.out for id in check.cell.ids} if fitted else {}
    check = out.get(row.id) or (fitted.checks.get(row.id) if fitted else None)
    if check is None:
        return row
    flags = (*row.flags, "residual") if abs(check.residual) > method.warn_z else row.flags
    row = evolve(row, residual=round(check.residual, 2), predicted=round(100 * share(check.predicted), 1), flags=flags)
    return evolve(row, use="quarantined", why="residual") if row.id in out else row
