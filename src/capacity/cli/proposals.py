"""Tiers and their evidence for a person: the adopted set, and a proposal on one screen.

What changes for one's own seats stands first; a figure never stands without its error, its age and where it is from.
Price is shown apart and says that it was not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from capacity.cli.lines import age
from capacity.cli.screen import Page, Table
from capacity.cli.sourcing import MENDS
from capacity.core.adopted import place_of
from capacity.core.explain import counted
from capacity.core.sentences import instant, sentence
from capacity.engine.documents import Adopted
from capacity.engine.proposing import Outcome, Proposed
from capacity.engine.tiering import Offered
from capacity.values.conditions import Fact
from capacity.values.evidence import Evidence, Pair, PairEstimate
from capacity.values.methods import Method
from capacity.values.models import PoolInventory
from capacity.values.proposals import Change, Diff, Impact, Proposal, SourceReport
from capacity.values.rankings import ANSWERED
from capacity.values.tiers import TierRow, TierSet

FEW = 2
"""Alternatives below which a seat is in want: with one, the first trouble leaves it none."""

OUTCOMES: Mapping[Outcome, str] = {
    "opened": "a new proposal",
    "waiting": "the proposal that waits already",
    "rejected": "the same as was rejected before; nothing is proposed",
    "known": "the same as was adopted before, and undone since; nothing is proposed, `capacity tiers rollback --to ID` takes it again",
    "nothing": "nothing would change; nothing is proposed",
}
"""What came of proposing, for a person."""


# --- the adopted set ------------------------------------------------------------------------------


def adopted_page(
    adopted: TierSet,
    ladder: Sequence[str],
    dropped: Mapping[tuple[str, str, str], Fact],
    chain: Sequence[Adopted],
    at: datetime,
) -> Page:
    """The adopted set, best tier first."""
    ranks = {name: rank for rank, name in enumerate(ladder)}
    rows = sorted(adopted.rows, key=lambda row: (ranks.get(row.tier, len(ranks)), -(row.score or 0), row.key))
    columns = ("tier", "pair", "score", "certain", "rests on", "newest row", "adopted", "nothing runs by it because")
    table = Table("adopted", columns, tuple(_adopted_row(row, dropped.get(row.key), at) for row in rows))
    return Page(_head(adopted, at), (table, _chain_table(chain)), _empty(ladder, rows, dropped))


def _head(adopted: TierSet, at: datetime) -> str:
    told = [adopted.id or "written by hand", counted(len(adopted.rows), "row")]
    told += (
        [] if adopted.adopted_at is None else [f"adopted by {adopted.adopted_by}, {age(at - adopted.adopted_at)} ago"]
    )
    if adopted.stale_at is not None:
        told.append(f"{'STALE since' if adopted.stale_at <= at else 'stale from'} {instant(adopted.stale_at)}")
    told += [] if adopted.benchmark is None else [f"scores at {adopted.benchmark}"]
    return "; ".join(told)


def _empty(
    ladder: Sequence[str], rows: Sequence[TierRow], dropped: Mapping[tuple[str, str, str], Fact]
) -> tuple[str, ...]:
    """The tiers in which nothing can be run."""
    runs = {row.tier for row in rows if row.key not in dropped}
    return tuple(f"nothing can be run in tier {tier}" for tier in ladder if tier not in runs)


def _adopted_row(row: TierRow, why: Fact | None, at: datetime) -> tuple[str, ...]:
    rests = [row.standing, *([f"until {instant(row.expires_at)}"] if row.expires_at else [])]
    rests += [", ".join(row.evidence)] if row.evidence else [f"from {row.source}"]
    return (
        row.tier,
        place_of(row),
        _figure(row.score, row.stderr),
        row.proven or row.tier,
        "; ".join(rests),
        _ago(row.measured_at, at),
        f"{row.adopted_by}{f', {row.adopted_at:%Y-%m-%d}' if row.adopted_at else ''}",
        "" if why is None else sentence(why),
    )


def _figure(score: float | None, stderr: float | None) -> str:
    return "" if score is None else f"{score:.1f} ± {stderr or 0.0:.1f}"


def _ago(then: datetime | None, at: datetime) -> str:
    return "" if then is None else f"{age(at - then)} ago"


def _chain_table(chain: Sequence[Adopted]) -> Table:
    rows = ((one.tiers.id or "by hand", instant(one.at), one.by, str(len(one.rows))) for one in reversed(chain))
    return Table("sets, newest first", ("id", "entered", "by", "rows"), tuple(rows))


# --- a proposal -----------------------------------------------------------------------------------


def outcome(made: Proposed) -> str:
    """What came of proposing."""
    same = "same evidence as last time; " if made.unchanged else ""
    return f"{same}{OUTCOMES[made.outcome]}"


def size(proposal: Proposal, part: Sequence[Pair] = ()) -> str:
    """How much a proposal changes, or the part of it."""
    if part:
        return f"{counted(len(part), 'change')} of {proposal.id}"
    diff = proposal.diff
    told = [f"{len(diff.add)} in", f"{len(diff.move)} moved", f"{len(diff.remove)} out", f"{diff.keep} as they are"]
    return f"{proposal.id}: {', '.join(told)}" + (_recut(diff))


def _recut(diff: Diff) -> str:
    if diff.cuts_before == diff.cuts_after:
        return ""
    return ", and the tiers are cut anew" if diff.cuts_before else ", and the tiers are cut for the first time"


def proposal_page(proposal: Proposal, stands: Sequence[Offered], models: Iterable[PoolInventory], at: datetime) -> Page:
    """A proposal on one screen.

    Args:
        proposal: which.
        stands: how each source answered last.
        models: what each pool lists.
        at: the present.
    """
    until = f"until {instant(proposal.expires_at)}" if proposal.state == "pending" else ""
    what = "; ".join(filter(None, [size(proposal), f"{proposal.kind}, {proposal.state}", until]))
    windows = {one.id.casefold(): one.context for shelf in models for one in shelf.models}
    notes = (what, *proposal.warnings, *_objected(proposal), _method(proposal), *_actions(proposal))
    tables = (
        _impact_table(proposal.impact),
        _changes_table(proposal, at),
        _silent_table(proposal.sources, at),
        _kept_out_table(proposal.evidence),
        _unresolved_table(proposal),
        _beside_table(proposal, stands, windows),
    )
    return Page(_whose(proposal), tables, notes)


def _whose(proposal: Proposal) -> str:
    """For whom it changes anything, in a few words."""
    if not proposal.impact:
        return "no seat of yours is touched"
    changed = sum(bool(one.entering or one.leaving) for one in proposal.impact)
    few = sum(one.alternatives < FEW for one in proposal.impact)
    below = sum(one.below_floor for one in proposal.impact)
    told = [f"{counted(changed, 'seat')} may run elsewhere than today"]
    told += [f"{few} with fewer than {FEW} alternatives"] if few else []
    told += [f"{below} below its floor"] if below else []
    return ", ".join(told)


def _impact_table(impact: Iterable[Impact]) -> Table:
    columns = ("seat", "may also run on", "no longer on", "alternatives", "floor")
    rows = (
        (
            one.seat,
            ", ".join(one.entering),
            ", ".join(one.leaving),
            f"{one.alternatives_before} → {one.alternatives}",
            "below" if one.below_floor else "",
        )
        for one in impact
    )
    return Table("for your seats", columns, tuple(rows))


def _changes_table(proposal: Proposal, at: datetime) -> Table:
    estimates = {one.pair: one for one in proposal.estimates}
    unsure = {one.pair for one in proposal.diff.borderline}
    rows = [
        _change_row(one, estimates.get(one.pair), proposal, at, unsure=one.pair in unsure)
        for one in proposal.diff.changes
    ]
    rows += [(str(one.to), f"was {one.was}", "renamed", *[""] * 6) for one in proposal.diff.rename]
    columns = ("pair", "tier", "why", "score (95 %)", "chance of each tier", "rows", "newest", "evidence", "flags")
    return Table(f"changes{f', scores at {proposal.benchmark}' if proposal.benchmark else ''}", columns, tuple(rows))


def _change_row(
    change: Change, known: PairEstimate | None, proposal: Proposal, at: datetime, *, unsure: bool
) -> tuple[str, ...]:
    move = f"{change.was or '–'} → {change.to or 'none'}"
    why = f"{change.why}, borderline" if unsure and change.why != "borderline" else change.why
    if known is None:
        return (str(change.pair), move, why, *[""] * 6)
    chances = " ".join(f"{name} {chance:.2f}" for name, chance in zip(proposal.ladder, known.chances, strict=False))
    flags = [*known.flags, *([] if known.available else ["not in the inventory"])]
    return (
        str(change.pair), move, why, f"{known.score:.1f} ({known.low:.1f} to {known.high:.1f})", chances,
        f"{known.rows} of {counted(known.benchmarks, 'benchmark')}", _ago(known.measured_at, at),
        ", ".join(_links(known, proposal)), ", ".join(flags),
    )  # fmt: skip  # one row


def _links(known: PairEstimate, proposal: Proposal) -> Iterator[str]:
    """The rows a pair rests on, each with its address."""
    rows = {one.id: one for one in proposal.evidence}
    for id in known.evidence:
        url = rows[id].url if id in rows else None
        yield f"{id} {url}" if url else id


def _silent_table(sources: Iterable[SourceReport], at: datetime) -> Table:
    rows = (
        (
            one.name,
            one.status,
            _ago(one.fetched_at, at),
            f"{one.used} of {one.told}",
            one.detail or "",
            MENDS.get(one.status, ""),
        )
        for one in sources
        if one.status not in ANSWERED or one.status == "dormant"
    )
    return Table(
        "what did not answer, or tells nothing new",
        ("source", "state", "rows of", "rows used", "", "what to do"),
        tuple(rows),
    )


def _kept_out_table(evidence: Iterable[Evidence]) -> Table:
    rows = (
        (
            one.id,
            f"{one.pair or one.model_raw}",
            one.benchmark,
            _figure(one.score, one.stderr),
            "" if one.predicted is None else f"{one.predicted:.1f}",
            f"{one.use}: {one.why}" if one.why else one.use,
            f"capacity tiers resolve {one.id} --accept",
        )
        for one in evidence
        if one.use in ("quarantined", "held")
    )
    columns = ("row", "pair", "benchmark", "score", "others predict", "why", "to let it in")
    return Table("kept out", columns, tuple(rows))


def _unresolved_table(proposal: Proposal) -> Table:
    rows = (
        (one.named, one.name, str(len(one.rows)), ", ".join(one.candidates) or "nothing is near")
        for one in proposal.unresolved
    )
    return Table("names to resolve (capacity tiers resolve NAME MEANS)", ("", "name", "rows", "may be"), tuple(rows))


def _beside_table(proposal: Proposal, stands: Sequence[Offered], windows: Mapping[str, int | None]) -> Table:
    """What the sources tell of the cost of the pairs that change, and their context. Nothing was done with it."""
    rows = {f"{one.source}:{row.id}": row for one in stands if one.stands.told for row in one.stands.told.rows}
    estimates = {one.pair: one for one in proposal.estimates}
    told = []
    for change in proposal.diff.changes:
        evidence = estimates[change.pair].evidence if change.pair in estimates else ()
        found = [rows[id] for id in evidence if id in rows]
        cost = ", ".join(
            f"{row.cost_usd} USD {row.cost_kind or ''}".rstrip() for row in found if row.cost_usd is not None
        )
        window = windows.get(change.pair.model.casefold())
        if cost or window is not None:
            told.append((str(change.pair), cost or "?", "?" if window is None else f"{window:,} tokens"))
    return Table("beside it, and not used", ("pair", "cost", "context"), tuple(told))


def _objected(proposal: Proposal) -> Iterator[str]:
    """What keeps it from being adopted without a person."""
    if proposal.objections:
        told = dict.fromkeys(f"{one.veto}{f' ({one.subject})' if one.subject else ''}" for one in proposal.objections)
        yield f"not to be adopted without a person: {', '.join(told)}"


def _method(proposal: Proposal) -> str:
    method: Method = proposal.method
    taus = (method.tau_model, method.tau_harness, method.tau_pair, method.tau_benchmark, method.tau_error)
    cuts = ", ".join(f"{cut:.2f}" for cut in proposal.diff.cuts_after) or "none"
    return (
        f"method: additive logit model; spreads {'/'.join(f'{tau:.2f}' for tau in taus)}; margin {method.margin:g}; "
        f"certainty {method.certainty:g}; cuts {cuts}; move beyond {method.move_z:g} standard errors; "
        f"capacity {proposal.version or '?'}; price, size and context are not used"
    )


def _actions(proposal: Proposal) -> Iterator[str]:
    if proposal.state == "pending" and not proposal.diff.empty:
        yield f"answer with: capacity tiers adopt {proposal.id} [--only PAIR], or: capacity tiers reject {proposal.id}"
    elif proposal.ruling is not None:
        by = f"{proposal.ruling.action} by {proposal.ruling.by} at {instant(proposal.ruling.at)}"
        yield f"{by}: {proposal.ruling.reason}" if proposal.ruling.reason else by
