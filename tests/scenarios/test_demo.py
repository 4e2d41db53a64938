"""The demo's week: every incident as an operator reads it, and what must hold of the folder it leaves behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import capacity_claude
import capacity_deepseek
import capacity_llama_cpp
import pytest
from attrs import define, field
from syrupy.assertion import SnapshotAssertion

from capacity import decide
from capacity.cli import demo as command
from capacity.cli import main
from capacity.cli.demo import story
from capacity.cli.demo.week import Week
from capacity.cli.exits import UsageFault
from capacity.codec import dumps, loads
from capacity.errors import PluginError
from capacity.plugins import Plugins
from capacity.ports import Budget, Env
from capacity.values.tick import Tick

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
INCIDENTS = {
    "cap on one model": 1,
    "exhausted pool": 2,
    "throttled probe": 3,
    "broken shape": 4,
    "idle pool is measured": 5,
    "negative balance": 6,
    "loading model": 7,
    "emptied login": 8,
    "model disappears": 9,
    "three days parked": 10,
    "three pools paced": 11,
    "turns leased": 12,
    "tiers from scores": 13,
}


@define
class Shown:
    """A demo that has run: what it said, what it left, and the week it was."""

    folder: Path
    texts: list[str] = field(factory=list)
    weeks: list[Week] = field(factory=list)
    code: int = -1

    @property
    def week(self) -> Week:
        (week,) = self.weeks
        return week

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def between(self, start: str, end: str) -> str:
        """What was said from one text to another, without the second."""
        return self.text.partition(start)[2].partition(end)[0].strip("\n")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo, run once for this file."""
    made = Shown(tmp_path_factory.mktemp("demo") / "week")
    tell = story.tell

    def told(week: Week) -> None:
        made.weeks.append(week)
        tell(week)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(story, "tell", told)
        made.code = command.run(folder=made.folder, out=made.texts.append, start=MONDAY)
    return made


# --- what it says -----------------------------------------------------------------------------


def test_every_promise_holds(shown: Shown) -> None:
    """It ends with 0, ten incidents and every act after them were told, and each of them promised something."""
    assert (0, len(INCIDENTS)) == (shown.code, len(shown.week.episodes) + len(command.ACTS))
    assert all(episode.promises and all(episode.promises.values()) for episode in shown.week.episodes)
    assert "BROKEN" not in shown.text


@pytest.mark.parametrize("number", list(INCIDENTS.values()), ids=list(INCIDENTS))
def test_an_incident_is_told(shown: Shown, snapshot: SnapshotAssertion, number: int) -> None:
    """What happened, what was done with whom, why, and what was promised."""
    end = f"\n{number + 1}. " if number < len(INCIDENTS) else "\nPools now"

    assert snapshot == f"{number}. {shown.between(f'{number}. ', end)}"


def test_the_opening_tells_who_plays(shown: Shown, snapshot: SnapshotAssertion) -> None:
    """Seats, acts and pools are introduced before anything happens."""
    assert snapshot == shown.between(f"{shown.folder}.\n", "\n1. ")


def test_the_end_tells_what_came_of_it(shown: Shown, snapshot: SnapshotAssertion) -> None:
    """Pools, seats, acts and questions are counted, and four commands with real paths are named."""
    told = "Pools now" + shown.text.partition("Pools now")[2]

    assert snapshot == told.replace(str(shown.folder), "FOLDER")


def test_what_it_says_names_no_port_and_no_secret(shown: Shown) -> None:
    """Nothing that changes from run to run, and no token, is in its text."""
    assert "127.0.0.1" not in shown.text
    assert "invented-" not in shown.text


# --- what it leaves ---------------------------------------------------------------------------


def ticks(shown: Shown) -> list[Path]:
    return sorted((shown.folder / "ticks").iterdir())


def test_every_tick_is_left_as_a_file(shown: Shown) -> None:
    """As many files as ticks, numbered from 1, each with its decision."""
    names = [path.name for path in ticks(shown)]

    assert [f"{number:04}.json" for number in range(1, len(shown.week.seen) + 1)] == names
    assert len(names) > 50


UNORDERED = {
    "circuits", "conditions", "entries", "fleets", "limits", "missed", "modalities", "models", "pools", "rows", "seats",
}  # fmt: skip  # one list of keys


def reordered(chance: Random, tree: Any, path: tuple[str, ...] = ()) -> Any:
    """The same JSON with everything in another order that is not ordered by meaning."""
    if isinstance(tree, dict):
        inner = [(key, reordered(chance, value, (*path, key))) for key, value in tree.items()]
        chance.shuffle(inner)
        return dict(inner)
    if not isinstance(tree, list):
        return tree
    rows = [reordered(chance, value, path) for value in tree]
    if path[-1] in UNORDERED or path[-2:] == ("models", "names"):
        chance.shuffle(rows)
    return rows


def again(body: bytes) -> bytes:
    """The decision made again from a tick file."""
    tick = loads(Tick, body)
    return dumps(decide(tick.inventory, tick.headroom, tick.policy, tick.history))


def test_every_tick_replays_byte_for_byte(shown: Shown) -> None:
    """The decision made again from a tick file is the one in it, also from the file told in another order."""
    chance = Random(20260302)
    for path in ticks(shown):
        tree = json.loads(path.read_bytes())
        kept = dumps(loads(Tick, path.read_bytes()).decision)
        parts = {key: value for key, value in tree.items() if key != "decision"}
        other = json.dumps(reordered(chance, parts)).encode()

        assert json.dumps(parts).encode() != other
        assert (kept, kept) == (again(path.read_bytes()), again(other)), path.name


