"""The side-by-side count: its situations are those of the figures, its oracle has teeth, and ours makes no wrong pick."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.side_by_side import ours
from benchmarks.side_by_side.__main__ import main
from benchmarks.side_by_side.deployment import DAY, HOUR
from benchmarks.side_by_side.failures import FAILURES
from benchmarks.side_by_side.generate import DIGEST, FAMILIES, Event, digest, record, situations
from benchmarks.side_by_side.oracle import judged

NOW = 2 * DAY
POOLS = ("amber", "opal", "quartz", "topaz", "beryl")


def read(pool: str, weekly: int, short: int = 0, at: int = NOW - 60, **more: int) -> Event:
    """A reading whose short window ends in an hour, and its long one in three days."""
    caps = [[f"weekly:{name.replace('_', '-')}", used, NOW + 3 * DAY] for name, used in more.items()]
    windows = [["5h", short, NOW + HOUR], ["weekly", weekly, NOW + 3 * DAY], *caps]
    return {"at": at, "read": pool, "windows": windows}


def ask(lane: str, at: int = NOW, times: int = 1, *, local: bool = False) -> Event:
    """Turns of ten thousand tokens."""
    return {"at": at, "ask": lane, "size": 10_000, "local": local, "times": times}


def wrongs(events: Sequence[Event], *answers: Any) -> list[str]:
    """What the oracle says."""
    return list(judged({"events": events}, answers))


def test_the_situations_are_those_of_the_figures() -> None:
    """A thousand of them, the same on every machine and Python, in the shares that are told."""
    recorded = record()
    families = Counter(json.loads(line)["family"] for line in recorded.splitlines()[1:])
    assert digest(recorded) == DIGEST
    assert families == {name: 10 * share for name, (share, _) in FAMILIES.items()}


def test_ours_makes_no_wrong_pick() -> None:
    """Not one in the first hundred situations, which hold some of every family. The program counts all of them."""
    rules = ours.policy()
    wrong = [(one["number"], *judged(one, list(ours.answers(one, rules)))) for one in situations(100)]
    assert [one for one in wrong if len(one) > 1] == []


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_ours_blames_right(number: int) -> None:
    """Every failure of the table."""
    one = FAILURES[number]
    told = {"status": one.status, "code": one.code, "message": one.message, "transport": one.transport}
    event = {"at": NOW, "failed": "amber-large", "failure": told, "blames": one.blames, "until": None}
    assert ours.Ours(ours.policy()).blames(event) == one.blames


def test_a_wall_that_is_crossed_is_seen() -> None:
    """Also where the turn itself may not leave; a pool that the lane may reach is no crossing."""
    assert wrongs([ask("private")], "opal-small") == ["wall crossed"]
    assert wrongs([ask("worker", local=True)], "amber-small") == ["wall crossed"]
    assert wrongs([read("opal", 10), ask("memory")], "opal-large") == []


def test_a_full_window_is_seen_and_so_is_when_it_was_forgotten() -> None:
    """While every window of the reading lasts, and after the first of them is over."""
    full = read("amber", 100, 100)
    assert wrongs([full, ask("amber-first")], "amber-large") == ["exhausted chosen"]
    assert wrongs([full, ask("amber-first", NOW + 2 * HOUR)], "amber-large") == ["early unlock"]
    assert wrongs([full, ask("amber-first", NOW + 4 * DAY)], "amber-large") == []


def test_a_cap_binds_its_model_alone() -> None:
    """The other model of the pool is free to be had."""
    capped = read("amber", 10, amber_large=100)
    assert wrongs([capped, ask("build")], "amber-large") == ["capped model leased"]
    assert wrongs([capped, ask("build")], "amber-small") == []


def test_what_is_stopped_is_seen() -> None:
    """By an operator, and by a failure that was its fault."""
    stop = {"at": NOW, "stop": "amber", "until": None}
    failed = {"at": NOW, "failed": "opal-large", "failure": {}, "blames": "pool", "until": NOW + HOUR}
    assert wrongs([stop, ask("smart")], "amber-large") == ["stopped place chosen"]
    assert wrongs([failed, ask("build", NOW + 60)], "pool", "opal-small") == ["stopped place chosen"]
    assert wrongs([failed, ask("build", NOW + 2 * HOUR)], "candidate", "opal-small") == ["wrong blame"]


def test_a_blind_pool_may_share_and_never_lead() -> None:
    """What was read hours ago is not read; at the mean of the others nothing is wrong with it."""
    old = read("amber", 1, at=NOW - 6 * HOUR)
    assert wrongs([old, read("opal", 10), read("quartz", 50), ask("smart")], "amber-large") == ["unreadable drained"]
    assert wrongs([old, read("opal", 30), read("quartz", 31), ask("smart")], "amber-large") == []
    assert wrongs([old, ask("smart")], "amber-large") == []


def test_turns_are_counted() -> None:
    """Equal parts give or take one, with the local share apart."""
    events = [*(read(pool, 20) for pool in POOLS), {"at": NOW, "resident": ["nine"]}, ask("worker", times=16)]
    pools = ("amber-small", "opal-small", "topaz-small", "beryl-small")
    assert wrongs(events, *["nine"] * 4, *pools * 3) == []
    assert wrongs(events, *pools * 4) == ["uneven rotation"]
    assert wrongs(events, *["nine"] * 4, *["amber-small"] * 5, *pools[1:] * 2, "opal-small") == ["uneven rotation"]


def test_a_chooser_that_refuses_everything_is_wrong() -> None:
    """Where something can serve beyond doubt, and not where nothing can."""
    assert wrongs([read("amber", 89), ask("amber-first")], None) == ["nothing chosen"]
    assert wrongs([read("amber", 100), ask("amber-first")], None) == []
    assert wrongs([{"at": NOW, "resident": ["nine"]}, ask("private")], None) == ["nothing chosen"]


def test_the_program_prints_its_table_and_its_situations(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """As text, as JSON, and as a record to be put to others."""
    assert main(["--count", "20"]) == 0
    assert "uneven rotation" in capsys.readouterr().out
    assert main(["--count", "20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ours"] == {}
    assert main(["--count", "5", "--record", str(tmp_path / "few")]) == 0
    assert (tmp_path / "few").read_text(encoding="utf-8") == record(5)
    assert main(["--count", "20", "--wrong", "wrong blame"]) == 0
    assert capsys.readouterr().out == ""
