"""What others build on did not move by accident: the public names, their arguments, their attributes.

A change here is a change for users: accept it with `--snapshot-update` and say it in `changelog.d`.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any, get_origin

import pytest
from syrupy.assertion import SnapshotAssertion

DOORS = {
    "capacity": 25,
    "capacity.ports": 60,
    "capacity.ports.scores": 12,
    "capacity.errors": 25,
}  # and how many names each may have at most


def methods(kind: type[Any]) -> Iterator[str]:
    """The public methods and properties that a class itself defines."""
    for name, member in sorted(vars(kind).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"    .{name}"
        elif inspect.isfunction(member):
            yield f"    .{name}{inspect.signature(member)}"


def describe(name: str, value: Any) -> Iterator[str]:
    """One public name as a user meets it. How a class is shown must not depend on the Python that shows it."""
    if inspect.isclass(value) and get_origin(value) is None:
        protocol = getattr(value, "_is_protocol", False)
        plain = protocol or issubclass(value, Exception) or "__init__" not in vars(value)
        yield f"class {name}" + ("" if plain else str(inspect.signature(value)))
        yield from methods(value)
    elif inspect.isfunction(value):
        yield f"def {name}{inspect.signature(value)}"
    else:
        yield f"{name} = {value!r}".replace("typing.", "")


@pytest.mark.parametrize("door", DOORS)
def test_the_surface_did_not_move(door: str, snapshot: SnapshotAssertion) -> None:
    """Names, arguments and attributes are those that were agreed on."""
    module = importlib.import_module(door)
    names = getattr(module, "__all__", None) or [name for name in vars(module) if name[0].isupper()]

    assert snapshot == "\n".join(line for name in sorted(names) for line in describe(name, getattr(module, name)))


@pytest.mark.parametrize("door", ["capacity", "capacity.ports", "capacity.ports.scores"])
def test_all_is_true(door: str) -> None:
    """`__all__` holds no name twice, every name of it can be had, and `dir` shows it."""
    module = importlib.import_module(door)

    assert len(set(module.__all__)) == len(module.__all__)
    assert [] == [name for name in module.__all__ if not hasattr(module, name)]
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize(("door", "most"), DOORS.items())
def test_the_surface_stays_small(door: str, most: int) -> None:
    """A door that everything goes through is no door."""
    module = importlib.import_module(door)

    assert most >= len(getattr(module, "__all__", ()))
