"""No decision looks at evidence: what ranks models is not loaded by what places seats."""

from __future__ import annotations

import subprocess
import sys

import pytest

from . import house


@pytest.mark.parametrize("room", ["core.decide", "core.advance", "core.explain", "core.headroom", "core.catalogue"])
def test_the_decision_does_not_load_tiering(room: str) -> None:
    """Importing a step of the decision leaves the estimates, and the values only they use, on the disk."""
    code = f"import sys, capacity.{room}; print([name for name in sys.modules if 'tiering' in name or name.endswith('.proposals')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert "[]" == done.stdout.strip()


def test_nothing_of_the_core_imports_tiering() -> None:
    """Neither at the top of a file nor in a function; only its own files do."""
    core = house.CORE / "core"
    others = [path for path in core.rglob("*.py") if "tiering" not in path.relative_to(core).parts[:-1]]

    assert len(others) > 10
    assert [] == [house.short(path) for path in others if "core.tiering" in path.read_text(encoding="utf-8")]
