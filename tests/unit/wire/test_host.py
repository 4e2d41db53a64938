"""A host fills in paths, keeps to its own environment, and shares nothing."""

from __future__ import annotations

import time
from datetime import UTC, timedelta

import pytest

from capacity.errors import NotFound
from capacity.wire import Host, SystemClock

ENVIRON = {"HOME": "/home/me", "STATE": "/state", "BLANK": " ", "ODD": "${HOME}"}


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("/plain", "/plain"),
        ("relative", "relative"),
        ("~", "/home/me"),
        ("~/x", "/home/me/x"),
        ("~other/x", "~other/x"),
        ("/a/~/x", "/a/~/x"),
        ("${STATE}/x", "/state/x"),
        ("${STATE:-/else}/x", "/state/x"),
        ("${NONE:-/else}/x", "/else/x"),
        ("${BLANK:-/else}/x", "/else/x"),
        ("${NONE:-~/.x}/y", "/home/me/.x/y"),
        ("${NONE:-${STATE}/x}/y", "/state/x/y"),
        ("${NONE:-}x", "x"),
        ("${STATE}${STATE}", "/state/state"),
        ("${ODD}/x", "${HOME}/x"),
        ("$STATE/{x}", "$STATE/{x}"),
    ],
)
def test_a_path_is_filled_in(asked, path):
    """Variables, what is used instead of them, and the home; a value is never filled in again."""
    assert path == Host(environ=ENVIRON).path(asked)


@pytest.mark.parametrize(
    ("asked", "missing"),
    [("${NONE}/x", "NONE"), ("${BLANK}/x", "BLANK"), ("${NONE:-${OTHER}}/x", "OTHER"), ("~/x", "HOME")],
)
def test_a_path_that_cannot_be_filled_in_names_the_variable(asked, missing):
    """A blank variable would lead to a place nobody meant, so it counts as none."""
    with pytest.raises(NotFound) as fault:
        Host(environ={"BLANK": " "}).path(asked)
    assert f"{asked}: {missing} is not set" == str(fault.value)


def test_the_environment_is_that_of_the_moment(monkeypatch):
    """What the process changes later, no flow sees."""
    monkeypatch.setenv("CHANGES", "before")
    host = Host()
    monkeypatch.setenv("CHANGES", "after")

    assert "before" == host.environ["CHANGES"]


def test_the_clock_of_the_machine_sleeps():
    """`SystemClock` is the machine's: UTC, and a sleep takes its time."""
    clock, before = SystemClock(), time.monotonic()
    clock.sleep(timedelta(milliseconds=20))

    assert 0.02 <= time.monotonic() - before
    assert UTC == clock.now().tzinfo


def test_the_environment_is_not_in_its_repr():
    """A host is shown by name only: its environment holds keys."""
    assert "0123456789" not in repr(Host(environ={"KEY": "0123456789"}))
