"""The commands about tiers: what they say, what they end with, and that only an answer changes the adopted file."""

from __future__ import annotations

import json
import re
import sys
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from capacity.cli.proposals import OUTCOMES
from capacity.codec import load_tier_set, loads
from capacity.values.proposals import Proposal
from capacity.values.tiers import TierSet

from .house import NOON, House
from .test_pacing import Drawn

SOURCE = '\n[tiers.sources.own]\nplugin = "file"\noptions = { path = "scores.json" }\n'
DAY = timedelta(days=1)


def score(harness: str, model: str, score: float, **parts: Any) -> dict[str, Any]:
    """A row of the operator's file."""
    return {
        "id": f"{harness}-{model}", "harness": harness, "model_raw": model, "benchmark": "bench", "score": score,
        "scale": "percent", "n": 400, "provenance": "benchmark-owner", "measured_at": "2026-09-18T00:00:00Z", **parts,
    }  # fmt: skip  # one row


SCORES = [
    score(
        "big",
        "sample-large-2",
        80.0,
        effort="high",
        url="https://scores.invalid/1",
        cost_usd="1.25",
        cost_kind="per-task",
    ),
    score("big", "sample-medium-3", 78.0, cost_usd="0.31", cost_kind="per-task"),
    score("small", "sample-local-1", 52.0),
    score("small", "sample-local-2", 50.0),
]


@pytest.fixture
def ranked(house: House) -> House:
    """The house ticked once, so that models are known, and then with a file of scores."""
    assert 0 == house.run("tick")
    house.write_policy(more=SOURCE)
    write(house, *SCORES)
    return house


def write(house: House, *rows: dict[str, Any]) -> None:
    """Put rows into the operator's file."""
    (house.folder / "scores.json").write_text(json.dumps({"licence": "CC0-1.0", "rows": rows}), encoding="utf-8")


def adopted(house: House) -> TierSet:
    """What the adopted file holds."""
    return load_tier_set(house.folder / "adopted.toml")


