"""The operator's command hears what changed, and cannot hold anybody up."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path

from capacity.engine.notify import notify
from capacity.values.conditions import Condition, Fact
from capacity.wire import Host

from .scene import NOON

RAISED = Condition(Fact("core:pool-empty", "a; rm -rf $HOME"), "raised", NOON, "payment", loud=True)
TIME = timedelta(seconds=10)


def test_it_is_told_on_its_standard_input(tmp_path: Path) -> None:
    """JSON, one document; argv as it is written, and no shell in between."""
    heard = tmp_path / "a $HOME b"
    program = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_bytes(sys.stdin.buffer.read())"

    assert notify((sys.executable, "-c", program, str(heard)), "tick-1", [RAISED], Host(), TIME) is None
    told = json.loads(heard.read_text())
    assert (1, "tick-1", ["core:pool-empty"]) == (
        told["form"],
        told["tick"],
        [one["fact"]["code"] for one in told["changed"]],
    )


def test_nothing_to_tell_runs_nothing(tmp_path: Path) -> None:
    """Without a change, or without a command, no program is started."""
    touch = (sys.executable, "-c", "import sys, pathlib; pathlib.Path(sys.argv[1]).touch()", str(tmp_path / "ran"))

    assert (None, None) == (notify(touch, "t", [], Host(), TIME), notify((), "t", [RAISED], Host(), TIME))
    assert not (tmp_path / "ran").exists()


def test_its_failure_is_only_reported() -> None:
    """A program that is missing, fails or hangs is a sentence."""
    code = "raise SystemExit(3)"
    missing = notify(("/no/such/program",), "t", [RAISED], Host(), TIME)
    failed = notify((sys.executable, "-c", code), "t", [RAISED], Host(), TIME)
    hung = notify((sys.executable, "-c", "import time; time.sleep(60)"), "t", [RAISED], Host(), timedelta(seconds=0.3))

    assert missing is not None
    assert missing.startswith("the notify command was not told: /no/such/program")
    assert failed == f"the notify command {sys.executable} ended with exit code 3"
    assert hung is not None
    assert hung.startswith("the notify command was not told: ")
