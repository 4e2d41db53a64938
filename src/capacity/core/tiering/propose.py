"""The order of a proposal, top to bottom: rows → evidence → cells → fit → estimates → cuts → tiers → difference → objections.

A pure function of what the sources told, what was decided before, what can run, and the policy. Price, size and name of a
model never enter: no step has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from attrs import evolve

from capacity.core.tiering.adopting import adopt
from capacity.core.tiering.chance import share
from capacity.core.tiering.changes import compared
from capacity.core.tiering.cuts import Cut, cuts, strongest
from capacity.core.tiering.digests import digest, identity, plain, row_digest, short
from capacity.core.tiering.estimates import told as estimates_told
from capacity.core.tiering.field import Shelf, shelf
from capacity.core.tiering.impact import impact
from capacity.core.tiering.names import Names
from capacity.core.tiering.objections import Case, objections
from capacity.core.tiering.placing import Ground, difference, tiered
from capacity.core.tiering.reports import reports
from capacity.core.tiering.rows import Reading, evidence
from capacity.core.tiering.weighing import Weighed, weighed
from capacity.values.evidence import Evidence, Unresolved
from capacity.values.methods import Method
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.proposals import Diff, Docket, Impact, Kind, Proposal, SourceReport
from capacity.values.rankings import ANSWERED, KnownModel, RankingRow, Rankings


def propose(
    rankings: Sequence[Rankings], docket: Docket, inventory: Inventory, policy: Policy, as_of: datetime
) -> Proposal:
    """What the evidence would change in the adopted set.

    Where nothing that counts is new since `docket.previous`, it is that proposal again, with its sources, impact and
    objections as of now: the same evidence never gives a second one.

    Args:
        rankings: one answer for each source, `source` being its name in the policy.
        docket: the adopted set and everything earlier that bears on it.
        inventory: what can run.
        policy: ladder, harnesses, seat rules and method.
        as_of: the present, UTC.
    """
    names = Names(inventory, rankings, docket.aliases)
    field = shelf(inventory, policy, names)
    inputs = _inputs(rankings, docket, inventory, policy, as_of)
    if _same(docket, inputs, as_of) and docket.previous is not None:
        return _again(docket.previous, rankings, docket, field, as_of)
    read = evidence(rankings, Reading(names, docket.aliases, policy, as_of))
    rows = compared(read, docket, policy.tiers.method, as_of)
    said = weighed(rows, rankings, docket, field, as_of)
    ground, made = _ground(said, rankings, docket, field, as_of)
    ceilings = {one.pair: one.ceiling for one in said.pairs if one.ceiling is not None}
    estimates = tiered(estimates_told(said.pairs, said.rows, field, said.method), ground, ceilings)
    diff = difference(estimates, ground, docket.adopted.cuts)
    content = _content(diff, said)
    sources = reports(rankings, said.rows, policy, as_of)
    proposal = Proposal(
        id=short("tp", identity(docket.adopted), content),
        kind=_kind(diff, docket, sources),
        base=identity(docket.adopted),
        created_at=as_of,
        expires_at=as_of + policy.tiers.method.proposal_life,
        content=content,
        inputs=inputs,
        method=said.method,
        ladder=policy.tiers.names,
        benchmark=said.benchmark,
        sources=sources,
        evidence=tuple(said.rows),
        estimates=tuple(estimates),
        unresolved=_unresolved(said.rows, names),
        diff=diff,
        warnings=_warnings(said, made, ground),
        spelled={
            f"{row.harness}/{row.model}": pair.model for pair, row in ground.adopted.items() if pair.model != row.model
        },
        version=docket.version,
    )
    proposal = evolve(proposal, agreeing=_agreeing(proposal, docket.previous))
    return _settled(proposal, docket, field, as_of)


def unchanged(
    rankings: Sequence[Rankings], docket: Docket, inventory: Inventory, policy: Policy, as_of: datetime
) -> bool:
    """Whether `propose` would only give the last proposal again; it compares digests and computes nothing.

    Args: as for `propose`.
    """
    return _same(docket, _inputs(rankings, docket, inventory, policy, as_of), as_of)


# --- what is new ----------------------------------------------------------------------------------


def _inputs(rankings: Sequence[Rankings], docket: Docket, inventory: Inventory, policy: Policy, as_of: datetime) -> str:
    """Digest of everything that counts, without times and order; of the time only which rows are too old by now."""
    method = policy.tiers.method
    rows = [
        repr((answer.source, answer.methodology, row_digest(row), _too_old(row, method, as_of)))
        for answer in rankings
        for row in answer.rows
    ]
    known = sorted(_known(one) for answer in rankings for one in answer.known)
    listed = [
        repr((pool, model.id, model.efforts, sorted(model.names)))
        for pool, one in inventory.pools.items()
        for model in one.models
    ]
    harnesses = sorted((one.name, one.pools, dict(one.aliases)) for one in policy.harnesses.values())
    over = sorted(row.key for row in docket.adopted.rows if row.expires_at is not None and row.expires_at <= as_of)
    return digest(
        sorted(rows), known, sorted(listed), harnesses, over, policy.tiers.names, plain([method]), plain(docket.aliases), docket.accepted,
        identity(docket.adopted), sorted((one.source, one.status) for one in rankings), docket.recut,
    )  # fmt: skip  # read as one list


def _too_old(row: RankingRow, method: Method, as_of: datetime) -> bool:
    return row.measured_at is not None and as_of - row.measured_at > method.max_age


def _known(one: KnownModel) -> str:
    return repr((one.id, one.aliases, one.family, one.released_at, one.changed_at))


def _same(docket: Docket, inputs: str, as_of: datetime) -> bool:
    """Whether the last look saw the same, no row it held is due by now, and it is not void."""
    before = docket.previous
    if before is None or before.inputs != inputs or before.expires_at <= as_of:
        return False
    return not any(row.use == "held" and as_of - row.seen_at >= before.method.hold for row in before.evidence)


def _again(previous: Proposal, rankings: Sequence[Rankings], docket: Docket, field: Shelf, as_of: datetime) -> Proposal:
    """The last proposal as it stands now; it agrees with itself once more where the sources were asked again."""
    sources = reports(rankings, previous.evidence, field.policy, as_of)
    asked = max((one.asked_at for one in sources), default=as_of)
    later = asked > max((one.asked_at for one in previous.sources), default=asked)
    return _settled(evolve(previous, sources=sources, agreeing=previous.agreeing + later), docket, field, as_of)


def _agreeing(proposal: Proposal, previous: Proposal | None) -> int:
    """How many refreshes in a row would change the same."""
    if previous is None or _outcome(previous.diff) != _outcome(proposal.diff):
        return 1
    return previous.agreeing + 1


def _outcome(diff: Diff) -> list[tuple[str, str | None]]:
    return sorted((str(change.pair), change.to) for change in diff.changes)


def _unresolved(rows: Sequence[Evidence], names: Names) -> tuple[Unresolved, ...]:
    waiting: dict[str, list[str]] = {}
    for row in rows:
        if row.use == "unresolved":
            waiting.setdefault(row.model_raw, []).append(row.id)
    return tuple(Unresolved("model", name, ids, names.nearest(name)) for name, ids in sorted(waiting.items()))


# --- where it is placed ---------------------------------------------------------------------------


def _ground(
    said: Weighed, rankings: Sequence[Rankings], docket: Docket, field: Shelf, as_of: datetime
) -> tuple[Ground, list[Cut]]:
    made, at = _cuts(said, docket, field.policy)
    previous = docket.previous
    ground = Ground(
        ladder=field.policy.tiers.names,
        cuts=at,
        adopted={field.adopted(row): row for row in docket.adopted.rows},
        rows={row.id: row for row in said.rows},
        answered=frozenset(one.source for one in rankings if one.status in ANSWERED),
        previous=previous,
        fresh=previous is None or _told_by(previous.evidence) != _told_by(said.rows),
        harnesses=frozenset(field.policy.harnesses),
        method=said.method,
        as_of=as_of,
    )
    return ground, made


def _told_by(rows: Sequence[Evidence]) -> set[tuple[str, str]]:
    return {(row.id, row.digest) for row in rows}


def _cuts(said: Weighed, docket: Docket, policy: Policy) -> tuple[list[Cut], tuple[float, ...]]:
    """The cuts in force; made anew where none were ever made, the ladder or the benchmark is another, or it is asked for."""
    adopted = docket.adopted
    same = adopted.benchmark == said.benchmark and adopted.ladder == policy.tiers.names
    kept = bool(adopted.cuts) and same and not docket.recut
    points = [(one.worth.mean, one.worth.stderr) for one in said.pairs if one.standing == "measured"]
    if kept or not points:
        return [], adopted.cuts
    made = strongest(cuts(points, said.method), len(policy.tiers.names) - 1)
    return made, tuple(round(cut.at, 4) for cut in made)


def _kind(diff: Diff, docket: Docket, sources: Sequence[SourceReport]) -> Kind:
    before = docket.previous
    if docket.adopted.benchmark is not None and diff.cuts_before != diff.cuts_after:
        return "recut"
    if before is not None and [one.name for one in before.sources] != [one.name for one in sources]:
        return "source-change"
    return "refresh"


def _content(diff: Diff, said: Weighed) -> str:
    """Digest of what would change and of the evidence for it, which cuts follow from."""
    renames = sorted((str(one.was), str(one.to)) for one in diff.rename)
    return digest(_outcome(diff), renames, diff.cuts_before != diff.cuts_after, sorted(_told_by(said.rows)))


def _warnings(said: Weighed, made: Sequence[Cut], ground: Ground) -> tuple[str, ...]:
    """Sentences for a person, of the whole of it."""
    ladder, classes = ground.ladder, len(made) + 1
    tiers = len(ladder)
    decisive = {cell.benchmark for cell in said.fitted.fit.cells} if said.fitted else set[str]()
    told = [
        (not tiers, "the policy names no tiers, so nothing can be placed: give [tiers] its names"),
        (not decisive, "no row may decide: each is unresolved, undated, too old, without trials, or without a harness"),
        (
            len(decisive) == 1,
            f"{said.benchmark} is the only benchmark that decides: what a pair is worth is what it is worth there",
        ),
        (bool(made) and classes < tiers, f"the evidence tells {classes} tiers apart, and the ladder has {tiers}"),
        (
            bool(decisive) and tiers > 1 and not ground.cuts,
            f"the evidence tells no two tiers apart, so whatever comes in goes into {''.join(ladder[:1])}",
        ),
    ]
    return (*(sentence for holds, sentence in told if holds), *_soft(said, made, ladder))


def _soft(said: Weighed, made: Sequence[Cut], ladder: Sequence[str]) -> Iterator[str]:
    """New cuts that rest on little."""
    for cut in made:
        if cut.gap < 1:
            yield f"the cut at {100 * share(cut.at):.1f} percent is soft: both its neighbours are within an error bar"
    measured = [one.worth.mean for one in said.pairs if one.standing == "measured"]
    sizes = Counter(sum(mean <= cut.at for cut in made) for mean in measured)
    for place, size in sorted(sizes.items()):
        if made and size == 1:
            yield f"{ladder[place]} holds one measured pair alone: its cuts are soft"


# --- for whom, and what speaks against it ---------------------------------------------------------


def _settled(proposal: Proposal, docket: Docket, field: Shelf, as_of: datetime) -> Proposal:
    """The proposal with its impact, the objections to it, and whether it was rejected before."""
    felt = _impact(proposal, docket, field, as_of)
    case = Case(
        diff=proposal.diff,
        estimates=proposal.estimates,
        rows=proposal.evidence,
        sources=proposal.sources,
        impact=felt,
        ladder=proposal.ladder,
        agreeing=proposal.agreeing,
        docket=docket,
        vetoes=field.policy.tiers.method.vetoes,
        as_of=as_of,
    )
    state = "rejected" if proposal.content in docket.rejected else proposal.state
    return evolve(proposal, impact=felt, objections=objections(case), state=state)


def _impact(proposal: Proposal, docket: Docket, field: Shelf, as_of: datetime) -> tuple[Impact, ...]:
    pending = evolve(proposal, state="pending", expires_at=as_of + proposal.method.proposal_life)
    return impact(
        docket.adopted, adopt(pending, docket.adopted, field.policy, "nobody", as_of), field, docket.seats, as_of
    )
