"""What models.dev says of a model. Pure: objects in, rows out.

Many hands write it: what is missing stays missing, and a name is taken apart only where it says the same twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any

from capacity.ports import RankingRow
from capacity.ports.scores import Excluded, Fields, KnownModel, Provenance, Told

EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
"""The efforts harnesses take. Any other word of a variant is not one."""

VERSIONED = re.compile(r"(.*\S) v?([0-9]+(?:\.[0-9]+)+)")
"""A benchmark with its version in its name, as some rows have it; the others have a field for it."""

HOST = re.compile(r"https?://([\w.-]+)")
"""Who published a figure, in the address of its page."""

ORIGINS: Mapping[str, Provenance] = {
    "aider.chat": "submitter",
    "artificialanalysis.ai": "third-party",
    "labs.scale.com": "benchmark-owner",
    "openrouter.ai": "third-party",
    "www.swebench.com": "benchmark-owner",
}
"""Host of a row's source → who stands behind its figures. Any other is the page of whoever made the model."""


def models_of(body: Fields) -> dict[str, Fields]:
    """The models, by id: at the top of one file, under `models` in the other. An id is `lab/model`."""
    flat = body.inside("models") or body
    return {id: model for id, model in flat.each() if "/" in id and model.text("name")}


def known(id: str, model: Fields) -> KnownModel:
    """The model as a name. When its page was last changed says nothing of what stands behind the id, and is not taken."""
    name = model.text("name")
    return KnownModel(id, (name,) if name else (), model.text("family"), model.instant("release_date"))


def harnesses(models: Mapping[str, Fields]) -> frozenset[str]:
    """Every harness a row names: some name theirs where others name the effort."""
    rows = (Fields(row) for model in models.values() for row in model.items("benchmarks") or ())
    return frozenset(filter(None, (row.text("harness") for row in rows)))


def told(model: str, row: Any, names: Set[str]) -> Told:
    """One row as evidence; as what keeps it from being that; None = it cannot be read.

    Args:
        model: id of the model it stands under.
        row: the row.
        names: the harnesses that are known by their name.
    """
    fields = Fields(row)
    said = fields.text("name")
    if said is None:
        return None
    variant, source = fields.text("variant"), fields.text("source")
    id = "/".join(
        (model, said, *filter(None, map(fields.text, ("version", "dataset", "harness", "variant", "metric"))))
    )
    score = fields.number("score", 0, 100)
    if score is None:
        return Excluded(id, "no-score", "its score is no figure from 0 to 100")
    apart = VERSIONED.fullmatch(said)
    astray = fields.text("harness") is None and variant in names
    page = HOST.match(source or "")
    host = page[1].casefold() if page else None
    return RankingRow(
        harness=variant if astray else fields.text("harness"),
        model_raw=model,
        benchmark=apart[1] if apart else said,
        score=score,
        scale="index" if fields.text("metric") == "index" else "percent",
        model_key=model,
        effort=variant if variant in EFFORTS else None,
        benchmark_version=fields.text("version") or (apart[2] if apart else None),
        runner=host,
        measured_at=fields.instant("date"),
        url=source,
        flags=("harness-from-variant",) if astray else (),
        id=id,
        metric=fields.text("metric"),
        dataset=fields.text("dataset"),
        provenance=ORIGINS.get(host, "model-vendor") if host else None,
    )
