"""A stranger's plugin: begun with one command, built, installed, listed, probed and held to its contracts. No line of the core changes.

Nothing is fetched: the backend of the build is installed for these tests, and the library comes from here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from capacity.cli import main
from capacity.testing.servers import CannedServer
from capacity.testing.wire import Host

NAME, MODULE, KEY = "far-off", "capacity_far_off", "an-invented-key"
QUOTA = {"weekly": {"used_percent": 41}, "by_model": {"sample-large": {"used_percent": 97.5}}}
POLICY = """
version = 1

[accounts.mine]
plugin = "far-off"
kind = "subscription"
credentials = {{ env = "FAR_OFF_KEY" }}
options = {{ base_url = "{url}" }}
"""


@frozen
class Stranger:
    """An environment in which only the stranger's plugin is installed.

    Attributes:
        folder: the plugin's own.
        python: the interpreter of the environment.
    """

    folder: Path
    python: Path

    def run(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a module of that environment, in the plugin's folder."""
        # The library and what it needs come from here, behind what is installed there.
        here = os.pathsep.join(path for path in sys.path if path and Path(path).is_dir())
        given = {**os.environ, "PYTHONPATH": here, **environ}
        return subprocess.run(
            [self.python, "-m", *words], cwd=self.folder, env=given, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Stranger:
    """Made from the skeleton, built as a wheel, and installed from it."""
    root = tmp_path_factory.mktemp("stranger")
    made = Stranger(root / "plugin", root / "env" / "bin" / "python")
    assert 0 == main(["plugins", "new", NAME, "--to", str(made.folder)])
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(root)],
        cwd=made.folder,
        check=True,
        capture_output=True,
    )
    venv.create(root / "env", with_pip=True)
    wheel = str(next(root.glob("*.whl")))
    pip = ["pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", wheel]
    subprocess.run([made.python, "-m", *pip], check=True)
    return made


@pytest.fixture
def server() -> Iterator[CannedServer]:
    with CannedServer(Host().clock, bearer=KEY) as server:
        server.say("/quota", QUOTA)
        server.say("/models", {"models": [{"id": "sample-large"}]})
        yield server


def test_it_is_listed(stranger: Stranger) -> None:
    """Under each port it offers, with its distribution, and without a fault."""
    rows: list[dict[str, Any]] = json.loads(stranger.run("capacity.cli", "plugins", "--json").stdout)
    ours = [row for row in rows if row["name"] == NAME]

    assert ["inventories", "probers", "readers"] == [row["group"].removeprefix("capacity.") for row in ours]
    assert {("capacity-far-off", "0.1.0", None)} == {(row["distribution"], row["version"], row["why"]) for row in ours}


def test_it_is_probed(stranger: Stranger, server: CannedServer, tmp_path: Path) -> None:
    """A policy that names it is valid, and a plan asks it once for what is left and once for what there is."""
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY.format(url=server.url), encoding="utf-8")
    words = ("capacity.cli", "--policy", str(policy), "--store", str(tmp_path / "capacity.db"))
    checked = stranger.run(*words, "policy", "check")
    planned = stranger.run(*words, "plan", FAR_OFF_KEY=KEY)
    told = json.loads(stranger.run(*words, "status", "--json").stdout)
    (pool,) = told["pools"]

    assert (0, 0) == (checked.returncode, planned.returncode), checked.stdout + planned.stderr
    assert ["/models", "/quota"] == sorted(asked.path for asked in server.asked)
    assert "ok" == pool["state"]
    assert [("weekly", 41.0), ("weekly:sample-large", 97.5)] == [
        (one["limit"]["name"], one["limit"]["percent"]) for one in pool["limits"]
    ]
    assert KEY not in planned.stdout + planned.stderr + json.dumps(told)


def test_it_keeps_its_contracts(stranger: Stranger) -> None:
    """Its own tests pass as they were written, those on answers that drift among them, against what was installed."""
    tried = stranger.run("pytest", "-p", "no:cacheprovider", "-rA")
    spot = stranger.run("timeit", "-n1", "-r1", f"import {MODULE}; print({MODULE}.__file__)").stdout.split()[0]

    assert 0 == tried.returncode, tried.stdout
    assert "PASSED tests/test_contracts.py::TestReader::test_drifted_answers_keep_scopes" in tried.stdout
    assert Path(spot).is_relative_to(stranger.python.parents[1])
