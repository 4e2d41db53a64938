"""What a row of a Terminal-Bench leaderboard says. Pure: an object in, a row out.

A row that is not displayed is no score of nought: it is no evidence, and is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from attrs import frozen
from capacity.ports import RankingRow
from capacity.ports.scores import Excluded, Fields, Page, Told

Z95 = 1.959964
"""Half widths of a 95 % interval in standard errors: the normal distribution's own figure."""

SEVERAL = "multiple"
"""What stands for the model of an agent that uses more than one."""


@frozen
class Selector:
    """How the hub knows one leaderboard.

    Attributes:
        package: the dataset.
        name: the leaderboard in it.
    """

    package: str
    name: str


HUB: Mapping[str, Selector] = {
    "2.0": Selector("terminal-bench/terminal-bench-2", "2-0"),
    "2.1": Selector("terminal-bench/terminal-bench-2-1", "main"),
    "3.0": Selector("terminal-bench/terminal-bench", "3-0-0"),
    "4.0": Selector("terminal-bench/terminal-bench", "4-0-0"),
}
"""Version of Terminal-Bench → its leaderboard, as the hub's own pages ask for it."""


def told(row: Any, version: str) -> Told:
    """One row as evidence; as what keeps it from being that; None = it cannot be read.

    Args:
        row: the row.
        version: of the benchmark.
    """
    fields = Fields(row)
    known = fields.text("id")
    if known is None:
        return None
    id = f"{version}/{known}"
    if fields.text("status") not in (None, "display"):
        return Excluded(id, "hidden", f"its status is {fields.text('status')}")
    metadata, metrics = fields.inside("metadata"), fields.inside("metrics")
    model, score = _shown(metadata, "model_display"), metrics.number("accuracy", 0, 100)
    if model is None:
        return Excluded(id, "no-model")
    if model.casefold() == SEVERAL or " + " in model:
        return Excluded(id, "multi-model", f"{model} is more than one model")
    if score is None:
        return Excluded(id, "no-score")
    # Nought is what a board shows whose trials all ended alike; it is no standard error.
    stderr = metrics.number("accuracy_stderr", 0, 100) or None
    half = metrics.number("accuracy_ci95_half_width", 0, 100) or None
    cost = metrics.money("total_cost_usd")
    return RankingRow(
        harness=_shown(metadata, "agent_display"),
        model_raw=model,
        benchmark="Terminal-Bench",
        score=score,
        scale="percent",
        benchmark_version=version,
        effort=metadata.text("reasoning_effort"),
        n=fields.whole("n_trials", 1),
        stderr=half / Z95 if stderr is None and half is not None else stderr,
        stderr_kind="within-task" if stderr is not None else "interval" if half is not None else None,
        measured_at=metadata.instant("date"),
        url="https://www.tbench.ai/leaderboard",
        licence="Apache-2.0",
        id=id,
        metric="accuracy",
        provenance="submitter" if version == "2.0" else "benchmark-owner",
        cost_usd=cost,
        cost_kind="run-total" if cost else None,
    )


def newest(answers: Iterable[Page]) -> datetime | None:
    """When the newest leaderboard says it was last changed; None where none says."""
    told = (page.body.inside("leaderboard").instant("updated_at") for page in answers)
    return max(filter(None, told), default=None)


def _shown(fields: Fields, name: str) -> str | None:
    """What a display field shows: it is a text in some versions, and an object with a label in others."""
    return fields.text(name) or fields.inside(name).text("label")
