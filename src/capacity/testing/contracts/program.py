"""What a prober owes that runs a program: it needs nobody beside it, and no habit of the program's outlives the deadline.

Nothing is played here: the driver runs a fake program of `capacity.testing.children` in a home of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest

from capacity.errors import WireError
from capacity.ports import Prober, Reading
from capacity.testing.children import Exits, FakePrograms, Floods, Habit, Ignores, Says, Spawns, Stops, Waits
from capacity.testing.contracts._contract import Contract
from capacity.testing.contracts._ruin import HOPELESS, zeros
from capacity.wire import Host, run_all

LONG = timedelta(seconds=30)
"""What a healthy probe may take on a busy machine."""

SOON = timedelta(seconds=2)
"""The deadline of a probe that cannot succeed: enough for a script to start on a busy machine."""

GRACE = timedelta(seconds=15)
"""Beyond its deadline a probe is let go within a second; what takes this long was never going to end."""

BAD: Mapping[str, Sequence[Habit]] = {
    "never answers": (Waits(),),
    "is stopped": (Stops(),),
    "ignores the signal": (Ignores(), Waits()),
    "floods stdout": (Floods("stdout"),),
    "floods stderr": (Floods("stderr"),),
    "spawns and waits": (Spawns(), Waits()),
    "fails": (Exits(1),),
    "says nothing": (Exits(0),),
    "says something else": (Says(HOPELESS["html"]),),
}
"""What a program does instead of its work."""

Habits = Mapping[tuple[str, ...], Sequence[Habit]]
"""Arguments → what a program does where all of them are among those it is given; `()` = whatever they are."""


class ProgramContract(Contract):
    """Subclass it beside `ProberContract`, where the prober runs a program, and give `construct` and these fixtures.

    * `prober`: the prober; where it asks a server too, one that refuses connections (`http://127.0.0.1:9`).
    * `program`: the name of its program on the PATH.
    * `habits`: arguments → what that program does in good health.
    * `files`: path below the home → content, as `.toy/login.json`; no figure among them. None by default.
    """

    @pytest.fixture
    def files(self) -> Mapping[str, bytes]:
        """What the home holds: nothing, unless a subclass gives it."""
        return {}

    @pytest.fixture
    def programs(self, tmp_path: Path, program: str, habits: Habits) -> Iterator[FakePrograms]:
        """The one program, in good health; whatever is left of it is ended behind the test."""
        with FakePrograms(tmp_path / "programs") as programs:
            programs.write(program, when=habits)
            yield programs

    @pytest.fixture
    def host(self, tmp_path: Path, programs: FakePrograms, files: Mapping[str, bytes]) -> Host:
        """A host with that home, that program, and nothing else to find or to reach."""
        home = tmp_path / "home"
        for name, content in files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(content)
        return Host(environ={"HOME": str(home), "PATH": programs.path})

    def test_a_probe_needs_nobody(self, prober: Prober, host: Host, programs: FakePrograms, program: str) -> None:
        """No agent, no terminal and no other process of the backend: it is `ok` with its program alone, again and again."""
        states = {reading.state for _ in range(2) for reading in probed(prober, host, LONG)}

        assert {"ok"} == states
        assert programs.left() == ()
        assert {(program, True, False)} == {(ran.name, ran.leads, ran.terminal) for ran in programs.runs}

    def test_a_grandchild_holds_nobody(
        self, prober: Prober, host: Host, programs: FakePrograms, program: str, habits: Habits
    ) -> None:
        """What the program leaves behind, with its pipes open, neither delays the answer nor stays."""
        programs.write(program, when={words: (Spawns(), *does) for words, does in habits.items()})

        assert {"ok"} == {reading.state for reading in probed(prober, host, LONG)}
        assert programs.left() == ()

    @pytest.mark.parametrize("habit", BAD)
    def test_a_bad_program_ends_at_the_deadline(
        self, prober: Prober, host: Host, programs: FakePrograms, program: str, habit: str
    ) -> None:
        """Whatever it does, the probe ends, tells no figure, and nothing is left running."""
        programs.write(program, *BAD[habit])
        readings = probed(prober, host, SOON)

        assert programs.runs, "the program was never run"
        assert programs.left() == ()
        assert "ok" not in {reading.state for reading in readings}
        assert set() == zeros(readings)


def probed(prober: Prober, host: Host, deadline: timedelta) -> tuple[Reading, ...]:
    """What a probe gives; `()` where it gives up with an error that the host makes a state of.

    Raises:
        AssertionError: it did not end.
    """
    ended: list[tuple[Reading, ...] | Exception] = []

    def drive() -> None:
        ended.append(run_all({"probe": (prober.probe(), deadline)}, host=host)["probe"])

    thread = Thread(target=drive, daemon=True)
    thread.start()
    thread.join((deadline + GRACE).total_seconds())
    assert ended, f"the probe still runs {GRACE} after its deadline"
    told = ended[0]
    if isinstance(told, WireError | ValueError | RecursionError):
        return ()
    if isinstance(told, Exception):
        raise told
    return told
