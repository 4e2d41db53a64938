"""Rankings: what a tier source measured. Evidence for proposals; a decision never looks at them.

A source tells rows as it has them, and says of the rest why it left them out. Nothing here is a judgement.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Literal

from attrs import field, frozen

from capacity.values import _check

SourceStatus = Literal[
    "fresh", "cached", "dormant", "unconfigured", "unauthorised", "forbidden-tier", "rate-limited", "unreachable",
    "invalid", "empty",
]  # fmt: skip  # one closed list, read as rows
StderrKind = Literal["binomial", "within-task", "between-runs", "task-sampling", "interval", "none"]
Provenance = Literal["benchmark-owner", "third-party", "submitter", "model-vendor"]
CostKind = Literal["per-task", "per-trial", "run-total", "list-price"]

ANSWERED: tuple[SourceStatus, ...] = ("fresh", "cached", "dormant")
"""The states in which a source's rows may be used without a warning; in every other one it did not answer."""


@frozen
class RankingRow:
    """One measured score, as its source gave it.

    Attributes:
        harness: the harness it was measured in, as the source calls it; None = not told.
        model_raw: the model string of the source.
        benchmark: the benchmark's name.
        score: the figure, in `scale`.
        scale: the unit of the score (`percent`, `fraction`, `elo`, `index`).
        harness_version: its version; None = not told.
        model_key: the model the source itself names by an id that does not change; None = it has none.
        effort: the effort word; None = not told, and never filled in.
        benchmark_version: its version; None = not told.
        n: how many trials it rests on; None = not told.
        stderr: standard error in `scale`; None = not told.
        stderr_kind: how it was made; None = not told.
        runner: who ran it, by name; None = not told.
        measured_at: when, UTC; None = not told.
        url: where it can be looked up; None = nowhere.
        licence: of the figure; None = not told.
        flags: words a reader must know, sorted.
        id: what the source knows the row by, stable from fetch to fetch; None = it has no such thing.
        metric: what was counted; None = not told.
        dataset: which part of the benchmark; None = all, or not told.
        n_tasks: how many tasks the trials were of; None = not told.
        attempts: attempts a task that count as one success; more than 1 is another quantity; None = not told.
        failed: trials without a grade: failed, disqualified, or with no result; None = not told.
        provenance: who stands behind it; None = not told.
        cost_usd: what it cost, in dollars; None = not told. Nought is never a price: it is None.
        cost_kind: what that is the cost of; None = not told.
    """

    harness: str | None
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
    stderr_kind: StderrKind | None = None
    runner: str | None = None
    measured_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    url: str | None = None
    licence: str | None = None
    flags: tuple[str, ...] = field(default=(), converter=_check.ordered)
    id: str | None = None
    metric: str | None = None
    dataset: str | None = None
    n_tasks: int | None = None
    attempts: int | None = None
    failed: int | None = None
    provenance: Provenance | None = None
    cost_usd: Decimal | None = None
    cost_kind: CostKind | None = None


@frozen
class Excluded:
    """A row that a source told and that is no evidence.

    Attributes:
        row: what the source knows it by, or its place in the answer.
        why: a word: `multi-model`, `best-of-k`, `hidden`, `no-model`, `no-score`, `out-of-range`, `ungraded`, …
        detail: one sentence for a person; None = the word says it all.
    """

    row: str
    why: str
    detail: str | None = None


@frozen
class KnownModel:
    """A model as a catalogue knows it. Names only: no price, no size, nothing that could rank.

    Attributes:
        id: the catalogue's id.
        aliases: other names the catalogue itself says mean it, sorted.
        family: the line it belongs to; None = not told.
        released_at: when it came out, UTC; None = not told.
        changed_at: when what stands behind the id was last changed, UTC; None = never, or not told.
        successor: id the catalogue suggests instead; a suggestion, never followed; None = none.
    """

    id: str
    aliases: tuple[str, ...] = field(default=(), converter=_check.ordered)
    family: str | None = None
    released_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    changed_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    successor: str | None = None


def _by_id(known: Iterable[KnownModel]) -> tuple[KnownModel, ...]:
    """Catalogue models in the order of their ids."""
    return tuple(sorted(known, key=lambda one: one.id))


@frozen
class Rankings:
    """What one tier source knows.

    Where the last answer was no good, rows, models, `as_of`, `fetched_at`, `digest` and `parser` are those of the last
    good one, and status, `asked_at`, missing, retry and detail tell of the last answer.

    Attributes:
        source: its name.
        status: how the last question was answered.
        as_of: when the figures were true, as the source says, else when they were fetched, UTC.
        rows: the scores.
        detail: one sentence on what is wrong or missing; None = nothing.
        missing: keys and files it needs and has not, sorted.
        retry_at: when it may be asked again, UTC; None = as its budget says.
        fetched_at: when the rows were fetched, UTC; None = as `as_of`.
        asked_at: when it was last asked, UTC; None = when the rows were fetched.
        excluded: what it told that is no evidence, and why.
        told: how many rows it told, the excluded ones included; None = not counted.
        failed: how many of them could not be read.
        known: the models its catalogue has, sorted by id.
        methodology: the source's own word for how its scores are made (an index version, a window); None = none.
        parser: version of what read it.
        digest: sha-256 of the payload, hexadecimal; None = there was none.
        licence: of its figures; None = not told.
        attribution: the sentence its licence asks for; None = none.
    """

    source: str
    status: SourceStatus
    as_of: datetime = field(converter=_check.utc)
    rows: tuple[RankingRow, ...] = ()
    detail: str | None = None
    missing: tuple[str, ...] = field(default=(), converter=_check.ordered)
    retry_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    fetched_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    asked_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    excluded: tuple[Excluded, ...] = ()
    told: int | None = None
    failed: int = 0
    known: tuple[KnownModel, ...] = field(default=(), converter=_by_id)
    methodology: str | None = None
    parser: str = "1"
    digest: str | None = None
    licence: str | None = None
    attribution: str | None = None
