from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .house import House, built


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with built(tmp_path) as made:
        yield made
