"""What an entry of the OpenHands index says. Pure: its two objects in, a row for each of its scores out.

Which harness an entry is of, its folder says; what its own file says of that was wrong for weeks, and is only compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from capacity.ports import RankingRow
from capacity.ports.scores import Excluded, Fields, Told

FILES = ("metadata.json", "scores.json")
"""The files of an entry: who ran, and what came out."""

HARNESSES: Mapping[str, str] = {
    "alternative_agents/acp-claude": "Claude Code",
    "alternative_agents/acp-codex": "Codex",
    "alternative_agents/acp-gemini": "Gemini CLI",
    "alternative_agents/claude_code": "Claude Code",
    "alternative_agents/openhands_subagents": "OpenHands Sub-agents",
    "results": "OpenHands",
}
"""Folder → the harness of its entries. In any other folder below `alternative_agents` an entry's own word counts."""

INSTANCES: Mapping[str, int] = {
    "commit0": 16,
    "gaia": 165,
    "swe-bench": 500,
    "swe-bench-multimodal": 68,
    "swt-bench": 433,
}
"""Benchmark → instances a score is a share of, counted in the index's own results by instance. The scores do not say."""


def entries(paths: Iterable[str]) -> list[str]:
    """The folders that hold a whole entry, in order."""
    there = _folders(paths)
    return sorted(folder for folder, files in there.items() if files >= set(FILES))


def unfinished(paths: Iterable[str]) -> list[Excluded]:
    """The folders that hold one of the two files only."""
    half = (folder for folder, files in _folders(paths).items() if not files >= set(FILES))
    return [Excluded(folder, "unfinished", "one of its two files is missing") for folder in sorted(half)]


def told(entry: str, metadata: Any, scores: Any) -> Iterator[Told]:
    """Its scores as evidence, or as what keeps them from being that; None = it cannot be read.

    Args:
        entry: its folder.
        metadata: what `metadata.json` holds.
        scores: what `scores.json` holds.
    """
    about = Fields(metadata)
    model = about.text("model")
    if not about or not isinstance(scores, list):
        yield None
    elif model is None:
        yield Excluded(entry, "no-model")
    elif about.flag("hide_from_leaderboard"):
        yield Excluded(entry, "hidden")
    elif not scores:
        yield Excluded(entry, "no-score")
    else:
        yield from (_score(entry, about, model, Fields(score)) for score in scores)


def newest(rows: Iterable[Told]) -> datetime | None:
    """When the newest score was handed in; None where none says."""
    return max((row.measured_at for row in rows if isinstance(row, RankingRow) and row.measured_at), default=None)


def _folders(paths: Iterable[str]) -> dict[str, set[str]]:
    """Folder of an entry → which of the two files it has."""
    found: dict[str, set[str]] = {}
    for path in paths:
        folder, _, file = path.rpartition("/")
        if file in FILES and folder.startswith(("results/", "alternative_agents/")):
            found.setdefault(folder, set()).add(file)
    return found


def _score(entry: str, about: Fields, model: str, score: Fields) -> Told:
    benchmark, figure = score.text("benchmark"), score.number("score", 0, 100)
    if benchmark is None:
        return None
    if figure is None:
        return Excluded(f"{entry}/{benchmark}", "no-score")
    said = about.text("agent_name")
    harness = HARNESSES.get(entry.rpartition("/")[0], said)
    cost = score.money("cost_per_instance")
    return RankingRow(
        harness=harness,
        model_raw=model,
        benchmark=benchmark,
        score=figure,
        scale="percent",
        harness_version=score.text("agent_version") or about.text("agent_version"),
        n=INSTANCES.get(benchmark),
        runner="OpenHands",
        measured_at=score.instant("submission_time"),
        url=f"https://github.com/OpenHands/openhands-index-results/blob/main/{entry}/scores.json",
        flags=tuple(_flags(entry, about, model, harness)),
        id=f"{entry}/{benchmark}",
        metric=score.text("metric"),
        n_tasks=INSTANCES.get(benchmark),
        provenance="third-party",
        cost_usd=cost,
        cost_kind="per-task" if cost else None,
    )


def _flags(entry: str, about: Fields, model: str, harness: str | None) -> Iterator[str]:
    """What a reader must know: the entry contradicts its folder, or nobody can call the model any more."""
    if about.text("agent_name") not in (None, harness):
        yield "harness-conflict"
    if model.casefold() != entry.rpartition("/")[2].casefold():
        yield "model-conflict"
    if about.flag("available") is False:
        yield "unavailable"
