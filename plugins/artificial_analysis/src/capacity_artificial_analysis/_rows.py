"""What Artificial Analysis says of a model. Pure: an object in, a row for each of its indices out.

An index has neither trials nor an error, so it says something of a model and decides nothing by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from capacity.ports import RankingRow
from capacity.ports.scores import Excluded, Fields, Told

INDICES: Mapping[str, str] = {
    "artificial_analysis_intelligence_index": "Artificial Analysis Intelligence Index",
    "artificial_analysis_coding_index": "Artificial Analysis Coding Index",
    "artificial_analysis_agentic_index": "Artificial Analysis Agentic Index",
}
"""Field → the index. They are re-based now and then, which makes another benchmark of each."""

COSTED = "artificial_analysis_intelligence_index"
"""The one index of which it is told what measuring it cost."""

EFFORT = re.compile(r"\((?:.*[ ,])?(minimal|low|medium|high|xhigh|max)(?: effort)?\)$", re.IGNORECASE)
"""How a name tells the effort: `(high)`, `(Adaptive Reasoning, Max Effort)`."""

UNREASONED = re.compile(r"\(non-reasoning\)$", re.IGNORECASE)


def version_of(body: Fields) -> str | None:
    """The version of the index, told as a number or as a text; None = not told."""
    number = body.number("intelligence_index_version")
    return body.text("intelligence_index_version") or (None if number is None else f"{number:g}")


def told(model: Any, version: str | None) -> Iterator[Told]:
    """Its indices as evidence, or as what keeps them from being that; None = it cannot be read.

    Args:
        model: the model.
        version: of the index.
    """
    fields = Fields(model)
    id, name, scores = fields.text("id"), fields.text("name"), fields.inside("evaluations")
    if id is None or not scores:
        yield None
    elif name is None:
        yield Excluded(id, "no-model")
    else:
        for field in INDICES:
            yield _index(f"{id}/{field}", name, field, fields, version)


def _index(id: str, name: str, field: str, fields: Fields, version: str | None) -> RankingRow | Excluded:
    score = fields.inside("evaluations").number(field, 0, 100)
    if score is None:
        return Excluded(id, "no-score", "it has no such index, or the key's plan does not show it")
    slug = fields.text("slug")
    cost = fields.inside(f"{field}_cost").money("total_cost") if field == COSTED else None
    return RankingRow(
        harness=None,
        model_raw=name,
        benchmark=INDICES[field],
        score=score,
        scale="index",
        model_key=fields.text("id"),
        effort=_effort(name),
        benchmark_version=version,
        runner="artificialanalysis.ai",
        url=f"https://artificialanalysis.ai/models/{slug}" if slug else None,
        id=id,
        metric="index",
        provenance="third-party",
        cost_usd=cost,
        cost_kind="run-total" if cost else None,
    )


def _effort(name: str) -> str | None:
    """The effort word in a name; None = not told, and a bare name stands for none in particular."""
    word = EFFORT.search(name)
    if word:
        return word[1].casefold()
    return "none" if UNREASONED.search(name) else None
