"""The five names of a plugin agree, and what is said twice is said alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from . import house

GROUPS = {
    "capacity.readers": "reader",
    "capacity.probers": "prober",
    "capacity.inventories": "inventory",
    "capacity.preparers": "preparer",
    "capacity.tiers": "tiers",
    "capacity.actuators": "actuator",
}
plugins = pytest.mark.parametrize("plugin", house.PLUGINS, ids=lambda plugin: plugin.name)


@plugins
def test_folder_distribution_module_and_entry_agree(plugin: Path) -> None:
    """Folder `a_b` holds distribution `capacity-a-b` with module `capacity_a_b` under the entry name `a-b`."""
    project = house.metadata(plugin)["project"]
    name, module = plugin.name.replace("_", "-"), f"capacity_{plugin.name}"

    assert f"capacity-{name}" == project["name"]
    assert [module] == [path.name for path in (plugin / "src").iterdir() if path.is_dir()]
    for group, entries in project["entry-points"].items():
        assert {name: f"{module}:{GROUPS[group]}"} == entries


@plugins
def test_plugin_ships_its_types_and_a_page(plugin: Path) -> None:
    """Each distribution is typed and says on one page what it reads."""
    assert (plugin / "src" / f"capacity_{plugin.name}" / "py.typed").is_file()
    assert (
        (plugin / "README.md").read_text(encoding="utf-8").startswith(f"# capacity-{plugin.name.replace('_', '-')}\n")
    )


@plugins
def test_plugin_asks_for_this_series_of_the_core(plugin: Path) -> None:
    """A plugin's bounds admit the core beside it and end at the next series that may break it."""
    major, minor, _ = house.metadata(house.ROOT)["project"]["version"].split(".")
    bounds = f"capacity-core>={major}.{minor},<{major}.{int(minor) + 1}"

    assert bounds in house.metadata(plugin)["project"]["dependencies"]


def test_workspace_names_every_plugin() -> None:
    """A plain `uv run` installs every plugin, from this tree."""
    root = house.metadata(house.ROOT)
    names = sorted(house.metadata(plugin)["project"]["name"] for plugin in house.PLUGINS)

    assert names == sorted(root["dependency-groups"]["plugins"])
    assert sorted(["capacity-core", *names]) == sorted(root["tool"]["uv"]["sources"])


def test_the_way_without_uv_names_every_plugin() -> None:
    """Whoever sets up with pip gets the same plugins; a name that stands alone would be looked up elsewhere."""
    page = (house.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    command = next(line for line in page.splitlines() if "pip install -e" in line)

    assert [f"plugins/{plugin.name}" for plugin in house.PLUGINS] == re.findall(r"-e (plugins/\w+)", command)


def test_pythons_are_those_of_the_classifiers() -> None:
    """The runner tests the Pythons that the metadata promises."""
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(house.metadata(house.ROOT)["project"]["classifiers"]))
    noxfile = (house.ROOT / "noxfile.py").read_text(encoding="utf-8")

    assert f"PYTHONS = {tuple(promised)!r}".replace("'", '"') in noxfile


def test_the_readme_and_ci_run_the_same_commands() -> None:
    """CI types what a newcomer is told to type."""
    ci = (house.ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    readme = (house.ROOT / "README.md").read_text(encoding="utf-8")
    commands = [line for line in ci if ".venv/bin/uv run" in line]

    assert 2 == len(commands)
    for command in commands:
        assert f"$ {command}\n" in readme


def test_the_lock_knows_only_the_public_index() -> None:
    """Nobody's mirror is in the lock: it resolves alike on every machine."""
    lock = (house.ROOT / "uv.lock").read_text(encoding="utf-8")

    assert {"pypi.org", "files.pythonhosted.org"} == set(re.findall(r"https?://([^/\"]+)", lock))
