"""The catalogue as models.dev serves it, made of its benchmark rows: what the tests of this plugin ask."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
SAMPLE = Path(__file__).parents[3] / "tests" / "samples" / "tiers" / "models-dev" / "benchmarks.jsonl"


def catalogue() -> dict[str, dict[str, Any]]:
    """Id → model, with all its rows; what is not in the sample is invented."""
    models: dict[str, dict[str, Any]] = {}
    for line in SAMPLE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        id = row.pop("model")
        model = {"id": id, "name": id.partition("/")[2].title(), "family": "invented", "release_date": "2026-01-05"}
        models.setdefault(id, {**model, "benchmarks": []})["benchmarks"].append(row)
    return models


def served(models: dict[str, dict[str, Any]] | None = None) -> bytes:
    """The body of `models.json`."""
    return json.dumps(catalogue() if models is None else models).encode()
