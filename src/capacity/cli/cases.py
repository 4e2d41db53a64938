"""Recorded cases of pacing: one pool's figures, levels and reach, and what the library says of them.

The form is foreign and lives here only. Its instants may lack a zone and are UTC then; its spans are seconds; `policy` names
figures of the controller and nothing else; a row with a scope takes no part, and is told among the excluded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

import cattrs
from attrs import evolve, field, fields_dict, frozen

from capacity.core.epochs import NONE, Sample, ordered, seconds
from capacity.core.pacing import Reach, saturated, target
from capacity.core.pressure import Paced, Pressure, press
from capacity.core.rates import Exposure, look_back, steady
from capacity.core.tracks import Track, tracks
from capacity.core.tuning import Tuning
from capacity.errors import Fault, FormError
from capacity.values.history import Level
from capacity.values.limits import Estimate

Body = dict[str, Any]


@frozen
class Row:
    """One figure of one limit."""

    at: datetime
    window: str
    percent: float | None = None
    resets_at: datetime | None = None
    length_s: float | None = None
    scope: str | None = None
    quantum: float = 1.0


@frozen
class Reached:
    """The level in force, and the least and the most it can be."""

    level: float
    level_min: float
    level_max: float


@frozen
class PaceCase:
    """One case."""

    now: datetime
    readings: tuple[Row, ...]
    policy: Mapping[str, Any] = field(factory=dict)
    levels: tuple[tuple[datetime, float], ...] = ()
    fleet: Reached | None = None


def cases(path: Path, body: bytes) -> Sequence[PaceCase]:
    """The cases of a file: one, or those under `vectors`.

    Raises:
        FormError: it is none; every key at fault is named.
    """
    try:
        told = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise FormError(
            str(path), (Fault("", f"is not JSON: {error}", "give one case, or several under `vectors`"),)
        ) from error
    rows = told["vectors"] if isinstance(told, dict) and isinstance(told.get("vectors"), list) else [told]
    return [_case(path, f"vectors.{index}" if len(rows) > 1 else "", row) for index, row in enumerate(rows)]


def _case(path: Path, where: str, row: Any) -> PaceCase:
    try:
        found = _converter().structure(row, PaceCase)
        _checked(found)
        unknown = sorted(found.policy.keys() - fields_dict(Tuning).keys())
        if unknown:
            raise ValueError(f"policy: {', '.join(unknown)} are no figures of the controller")
    except (cattrs.BaseValidationError, ValueError, TypeError) as error:
        told = cattrs.transform_error(error) if isinstance(error, cattrs.BaseValidationError) else [str(error)]
        raise FormError(str(path), tuple(Fault(where, wrong) for wrong in told)) from error
    return found


def _checked(case: PaceCase) -> None:
    """What the controller cannot work with, as one fault."""
    figures = {name: value for name, value in case.policy.items() if name in fields_dict(Tuning)}
    wrong = [
        name
        for name, value in figures.items()
        if not (isinstance(value, int | float) and isfinite(value) and value >= 0)
    ]
    wrong += [
        name
        for name in ("tick", "half_life", "burst_decay", "burst_clip", "slew_up", "slew_down")
        if figures.get(name) == 0
    ]
    told = [f"policy.{name} is no figure the controller can work with" for name in wrong]
    told += [
        f"readings[{n}].length_s must be more than 0"
        for n, row in enumerate(case.readings)
        if row.length_s is not None and not row.length_s > 0
    ]
    told += [
        f"readings[{n}].quantum must be more than 0" for n, row in enumerate(case.readings) if not 0 < row.quantum < 100
    ]
    told += [
        f"levels[{n}] must be a level from 0 up"
        for n, (_, level) in enumerate(case.levels)
        if not (isfinite(level) and level >= 0)
    ]
    reached = () if case.fleet is None else (case.fleet.level, case.fleet.level_min, case.fleet.level_max)
    told += ["fleet must hold levels from 0 up"] if not all(isfinite(one) and one >= 0 for one in reached) else []
    if told:
        raise ValueError("; ".join(told))


def _converter() -> cattrs.Converter:
    converter = cattrs.Converter()
    converter.register_structure_hook(datetime, lambda text, _: _instant(text))
    return converter


def _instant(text: Any) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def answer(case: PaceCase) -> Body:
    """What the library says of a case: of each window, and of the pool."""
    now, tuning = seconds(case.now), evolve(Tuning(), **case.policy)
    exposure = Exposure([Level("", at, level) for at, level in case.levels], now)
    found = _tracks(case, exposure, now, tuning)
    known = press(found, exposure, tuning, now)
    excluded = sorted({(row.scope, row.window) for row in case.readings if row.scope is not None})
    if known is None:
        pool: Body = {"verdict": "learning", "binding": None, "pressure": None, "wanted": None, "target": None}
        return {"windows": {}, "pool": {**pool, "excluded": excluded}}
    windows = {name: _window(one, tuning) for name, one in known.limits.items()}
    return {"windows": windows, "pool": {**_pool(known, case.fleet, exposure, tuning, now), "excluded": excluded}}


def _tracks(case: PaceCase, exposure: Exposure, now: float, tuning: Tuning) -> Sequence[Track]:
    samples: dict[str, list[Sample]] = {}
    for row in case.readings:
        percent = row.percent
        if row.scope is None and percent is not None and isfinite(percent) and percent >= 0:
            stamp = NONE if row.resets_at is None else seconds(row.resets_at)
            figure = Sample(seconds(row.at), min(percent, 100.0), stamp, row.quantum, row.length_s or 0.0)
            samples.setdefault(row.window, []).append(figure)
    return tracks({name: ordered(told) for name, told in samples.items()}, exposure, now, tuning)


def _window(one: Paced, tuning: Tuning) -> Body:
    points = look_back(one.course.last.points, one.course.window, tuning)
    return {
        "used": one.used,
        "rate": _three(one.rate),
        "allowed": _three(one.allowed),
        "pressure": _three(one.pressure),
        "verdict": one.pace,
        "reason": one.why,
        "steady": steady(points, one.course.quantum),
    }


def _pool(known: Pressure, fleet: Reached | None, exposure: Exposure, tuning: Tuning, now: float) -> Body:
    reach = None if fleet is None else Reach(fleet.level_min, fleet.level_max)
    level = exposure.level if fleet is None else fleet.level
    wanted = known.wanted if known.wanted is None or exposure.known else known.wanted * level
    least = reach is not None and level <= reach.low * (1 + 1e-9)
    most = reach is not None and level >= reach.high * (1 - 1e-9)
    end = None if reach is None else saturated(known.pace, wanted, level, least=least, most=most)
    held = reach is None or known.pace == "exhausted" or exposure.dwells(now, tuning.tick)
    return {
        "verdict": known.pace if end is None else "saturated",
        "direction": None if end is None else end[0],
        "because": None if end is None else end[1],
        "binding": known.binding,
        "pressure": None if known.pressure is None else _figure(known.pressure.middle),
        "wanted": wanted,
        "target": None if held or reach is None else target(wanted, level, reach, tuning, jump=known.jump),
    }


def _three(known: Estimate | None) -> list[float | str] | None:
    return None if known is None else [_figure(known.low), _figure(known.middle), _figure(known.high)]


def _figure(value: float) -> float | str:
    return value if isfinite(value) else "inf"
