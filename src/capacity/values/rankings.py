"""Rankings: what a tier source measured. Evidence for proposals; a decision never looks at them."""

from __future__ import annotations

from datetime import datetime

from attrs import field, frozen

from capacity.values import _check


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
