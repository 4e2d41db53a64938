"""From a source's row to evidence: units, standard error, name, and what keeps it from deciding, told by its first reason.

A row that may not decide stays visible with its reason. Nothing here looks at two rows together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from math import hypot, isfinite
from typing import NamedTuple

from attrs import frozen

from capacity.core.tiering.chance import MIDDLE, RATING, binomial, logit, share, slope
from capacity.core.tiering.digests import row_digest
from capacity.core.tiering.names import Meaning, Names, harness_name, newest
from capacity.values.evidence import Alias, Evidence, Pair, Use
from capacity.values.methods import Method
from capacity.values.policy import Policy
from capacity.values.rankings import RankingRow, Rankings, StderrKind

MONTH = timedelta(days=30)
VERSIONED = re.compile(r"^(.*?)[\s@-]+v?(\d+(?:\.\d+)+|\d+-\d+(?:-\d+)*)$")
"""A benchmark's name that holds its version (`Board 2.1`, `board@2.1`); one without a dot may be part of the name."""

FARTHEST = 4000.0
"""Points a rating may be from the middle: odds of ten thousand million to one."""

MOST = 10**9
"""Trials that may count; beyond it the error is nought anyway, and a figure so large is a mistake of somebody's."""

ENDS = 4.0
"""Errors in points (of a runner, and of a month) from either end of a scale at which shares stop counting for more. Nearer,
such an error is so wide in logits that the better of two scores would be worth less than the worse. Tried with 100 trials and
more, up to 170 days old: from four on, a better score is worth at least as much, to 0.02 logit."""

SCALES: Mapping[str, float] = {"percent": 100.0, "fraction": 1.0, "index": 100.0, "elo": 0.0}
"""Scale → what is all of it; a rating has no all."""


class Score(NamedTuple):
    """A score in logits and in percent, with its own standard error in both."""

    logit: float
    logit_stderr: float | None
    percent: float
    points: float | None
    kind: StderrKind
    flags: tuple[str, ...] = ()


@frozen
class Reading:
    """What rows are read with.

    Attributes:
        names: the resolver of models.
        said: what operators said, of anything.
        policy: the policy.
        as_of: the present, UTC.
    """

    names: Names
    said: Sequence[Alias]
    policy: Policy
    as_of: datetime

    @property
    def method(self) -> Method:
        """Its constants."""
        return self.policy.tiers.method


def evidence(rankings: Sequence[Rankings], reading: Reading) -> list[Evidence]:
    """Every row of every source as evidence, sorted by id.

    Args:
        rankings: one answer for each source.
        reading: what they are read with.
    """
    found = [one for answer in rankings for one in _of_source(answer, reading)]
    return sorted(found, key=lambda one: (one.id, one.digest))


def _of_source(answer: Rankings, reading: Reading) -> Iterator[Evidence]:
    slipped = _slipped_scale(answer.rows)
    benchmarks, harnesses = newest(reading.said, "benchmark"), newest(reading.said, "harness")
    seen: Counter[str] = Counter()
    for row in sorted(answer.rows, key=lambda row: (row_name(row), row_digest(row))):
        name = row_name(row)
        seen[name] += 1
        id = f"{answer.source}:{name}" + (f"#{seen[name]}" if seen[name] > 1 else "")
        benchmark = benchmark_key(row, answer.methodology)
        said = benchmarks.get(benchmark.casefold())
        harness = None if row.harness is None else harness_name(row.harness, reading.policy.harnesses, harnesses)
        told = Told(id, answer, row, benchmark if said is None else said.means, harness)
        yield _evidence(told, reading, slipped=benchmark_key(row, answer.methodology) in slipped)


class Told(NamedTuple):
    """A row and what it is called here."""

    id: str
    answer: Rankings
    row: RankingRow
    benchmark: str
    harness: str | None


def row_name(row: RankingRow) -> str:
    """What a row is known by from refresh to refresh: its id, or what it is of; never its score."""
    of = (row.benchmark, row.benchmark_version, row.dataset, row.metric, row.harness, row.model_raw, row.effort)
    return row.id or "|".join(part or "" for part in of)


def benchmark_key(row: RankingRow, methodology: str | None = None) -> str:
    """Name, version, dataset and metric, as far as told: two that differ in any of them are two benchmarks.

    Args:
        row: the row.
        methodology: the source's word for how its scores are made; it stands for a version where there is none.
    """
    name, version = row.benchmark, row.benchmark_version
    found = VERSIONED.match(name) if version is None else None
    if found is not None:
        name, version = found.group(1), found.group(2).replace("-", ".")
    parts = [name, version or methodology, row.dataset, row.metric]
    return "@".join("-".join(part.casefold().split()) for part in parts if part)


def _slipped_scale(rows: Sequence[RankingRow]) -> frozenset[str]:
    """Benchmarks whose percents are all shares: three scores of one percent and less are a slip of units."""
    scores: dict[str, list[float]] = {}
    for row in rows:
        if row.scale == "percent":
            scores.setdefault(benchmark_key(row), []).append(row.score)
    return frozenset(name for name, told in scores.items() if len(told) > 2 and 0 < max(told) <= 1)