def said(house: House, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What a command says when it ends with that code."""
    capsys.readouterr()
    assert code == house.run(*words), capsys.readouterr()
    return capsys.readouterr().out


def steady(text: str, house: House) -> str:
    """What does not depend on where the house stands and on the version; columns two blanks apart."""
    bare = re.sub(r"(?<=\S)  +", "  ", text.replace(str(house.folder), "FOLDER"))
    return re.sub(r"(capacity(?:-core)?) \d+\.\d+\.\d+", r"\1 VERSION", bare)


def test_from_scores_to_an_adopted_set(ranked: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """Sources, a refresh, a proposal on one screen, a partial adoption, what is adopted then, and what a seat rests on."""
    steps = (
        "tiers sources",
        "tiers refresh",
        "tiers propose",
        "tiers adopt --only big/sample-medium-3 --by ann",
        "tiers propose",
        "tiers adopt --by ann",
        "tiers show",
        "tick",
        "explain ada",
    )
    told = []
    for line in steps:
        ranked.clock.advance(timedelta(minutes=1))
        told.append(f"$ capacity {line}\n{steady(said(ranked, capsys, *line.split()), ranked)}")

    assert snapshot == "\n".join(told)


def test_every_answer_has_its_form(ranked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json each command prints what its page says, and no sentence."""

    def answer(*words: str) -> Any:
        return json.loads(said(ranked, capsys, *words, "--json"))

    assert [{"card", "distribution", "fault", "plugin", "source", "stands"}] == [
        set(one) for one in answer("tiers", "sources")
    ]
    (told,) = answer("tiers", "refresh")
    assert ("own", True, []) == (told["source"], told["asked"], told["told"]["rows"])
    made = answer("tiers", "propose")
    assert ("opened", False) == (made["outcome"], made["unchanged"])
    proposal = loads(Proposal, json.dumps(made["proposal"]))
    assert proposal == loads(Proposal, json.dumps(answer("tiers", "diff")))
    assert ("waiting", True) == ((again := answer("tiers", "propose"))["outcome"], again["unchanged"])
    assert loads(TierSet, json.dumps(answer("tiers", "adopt", "--by", "ann"))) == adopted(ranked)
    assert {"adopted", "chain", "unusable"} == set(shown := answer("tiers", "show"))
    assert 2 == len(shown["chain"])
    assert loads(TierSet, json.dumps(answer("tiers", "rollback", "--by", "ann"))) == adopted(ranked)
    pinned = loads(TierSet, json.dumps(answer("tiers", "pin", "small/sample-local-2", "low", "--by", "ann")))
    assert [timedelta(days=60)] == [
        row.expires_at - NOON for row in pinned.rows if row.standing == "pinned" and row.expires_at
    ]
    assert ("model", "ann") == (
        (alias := answer("tiers", "resolve", "Some Name", "sample-local-1", "--by", "ann"))["named"],
        alias["by"],
    )


def test_a_rejected_proposal_does_not_come_back(ranked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Who said no, and why, is told where it is looked at again."""
    house, before = ranked, adopted(ranked)
    said(house, capsys, "tiers", "refresh")
    said(house, capsys, "tiers", "propose")
    id = json.loads(said(house, capsys, "tiers", "diff", "--json"))["id"]
    ruling = json.loads(said(house, capsys, "tiers", "reject", "--by", "ann", "--reason", "not yet", "--json"))
    assert ("reject", "ann", "not yet") == (ruling["action"], ruling["by"], ruling["reason"])
    assert said(house, capsys, "tiers", "propose").startswith(f"same evidence as last time; {OUTCOMES['rejected']}\n")
    assert "reject by ann at Sun 2026-09-20 12:00Z: not yet" in said(house, capsys, "tiers", "diff", id)
    assert before == adopted(house)


def test_a_refresh_without_what_it_needs_ends_with_its_code(ranked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """It names what is missing, leaves the adopted set alone, and `status` goes on saying it."""
    before = adopted(ranked)
    (ranked.folder / "scores.json").unlink()
    capsys.readouterr()
    assert 10 == ranked.run("tiers", "refresh")
    out, err = capsys.readouterr()
    missing = ranked.folder / "scores.json"

    assert f"tier source own does not answer: unconfigured: for want of {missing}" in err
    assert "; the adopted set is as it was\n" in err
    assert "give it what is missing, or take it out of the policy" in out
    assert "no, something is missing" in out
    assert out.startswith("0 of 1 source asked")
    assert before == adopted(ranked)
    assert f"tier source own does not answer: unconfigured, for want of {missing}" in said(ranked, capsys, "status")
    assert 4 == ranked.run("tick")


def test_one_source_that_answers_is_enough_unless_another_is_required(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    """A source that is not required is told of, and no failure."""
    other = '\n[tiers.sources.other]\nplugin = "file"\noptions = { path = "never.csv" }\n'
    write(house, *SCORES)
    for more, code in ((other, 0), (f"{other}required = true\n", 10)):
        house.write_policy(more=SOURCE + more)
        house.clock.advance(DAY)
        assert code == house.run("tiers", "refresh")
        assert code == (10 if "other does not answer" in capsys.readouterr().err else 0)


def test_what_waits_is_told_by_status(ranked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """With the command that shows it."""
    said(ranked, capsys, "tiers", "refresh")
    said(ranked, capsys, "tiers", "propose")
    assert "waits: `capacity tiers diff` shows it" in said(ranked, capsys, "status")


def test_doctor_looks_for_what_a_source_needs(
    house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its key is there is told without opening it, and one that the policy names and nobody set needs a person."""
    house.write_policy(more='\n[tiers.sources.artificial-analysis]\ncredentials = { env = "BOARD_KEY" }\n')
    for value, needs, word in (("", 1, "absent or blank"), ("invented", 0, "present")):
        monkeypatch.setenv("BOARD_KEY", value)
        capsys.readouterr()
        house.run("doctor")
        (line,) = [line for line in capsys.readouterr().out.splitlines() if "BOARD_KEY" in line]
        assert word in line
        house.run("doctor", "--json")
        assert needs == json.loads(capsys.readouterr().out)["needs"]


def test_a_row_is_let_in_by_its_id(ranked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """The screen says how; the next proposal counts the row."""
    said(ranked, capsys, "tiers", "refresh")
    said(ranked, capsys, "tiers", "propose")
    said(ranked, capsys, "tiers", "adopt")
    write(ranked, *SCORES[:-2], {**SCORES[-2], "score": 79.0}, SCORES[-1])
    ranked.clock.advance(timedelta(hours=1))
    said(ranked, capsys, "tiers", "refresh")
    shown = said(ranked, capsys, "tiers", "propose")
    command = "tiers resolve own:small-sample-local-1 --accept"
    assert f"capacity {command}" in shown
    assert "counts from now on" in said(ranked, capsys, *command.split())
    assert "own:small-sample-local-1 --accept" not in said(ranked, capsys, "tiers", "propose")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("diff",), "no proposal waits for an answer"),
        (("diff", "tp-never"), "no proposal 'tp-never' is kept"),
        (("adopt",), "no proposal waits for an answer"),
        (("reject", "tp-never"), "no proposal 'tp-never' is kept"),
        (("rollback",), "Sets before this one: none"),
        (("pin", "big", "high"), "'big' names no pair: write harness/model, or harness/model@effort"),
        (("pin", "big/m@high", "best"), 'tiers.names: no "best" is there (known: "high", "low")'),
        (("pin", "big/m", "high", "--until", "tomorrow"), "'tomorrow' is no instant"),
        (("resolve", "name"), "say what the name means, or let a row in with --accept"),
        (("resolve", "name", "m", "--accept"), "say what the name means, or let a row in with --accept"),
        (("resolve", "row", "--accept"), "no row 'row' is kept out"),
        (("refresh", "--source", "never"), "no tier source 'never' is in the policy; it has own"),
        (("show", "--plot", "tiers.gif"), "name a file that ends in .svg or .png"),
        (("show", "--plot", "tiers.svg"), "no score was weighed yet"),
    ],
)
def test_what_cannot_be_done_is_said(
    ranked: House, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], complaint: str
) -> None:
    """One sentence, and the code for what was typed."""
    assert 2 == ranked.run("tiers", *words)
    assert complaint in capsys.readouterr().err


