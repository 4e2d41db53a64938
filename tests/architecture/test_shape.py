"""Files and functions stay short, nothing is kept at module level, and an exception to a rule says why."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import house

LONGEST_FILE = 320  # lines: "about 300", and no further
MEDIAN_FUNCTION = 10  # lines
SUPPRESSION = re.compile(
    r"#\s*(noqa|type:\s*ignore|pragma:|pyright:|mypy:|ruff:|fmt:\s*(off|skip)|isort:)", re.IGNORECASE
)
REASONED = re.compile(
    r"#\s*(noqa:\s*[A-Z0-9, ]+?|type:\s*ignore\[[a-z, -]+\]|pragma: no (cover|branch)|fmt: (off|skip)|[a-z]+:\s*\S+)"
    r"\s*(#|--|—|–|- |:|,|;|\()\s*\S.{5,}"
)
READ_ONLY = {"Mapping", "Sequence", "AbstractSet", "Set", "Collection", "MappingProxyType"}
MUTABLE_CALLS = {
    "bytearray",
    "defaultdict",
    "deque",
    "dict",
    "list",
    "set",
    "Counter",
    "OrderedDict",
    "WeakValueDictionary",
}


def test_no_file_grows_long() -> None:
    """A file is read in one sitting."""
    lengths = {house.short(path): len(path.read_text(encoding="utf-8").splitlines()) for path in house.shipped()}

    assert {} == {path: lines for path, lines in lengths.items() if lines > LONGEST_FILE}


def test_functions_are_short() -> None:
    """Half of all functions fit in ten lines, docstring included."""
    lengths = dict(function for path in house.shipped() for function in house.functions(path))

    assert MEDIAN_FUNCTION >= statistics.median(lengths.values() or [0])


def holds_state(node: ast.expr | None) -> bool:
    """Whether an expression makes something that can be changed in place."""
    if isinstance(node, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp):
        return True
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in MUTABLE_CALLS


def state(path: Path) -> Iterator[str]:
    """What a file keeps at module level. A table is fine where its annotation forbids writing to it."""
    for node in house.tree(path).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if names == ["__all__"] or not holds_state(getattr(node, "value", None)):
            continue
        annotated = (
            {part.id for part in ast.walk(node.annotation) if isinstance(part, ast.Name)}
            if isinstance(node, ast.AnnAssign)
            else set()
        )
        if not annotated & READ_ONLY:
            yield f"{house.short(path)}:{node.lineno} {', '.join(names)}"
    for inner in ast.walk(house.tree(path)):
        if isinstance(inner, ast.Global):
            yield f"{house.short(path)}:{inner.lineno} global {', '.join(inner.names)}"


def test_nothing_is_kept_at_module_level() -> None:
    """Two engines in one process share nothing; a constant table is annotated with a read-only type."""
    assert [] == [kept for path in house.shipped() for kept in state(path)]


def unreasoned(path: Path) -> Iterator[str]:
    """The suppressions of a file that do not say why."""
    for line, comment in house.comments(path):
        if SUPPRESSION.search(comment) and not REASONED.search(comment):
            yield f"{house.short(path)}:{line} {comment}"


def test_every_suppression_says_why() -> None:
    """`# noqa: X` or `# type: ignore[x]` is followed by its reason on the same line."""
    assert [] == [found for path in house.written() for found in unreasoned(path)]


@pytest.mark.parametrize(
    ("comment", "complaint"),
    [
        ("x = 1  # noqa: A001\n", True),
        ("x = 1  # type: ignore[misc]\n", True),
        ("x = 1  # type: ignore\n", True),
        ("x = 1  # noqa: A001 - Sphinx asks for this name\n", False),
        ("x = 1  # type: ignore[misc]  # attrs makes the class\n", False),
        ("x = '# noqa'\n", False),
    ],
)
def test_a_suppression_without_a_reason_is_found(
    tmp_path: Path, comment: str, complaint: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check above sees what it should see, and nothing inside a string."""
    monkeypatch.setattr(house, "ROOT", tmp_path)
    (tmp_path / "sample.py").write_text(comment, encoding="utf-8")

    assert complaint == bool(list(unreasoned(tmp_path / "sample.py")))
