"""The floor plan holds, and leaves nobody out."""

from __future__ import annotations

import configparser
import subprocess
import sys

from . import house


def contracts() -> configparser.ConfigParser:
    plan = configparser.ConfigParser()
    plan.read(house.ROOT / ".importlinter")
    return plan


def words(section: str, key: str) -> list[str]:
    return contracts()[section][key].split()


def test_every_import_keeps_to_its_floor() -> None:
    """The import linter finds no contract broken."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=house.ROOT, capture_output=True, text=True, check=False)

    assert 0 == done.returncode, done.stdout + done.stderr


def test_every_plugin_is_under_the_contracts() -> None:
    """A plugin's module stands wherever the plan speaks of plugins."""
    modules = sorted(house.metadata(plugin)["project"]["name"].replace("-", "_") for plugin in house.PLUGINS)

    assert ["capacity", *modules] == sorted(words("importlinter", "root_packages"))
    for section, key in [
        ("importlinter:contract:doors", "source_modules"),
        ("importlinter:contract:edges", "source_modules"),
        ("importlinter:contract:neighbours", "modules"),
    ]:
        assert modules == sorted(words(section, key)), section


def test_every_room_a_plugin_may_not_enter_is_named() -> None:
    """A new room is closed to plugins until somebody opens it."""
    rooms = {path.stem for path in house.CORE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    closed = {name.removeprefix("capacity.") for name in words("importlinter:contract:doors", "forbidden_modules")}

    assert {"__init__", "errors", "ports", "testing"} == rooms - closed


def test_the_pure_rooms_have_a_stricter_linter() -> None:
    """The clock and chance are attributes, which no import contract sees; ruff does, in both rooms alike."""
    core, values = ((house.CORE / room / "ruff.toml").read_text(encoding="utf-8") for room in ("core", "values"))

    assert core.splitlines()[1:] == values.splitlines()[1:]
    for name in ("datetime.datetime.now", "random", "time", "builtins.open"):
        assert f'"{name}".msg' in core
