"""The whole way once: a wheel is built, an installer puts it into an environment, and it is found and used there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

from .distributions import GOOD, wheel

LOOK = """
import json, sys
from capacity import load_plugins
plugins = load_plugins()
found = [[p.group, p.name, p.distribution, p.version] for p in plugins if p.name == "sample"]
before = "capacity_sample" in sys.modules
port = plugins.require("capacity.probers", "sample").factory(base_url="http://127.0.0.1:1")
print(json.dumps([found, before, type(port).__module__, type(port).__name__]))
"""


def test_an_installed_wheel_is_found_and_used(tmp_path: Path) -> None:
    """What `pip install` put into a fresh environment is a plugin there: listed by metadata, imported on demand."""
    entries = {
        "capacity.probers": {"sample": "capacity_sample:prober"},
        "capacity.readers": {"sample": "capacity_sample:reader"},
    }
    built = wheel(tmp_path, "capacity-sample", entries, {"capacity_sample": GOOD}, "3.2")
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    subprocess.run(
        [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-index",
            "--no-deps",
            "--disable-pip-version-check",
            str(built),
        ],
        check=True,
    )
    # The library and what it needs come from here; only the plugin is installed there.
    here = os.pathsep.join(path for path in sys.path if path and Path(path).is_dir())
    done = subprocess.run(
        [python, "-c", LOOK], env={**os.environ, "PYTHONPATH": here}, capture_output=True, text=True, check=True
    )

    found, before, module, kind = json.loads(done.stdout)
    assert [
        ["capacity.probers", "sample", "capacity-sample", "3.2"],
        ["capacity.readers", "sample", "capacity-sample", "3.2"],
    ] == found
    assert (False, "capacity_sample", "Prober") == (before, module, kind)
