"""What is true of the installed distributions, whether from this tree or from wheels without it.

`nox -s wheels` runs this file in a folder where no source tree exists.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from importlib.metadata import Distribution, entry_points
from pathlib import Path

import pytest

MODULES = {
    "capacity-core": "capacity",
    "capacity-agy": "capacity_agy",
    "capacity-aider": "capacity_aider",
    "capacity-artificial-analysis": "capacity_artificial_analysis",
    "capacity-claude": "capacity_claude",
    "capacity-codex": "capacity_codex",
    "capacity-deepseek": "capacity_deepseek",
    "capacity-harbor": "capacity_harbor",
    "capacity-hive": "capacity_hive",
    "capacity-llama-cpp": "capacity_llama_cpp",
    "capacity-models-dev": "capacity_models_dev",
    "capacity-openhands-index": "capacity_openhands_index",
}
CORE_AT_MOST = 2_000_000  # bytes on disk, without dependencies and compiled files
TREE = Path(__file__).parents[2] / "src"
distributions = pytest.mark.parametrize("name", MODULES)


def folder(name: str) -> Path:
    """Where the package of one distribution lies."""
    found = importlib.import_module(MODULES[name]).__file__
    assert found is not None
    return Path(found).parent


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command, away from any source tree."""
    script = Path(sys.executable).with_name("capacity")
    return subprocess.run([script, *arguments], cwd=os.environ["HOME"], capture_output=True, text=True, check=False)


@distributions
def test_every_module_imports_by_itself(name: str) -> None:
    """Nothing that is shipped needs a file that is not."""
    module = MODULES[name]
    rooms = [found.name for found in pkgutil.walk_packages([str(folder(name))], f"{module}.")]

    for room in [module, *rooms]:
        if not room.endswith("__main__"):
            importlib.import_module(room)


@distributions
def test_types_are_shipped(name: str) -> None:
    """A type checker finds the marker beside the code, and no linter's file."""
    assert (folder(name) / "py.typed").is_file()
    assert TREE.exists() or [] == list(folder(name).rglob("ruff.toml"))


@distributions
def test_metadata_names_no_folder(name: str) -> None:
    """What a distribution requires can be had by anybody: ranges, no paths of ours."""
    assert [] == [line for line in Distribution.from_name(name).requires or [] if "file:" in line or "@" in line]


@pytest.mark.parametrize("group", ["readers", "probers", "inventories", "tiers", "actuators", "stores"])
def test_every_entry_point_is_a_factory(group: str) -> None:
    """Each of our entry points leads to something that can be called."""
    ours = [entry for entry in entry_points(group=f"capacity.{group}") if entry.dist and entry.dist.name in MODULES]

    assert ours
    for entry in ours:
        assert callable(entry.load()), entry


@pytest.mark.parametrize("group", ["probers", "inventories", "preparers"])
def test_every_account_can_be_made_of_its_backend(group: str) -> None:
    """A policy that names a backend and nothing else gets it: each factory takes the reference to a login, and needs none."""
    ours = [entry for entry in entry_points(group=f"capacity.{group}") if entry.dist and entry.dist.name in MODULES]

    assert ours
    for entry in ours:
        assert entry.load()(credentials=None), entry


def test_the_core_is_small() -> None:
    """The core adds little to whoever embeds it."""
    files = [path for path in folder("capacity-core").rglob("*") if path.is_file() and path.suffix != ".pyc"]

    assert CORE_AT_MOST >= sum(path.stat().st_size for path in files)


def test_the_command_answers() -> None:
    """The console script is there and explains itself."""
    done = command("--help")

    assert 0 == done.returncode, done.stderr
    assert "demo" in done.stdout
