"""`watch`: one tick after another, until it is told to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta

import pytest

from capacity.cli.exits import UsageFault
from capacity.cli.watching import typed_span
from capacity.testing.clocks import SettableClock

from .house import HOUR, House


def acted(house: House, at: timedelta, act: Callable[[], object]) -> None:
    """Do something when the clock is made to sleep past an instant, from the house's present on."""
    clock, due, sleep = house.clock, house.clock.now() + at, SettableClock.sleep
    done = []

    def passing(span: timedelta) -> None:
        sleep(clock, span)
        if clock.now() >= due and not done:
            done.append(act())

    clock.sleep = passing  # type: ignore[method-assign]  # this one clock, for this one test


def test_so_many_ticks_so_far_apart(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """From the start of one to the start of the next; what is not due is not asked again."""
    assert 0 == house.run("watch", "--times", "3", "--every", "1m")
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("tick")]

    assert [
        "tick 2026-09-20T12:00:00Z-0; 2 seats: 2 keep; next Sun 2026-09-20 12:01:00Z",
        "tick 2026-09-20T12:01:00Z-1; 2 seats: 2 keep; next Sun 2026-09-20 12:02:00Z",
        "tick 2026-09-20T12:02:00Z-2; 2 seats: 2 keep; next Sun 2026-09-20 12:03:00Z",
    ] == heads
    assert 1 == house.team.times("/api/oauth/usage")


@pytest.mark.parametrize(("every", "next_at"), [("20", "12:00:20Z"), ("119s", "12:01:59Z"), ("2m", "12:02Z")])
def test_the_next_tick_is_told_from_the_present(
    every: str, next_at: str, house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    """To the second where it is so near that the minute may be the present one."""
    assert 0 == house.run("watch", "--plan", "--times", "1", "--every", every)
    assert capsys.readouterr().out.splitlines()[0].endswith(f"; next Sun 2026-09-20 {next_at}")


def test_the_policy_says_how_often(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Unless the operator does."""
    house.write_policy(more="[pacing]\ntick_s = 600\n")
    assert 0 == house.run("watch", "--times", "2", "--json")

    instants = [json.loads(line)["tick"]["history"]["as_of"] for line in capsys.readouterr().out.splitlines()]
    assert ["2026-09-20T12:00:00Z", "2026-09-20T12:10:00Z"] == instants


def test_a_watch_may_only_look(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """`--plan` decides and shows; nothing is applied and nothing kept."""
    house.team.use("session", 99.0, house.clock.now() + HOUR)
    before = house.fleet()
    assert 0 == house.run("watch", "--plan", "--times", "2", "--every", "60")
    assert 2 == capsys.readouterr().out.count("; nothing is applied; next ")
    assert 0 == house.run("watch", "--plan", "--times", "1", "--json")
    assert "demote" == json.loads(capsys.readouterr().out)["decision"]["seats"][0]["placement"]["act"]

    assert before == house.fleet()
    assert 0 == house.run("ticks", "--json")
    assert [] == json.loads(capsys.readouterr().out)


def test_it_ends_with_the_code_of_its_last_tick(house: House) -> None:
    """4 where a loud condition stands then."""
    acted(house, timedelta(minutes=1), lambda: (house.folder / "fleet.json").write_text("{}", encoding="utf-8"))

    assert 4 == house.run("watch", "--times", "2", "--every", "60")


def test_an_edited_policy_counts_from_the_next_tick_on(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody has to start the watch anew."""
    acted(house, timedelta(minutes=1), lambda: house.write_policy(mode="shadow"))
    assert 0 == house.run("watch", "--times", "2", "--every", "60")

    first, second = (line for line in capsys.readouterr().out.splitlines() if line.startswith("tick"))
    assert "in shadow" not in first
    assert "in shadow, so nothing is applied to it: crew" in second


@pytest.mark.parametrize("broken", ["version = ", "version = 1\nservice = {}\n", None])
def test_a_policy_that_becomes_faulty_stops_nothing(
    broken: str | None, house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is complained of, and the last good one goes on; so where the file has gone."""
    spoil = house.policy.unlink if broken is None else lambda: house.policy.write_text(broken or "", encoding="utf-8")
    acted(house, timedelta(minutes=1), spoil)
    assert 0 == house.run("watch", "--times", "2", "--every", "60")

    out, err = capsys.readouterr()
    assert 2 == out.count("2 seats: 2 keep")
    assert 1 == err.count("going on with the policy as it was")


def test_a_tick_that_fails_is_tried_again(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """A store that will not do is complained of; the next tick looks anew."""
    away = house.folder / "away"

    def spoil() -> None:
        for path in house.folder.glob("capacity.db*"):
            away.mkdir(exist_ok=True)
            path.rename(away / path.name)
        house.store.write_bytes(b"no store" * 1000)
        acted(house, timedelta(minutes=1), house.store.unlink)

    acted(house, timedelta(minutes=1), spoil)
    assert 0 == house.run("watch", "--times", "3", "--every", "60")

    out, err = capsys.readouterr()
    assert 2 == out.count("2 seats: 2 keep")
    assert f"{house.store}: is damaged, or no store" in err
    assert "; next try Sun 2026-09-20 12:02:00Z" in err


def test_it_does_not_begin_with_a_faulty_policy(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no good one to go on with."""
    house.policy.write_text("version = 1\nservice = {}\n", encoding="utf-8")

    assert 2 == house.run("watch", "--times", "1")
    assert "service: needs release 0.6" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("90", timedelta(seconds=90)),
        ("90s", timedelta(seconds=90)),
        ("5m", 5 * timedelta(minutes=1)),
        ("1.5h", 1.5 * HOUR),
    ],
)
def test_a_span_is_typed_with_its_unit(text: str, span: timedelta) -> None:
    """Seconds where there is none."""
    assert span == typed_span(text)


@pytest.mark.parametrize("text", ["", "0", "-5", "5 m", "1d", "m", "inf"])
def test_what_is_no_span_is_refused(text: str) -> None:
    """With how to write one; nothing, or less, is none."""
    with pytest.raises(UsageFault, match="write it like 90, 90s, 5m or 1h"):
        typed_span(text)


@pytest.mark.parametrize("request_", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_cleanly(request_: signal.Signals, house: House) -> None:
    """While it waits for the next tick: no traceback, and the code of the last one."""
    words = ["--policy", str(house.policy), "--store", str(house.store), "watch", "--every", "1h", "--json"]
    was = signal.signal(request_, signal.SIG_DFL)  # a job in the background hands on that it ignores an interrupt
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "capacity.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    finally:
        signal.signal(request_, was)
    try:
        assert child.stdout is not None
        first = child.stdout.readline()
        child.send_signal(request_)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()

    assert "tick" in json.loads(first)
    assert (0, b"", b"") == (child.returncode, out, err)


def test_whoever_stops_reading_ends_it(house: House) -> None:
    """As `head` does: no traceback, no endless work for nobody."""
    words = ["--policy", str(house.policy), "--store", str(house.store), "watch", "--every", "0.1", "--json"]
    child = subprocess.Popen(
        [sys.executable, "-m", "capacity.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline()
        child.stdout.close()
        assert 0 == child.wait(timeout=30)
        assert child.stderr is not None
        assert b"" == child.stderr.read()
    finally:
        child.kill()
        if child.stderr is not None:
            child.stderr.close()
