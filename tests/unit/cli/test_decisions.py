"""`decide`, `explain` and `ticks`: decisions that were made, from a tick file or from the store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from capacity.cli import main
from capacity.codec import dumps, load_tick, loads
from capacity.values.decision import Decision, SeatDecision
from capacity.values.limits import PoolHeadroom
from capacity.values.tick import Tick

from .house import HOUR, House, built

ORDERED = {"names", "order", "candidates", "groups", "verdicts", "facts", "tables", "figures", "notify", "runners_up"}
"""Keys whose lists mean their order: a ladder, tables that are referred to by index, an argv."""


@pytest.fixture(scope="module")
def ticked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house in which the subscription filled up at one o'clock, so that a seat was demoted."""
    with built(tmp_path_factory.mktemp("house")) as house:
        house.run("tick", "--json")
        house.team.use("session", 99.0, house.clock.now() + 2 * HOUR)
        house.clock.advance(HOUR)
        house.run("tick", "--json")
        yield house


@pytest.fixture
def file(ticked: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Its last tick, as a file."""
    ticked.run("ticks", "export", "--to", str(tmp_path))
    capsys.readouterr()
    return next(tmp_path.glob("*.json"))


def shuffled(tree: Any, chance: Random, key: str = "") -> Any:
    """A tree with every list and table in another order, where that has no meaning."""
    if isinstance(tree, dict):
        keys = list(tree)
        chance.shuffle(keys)
        return {key: tree[key] if key == "decision" else shuffled(tree[key], chance, key) for key in keys}
    if not isinstance(tree, list):
        return tree
    inner = [shuffled(one, chance) for one in tree]
    if key not in ORDERED and not (inner and isinstance(inner[0], str | None)):
        chance.shuffle(inner)
    return inner


def test_a_tick_file_is_decided_byte_for_byte(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `--json` prints is the decision that stands in the file."""
    assert 0 == main(["decide", str(file), "--json"])
    told = capsys.readouterr().out

    assert told.rstrip("\n") in file.read_text(encoding="utf-8")
    assert dumps(load_tick(file).decision).decode() == told


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_what_has_none_changes_nothing(
    seed: int, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pools, models, seats, limits, rows and keys may stand in any order."""
    main(["decide", str(file), "--json"])
    before = capsys.readouterr().out
    other = tmp_path / "shuffled.json"
    other.write_text(json.dumps(shuffled(json.loads(file.read_bytes()), Random(seed))), encoding="utf-8")

    assert file.read_bytes() != other.read_bytes()
    assert 0 == main(["decide", str(other), "--json"])
    assert before == capsys.readouterr().out
    assert 0 == main(["decide", str(other), "--check"])


def test_another_decision_is_found_out(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """7 where the file's decision is not the one its inputs give; a file without one is a mistake."""
    tree = json.loads(file.read_bytes())
    file.write_text(json.dumps({**tree, "headroom": {**tree["headroom"], "pools": {}}}), encoding="utf-8")
    assert 7 == main(["decide", str(file), "--check"])
    assert 7 == main(["decide", str(file), "--check", "--json"])
    assert [": another decision, made by ", '{"same":false}'] == [
        line.partition(".json")[2].partition("capacity")[0] or line for line in capsys.readouterr().out.splitlines()
    ]

    file.write_text(json.dumps({**tree, "decision": None}), encoding="utf-8")
    assert 2 == main(["decide", str(file), "--check"])
    assert "holds no decision to compare with" in capsys.readouterr().err


def test_a_decision_in_words_is_explained(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`decide` and `explain` tell a whole tick in the same words."""
    assert 0 == main(["decide", str(file)])
    decided = capsys.readouterr().out
    assert 0 == main(["explain", str(file)])

    assert decided == capsys.readouterr().out
    assert "crew/ada: demote -> sample-local-1 in small on rack: 5h of team is at 99 %" in decided


@pytest.mark.parametrize("words", [["ada"], ["crew/ada"], ["--pool", "team"], []])
def test_the_store_and_a_file_tell_the_same(
    words: list[str], ticked: House, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One seat, one pool or the whole; by the last decision kept, by its id, and by its file."""
    last = load_tick(file)
    assert last.decision is not None
    assert 0 == ticked.run("explain", *words)
    told = capsys.readouterr().out
    assert 0 == ticked.run("explain", "--tick", last.decision.id, *words)
    assert told == capsys.readouterr().out
    assert 0 == main(["explain", str(file), *words])
    assert told == capsys.readouterr().out


def test_a_seat_is_explained(ticked: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """Where it is, where it goes, what it asks for and on whose word, and every candidate with what stands against it."""
    assert 0 == ticked.run("explain", "ada")
    assert snapshot == capsys.readouterr().out


def test_an_explanation_has_its_facts(ticked: House, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON: what was decided for the seat, what is known of the pool, the whole decision."""
    decision = load_tick(file).decision
    assert decision is not None
    for words, form, told in [
        (["ada"], SeatDecision, decision.seats[0]),
        (["--pool", "team"], PoolHeadroom, load_tick(file).headroom.pools["team"]),
        ([], Decision, decision),
    ]:
        assert 0 == ticked.run("explain", *words, "--json")
        assert told == loads(form, capsys.readouterr().out)


def test_an_older_decision_can_be_explained(ticked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """By the id that `ticks` lists."""
    assert 0 == ticked.run("ticks")
    first, last = capsys.readouterr().out.splitlines()
    assert 0 == ticked.run("ticks", "--json")
    assert [first, last] == json.loads(capsys.readouterr().out)

    assert 0 == ticked.run("explain", "ada", "--tick", first)
    assert "crew/ada: keep, because" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["nobody"], 2, "'nobody' is no seat of this tick. Seats: crew/ada, crew/ben"),
        (["--pool", "none"], 2, "'none' is no pool of this tick. Pools: rack, team"),
        (["--pool", "none", "--json"], 2, "'none' is no pool of this tick. Pools: rack, team"),
        (["none.json"], 2, "none.json: does not exist"),
        (["none.json", "ada"], 2, "none.json: does not exist"),
        (["none", "ada"], 2, "none: does not exist"),
        (["none.json", "--tick", "x"], 2, "name a tick file or --tick, not both"),
        (["--tick", "x"], 1, "no decision 'x' is kept"),
    ],
)
def test_what_is_not_there_is_named(
    words: list[str], code: int, why: str, ticked: House, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what there is instead; one line, nothing on standard output."""
    assert code == ticked.run("explain", *words)
    out, err = capsys.readouterr()

    assert ("", 1) == (out, err.count("\n"))
    assert why in err


@pytest.mark.parametrize("words", [["explain"], ["ticks", "export"]])
def test_before_the_first_tick_there_is_nothing(
    words: list[str], house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what makes one; listing them says so too, and is fine."""
    assert 1 == house.run(*words)
    assert "no decision is kept yet; `capacity tick` makes one" in capsys.readouterr().err
    assert 0 == house.run("ticks")
    assert "no decision is kept yet; `capacity tick` makes one\n" == capsys.readouterr().out


def test_kept_decisions_become_files(ticked: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those named, or the newest so many, under their ids without colons; each is the tick that was kept."""
    folder = tmp_path / "new"
    assert 0 == ticked.run("ticks", "export", "--last", "2", "--to", str(folder))
    names = sorted(path.name for path in folder.iterdir())
    assert ["2026-09-20T120000Z-0.json", "2026-09-20T130000Z-1.json"] == names
    assert [f"wrote {folder / name}" for name in names] == capsys.readouterr().out.splitlines()

    assert 0 == ticked.run("ticks", "export", "2026-09-20T12:00:00Z-0", "--json")
    printed = loads(Tick, capsys.readouterr().out)
    assert load_tick(folder / names[0]) == printed
    assert printed.policy == load_tick(folder / names[1]).policy


def test_a_folder_that_cannot_be_written_is_named(
    ticked: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sentence with the path."""
    (tmp_path / "file").touch()

    assert 2 == ticked.run("ticks", "export", "--to", str(tmp_path / "file"))
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b'{"form":2}', b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("command", ["decide", "explain"])
def test_a_file_that_is_no_tick_is_a_fault(
    command: str, body: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """2 and what is wrong with it; no traceback, and nothing on standard output."""
    (tmp_path / "odd.json").write_bytes(body)

    assert 2 == main([command, str(tmp_path / "odd.json")])
    out, err = capsys.readouterr()
    assert "" == out
    assert err.startswith(f"capacity: {tmp_path / 'odd.json'}")
