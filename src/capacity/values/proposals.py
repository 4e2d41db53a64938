"""Proposals: what the evidence would change in the adopted set, for whom, and what became of that.

A proposal is content-hashed: the same evidence against the same adopted set has the same id, whenever it is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.evidence import Alias, Evidence, Pair, PairEstimate, Unresolved
from capacity.values.methods import Method
from capacity.values.rankings import SourceStatus
from capacity.values.seats import Seat
from capacity.values.tiers import TierSet

Kind = Literal["refresh", "recut", "source-change", "manual"]
State = Literal["pending", "adopted", "rejected", "expired", "superseded", "withdrawn"]
Action = Literal["adopt", "adopt-part", "reject", "defer", "pin", "rollback"]
Veto = Literal[
    "nothing-to-adopt", "source-not-fresh", "quarantine", "too-far", "too-many-moves", "cuts-changed",
    "below-floor", "no-alternative", "thin-evidence", "uncertain-addition", "provisional", "not-available",
    "not-confirmed", "too-soon", "removal",
]  # fmt: skip  # one closed list, read as rows


@frozen
class SourceReport:
    """What one source contributed to a proposal.

    Attributes:
        name: its name in the policy.
        status: how it stands, `dormant` where its newest row is too old.
        required: whether a refresh without it has failed.
        as_of: when its figures were true, UTC.
        fetched_at: when its rows were fetched, UTC.
        asked_at: when it was last asked, UTC.
        newest_at: when its newest row was measured, UTC; None = it dates none.
        told: rows it told.
        used: rows that decide or inform.
        excluded: rows left out, here or by the source.
        failed: rows nobody could read.
        missing: keys and files it needs and has not, sorted.
        retry_at: when it may be asked again, UTC; None = as its budget says.
        detail: one sentence on what is wrong; None = nothing.
        parser: version of what read it.
        digest: of its payload; None = there was none.
        licence: of its figures; None = not told.
        attribution: the sentence its licence asks for; None = none.
    """

    name: str
    status: SourceStatus
    required: bool
    as_of: datetime = field(converter=_check.utc)
    fetched_at: datetime = field(converter=_check.utc)
    asked_at: datetime = field(converter=_check.utc)
    newest_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    told: int = 0
    used: int = 0
    excluded: int = 0
    failed: int = 0
    missing: tuple[str, ...] = field(default=(), converter=_check.ordered)
    retry_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    detail: str | None = None
    parser: str = "1"
    digest: str | None = None
    licence: str | None = None
    attribution: str | None = None


@frozen
class Change:
    """One line of a diff.

    Attributes:
        pair: which.
        was: its tier in the adopted set; None = it has none.
        to: the tier proposed; None = it leaves.
        why: a word: `new`, `better`, `worse`, `recut`, `expired`, `pin-ended`, `borderline`, `no-evidence`, …
    """

    pair: Pair
    was: str | None
    to: str | None
    why: str


@frozen
class Rename:
    """A pair that is known by another name and has the same evidence.

    Attributes:
        was: as the adopted set has it.
        to: as it is known now.
    """

    was: Pair
    to: Pair


@frozen
class Diff:
    """What a proposal would change.

    Attributes:
        add: pairs that would come in.
        move: pairs that would change their tier.
        remove: pairs that would leave.
        rename: pairs with another name.
        borderline: pairs whose tier is less certain than the policy asks; those added are placed in the lower tier.
        quarantine: ids of rows kept out, sorted.
        keep: how many adopted pairs stay where they are.
        cuts_before: logits, best first.
        cuts_after: likewise.
    """

    add: tuple[Change, ...] = ()
    move: tuple[Change, ...] = ()
    remove: tuple[Change, ...] = ()
    rename: tuple[Rename, ...] = ()
    borderline: tuple[Change, ...] = ()
    quarantine: tuple[str, ...] = field(default=(), converter=_check.ordered)
    keep: int = 0
    cuts_before: tuple[float, ...] = ()
    cuts_after: tuple[float, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """Everything that would come in, move or leave."""
        return (*self.add, *self.move, *self.remove)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What may be adopted by itself: every pair that changes, and the new names."""
        return (*(one.pair for one in self.changes), *(one.to for one in self.rename))

    @property
    def empty(self) -> bool:
        """Whether nothing at all would change."""
        return not (self.changes or self.rename or self.cuts_before != self.cuts_after)