@pytest.mark.parametrize("at", [0, 4, -1])
def test_the_command_gives_the_decision_in_the_file(
    shown: Shown, capfdbinary: pytest.CaptureFixture[bytes], at: int
) -> None:
    """`capacity decide TICK.json --json` prints, byte for byte, the decision that stands in the file."""
    path = ticks(shown)[at]
    code = main(["decide", str(path), "--json"])

    assert (0, dumps(loads(Tick, path.read_bytes()).decision)) == (code, capfdbinary.readouterr().out)


def test_the_commands_it_names_work(shown: Shown, capfd: pytest.CaptureFixture[str]) -> None:
    """What it says to try next can be typed as it stands."""
    lines = [line.split() for line in shown.text.partition("Try next:")[2].splitlines()]
    commands = [words[1:] for words in lines if words[:1] == ["capacity"]]

    assert [0, 0, 0, 0] == [main(words) for words in commands]
    said = capfd.readouterr().out
    assert "crew/lead-1: park" in said
    assert "move sample-medium-3 at effort medium in claude on west" in said


def test_no_secret_is_left_behind(shown: Shown) -> None:
    """Neither store nor ticks, fleet, policy nor any other file but the logins' own holds a token or a key."""
    files = [path for path in shown.folder.rglob("*") if path.is_file()]
    holding = {path.relative_to(shown.folder).parts for path in files if b"invented-" in path.read_bytes()}

    assert {"logins"} == {parts[parts[0] in command.ACTS] for parts in holding}
    assert {"capacity.db", "fleet.json", "policy.toml", "ticks"} <= {
        path.relative_to(shown.folder).parts[0] for path in files
    }


# --- what it asked ----------------------------------------------------------------------------


def budgets() -> Iterator[tuple[str, str, Budget]]:
    """Account, path its question begins with, and budget, as the plugins themselves declare it."""
    for account in ("team", "lab"):
        yield account, "/api/oauth/usage", capacity_claude.prober().budget
        yield account, "/v1/models", capacity_claude.inventory().budget
    yield "purse", "/user/balance", capacity_deepseek.prober(credentials=Env("NONE")).budget
    yield "purse", "/models", capacity_deepseek.inventory(credentials=Env("NONE")).budget
    yield "rack", "/slots", capacity_llama_cpp.prober().budget


@pytest.mark.parametrize(("account", "path", "budget"), list(budgets()))
def test_requests_stay_within_the_budget(shown: Shown, account: str, path: str, budget: Budget) -> None:
    """Whatever happened in the week, no source was asked again within its floor, nor more often than that allows."""
    asked = [one.at for one in shown.week.world.servers[account].asked if urlsplit(one.path).path == path]
    length: timedelta = asked[-1] - asked[0]

    assert budget.floor <= min(later - sooner for sooner, later in pairwise(asked))
    assert 20 < len(asked) <= length / budget.floor + 1


def test_no_request_changes_anything(shown: Shown) -> None:
    """Everything asked was a GET, and no local model was loaded or woken by it."""
    world = shown.week.world

    assert {"GET"} == {asked.method for server in world.servers.values() for asked in server.asked}
    assert ([], []) == (world.rack.loads, world.rack.woken)


# --- where it cannot run ----------------------------------------------------------------------


def unheard(text: str) -> None:
    pytest.fail(f"nothing was to be said, and it said {text!r}")


def test_a_promise_that_does_not_hold_fails_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says which one, and ends with 1."""

    def tell(week: Week) -> None:
        with week.episode("nothing happens"):
            week.tick({"team": "is as it was"})
            week.promise("something happened", False)

    texts: list[str] = []
    monkeypatch.setattr(story, "tell", tell)
    code = command.run(folder=tmp_path, out=texts.append, start=MONDAY)

    assert 1 == code
    assert "  BROKEN: something happened" in "\n".join(texts)


def test_a_missing_plugin_is_named_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its plugins it says what to type, and leaves the folder alone."""
    monkeypatch.setattr(command, "load_plugins", lambda **_: Plugins())
    with pytest.raises(PluginError) as raised:
        command.run(folder=tmp_path, out=unheard)

    assert "python -m pip install capacity-claude capacity-deepseek capacity-llama-cpp" in str(raised.value)
    assert [] == list(tmp_path.iterdir())


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    """It writes nowhere but into a folder that is empty."""
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageFault, match="not an empty folder"):
        command.run(folder=tmp_path, out=unheard)

    assert ["mine.txt"] == [path.name for path in tmp_path.iterdir()]


def test_too_few_seats_are_refused(tmp_path: Path) -> None:
    """The story needs somebody for each part; fewer seats are refused before anything is written."""
    with pytest.raises(UsageFault, match="at least 17 seats, not 5"):
        command.run(folder=tmp_path, seats=5, out=unheard)

    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("days", range(8))
def test_the_week_is_over_when_it_is_told(days: int) -> None:
    """The story begins on a Monday at midnight, and its last tick lies in the past, by less than two weeks."""
    now = datetime(2026, 3, 6, 23, 59, tzinfo=UTC) + timedelta(days=days)
    monday = command.last_monday(now)

    assert (0, 0, 0) == (monday.weekday(), monday.hour, monday.minute)
    assert timedelta(0) <= now - (monday + command.LENGTH) < timedelta(days=7)
