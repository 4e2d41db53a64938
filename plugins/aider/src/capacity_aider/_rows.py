"""What a row of an aider leaderboard says. Pure: bytes in, rows out.

Every value is read as the text it is spelt with: YAML would make a date, a flag or a float of some versions and names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import yaml
from capacity.ports import Document, RankingRow
from capacity.ports.scores import Excluded, Fields, Told

EFFORT = re.compile(r"\((minimal|low|medium|high|xhigh|max)\)$")
"""How a row names the effort where it has no field for it. Any other word there is part of a name or a date."""

THINKING = re.compile(r"\((?:(no)|([0-9]+)k) think(?:ing)?(?: tokens)?\)$")
"""How a row names how much the model may think: not at all, or so many thousand tokens."""


def rows_of(doc: Document) -> list[Any] | None:
    """The rows of a file; None = it is no list.

    Read by the loader that is written in Python: in releases that are admitted here the faster one ends the whole process
    over a text that is nested deeply.
    """
    try:
        tree = yaml.load(doc.text, yaml.BaseLoader)  # noqa: S506 - it makes texts, lists and tables, and nothing else
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return tree if isinstance(tree, list) else None


def told(row: Any, board: str, place: int) -> Told:
    """One row as evidence; as what keeps it from being that; None = it cannot be read.

    Args:
        row: the row.
        board: the leaderboard it stands on.
        place: its place there, from 0.
    """
    fields = Fields(row)
    model, name = fields.text("model"), fields.text("dirname")
    id = f"{board}/{name or place}"
    if not fields:
        return None
    if model is None:
        return Excluded(id, "no-model")
    if fields.text("editor_model") or fields.text("edit_format") == "architect" or " + " in model:
        return Excluded(id, "multi-model", f"{model} is two models at work together")
    n, score = _score(fields)
    if score is None:
        return Excluded(id, "no-score")
    cost = fields.money("total_cost")
    return RankingRow(
        harness="aider",
        model_raw=model,
        benchmark=f"Aider {board.title()}",
        score=score,
        scale="percent",
        harness_version=fields.text("versions"),
        effort=_effort(fields, model),
        n=n,
        measured_at=fields.instant("date"),
        url="https://aider.chat/docs/leaderboards/",
        licence="Apache-2.0",
        id=id if name else None,
        metric="pass_rate_2",
        n_tasks=n,
        provenance="submitter",
        cost_usd=cost,
        cost_kind="run-total" if cost else None,
    )


def newest(rows: Iterable[Told]) -> datetime | None:
    """The date of the newest row; None where none has one."""
    return max((row.measured_at for row in rows if isinstance(row, RankingRow) and row.measured_at), default=None)


def _score(fields: Fields) -> tuple[int | None, float | None]:
    """How many cases there were, and the percentage of them that passed: counted where the counts are told."""
    cases, passed = fields.whole("test_cases", 1), fields.whole("pass_num_2")
    if cases is not None and passed is not None and passed <= cases:
        return cases, 100 * passed / cases
    return cases, fields.number("pass_rate_2", 0, 100)


def _effort(fields: Fields, model: str) -> str | None:
    """The effort, or the tokens it may think; None = not told, and nothing is made up."""
    effort, budget = fields.text("reasoning_effort"), fields.whole("thinking_tokens")
    if effort is not None:
        return effort
    if budget is not None:
        return f"budget:{budget}" if budget else "none"
    word, thinking = EFFORT.search(model), THINKING.search(model)
    if thinking:
        return "none" if thinking[1] else f"budget:{thinking[2]}000"
    return word[1] if word else None
