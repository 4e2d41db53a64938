"""Tiers: operator-named ranks of competence, and the rows adopted into them.

Cost is another attribute and never ranks. Rows are adopted by a person or by a rule the person set; none is shipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.methods import Method, TierSourcePolicy

Adoption = Literal["offer", "auto"]
Standing = Literal["measured", "borrowed", "provisional", "unranked", "pinned", "operator"]


@frozen
class TierRow:
    """One adopted place on the ladder.

    Attributes:
        tier: the tier's name.
        harness: the harness the competence was shown in.
        model: any name the model answers to.
        effort: the effort word it was shown with; None = the harness sets none.
        source: where the evidence came from.
        adopted_at: when it was adopted, UTC.
        adopted_by: who adopted it.
        standing: what the place rests on: rows of this very pair (`measured`), its model and its harness met elsewhere
            (`borrowed`), its predecessor (`provisional`), a person's word against the evidence (`pinned`) or without
            any (`operator`).
        proven: the best tier it reaches with the certainty the policy asks; a floor looks at this one. None = `tier`.
        expires_at: when a pin or a provisional place ends, UTC; None = it does not.
        evidence: ids of the evidence it rests on, sorted.
        measured_at: when the newest of it was measured, UTC; None = not told.
        score: percent at the benchmark of reference; None = not estimated.
        stderr: its standard error, points; None = not estimated.
        reason: a person's reason for a pin; None = none given.
    """

    tier: str
    harness: str
    model: str
    effort: str | None = None
    source: str = "operator"
    adopted_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    adopted_by: str = "operator"
    standing: Standing = "operator"
    proven: str | None = None
    expires_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    evidence: tuple[str, ...] = field(default=(), converter=_check.ordered)
    measured_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    score: float | None = None
    stderr: float | None = None
    reason: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies it: (harness, model, effort)."""
        return self.harness, self.model.casefold(), self.effort or ""


def _by_key(rows: Iterable[TierRow]) -> tuple[TierRow, ...]:
    """Rows in the order of their keys."""
    return tuple(sorted(rows, key=lambda row: (row.key, row.tier)))


@frozen
class TierSet:
    """An adopted set: the rows of the adopted file, and where they come from. Sets form a chain by `parent`.

    Attributes:
        rows: sorted by (harness, model, effort).
        id: `ts-` and the beginning of a digest of ladder, rows, cuts and parent; `""` = written by hand.
        ladder: the tiers' names its cuts are between, best first.
        cuts: where one tier ends and the next begins, logits, best first; one less than the tiers; `()` = never cut.
        benchmark: key of the benchmark its scores are told at; None = none.
        evidence: content digest of the proposal it was adopted from; None = none.
        adopted_at: when, UTC; None = not told.
        adopted_by: who.
        stale_at: when it is to be called stale, UTC; None = never. It stays in force.
        parent: id of the set before; None = the first.
    """

    rows: tuple[TierRow, ...] = field(default=(), converter=_by_key)
    id: str = ""
    ladder: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()
    benchmark: str | None = None
    evidence: str | None = None
    adopted_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    adopted_by: str = "operator"
    stale_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    parent: str | None = None


@frozen
class Tiers:
    """The ladder, what was adopted into it, and what the policy says of proposals.

    Attributes:
        names: tier names, best first; their order has meaning.
        rows: the adopted set, sorted by (harness, model, effort).
        adoption: `offer` proposes and waits for a person; `auto` adopts behind every veto.
        file: the file the adopted set was read from, as the policy names it; None = no set adopted.
        method: how scores become tiers.
        sources: name → where scores come from.
        stale_at: when the adopted set is to be called stale, UTC; None = never.
    """

    names: tuple[str, ...] = ()
    rows: tuple[TierRow, ...] = field(default=(), converter=_by_key)
    adoption: Adoption = "offer"
    file: str | None = None
    method: Method = field(factory=Method)
    sources: Mapping[str, TierSourcePolicy] = field(factory=dict, converter=_check.by_key)
    stale_at: datetime | None = field(default=None, converter=_check.utc_or_none)

    def in_force(self, as_of: datetime) -> tuple[TierRow, ...]:
        """The rows whose place has not ended at an instant."""
        return tuple(row for row in self.rows if row.expires_at is None or row.expires_at > as_of)
