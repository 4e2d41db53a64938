"""From estimates to tiers, against the adopted set: who comes in, who moves, who leaves, and who only might.

Whoever has a place keeps it without evidence to the contrary: a source that fell silent moves nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from attrs import evolve, frozen

from capacity.core.tiering.cuts import chances
from capacity.core.tiering.places import moved, placed, proven
from capacity.values.evidence import Evidence, Pair, PairEstimate
from capacity.values.methods import Method
from capacity.values.proposals import Change, Diff, Proposal, Rename
from capacity.values.tiers import TierRow


@frozen(eq=False)
class Ground:
    """What estimates are placed on.

    Attributes:
        ladder: the tiers' names, best first.
        cuts: logits, best first; fewer than the tiers.
        adopted: pair → its row in the adopted set.
        rows: id → evidence.
        answered: names of the sources that answered.
        previous: the last look; None = there was none.
        fresh: whether any evidence is new since then.
        harnesses: names of the harnesses that the policy declares.
        method: the margins.
        as_of: the present, UTC.
    """

    ladder: Sequence[str]
    cuts: Sequence[float]
    adopted: Mapping[Pair, TierRow]
    rows: Mapping[str, Evidence]
    answered: frozenset[str]
    previous: Proposal | None
    fresh: bool
    harnesses: frozenset[str]
    method: Method
    as_of: datetime

    def tier(self, place: int) -> str:
        """The name of a class."""
        return self.ladder[min(place, len(self.ladder) - 1)]

    def over(self, row: TierRow) -> bool:
        """Whether a pin or a provisional place has ended."""
        return row.expires_at is not None and row.expires_at <= self.as_of


def tiered(estimates: Sequence[PairEstimate], ground: Ground, ceilings: Mapping[Pair, Pair]) -> list[PairEstimate]:
    """The estimates with their tiers.

    Args:
        estimates: without tiers.
        ground: what they are placed on.
        ceilings: pair → the one whose tier it may not pass.
    """
    if not ground.ladder:
        return list(estimates)
    first = [_tiered(one, ground) for one in estimates]
    tiers = {one.pair: one.tier for one in first} | {pair: row.tier for pair, row in ground.adopted.items()}
    return [_capped(one, tiers.get(ceilings[one.pair]), ground) if one.pair in ceilings else one for one in first]


def _tiered(one: PairEstimate, ground: Ground) -> PairEstimate:
    if one.standing == "unranked":
        return one
    sure = proven(one.theta, one.stderr, ground.cuts, ground.method.certainty)
    place, lean, leant = _placed(one, sure, ground)
    return evolve(
        one,
        tier=ground.tier(place),
        proven=ground.tier(sure),
        chances=chances(one.theta, one.stderr, ground.cuts),
        leans=None if lean is None else ground.tier(lean),
        leant=leant,
    )


def _placed(one: PairEstimate, sure: int, ground: Ground) -> tuple[int, int | None, int]:
    """The class, the one it leans to, and for how long it has."""
    row = ground.adopted.get(one.pair)
    if row is None or row.tier not in ground.ladder or ground.over(row):
        return sure, None, 0
    now = ground.ladder.index(row.tier)
    if row.standing == "pinned" or (one.standing != "measured" and row.standing != one.standing):
        return now, None, 0
    if row.standing == "provisional" and one.standing == "measured":
        return sure, None, 0
    wanted = moved(one.theta, one.stderr, now, ground.cuts, ground.method.confirm_z)
    leant = _leant(one, ground.tier(wanted), ground) if wanted != now else 0
    place, lean = placed(one.theta, one.stderr, now, ground.cuts, ground.method, leant)
    if place > now and leant < ground.method.confirmations and _lost(row, ground):
        place, lean = now, wanted
    return place, lean, leant if lean is not None else 0


def _leant(one: PairEstimate, wanted: str, ground: Ground) -> int:
    """For how many refreshes with new evidence in a row it leans there, this one included."""
    estimates = () if ground.previous is None else ground.previous.estimates
    before = next((other for other in estimates if other.pair == one.pair), None)
    if before is None or before.leans != wanted:
        return 1
    return before.leant + ground.fresh


def _lost(row: TierRow, ground: Ground) -> bool:
    """Whether a row it rests on decides no more: going down for that has to be confirmed."""
    return any(id not in ground.rows or ground.rows[id].use not in ("decides", "held") for id in row.evidence)


def _capped(one: PairEstimate, tier: str | None, ground: Ground) -> PairEstimate:
    """A place by family: the predecessor's, and proven no better."""
    if tier is None or tier not in ground.ladder or one.standing != "provisional":
        return one
    worst = max(ground.ladder.index(tier), ground.ladder.index(one.proven or tier))
    return evolve(one, tier=tier, proven=ground.ladder[worst])


