"""Each part of the kit costs only what it needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"asyncio", "httpx", "hypothesis", "pytest", "rich", "sqlite3", "typer"}


@pytest.mark.parametrize(
    ("module", "needs"),
    [
        ("capacity.testing", set()),
        ("capacity.testing.children", set()),
        ("capacity.testing.clocks", set()),
        ("capacity.testing.fakes", set()),
        ("capacity.testing.flows", set()),
        ("capacity.testing.replay", set()),
        ("capacity.testing.servers", set()),
        ("capacity.testing.strategies", {"hypothesis"}),
        ("capacity.testing.contracts", {"hypothesis", "pytest"}),
        ("capacity.testing.wire", {"asyncio"}),
    ],
)
def test_a_part_loads_only_what_it_needs(module: str, needs: set[str]) -> None:
    """Neither pytest nor hypothesis comes with the fakes or the servers, so that a demo runs without them."""
    code = f"import sys; sys.path[:0] = {sys.path!r}; import {module}; print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )

    assert needs <= loaded & HEAVY
    assert needs or not loaded & HEAVY
