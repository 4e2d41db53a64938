"""What speaks against adopting a proposal without a person. Every rule has a name, and any of them is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from math import floor

from attrs import frozen

from capacity.values.evidence import Evidence, PairEstimate
from capacity.values.methods import Vetoes
from capacity.values.proposals import Change, Diff, Docket, Impact, Objection, SourceReport, Veto


@frozen(eq=False)
class Case:
    """A proposal as the rules look at it.

    Attributes:
        diff: what it would change.
        estimates: the pairs.
        rows: the evidence.
        sources: how the sources stand.
        impact: what it means for the seats.
        ladder: the tiers' names, best first.
        agreeing: how many refreshes in a row agree.
        docket: the adopted set.
        vetoes: the policy's figures.
        as_of: the present, UTC.
    """

    diff: Diff
    estimates: Sequence[PairEstimate]
    rows: Sequence[Evidence]
    sources: Sequence[SourceReport]
    impact: Sequence[Impact]
    ladder: Sequence[str]
    agreeing: int
    docket: Docket
    vetoes: Vetoes
    as_of: datetime

    @property
    def changed(self) -> list[tuple[Change, PairEstimate]]:
        """Each pair that comes in or moves, with its estimate."""
        found = {one.pair: one for one in self.estimates}
        return [(change, found[change.pair]) for change in (*self.diff.add, *self.diff.move)]


def objections(case: Case) -> tuple[Objection, ...]:
    """Every rule that speaks against it, in the order of the rules.

    Args:
        case: the proposal.
    """
    return tuple(Objection(veto, subject) for veto, subjects in RULES for subject in sorted(set(subjects(case))))


def _nothing(case: Case) -> Iterator[str]:
    if case.diff.empty:
        yield ""


def _not_fresh(case: Case) -> Iterator[str]:
    yield from (one.name for one in case.sources if one.required and one.status != "fresh")


def _quarantine(case: Case) -> Iterator[str]:
    yield from case.diff.quarantine


def _too_far(case: Case) -> Iterator[str]:
    names = list(case.ladder)
    for change in case.diff.move:
        if (
            change.was not in names
            or change.to not in names
            or abs(names.index(change.was) - names.index(change.to)) > 1
        ):
            yield str(change.pair)


def _too_many(case: Case) -> Iterator[str]:
    allowed = floor(case.vetoes.moves * len(case.docket.adopted.rows))
    if len(case.diff.move) > allowed:
        yield f"{len(case.diff.move)} of {len(case.docket.adopted.rows)}"


def _cuts(case: Case) -> Iterator[str]:
    uncut = len(case.ladder) > 1 and not case.diff.cuts_after  # then all that comes in goes into the best tier
    if uncut or case.diff.cuts_before != case.diff.cuts_after:
        yield ""


def _below_floor(case: Case) -> Iterator[str]:
    yield from (one.seat for one in case.impact if one.below_floor and not one.below_floor_before)


def _no_alternative(case: Case) -> Iterator[str]:
    yield from (one.seat for one in case.impact if one.alternatives_before and not one.alternatives)


def _thin(case: Case) -> Iterator[str]:
    rows = {row.id: row for row in case.rows}
    for change, one in case.changed:
        if not any(_bears(rows[id], case) for id in one.evidence):
            yield str(change.pair)


def _bears(row: Evidence, case: Case) -> bool:
    young = row.measured_at is not None and case.as_of - row.measured_at <= case.vetoes.age
    return row.provenance == "benchmark-owner" and (row.n or 0) >= case.vetoes.trials and young


def _uncertain(case: Case) -> Iterator[str]:
    for change, one in case.changed:
        place = case.ladder.index(change.to) if change.to in case.ladder else len(one.chances)
        if change.was is None and (place >= len(one.chances) or one.chances[place] < case.vetoes.certainty):
            yield str(change.pair)


def _provisional(case: Case) -> Iterator[str]:
    yield from (str(change.pair) for change, one in case.changed if one.standing == "provisional")


def _not_available(case: Case) -> Iterator[str]:
    yield from (str(change.pair) for change, one in case.changed if change.was is None and not one.available)


def _removal(case: Case) -> Iterator[str]:
    yield from (str(change.pair) for change in case.diff.remove)


def _not_confirmed(case: Case) -> Iterator[str]:
    if case.agreeing < case.vetoes.refreshes:
        yield f"{case.agreeing} of {case.vetoes.refreshes}"


def _too_soon(case: Case) -> Iterator[str]:
    last = case.docket.adopted.adopted_at
    if last is not None and case.as_of - last < case.vetoes.pause:
        yield ""


RULES: Sequence[tuple[Veto, Callable[[Case], Iterator[str]]]] = (
    ("nothing-to-adopt", _nothing),
    ("source-not-fresh", _not_fresh),
    ("quarantine", _quarantine),
    ("too-far", _too_far),
    ("too-many-moves", _too_many),
    ("cuts-changed", _cuts),
    ("below-floor", _below_floor),
    ("no-alternative", _no_alternative),
    ("thin-evidence", _thin),
    ("uncertain-addition", _uncertain),
    ("provisional", _provisional),
    ("not-available", _not_available),
    ("removal", _removal),
    ("not-confirmed", _not_confirmed),
    ("too-soon", _too_soon),
)
"""Each rule with what it has against a proposal: pairs, seats, sources or figures."""
