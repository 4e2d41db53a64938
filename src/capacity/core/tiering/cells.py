"""Cells: everything that is known of one model at one effort, in one harness, at one benchmark, as one figure.

A row's error has three parts: its own; what time adds to it; and what the same run by somebody else would differ by, which
is the largest of what runners, the fit, and the trust in who stands behind it say, for all three are that same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from attrs import frozen

from capacity.core.tiering.chance import share, slope
from capacity.core.tiering.rows import MONTH, weight
from capacity.values.evidence import Evidence
from capacity.values.methods import Method

Subject = tuple[str, str]
"""A model and its effort, `""` where none is told."""

LEAST = 1e-6
"""No figure is surer than a thousandth of a logit, whatever a policy says of spreads."""

MAJOR = re.compile(r"\d+")


@frozen
class Cell:
    """One figure.

    Attributes:
        subject: the model and its effort.
        harness: the harness; None = not told.
        benchmark: the benchmark's key.
        logit: the figure.
        variance: of it, the spread of the fit left out.
        extra: the part of `variance` that such a spread of the fit replaces where it is larger.
        ids: of the rows it is made of, sorted.
    """

    subject: Subject
    harness: str | None
    benchmark: str
    logit: float
    variance: float
    extra: float
    ids: tuple[str, ...]

    def noise(self, method: Method) -> float:
        """Its variance with the spread of the fit."""
        return self.variance + max(0.0, method.tau_error**2 - self.extra)


class Figure(NamedTuple):
    """What one row says: logit, variance, the part of it that is not the row's own, and its share of a mean.

    A share goes by the variance in points: in logits it would hang on the score, and lean to the lower of two.
    """

    logit: float
    variance: float
    extra: float
    share: float
    id: str


def cells(rows: Iterable[Evidence], method: Method, as_of: datetime) -> list[Cell]:
    """Rows as cells, sorted; rows of one thing are one cell.

    Args:
        rows: with a model and a score.
        method: spreads, drift and weights.
        as_of: the present, UTC.
    """
    rows = list(rows)
    majors = _majors(rows)
    places: dict[tuple[Subject, str | None, str], list[Figure]] = {}
    for row in rows:
        if row.model is not None and row.logit is not None:
            harness = None if row.pair is None else row.pair.harness
            place = (row.model, row.effort or ""), harness, row.benchmark
            places.setdefault(place, []).append(_figure(row, row.logit, majors, method, as_of))
    order = sorted(places, key=lambda place: (place[0], place[1] or "", place[2]))
    return [_merged(*place, sorted(places[place], key=lambda one: one.id)) for place in order]


def _figure(row: Evidence, logit: float, majors: dict[str, int], method: Method, as_of: datetime) -> Figure:
    per_logit = slope(share(logit))
    age = method.max_age if row.measured_at is None else max(as_of - row.measured_at, as_of - as_of)
    drift = (method.drift / 100) ** 2 * (age / MONTH) / per_logit**2
    trust = method.trust.get(row.provenance or "submitter", method.trust["submitter"])
    extra = max(method.runner / 100 / per_logit, trust) ** 2
    variance = (row.logit_stderr or 0.0) ** 2 + drift + extra + _elsewhere(row, majors, method)
    variance = max(variance, LEAST) / (weight(row.benchmark, method) or 1.0)
    return Figure(logit, variance, extra, 1 / (variance * per_logit**2), row.id)


def _elsewhere(row: Evidence, majors: dict[str, int], method: Method) -> float:
    """What a row is unsure by because of its harness: none told, or an older major version of it."""
    if row.pair is None:
        return method.tau_harness**2 + method.tau_pair**2
    return method.tau_harness**2 if _major(row) < majors.get(row.pair.harness, 0) else 0.0


def _merged(subject: Subject, harness: str | None, benchmark: str, figures: Sequence[Figure]) -> Cell:
    """One cell of several rows: their mean by inverse variance, and never surer than half of what lies between them."""
    mean = sum(one.logit * one.share for one in figures) / sum(one.share for one in figures)
    apart = max(one.logit for one in figures) - min(one.logit for one in figures)
    variance = max(1 / sum(1 / one.variance for one in figures), (apart / 2) ** 2)
    extra = min(one.extra for one in figures) / len(figures)
    return Cell(subject, harness, benchmark, mean, variance, extra, tuple(one.id for one in figures))


def _majors(rows: Iterable[Evidence]) -> dict[str, int]:
    """Harness → the newest major version any row has. An effect of a harness drifts with its versions."""
    newest: dict[str, int] = {}
    for row in rows:
        if row.pair is not None:
            newest[row.pair.harness] = max(newest.get(row.pair.harness, 0), _major(row))
    return newest


def _major(row: Evidence) -> int:
    """The major version; one that is not told is old, unless none is."""
    found = MAJOR.search(row.harness_version or "")
    return int(found[0]) if found else 0