def test_a_ladder_begins_with_an_empty_file(ranked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was adopted yet: what the evidence proposes is the first set."""
    (ranked.folder / "adopted.toml").write_text("", encoding="utf-8")
    said(ranked, capsys, "tiers", "refresh")
    said(ranked, capsys, "tiers", "propose")
    said(ranked, capsys, "tiers", "adopt", "--by", "ann")

    assert {
        ("high", "sample-large-2"),
        ("high", "sample-medium-3"),
        ("low", "sample-local-1"),
        ("low", "sample-local-2"),
    } == {(row.tier, row.model) for row in adopted(ranked).rows}


def test_a_change_that_is_none_is_refused(ranked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """The pairs that a proposal changes are named."""
    said(ranked, capsys, "tiers", "refresh")
    said(ranked, capsys, "tiers", "propose")
    assert 2 == ranked.run("tiers", "adopt", "--only", "big/never")
    assert "it changes big/sample-medium-3, small/sample-local-2" in capsys.readouterr().err


def test_without_a_source_nothing_can_be_refreshed(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """The key of the policy is named."""
    assert 2 == house.run("tiers", "refresh")
    assert "add a table under [tiers.sources]" in capsys.readouterr().err


def test_the_tiers_are_drawn(
    ranked: House, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each pair with its interval, as a picture."""
    module = ModuleType("matplotlib.figure")
    module.Figure = Drawn  # type: ignore[attr-defined]  # a stand-in
    monkeypatch.setitem(sys.modules, "matplotlib", ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", module)
    said(ranked, capsys, "tiers", "refresh")
    said(ranked, capsys, "tiers", "propose")
    said(ranked, capsys, "tiers", "diff", "--plot", str(tmp_path / "tiers.svg"))

    assert "4 pairs in 2 tiers" == (tmp_path / "tiers.svg").read_text(encoding="utf-8")
