"""Where the file is, and whose."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from capacity.ports import Store
from capacity.store import memory, sqlite

from .conftest import NOON


def paths(folder: Path) -> list[str]:
    """Every file below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("state", "place"),
    [("there", "there/capacity"), ("", ".local/state/capacity"), (None, ".local/state/capacity")],
)
def test_the_usual_place(monkeypatch, tmp_path: Path, state: str | None, place: str) -> None:
    """`$XDG_STATE_HOME`, else `~/.local/state`; an empty variable counts as none."""
    monkeypatch.setenv("HOME", str(tmp_path))
    if state is None:
        monkeypatch.delenv("XDG_STATE_HOME")
    else:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / state) if state else "")
    store = sqlite()
    assert [] == paths(tmp_path)

    store.append("log", "key", NOON, b"")
    store.close()
    assert [f"{place}/capacity.db", f"{place}/capacity.db.lock"] == paths(tmp_path)


def test_a_relative_variable_counts_as_none(monkeypatch, tmp_path: Path) -> None:
    """As its specification says."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.chdir(tmp_path)
    store = sqlite()
    store.append("log", "key", NOON, b"")
    store.close()

    assert ".local/state/capacity/capacity.db" in paths(tmp_path)


def test_a_path_is_meant_where_it_was_said(monkeypatch, tmp_path: Path) -> None:
    """A relative one stays where it was when the folder changes; `~` is the home."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    stores = [sqlite(path="a.db"), sqlite(path="~/b.db")]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for store in stores:
        store.append("log", "key", NOON, b"")
        store.close()

    assert ["a.db", "a.db.lock", "home/b.db", "home/b.db.lock"] == paths(tmp_path)


def test_the_file_is_its_users_alone(store: Store, path: Path) -> None:
    """Folders 0700, every file 0600, however careless the process's mask is."""
    mask = os.umask(0)
    try:
        store.append("log", "key", NOON, b"")
        modes = {each.name: oct(each.stat().st_mode & 0o777) for each in (path.parent, *path.parent.iterdir())}
    finally:
        os.umask(mask)

    files = ("capacity.db", "capacity.db-shm", "capacity.db-wal", "capacity.db.lock")
    assert {"state": "0o700", **dict.fromkeys(files, "0o600")} == modes


@pytest.mark.parametrize("make", [memory, sqlite])
def test_the_system_tells_the_time_where_nobody_else_does(make) -> None:
    """Without a clock of its own a store shows the present, UTC."""
    store = make()

    assert abs(datetime.now(UTC) - store.now()) < timedelta(minutes=1)
    assert UTC is store.now().tzinfo
    store.close()