def _evidence(told: Told, reading: Reading, *, slipped: bool) -> Evidence:
    row, score = told.row, scored(told.row, reading.method)
    meaning = reading.names.meaning(row.model_raw, row.model_key)
    effort = row.effort or meaning.effort
    paired = told.harness is not None and meaning.model is not None
    use, why = _use(told, score, meaning, reading, slipped=slipped)
    flags = {*row.flags, *((f"effort-differs-{meaning.effort}",) if meaning.effort not in (None, effort) else ())}
    if (row.failed or 0) > reading.method.flag_failed * _trials(row):
        flags.add("ungraded-trials")
    return Evidence(
        id=told.id,
        source=told.answer.source,
        benchmark=told.benchmark,
        model_raw=row.model_raw,
        harness_raw=row.harness,
        pair=Pair(told.harness or "", meaning.model or "", effort) if paired else None,
        model=meaning.model,
        effort=effort,
        step=meaning.step,
        use=use,
        why=why,
        digest=row_digest(row),
        seen_at=reading.as_of,
        score=None if score is None else score.percent,
        stderr=None if score is None else score.points,
        stderr_kind=None if score is None else score.kind,
        logit=None if score is None else score.logit,
        logit_stderr=None if score is None else score.logit_stderr,
        n=row.n,
        provenance=row.provenance,
        harness_version=row.harness_version,
        measured_at=row.measured_at,
        url=row.url,
        licence=row.licence or told.answer.licence,
        flags=tuple(flags) + (() if score is None else score.flags),
    )


# --- what a row may be used for -------------------------------------------------------------------


def _use(
    told: Told, score: Score | None, meaning: Meaning, reading: Reading, *, slipped: bool
) -> tuple[Use, str | None]:
    """The use of a row, and the first reason that it is not more."""
    row, method = told.row, reading.method
    told_by = row.measured_at
    reasons: Sequence[tuple[Use, str, Callable[[], bool]]] = (
        ("excluded", "out-of-range", lambda: score is None or slipped),
        ("excluded", "best-of-k", lambda: (row.attempts or 1) > 1),
        ("excluded", "ungraded", lambda: (row.failed or 0) > method.drop_failed * _trials(row)),
        ("excluded", "in-the-future", lambda: told_by is not None and told_by > reading.as_of),
        ("unresolved", "name", lambda: meaning.model is None),
        ("expired", "re-pointed", lambda: meaning.since is not None and (told_by is None or told_by < meaning.since)),
        ("informs", "weight", lambda: weight(told.benchmark, method) <= 0),
        ("informs", "no-harness", lambda: told.harness is None),
        ("informs", "no-trials", lambda: score is None or score.logit_stderr is None),
        ("informs", "undated", lambda: told_by is None),
        ("informs", "too-old", lambda: told_by is not None and reading.as_of - told_by > method.max_age),
    )
    return next(((use, why) for use, why, holds in reasons if holds()), ("decides", None))


def _trials(row: RankingRow) -> int:
    return min(row.n or 1, MOST)


def weight(benchmark: str, method: Method) -> float:
    """The weight of a benchmark, by its key or by its name alone."""
    name = benchmark.partition("@")[0]
    return method.weights.get(benchmark, method.weights.get(name, 1.0))


# --- its score ------------------------------------------------------------------------------------


def scored(row: RankingRow, method: Method) -> Score | None:
    """The score of a row; None where it is no figure of its scale.

    Args:
        row: the row.
        method: the floors of its standard error.
    """
    whole = SCALES.get(row.scale)
    if whole is None or not isfinite(row.score) or not (row.stderr is None or 0 < row.stderr <= (whole or FARTHEST)):
        return None
    if not whole:
        return _of_rating(row) if abs(row.score - MIDDLE) <= FARTHEST else None
    if not 0 <= row.score <= whole:
        return None
    return _of_share(row.score / whole, None if row.stderr is None else row.stderr / whole, row, method)


def _of_rating(row: RankingRow) -> Score:
    worth, stderr = (row.score - MIDDLE) * RATING, None if row.stderr is None else row.stderr * RATING
    points = None if stderr is None else 100 * stderr * slope(share(worth))
    return Score(worth, stderr, 100 * share(worth), points, row.stderr_kind or "none")


def _of_share(of: float, stderr: float | None, row: RankingRow, method: Method) -> Score:
    """A share; with n trials half a success is added to either side, so that none is at the end of the scale."""
    n = min(row.n, MOST) if row.n is not None and row.n > 0 else None
    own, kind, flags = _stderr(of, stderr, n, row, method)
    edge = min(ENDS * hypot(method.runner, method.drift) / 100, 0.45)
    corrected = (of * n + 0.5) / (n + 1) if n else min(max(of, 0.005), 0.995)
    corrected = min(max(corrected, edge), 1 - edge)
    logits = None if own is None else own / slope(corrected)
    return Score(logit(corrected), logits, 100 * of, None if own is None else 100 * own, kind, flags)


def _stderr(
    of: float, told: float | None, n: int | None, row: RankingRow, method: Method
) -> tuple[float | None, StderrKind, tuple[str, ...]]:
    """The standard error that counts, its kind, and a flag where the one told was a slip of units."""
    plain = binomial(of, n) if n else None
    if told is None or (plain is not None and told < method.stderr_slip * plain):
        slip = () if told is None else ("stderr-slip",)
        return plain, "none" if plain is None else "binomial", slip
    if row.stderr_kind == "task-sampling" and plain is not None and plain < told:
        # How far a score holds for other tasks; whoever is compared ran the same ones, where chance alone is more than enough.
        return plain, "binomial", ()
    return max(told, method.stderr_floor * (plain or 0)), row.stderr_kind or "none", ()
