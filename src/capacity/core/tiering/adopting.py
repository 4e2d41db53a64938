"""The adopted set as a chain: each act gives a new set whose parent is the one before. Nothing is ever changed in place."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve

from capacity.core.tiering.chance import share, slope
from capacity.core.tiering.digests import identity, sealed
from capacity.errors import NoSuch, StaleBase
from capacity.values.evidence import Pair, PairEstimate
from capacity.values.methods import Method
from capacity.values.policy import Policy
from capacity.values.proposals import Proposal
from capacity.values.tiers import TierRow, TierSet


def adopt(
    proposal: Proposal, adopted: TierSet, policy: Policy, by: str, at: datetime, part: Sequence[Pair] = ()
) -> TierSet:
    """The set that a proposal makes of the one in force.

    Args:
        proposal: pending, and made against this set.
        adopted: the set in force.
        policy: for how long sets and provisional places are good.
        by: who adopts.
        at: when, UTC.
        part: the pairs to take over; `()` = everything, and with it what the evidence says now of pairs that stay.

    Raises:
        StaleBase: the set is not the one that the proposal was made against.
        NoSuch: the proposal waits no more, or would not change a pair of the part.
    """
    _refuse(proposal, adopted, at, part)
    method = policy.tiers.method
    estimates = {one.pair.key: one for one in proposal.estimates}
    taken = {one.pair.key: one for one in proposal.diff.changes if not part or one.pair in part}
    new_names = {one.was.key: one.to for one in proposal.diff.rename if not part or one.was in part or one.to in part}
    rows = []
    for row in adopted.rows:
        key = Pair(row.harness, proposal.spelled.get(f"{row.harness}/{row.model}", row.model), row.effort).key
        heir = new_names.get(key)
        row = row if heir is None else evolve(row, model=heir.model)
        change, estimate = taken.pop(key, None), estimates.get(key if heir is None else heir.key)
        if change is None:
            rows.append(row if part or estimate is None else _seen_anew(row, estimate))
        elif change.to is not None and estimate is not None:
            rows.append(evolve(_row(estimate, change.to, method, by, at), model=row.model))
    rows += [_row(estimates[key], change.to or "", method, by, at) for key, change in taken.items() if change.to]
    return sealed(
        TierSet(
            rows=rows,
            ladder=proposal.ladder,
            cuts=proposal.diff.cuts_after,
            benchmark=proposal.benchmark,
            evidence=proposal.content,
            adopted_at=at,
            adopted_by=by,
            stale_at=at + method.stale_after,
            parent=identity(adopted),
        )
    )


def _refuse(proposal: Proposal, adopted: TierSet, at: datetime, part: Sequence[Pair]) -> None:
    if proposal.base != identity(adopted):
        raise StaleBase(
            f"{proposal.id} was made against {proposal.base}, and {identity(adopted)} is in force: propose again"
        )
    if proposal.state != "pending" or proposal.expires_at <= at:
        state = proposal.state if proposal.state != "pending" else "expired"
        raise NoSuch(f"{proposal.id} is {state}, not pending: propose again")
    offered = {
        *(one.pair for one in proposal.diff.changes),
        *(pair for one in proposal.diff.rename for pair in (one.was, one.to)),
    }
    unknown = [str(pair) for pair in part if pair not in offered]
    if unknown:
        there = ", ".join(sorted(map(str, offered))) or "nothing"
        raise NoSuch(f"{proposal.id} changes nothing for {', '.join(unknown)}; it would change {there}")


def _row(one: PairEstimate, tier: str, method: Method, by: str, at: datetime) -> TierRow:
    """The row of a pair that comes in or moves."""
    ends = at + method.provisional_for if one.standing == "provisional" else None
    base = TierRow(
        tier, one.pair.harness, one.pair.model, one.pair.effort, adopted_at=at, adopted_by=by, expires_at=ends
    )
    return _told(base, one)


def _seen_anew(row: TierRow, one: PairEstimate) -> TierRow:
    """A row that stays, with what the evidence says of it now."""
    return row if row.standing == "pinned" or one.standing != "measured" else _told(row, one)


def _told(row: TierRow, one: PairEstimate) -> TierRow:
    sources = sorted({id.partition(":")[0] for id in one.evidence})
    return evolve(
        row,
        source=", ".join(sources) or one.standing,
        standing=one.standing,
        proven=one.proven,
        evidence=one.evidence,
        measured_at=one.measured_at,
        score=round(one.score, 1),
        stderr=round(100 * one.stderr * slope(share(one.theta)), 1),
    )


def pin(adopted: TierSet, row: TierRow, by: str, at: datetime) -> TierSet:
    """The set with a pair in a tier on a person's word, whatever the evidence says, until that ends.

    Args:
        adopted: the set in force.
        row: tier, harness, model, effort, `expires_at` and `reason`.
        by: who pins it.
        at: when, UTC.
    """
    pinned = evolve(row, standing="pinned", source="operator", adopted_by=by, adopted_at=at, proven=None)
    rows = [*(one for one in adopted.rows if one.key != row.key), pinned]
    return sealed(evolve(adopted, rows=rows, adopted_by=by, adopted_at=at, parent=identity(adopted)))


def rollback(adopted: TierSet, parent: TierSet, by: str, at: datetime) -> TierSet:
    """An earlier set once more, as a new link; its age counts from when it was first adopted.

    Args:
        adopted: the set in force.
        parent: the earlier one.
        by: who goes back.
        at: when, UTC.
    """
    return sealed(evolve(parent, adopted_by=by, adopted_at=at, parent=identity(adopted)))
