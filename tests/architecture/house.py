"""Where things are in the house, and how its code is read: the one place the tests of this folder ask."""

from __future__ import annotations

import ast
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CORE = ROOT / "src" / "capacity"
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
MADE = {".git", ".hypothesis", ".import_linter_cache", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache", ".venv"}
MADE |= {"__pycache__", "_build", "build", "dist"}


def kept(path: Path) -> bool:
    """Whether a file belongs to the house, and is not what some tool left there."""
    return not MADE & set(path.relative_to(ROOT).parts) and path.suffix not in {".db", ".egg-info", ".pyc"}


def shipped() -> list[Path]:
    """Every Python file that a user installs: the core's and the plugins'."""
    folders = [ROOT / "src", *(plugin / "src" for plugin in PLUGINS)]
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def written() -> list[Path]:
    """Every Python file that people wrote here."""
    folders = ["src", "plugins", "tests", "typing_tests", "benchmarks", "docs"]
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted([*found, ROOT / "conftest.py", ROOT / "noxfile.py"])


def short(path: Path) -> str:
    """A path as a person says it."""
    return path.relative_to(ROOT).as_posix()


def examples(page: str) -> list[str]:
    """The Python blocks of a document, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def metadata(folder: Path) -> dict[str, Any]:
    """The pyproject.toml of one distribution."""
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def tree(path: Path) -> ast.Module:
    """The syntax tree of one file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Each function of a file, nested ones too, with its length in lines: from `def` to its last line."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{short(path)}:{node.lineno} {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """Each comment of a file, with its line; what merely looks like one inside a string is none."""
    with path.open("rb") as source:
        for token in tokenize.tokenize(source.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
