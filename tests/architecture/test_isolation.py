"""The guards of the root conftest.py hold."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import conftest


def test_home_is_not_the_persons() -> None:
    """A test's home is an empty folder of its own."""
    home = Path.home()

    assert str(home) == os.environ["HOME"]
    assert [] == list(home.iterdir())


def test_foreign_variables_are_gone() -> None:
    """No key, and no proxy, of the person at the machine is left in the environment."""
    kept = set(conftest.HOMES)

    assert [] == [name for name in os.environ if conftest.foreign(name) and name not in kept]


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80), ("example.invalid", 80)])
def test_no_test_leaves_this_machine(address: tuple[str, int]) -> None:
    """A connection elsewhere is refused, and remembered even if the code under test swallows the error."""
    with pytest.raises(conftest.OutOfBounds):
        socket.create_connection(address, timeout=0.1)

    assert conftest.REACHED
    conftest.REACHED.clear()


def test_loopback_is_open() -> None:
    """A server of the test's own can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass

    assert [] == conftest.REACHED
