"""Evidence: a row as it counts, the pair it speaks of, and what the rows together say of each pair."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.rankings import Provenance, StderrKind
from capacity.values.tiers import Standing

Step = Literal["operator", "inventory", "catalogue", "alias", "signature", "unresolved"]
Use = Literal["decides", "informs", "held", "quarantined", "expired", "excluded", "unresolved"]
Named = Literal["model", "harness", "benchmark"]


@frozen(cache_hash=True)
class Pair:
    """What is ranked: a model at an effort, in a harness.

    Attributes:
        harness: the harness, by the policy's name where it has one for it.
        model: id in the inventory, else in a catalogue.
        effort: the effort word; None = not told, a level of its own.
    """

    harness: str
    model: str
    effort: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """(harness, model, effort), as an adopted row has it."""
        return self.harness, self.model.casefold(), self.effort or ""

    def __str__(self) -> str:
        """`harness/model@effort`, as commands take it."""
        return f"{self.harness}/{self.model}" + (f"@{self.effort}" if self.effort else "")


@frozen
class Alias:
    """What somebody says a name means.

    Attributes:
        named: what it is a name of.
        name: as sources write it.
        means: a model's id, a harness of the policy, or a benchmark's key.
        by: who says so.
        at: when, UTC.
        since: from when on it means that, UTC; None = always. Rows measured before are expired, undated ones too.
    """

    named: Named
    name: str
    means: str
    by: str
    at: datetime = field(converter=_check.utc)
    since: datetime | None = field(default=None, converter=_check.utc_or_none)


@frozen
class Evidence:
    """One row as it counts.

    Attributes:
        id: `<source>:<row>`.
        source: the source's name in the policy.
        benchmark: key of the benchmark: name, version, dataset and metric, joined by `@`.
        model_raw: the model as the source writes it.
        harness_raw: the harness as the source writes it; None = not told.
        pair: what it is evidence of; None = unresolved, or no harness told.
        model: the resolved model; None = unresolved.
        effort: the effort word; None = not told.
        step: which step of the resolver found the model.
        use: what it is used for.
        why: word for what keeps it from deciding; None = nothing does.
        score: percent, as told; of a rating, chances against one of 1000.
        stderr: points, its own, mended where it was too small; None = it has none.
        stderr_kind: how that was made.
        logit: the score in logits, as it counts: what it said before where it is held.
        logit_stderr: its own standard error, logits; None = it has none.
        n: trials; None = not told.
        provenance: who stands behind it.
        harness_version: of the harness; None = not told.
        measured_at: when, UTC; None = not told.
        url: where it can be looked up; None = nowhere.
        licence: of the figure; None = not told.
        flags: words a reader must know, sorted.
        residual: standard errors between it and what all others predict; None = not compared.
        predicted: percent that all others predict; None = not compared.
        digest: of what it says, times left out.
        seen_at: when it was first seen to say that, UTC.
    """

    id: str
    source: str
    benchmark: str
    model_raw: str
    harness_raw: str | None
    pair: Pair | None
    model: str | None
    effort: str | None
    step: Step
    use: Use
    digest: str
    seen_at: datetime = field(converter=_check.utc)
    why: str | None = None
    score: float | None = None
    stderr: float | None = None
    stderr_kind: StderrKind | None = None
    n: int | None = None
    logit: float | None = None
    logit_stderr: float | None = None
    provenance: Provenance | None = None
    harness_version: str | None = None
    measured_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    url: str | None = None
    licence: str | None = None
    flags: tuple[str, ...] = field(default=(), converter=_check.ordered)
    residual: float | None = None
    predicted: float | None = None


@frozen
class PairEstimate:
    """What the rows together say of one pair.

    Attributes:
        pair: which.
        theta: its worth, logits; 0 is the middle of all models.
        stderr: of `theta`, logits.
        score: percent at the benchmark of reference.
        low: lower end of the 95 percent interval of `score`.
        high: upper end.
        standing: what it rests on.
        tier: where it would be placed; None = nowhere.
        proven: the best tier reached with the policy's certainty; None = none.
        chances: probability of each tier, best first.
        letters: it differs from every pair it shares no letter with; `""` = not compared.
        benchmarks: how many have a row that counts.
        rows: how many rows count.
        measured_at: when the newest of them was measured, UTC; None = not told.
        component: pairs of one number are compared through shared models or harnesses, others only through the prior.
        evidence: ids of the rows, sorted.
        alternatives: usable pairs that may replace it, sorted; `str(pair)` of each.
        leans: the tier that the weaker margin of confirmed moves speaks for, where that is not its own; None = none.
        leant: for how many refreshes with new evidence in a row it has.
        available: whether some pool lists the model and a declared harness may run it.
        flags: words a reader must know, sorted.
    """

    pair: Pair
    theta: float
    stderr: float
    score: float
    low: float
    high: float
    standing: Standing
    tier: str | None = None
    proven: str | None = None
    chances: tuple[float, ...] = ()
    letters: str = ""
    benchmarks: int = 0
    rows: int = 0
    measured_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    component: int = 0
    evidence: tuple[str, ...] = field(default=(), converter=_check.ordered)
    alternatives: tuple[str, ...] = field(default=(), converter=_check.ordered)
    leans: str | None = None
    leant: int = 0
    available: bool = False
    flags: tuple[str, ...] = field(default=(), converter=_check.ordered)


@frozen
class Unresolved:
    """A name that nobody could resolve.

    Attributes:
        named: what it is a name of.
        name: as the sources write it.
        rows: ids of the rows that wait for an answer, sorted.
        candidates: what it might mean, for a person to choose from, sorted; never taken by itself.
    """

    named: Named
    name: str
    rows: tuple[str, ...] = field(default=(), converter=_check.ordered)
    candidates: tuple[str, ...] = field(default=(), converter=_check.ordered)
