"""`plugins new`: a distribution to begin a plugin with, from the texts in `skeleton/`. It keeps its contracts as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.documents import fill
from capacity.cli.exits import Code, UsageFault
from capacity.plugins import load_plugins, made_by

PLACES: Mapping[str, str | None] = {
    "pyproject.toml": "pyproject.toml",
    "ruff.toml": "ruff.toml",
    "README.md": "README.md",
    "src/{module}/__init__.py": "package.py",
    "src/{module}/_flows.py": "flows.py",
    "src/{module}/_reader.py": "reader.py",
    "src/{module}/py.typed": None,
    "tests/__init__.py": None,
    "tests/conftest.py": "conftest.py",
    "tests/test_contracts.py": "test_contracts.py",
    "tests/test_loopback.py": "test_loopback.py",
}
"""File → the text of the skeleton it is made from; None = it is empty."""

WORDS = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")

Name = Annotated[str, Argument(metavar="NAME", help="The backend's name, as a policy will say it: `my-backend`.")]
To = Annotated[Path | None, Option("--to", metavar="DIR", help="The folder to make. [capacity-NAME, here]")]


def plugins_new(call: Call, name: Name, to: To = None) -> Code:
    """Write a plugin to begin with. It reads an invented backend, and its tests pass as they stand."""
    folder = Path(f"capacity-{name}") if to is None else to
    _refuse(name, folder)
    made = dict(_texts(name))
    try:
        for path, text in made.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            fill(folder / path, text.encode(), mode="xb")
    except OSError as error:
        raise UsageFault(f"{folder} cannot be written: {error.strerror}; name another folder with --to") from None
    if call.json:
        call.answer({"plugin": name, "folder": str(folder), "files": sorted(made)})
    else:
        call.screen.say(f"wrote {len(made)} files into {folder}; its README says what to change")
        call.screen.say(f"now: cd {folder} && pip install --no-deps -e . && capacity plugins && pytest")
    return Code.FINE


def _refuse(name: str, folder: Path) -> None:
    """Refuse what could not be installed, found or kept apart."""
    if name.startswith("capacity-"):
        raise UsageFault(f'a plugin is named without "capacity-": call it "{name.removeprefix("capacity-")}"')
    if not WORDS.fullmatch(name):
        raise UsageFault(
            f'"{name}" is no name for a plugin: use small letters, digits and single dashes, as in my-backend'
        )
    taken = next((plugin for plugin in load_plugins() if plugin.name == name), None)
    if taken is not None:
        raise UsageFault(f'"{name}" is offered by {taken.distribution} {taken.version} already; choose another name')
    if f"capacity-{name}" in made_by():
        raise UsageFault(f'"{name}" would be called capacity-{name}, which is installed already; choose another name')
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageFault(f"{folder} is there already, and is left as it is; name another folder with --to")


def _texts(name: str) -> Iterator[tuple[str, str]]:
    """Path in the folder → text."""
    words = {
        "name": name,
        "distribution": f"capacity-{name}",
        "module": f"capacity_{name.replace('-', '_')}",
        "variable": f"{name.replace('-', '_').upper()}_KEY",
        "bound": _bound(made_by()["capacity-core"]),
    }
    skeleton = files("capacity.cli") / "skeleton"
    for place, source in PLACES.items():
        text = (skeleton / f"{source}.txt").read_text(encoding="utf-8") if source else ""
        yield place.format(**words), Template(text).substitute(words)


def _bound(version: str) -> str:
    """From this release on, below the next that may break: `>=0.4,<0.5` before 1.0, then `>=1.2,<2`."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return f">={major}.{minor},<{f'0.{minor + 1}' if major == 0 else major + 1}"
