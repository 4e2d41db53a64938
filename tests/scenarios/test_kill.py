"""A ticking process is killed two hundred times, fifty of them inside `apply`, and nothing that was known is lost."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from attrs import define, field

from capacity.codec import loads
from capacity.engine.documents import Written
from capacity.ports import Store
from capacity.store import sqlite
from capacity.testing.clocks import FileClock

from . import nursery

pytestmark = pytest.mark.once

KILLS, INSIDE = 200, 50
SEATS = ("s1", "s2", "s3", "s4")
PATIENCE = 300  # seconds until the nursery is given up; it takes a tenth of that


class Nursery:
    """Children of one folder, one after another."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, nursery.__file__, str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.watch = threading.Timer(PATIENCE, self.process.kill)
        self.watch.start()

    def hear(self) -> tuple[str, str]:
        assert self.process.stdout is not None
        word, _, about = self.process.stdout.readline().strip().partition(" ")
        assert word, "the nursery ended"
        return word, about

    def start(self) -> int:
        """Bring a child up; its process id."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        said = dict([self.hear(), self.hear()])
        return int(said["child"])

    def until(self, word: str) -> None:
        while self.hear()[0] != word:
            pass

    def kill(self, pid: int, inside: bool) -> bool:
        """End a child that was inside `apply` or not when it was last heard of; whether it is now."""
        subprocess.run(["kill", "-9", str(pid)], check=True)
        while True:
            word, about = self.hear()
            if word == "dead":
                assert -signal.SIGKILL == int(about)
                return inside
            inside = word == "in"

    def close(self) -> None:
        self.watch.cancel()
        self.process.kill()
        self.process.communicate()


@define
class Aftermath:
    """What is left of all those lives.

    Attributes:
        folder: where it is.
        tick: seconds a tick takes here: a life ends within that time, so that every moment of a tick comes up.
        inside: how many ended inside `apply`.
        lives: per life, the placements it carried out: those it logged, and those first found in the file after it.
    """

    folder: Path
    tick: float = 0.0
    inside: int = 0
    lives: list[set[str]] = field(factory=list)

    def log(self, word: str) -> list[str]:
        lines = (self.folder / "log").read_text().splitlines()
        return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]

    def in_file(self) -> set[str]:
        placements = json.loads((self.folder / "fleet.json").read_text()).get("placements") or {}
        return {row["id"] for row in placements.values()}

    def store(self) -> Store:
        return sqlite(path=self.folder / "capacity.db", clock=FileClock(self.folder / "clock"))


@pytest.fixture(scope="module")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aftermath]:
    """Two hundred lives, each ended by force; the chance is drawn from a fixed seed, the moments are the machine's."""
    chance, left = random.Random(7), Aftermath(tmp_path_factory.mktemp("kill"))
    seats = {name: {"harness": "h", "model": "model-even", "pool": "even"} for name in SEATS}
    (left.folder / "fleet.json").write_text(json.dumps({"form": 1, "seats": seats}))
    (left.folder / "log").touch()
    nursery_ = Nursery(left.folder)
    try:
        left.tick = measured(nursery_)
        for kill in range(KILLS):
            aimed = kill % (KILLS // INSIDE) == 0 or INSIDE - left.inside >= KILLS - kill
            live(nursery_, left, chance, aimed=aimed)
        yield left
    finally:
        nursery_.close()


def measured(nursery_: Nursery) -> float:
    pid = nursery_.start()
    begun = time.monotonic()
    nursery_.until("ticked")
    took = time.monotonic() - begun
    nursery_.kill(pid, inside=False)
    return took


def live(nursery_: Nursery, left: Aftermath, chance: random.Random, *, aimed: bool) -> None:
    """One life, ended at a random moment, or at a random moment of an `apply`."""
    known, logged = left.in_file(), len(left.log("carried"))
    pid = nursery_.start()
    for _ in range(chance.randint(1, 2 * len(SEATS)) if aimed else 0):
        nursery_.until("in")
    time.sleep(chance.uniform(0, 2 * nursery.WITHIN if aimed else left.tick))
    left.inside += nursery_.kill(pid, inside=aimed)
    left.lives.append({*left.log("carried")[logged:], *(left.in_file() - known)})


def test_a_quarter_died_inside_apply(aftermath: Aftermath) -> None:
    """Fifty of the two hundred moments lie between the call of `apply` and its return."""
    assert KILLS == len(aftermath.lives)
    assert aftermath.inside >= INSIDE


def test_every_published_reading_is_there(aftermath: Aftermath) -> None:
    """The store opens, holds every reading that was acknowledged, and no number of it is missing."""
    logs = ("readings", "levels", "journal", "conditions", "decisions", "blobs")
    with closing(aftermath.store()) as store:
        kept = {f"{record.key} {record.at.isoformat()}" for record in store.read("readings")}
        numbers = sorted(record.seq for log in logs for record in store.read(log))

    assert len(aftermath.log("published")) > KILLS // 2
    assert set(aftermath.log("published")) <= kept
    assert list(range(1, len(numbers) + 1)) == numbers


def test_no_placement_is_carried_out_twice(aftermath: Aftermath) -> None:
    """Over all lives, each placement id was carried out in one of them at most, and once."""
    times = Counter(id for life in aftermath.lives for id in life)

    assert len(times) > KILLS // 2
    assert {} == {id: count for id, count in times.items() if count > 1}
    assert [] == [id for id, count in Counter(aftermath.log("carried")).items() if count > 1]


def test_every_intent_ends_in_an_outcome(aftermath: Aftermath) -> None:
    """One more tick, and no intent is left of which the journal does not say what became of it."""
    FileClock(aftermath.folder / "clock").advance(nursery.TURN)
    with (aftermath.folder / "log").open("ab") as log, closing(aftermath.store()) as store:
        nursery.engine(aftermath.folder, log.fileno(), store).tick()
        written = [loads(Written, record.body) for record in store.read("journal")]
    intents = {one.placement.id for one in written if one.outcome is None}
    outcomes = Counter(one.placement.id for one in written if one.outcome is not None)

    assert intents - outcomes.keys() == set()
    assert [] == [id for id in intents if outcomes[id] > 1]
    assert aftermath.inside > sum(one.outcome is not None and one.outcome.word == "indeterminate" for one in written)