@frozen
class Impact:
    """What a proposal would change for one seat.

    Attributes:
        seat: `fleet/name`.
        entering: pairs it may run on that it may not today, sorted.
        leaving: pairs it may run on today and may not then, sorted.
        alternatives_before: how many available pairs may replace the one it runs on, today.
        alternatives: how many then.
        below_floor: whether what it runs on would then not reach its floor.
        below_floor_before: whether it does not today.
    """

    seat: str
    entering: tuple[str, ...] = field(default=(), converter=_check.ordered)
    leaving: tuple[str, ...] = field(default=(), converter=_check.ordered)
    alternatives_before: int = 0
    alternatives: int = 0
    below_floor: bool = False
    below_floor_before: bool = False

    @property
    def key(self) -> str:
        """Its seat."""
        return self.seat


@frozen
class Objection:
    """A rule that keeps a proposal from being adopted without a person.

    Attributes:
        veto: which rule.
        subject: the pair, seat, source or figure it is about.
    """

    veto: Veto
    subject: str = ""


@frozen
class Ruling:
    """What somebody, or the policy's own rule, did about a proposal or an adopted set.

    Attributes:
        action: what was done.
        by: who.
        at: when, UTC.
        reason: one sentence; None = none given.
        pairs: the part that was adopted, or what was pinned; `()` = all of it.
        was: id of the adopted set before.
        now: id of the adopted set after.
    """

    action: Action
    by: str
    at: datetime = field(converter=_check.utc)
    reason: str | None = None
    pairs: tuple[Pair, ...] = ()
    was: str | None = None
    now: str | None = None


@frozen
class Proposal:
    """What the evidence would change in the adopted set.

    Attributes:
        id: `tp-` and the beginning of a digest of base and content.
        kind: why it was made.
        base: id of the adopted set it is against; `""` = one written by hand, or none.
        created_at: when, UTC.
        expires_at: when it is void, UTC.
        content: digest of pairs, tiers and evidence, without times and order; a rejected one is not proposed again.
        inputs: digest of everything that went in, without times and order; equal inputs need no second look.
        method: the constants it was made by, spreads fitted to the rows included.
        ladder: the tiers' names, best first.
        benchmark: key of the benchmark that scores are told at; None = there is no row at all.
        sources: what each source contributed, by name.
        evidence: the rows, by id.
        estimates: what they say, best first.
        unresolved: the names that wait for an answer.
        diff: what it would change.
        impact: for whom, by seat; only those it would change anything for, or who are in want.
        warnings: sentences for a person.
        objections: what speaks against adopting it without a person; `()` = nothing.
        state: what became of it.
        ruling: by whom; None = nobody yet.
        agreeing: how many refreshes in a row, with evidence that differs, proposed the same changes; 1 and up.
        spelled: `harness/model` as the adopted set has it → the id that model goes by, where they differ.
        version: of `capacity`, as the host told it; None = not told.
    """

    id: str
    kind: Kind
    base: str
    created_at: datetime = field(converter=_check.utc)
    expires_at: datetime = field(converter=_check.utc)
    content: str
    inputs: str
    method: Method
    ladder: tuple[str, ...]
    benchmark: str | None = None
    sources: tuple[SourceReport, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    estimates: tuple[PairEstimate, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    diff: Diff = field(factory=Diff)
    impact: tuple[Impact, ...] = ()
    warnings: tuple[str, ...] = ()
    objections: tuple[Objection, ...] = ()
    state: State = "pending"
    ruling: Ruling | None = None
    agreeing: int = 1
    spelled: Mapping[str, str] = field(factory=dict, converter=_check.by_key)
    version: str | None = None


@frozen
class Docket:
    """What is known of earlier proposals and answers: everything `propose` takes into account beside the evidence.

    Attributes:
        adopted: the adopted set in force.
        aliases: what operators said names mean; the newest answer to a name counts.
        previous: the newest proposal that was computed, whatever became of it; None = there was none.
        accepted: digests of quarantined or held rows that an operator let in.
        rejected: content digests of rejected proposals.
        seats: the seats to tell the impact for.
        version: of `capacity`; None = not told.
        recut: whether the cuts between tiers are to be made anew.
    """

    adopted: TierSet = field(factory=TierSet)
    aliases: tuple[Alias, ...] = ()
    previous: Proposal | None = None
    accepted: tuple[str, ...] = field(default=(), converter=_check.ordered)
    rejected: tuple[str, ...] = field(default=(), converter=_check.ordered)
    seats: tuple[Seat, ...] = ()
    version: str | None = None
    recut: bool = False