# --- against the adopted set ----------------------------------------------------------------------


def difference(estimates: Sequence[PairEstimate], ground: Ground, before: Sequence[float]) -> Diff:
    """What would change.

    Args:
        estimates: with tiers.
        ground: what they were placed on.
        before: the cuts of the adopted set.
    """
    renames = _renames(estimates, ground)
    renamed = {one.to for one in renames}
    found = {one.pair: one for one in estimates if one.tier is not None}
    add = [_change(one, None, "new") for one in found.values() if _comes_in(one, ground) and one.pair not in renamed]
    known = {pair: row for pair, row in ground.adopted.items() if pair not in {one.was for one in renames}}
    lines = [
        _line(pair, row, found.get(pair), ground, recut=tuple(before) != tuple(ground.cuts))
        for pair, row in known.items()
    ]
    changes = [line for line in lines if line is not None]
    moves = [change for change in changes if change.to is not None]
    unsure = [change for change in (*add, *moves) if _unsure(found[change.pair], ground)]
    return Diff(
        add=_sorted(add),
        move=_sorted(moves),
        remove=_sorted([change for change in changes if change.to is None]),
        rename=tuple(renames),
        borderline=_sorted([evolve(change, why="borderline") for change in unsure]),
        quarantine=[row.id for row in ground.rows.values() if row.use == "quarantined"],
        keep=len(ground.adopted) - len(changes) - len(renames),
        cuts_before=tuple(before),
        cuts_after=tuple(ground.cuts),
    )


def _sorted(changes: Sequence[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda change: change.pair.key))


def _change(one: PairEstimate, was: str | None, why: str) -> Change:
    return Change(one.pair, was, one.tier, why)


def _comes_in(one: PairEstimate, ground: Ground) -> bool:
    """A newcomer is proposed where the policy has its harness; what nobody measured only where it could run."""
    if one.pair in ground.adopted or one.pair.harness not in ground.harnesses:
        return False
    return one.standing == "measured" or one.available


def _unsure(one: PairEstimate, ground: Ground) -> bool:
    place = ground.ladder.index(one.tier) if one.tier in ground.ladder else 0
    return place < len(one.chances) and one.chances[place] < ground.method.certainty


def _line(pair: Pair, row: TierRow, one: PairEstimate | None, ground: Ground, *, recut: bool) -> Change | None:
    """What becomes of one adopted pair; None = it stays where it is."""
    ended = ground.over(row)
    if one is None or (ended and one.standing != "measured"):
        return _leaves(pair, row, ground, ended=ended)
    if one.tier == row.tier:
        return None if not _gone_stale(row, ground) else Change(pair, row.tier, None, "expired")
    names = list(ground.ladder)
    better = row.tier not in names or names.index(one.tier or "") < names.index(row.tier)
    why = "pin-ended" if ended and row.standing == "pinned" else "recut" if recut else "better" if better else "worse"
    return _change(one, row.tier, why)


def _leaves(pair: Pair, row: TierRow, ground: Ground, *, ended: bool) -> Change | None:
    if ended:
        return Change(pair, row.tier, None, "pin-ended" if row.standing == "pinned" else "expired")
    if row.standing == "pinned" or not row.evidence:
        return None
    if _gone_stale(row, ground):
        return Change(pair, row.tier, None, "expired")
    return Change(pair, row.tier, None, "withdrawn") if _withdrawn(row, ground) else None


def _gone_stale(row: TierRow, ground: Ground) -> bool:
    """Whether all it rests on was measured on something that goes by the name no more."""
    return bool(row.evidence) and all(id in ground.rows and ground.rows[id].use == "expired" for id in row.evidence)


def _withdrawn(row: TierRow, ground: Ground) -> bool:
    """Whether all it rests on is gone from sources that answer, and was at the last look already."""
    seen = {one.id for one in ground.previous.evidence} if ground.previous is not None else set(row.evidence)
    silent = any(id.partition(":")[0] not in ground.answered for id in row.evidence)
    return not silent and not any(id in ground.rows or id in seen for id in row.evidence)


def _renames(estimates: Sequence[PairEstimate], ground: Ground) -> list[Rename]:
    """Adopted pairs without an estimate whose evidence is now that of another pair of the same harness and effort."""
    known = {one.pair for one in estimates}
    found = []
    for pair, row in ground.adopted.items():
        heirs = [
            one.pair
            for one in estimates
            if row.evidence and set(row.evidence) <= set(one.evidence) and one.pair not in ground.adopted
            if (one.pair.harness, one.pair.effort) == (pair.harness, pair.effort)
        ]
        if pair not in known and len(heirs) == 1:
            found.append(Rename(pair, heirs[0]))
    return sorted(found, key=lambda one: one.was.key)
