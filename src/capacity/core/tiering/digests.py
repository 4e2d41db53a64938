"""Digests of what was told, proposed and adopted. Times and order never enter; what is nearly equal is rounded first."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from attrs import evolve

from capacity.values.rankings import RankingRow
from capacity.values.tiers import TierRow, TierSet

PLACES = 6
"""Decimal places a figure counts with: what differs behind them is the same figure on another machine."""

SHORT = 12
"""Hexadecimal digits of an id: two of a million have one id with a chance of one in five hundred."""


def digest(*parts: Any) -> str:
    """sha-256 of plain parts: texts, numbers, None, and tables and lists of them."""
    return sha256(_text(parts).encode("utf-8", "backslashreplace")).hexdigest()


def short(prefix: str, *parts: Any) -> str:
    """An id: a prefix and the beginning of a digest."""
    return f"{prefix}-{digest(*parts)[:SHORT]}"


def _text(part: Any) -> str:
    match part:
        case float():
            return repr(round(part, PLACES) + 0.0)
        case dict():
            return "{" + ",".join(f"{key!r}:{_text(inner)}" for key, inner in sorted(part.items())) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_text, part)) + "]"
        case _:
            return repr(part)


def row_digest(row: RankingRow) -> str:
    """Of what a row says: the figure, what it is of, and who stands behind it. What it cost does not count."""
    return digest(
        row.id, row.harness, row.harness_version, row.model_raw, row.model_key, row.effort, row.benchmark,
        row.benchmark_version, row.dataset, row.metric, float(row.score), row.scale, row.n, row.n_tasks, row.attempts,
        row.failed, row.stderr, row.stderr_kind, row.runner, row.provenance, row.flags,
        None if row.measured_at is None else row.measured_at.isoformat(),
    )[:SHORT]  # fmt: skip  # read as one list


def identity(adopted: TierSet) -> str:
    """The id of an adopted set: of its rows, tiers and cuts, however and by whom they were written.

    Args:
        adopted: the set; the id it tells itself is not believed.
    """
    rows = sorted((row.key, row.tier, row.standing, row.proven, _instant(row)) for row in adopted.rows)
    return short("ts", rows, adopted.ladder, adopted.cuts, adopted.benchmark, adopted.parent)


def _instant(row: TierRow) -> str | None:
    return None if row.expires_at is None else row.expires_at.isoformat()


def sealed(adopted: TierSet) -> TierSet:
    """The set with its id."""
    return evolve(adopted, id=identity(adopted))


def plain(values: Iterable[Any]) -> list[str]:
    """Values as texts, sorted."""
    return sorted(map(repr, values))
