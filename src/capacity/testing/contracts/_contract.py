"""What every contract is: plain test methods that are excused only with a reason, and never quietly replaced."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

WATCHING = """
import os, sys

REACHING = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system")

def watch(event, arguments):
    touched = event == "open" and not str(arguments[0]).endswith((".py", ".pyc", ".so"))
    if touched or event.startswith(REACHING):
        print(event, *arguments, file=sys.stderr)
        os._exit(1)

sys.addaudithook(watch)
"""
"""The head of a child that ends as soon as what follows does any I/O. Reading code is how Python imports."""


class Contract:
    """The base of every contract. A subclass gives what its contract asks for, and nothing else.

    Attributes:
        construct: Python source that imports and constructs what is under test: `from x import reader; reader()`.
        excused: name of a test method → why it cannot hold here. An excused test has to fail: one that holds after
            all needs no excuse, and the run says so.
    """

    construct: ClassVar[str]
    excused: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse a subclass that replaces a test of its contract, or excuses one without a reason."""
        super().__init_subclass__(**options)
        owed = {name for base in cls.__mro__[1:] for name in vars(base) if name.startswith("test_")}
        replaced = sorted(owed & vars(cls).keys())
        if replaced:
            raise TypeError(f"{cls.__name__} replaces {', '.join(replaced)}: excuse a test of a contract, and say why")
        for name, reason in vars(cls).get("excused", {}).items():
            if name not in owed or not reason.strip():
                raise TypeError(f"{cls.__name__} excuses {name!r}: name a test of the contract, and say why")
            setattr(cls, name, pytest.mark.xfail(reason=reason, strict=True)(_own(getattr(cls, name))))

    def test_importing_and_constructing_do_no_io(self) -> None:
        """Before anything is asked, no socket, no child and no file is touched."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        argv = [sys.executable, "-c", WATCHING + self.construct]
        child = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, timeout=60)

        assert (child.returncode, child.stderr) == (0, "")


def _own(method: Callable[..., None]) -> Callable[..., None]:
    """The same test as a function of its own, so that a mark on it stays off other subclasses."""

    @functools.wraps(method)
    def excused(*arguments: Any, **named: Any) -> None:
        method(*arguments, **named)

    return excused
