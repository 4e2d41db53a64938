"""Clocks show what they are told, in one process or in several."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from capacity.errors import CapacityError
from capacity.ports import Clock
from capacity.testing.clocks import FileClock, SettableClock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture(params=["settable", "file"])
def clock(request: pytest.FixtureRequest, tmp_path: Path) -> SettableClock | FileClock:
    return SettableClock(NOON) if request.param == "settable" else FileClock(tmp_path / "clock", NOON)


def test_time_passes_when_it_is_told_to(clock: SettableClock | FileClock) -> None:
    """It stands still until it is advanced, set, or slept on; sleeping takes no time."""
    port: Clock = clock
    assert NOON == port.now() == port.now()
    assert NOON + HOUR == clock.advance(HOUR)
    port.sleep(HOUR)
    assert NOON + 2 * HOUR == port.now()
    clock.set(NOON)
    assert NOON == port.now()


def test_it_shows_utc(clock: SettableClock | FileClock) -> None:
    """An instant of another zone is shown in UTC; one without a zone is refused."""
    clock.set(NOON.astimezone(timezone(timedelta(hours=5))))
    assert (NOON, UTC) == (clock.now(), clock.now().tzinfo)
    with pytest.raises(ValueError, match="zone"):
        clock.set(datetime(2026, 3, 1))  # noqa: DTZ001 - what is refused


def test_nothing_is_lost_between_threads(clock: SettableClock | FileClock) -> None:
    """Everybody's span counts."""
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(clock.advance, [HOUR] * 40))

    assert NOON + 40 * HOUR == clock.now()


def test_a_file_clock_is_shared_between_processes(tmp_path: Path) -> None:
    """What one process sets, the other sees; the second to come takes the time that stands there."""
    path = tmp_path / "clock"
    clock = FileClock(path, NOON)
    code = (
        "import sys; from datetime import datetime, timedelta, UTC; from capacity.testing.clocks import FileClock;"
        "FileClock(sys.argv[1], datetime(1999, 1, 1, tzinfo=UTC)).advance(timedelta(hours=1))"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, env={"PYTHONPATH": ":".join(sys.path)})

    assert NOON + HOUR == clock.now()


@pytest.mark.parametrize("content", [None, "", "soon", "2026-03-01T12:00:00"])
def test_a_file_that_shows_no_time_is_named(tmp_path: Path, content: str | None) -> None:
    """A missing or broken file is an error with its path, not a time."""
    path = tmp_path / "clock"
    if content is not None:
        path.write_text(content, encoding="ascii")

    with pytest.raises(CapacityError, match=str(path)):
        FileClock(path).now()
