"""Tiers: operator-named ranks of competence, and the rows adopted into them.

Cost is another attribute and never ranks. Rows are adopted by a person or by a rule the person set; none is shipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from attrs import field, frozen

from capacity.values import _check

Adoption = Literal["offer", "auto"]


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
    """

    tier: str
    harness: str
    model: str
    effort: str | None = None
    source: str = "operator"
    adopted_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    adopted_by: str = "operator"

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies it: (harness, model, effort)."""
        return self.harness, self.model.casefold(), self.effort or ""


def _by_key(rows: Iterable[TierRow]) -> tuple[TierRow, ...]:
    """Rows in the order of their keys."""
    return tuple(sorted(rows, key=lambda row: (row.key, row.tier)))


@frozen
class Tiers:
    """The ladder and what was adopted into it.

    Attributes:
        names: tier names, best first; their order has meaning.
        rows: the adopted set, sorted by (harness, model, effort).
        adoption: `offer` proposes and waits for a person; `auto` adopts behind every veto.
        file: the file the adopted set was read from, as the policy names it; None = no set adopted.
    """

    names: tuple[str, ...] = ()
    rows: tuple[TierRow, ...] = field(default=(), converter=_by_key)
    adoption: Adoption = "offer"
    file: str | None = None


@frozen
class RankingRow:
    """One measured score, as its source gave it.

    Attributes:
        harness: the harness it was measured in.
        harness_version: its version; None = not told.
        model_raw: the model string of the source.
        model_key: the name it resolves to; None = unresolved.
        effort: the effort word; None = not told.
        benchmark: the benchmark's name.
        benchmark_version: its version; None = not told.
        score: the figure, in `scale`.
        scale: the unit of the score (`percent`, `fraction`, `elo`).
        n: how many tasks it rests on; None = not told.
        stderr: standard error in `scale`; None = not told.
        stderr_kind: how it was made; None = not told.
        runner: who ran it (`source`, `vendor`, `third-party`); None = not told.
        measured_at: when, UTC; None = not told.
        url: where it can be looked up; None = nowhere.
        licence: of the figure; None = not told.
        flags: words a reader must know, sorted.
    """

    harness: str
    model_raw: str
    benchmark: str
    score: float
    scale: str
    harness_version: str | None = None
    model_key: str | None = None
    effort: str | None = None
    benchmark_version: str | None = None
    n: int | None = None
    stderr: float | None = None
    stderr_kind: str | None = None
    runner: str | None = None
    measured_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    url: str | None = None
    licence: str | None = None
    flags: tuple[str, ...] = field(default=(), converter=_check.ordered)


@frozen
class Rankings:
    """What one tier source knows.

    Attributes:
        source: its name.
        status: `fresh`, `cached`, `unconfigured`, `invalid`, … in the source's closed list.
        as_of: when the figures were true, UTC.
        rows: the scores.
        detail: one sentence on what is missing; None = nothing.
    """

    source: str
    status: str
    as_of: datetime = field(converter=_check.utc)
    rows: tuple[RankingRow, ...] = ()
    detail: str | None = None
