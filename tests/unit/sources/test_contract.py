"""What every tier source owes, held by the file, however it is written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import ClassVar

import pytest

from capacity.ports import TierSource
from capacity.sources import file
from capacity.testing.contracts import TierContract
from capacity.testing.flows import FakeWorld

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
WRITTEN = {
    "scores.json": b'{"rows": [{"harness": "loom", "model_raw": "large", "benchmark": "own", "score": 61, "scale": "percent"}]}',
    "scores.toml": b'[[rows]]\nmodel_raw = "large"\nbenchmark = "own"\nscore = 0.61\nscale = "fraction"\nmeasured_at = 2026-09-01T00:00:00Z',
    "scores.csv": b"harness,model_raw,effort,benchmark,score,scale,n\r\nloom,large,high,own,61.5,percent,200\r\nloom,small,,own,40,percent,\r\n",
}


class TestFile(TierContract):
    construct: ClassVar = "from capacity.sources import file; file(path='scores.json')"
    excused: ClassVar = {
        "test_a_refusal_is_no_score": "a file refuses nobody",
        "test_a_refusal_for_now_says_until_when": "a file refuses nobody",
    }

    @pytest.fixture(params=sorted(WRITTEN))
    def path(self, request: pytest.FixtureRequest) -> str:
        name: str = request.param
        return f"~/{name}"

    @pytest.fixture
    def tiers(self, path: str) -> TierSource:
        return file(path=path)

    @pytest.fixture
    def world(self, path: str) -> FakeWorld:
        return FakeWorld(AT, files={path: WRITTEN[path.removeprefix("~/")]})
