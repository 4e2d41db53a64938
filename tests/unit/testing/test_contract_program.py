"""The contract of probers that run a program holds for a plain one, and finds those that hang on somebody or guess."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve, frozen

from capacity.errors import NotFound, WireError
from capacity.ports import Budget, Hear, Limit, Prober, Read, Reading, Run, Say, Start
from capacity.testing.children import Answers, FakePrograms, Habit, Says
from capacity.testing.contracts import ProgramContract
from capacity.testing.contracts import program as contract
from capacity.testing.contracts.program import probed
from capacity.testing.fakes import BUDGET
from capacity.wire import Host

from .sundial import SOURCE, SundialReader

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
GOOD: Mapping[tuple[str, ...], Sequence[Habit]] = {("usage",): (Says(b'{"used": 42.0}'),)}
TALK: Mapping[tuple[str, ...], Sequence[Habit]] = {("serve",): (Answers({"usage": [{"result": {"used": 42.0}}]}),)}


@frozen
class Runs:
    """Runs its program to its end."""

    budget: Budget = BUDGET

    async def account(self) -> str:
        return (await Read("~/.sundial/login", secret=True)).digest

    async def probe(self) -> tuple[Reading, ...]:
        done = await Run(("sundial", "usage"), timeout=timedelta(minutes=1))
        if done.code != 0 or b"used" not in done.stdout:
            return ()
        return SundialReader().readings(evolve(done.document, asked=None)) or ()


class Talks(Runs):
    """Asks its program, and takes the answer from the line."""

    async def probe(self) -> tuple[Reading, ...]:
        child = await Start(("sundial", "serve"))
        await Say(child, '{"id": 1, "method": "usage"}', timeout=timedelta(minutes=1))
        line = await Hear(child, timeout=timedelta(minutes=1))
        used = line.text.partition('"used": ')[2].partition("}")[0]
        return (Reading("", "ok", SOURCE, line.at, limits=(Limit("daily", float(used)),)),)


class TestRuns(ProgramContract):
    construct = "from capacity.ports import Limit; Limit('daily')"

    @pytest.fixture
    def prober(self) -> Prober:
        return Runs()

    @pytest.fixture
    def program(self) -> str:
        return "sundial"

    @pytest.fixture
    def habits(self) -> contract.Habits:
        return GOOD

    @pytest.fixture
    def files(self) -> Mapping[str, bytes]:
        return {".sundial/login": b"hush"}


class TestTalks(TestRuns):
    @pytest.fixture
    def prober(self) -> Prober:
        return Talks()

    @pytest.fixture
    def habits(self) -> contract.Habits:
        return TALK


@frozen
class Guesses(Runs):
    """What does not answer is full of room."""

    async def probe(self) -> tuple[Reading, ...]:
        try:
            await Run(("sundial", "usage"), timeout=timedelta(minutes=1))
        except WireError:
            pass
        return (Reading("", "ok", SOURCE, NOON, limits=(Limit("daily", 0.0),)),)


class Looks(Runs):
    """It wants to see its backend running."""

    async def probe(self) -> tuple[Reading, ...]:
        await Run(("ps", "-C", "sundial"))
        return await Runs.probe(self)


class Faults(Runs):
    """It trips."""

    async def probe(self) -> tuple[Reading, ...]:
        raise KeyError("used")


class Blocks(Runs):
    """It does what no effect does."""

    async def probe(self) -> tuple[Reading, ...]:
        time.sleep(1)  # noqa: ASYNC251 - what is wrong with it
        return ()


class Faultless(Runs):
    """It asks nobody."""

    async def probe(self) -> tuple[Reading, ...]:
        raise NotFound("sundial", "not looked for")


@pytest.fixture
def programs(tmp_path: Path) -> FakePrograms:
    programs = FakePrograms(tmp_path / "programs")
    programs.write("sundial", when=GOOD)
    return programs


@pytest.fixture
def host(tmp_path: Path, programs: FakePrograms) -> Host:
    return Host(environ={"PATH": programs.path, "HOME": str(tmp_path)})


def test_a_prober_that_guesses_is_found(host: Host, programs: FakePrograms) -> None:
    """A program that does not answer is no figure."""
    with pytest.raises(AssertionError):
        TestRuns().test_a_bad_program_ends_at_the_deadline(Guesses(), host, programs, "sundial", "never answers")


def test_a_prober_that_needs_somebody_is_found(host: Host, programs: FakePrograms) -> None:
    """Nothing but its own program is there to be asked."""
    with pytest.raises(AssertionError):
        TestRuns().test_a_probe_needs_nobody(Looks(), host, programs, "sundial")


def test_a_prober_that_runs_nothing_is_found(host: Host, programs: FakePrograms) -> None:
    """What was never run proves nothing."""
    with pytest.raises(AssertionError, match="never run"):
        TestRuns().test_a_bad_program_ends_at_the_deadline(Faultless(), host, programs, "sundial", "fails")


def test_a_fault_of_the_prober_is_its_own(host: Host) -> None:
    """It comes out as it was raised."""
    with pytest.raises(KeyError):
        probed(Faults(), host, timedelta(seconds=5))


def test_a_probe_that_does_not_end_is_found(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not waited for for ever."""
    monkeypatch.setattr(contract, "GRACE", timedelta(seconds=-4.9))

    with pytest.raises(AssertionError, match="still runs"):
        probed(Blocks(), host, timedelta(seconds=5))
