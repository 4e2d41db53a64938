"""What an entry of the OpenHands index says, and what it does not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from capacity.ports import Document, Get, RankingRow, Rankings, Send
from capacity.testing.flows import FakeWorld, play
from capacity_openhands_index import tiers
from hypothesis import given
from hypothesis import strategies as st

from .repository import AT, NAME, RAW, TREE, healthy, metadata, results, score, tree


def read(files: dict[str, Any]) -> Rankings:
    """What a repository with these files tells."""

    def web(request: Get | Send) -> Document:
        path = unquote(urlsplit(request.url).path)
        body = tree(files) if path == TREE else files[path.removeprefix(RAW)]
        return Document(json.dumps(body).encode(), AT, asked=path, status=200)

    return play(tiers().rankings(), FakeWorld(AT, web=web))


def entry(folder: str, about: Any, scores: Any) -> Rankings:
    """What one entry tells."""
    return read({f"{folder}/metadata.json": about, f"{folder}/scores.json": scores})


def test_a_score_with_everything_it_says() -> None:
    """The version and the day are the score's own, the instances are known, the effort is not told."""
    told = entry("alternative_agents/acp-codex/loom", metadata("Codex", "loom"), [score("gaia", 66.1)])

    assert (
        RankingRow(
            harness="Codex",
            model_raw="loom",
            benchmark="gaia",
            score=66.1,
            scale="percent",
            harness_version="v1.8.4",
            n=165,
            runner="OpenHands",
            measured_at=datetime(2026, 6, 4, 18, 50, 59, 913993, tzinfo=UTC),
            url=f"https://github.com/{NAME}/blob/main/alternative_agents/acp-codex/loom/scores.json",
            id="alternative_agents/acp-codex/loom/gaia",
            metric="accuracy",
            n_tasks=165,
            provenance="third-party",
            cost_usd=Decimal("1.47"),
            cost_kind="per-task",
        ),
    ) == told.rows
    assert told.rows[0].measured_at == told.as_of


@pytest.mark.parametrize(
    ("folder", "said", "harness", "flags"),
    [
        ("results/loom", "OpenHands", "OpenHands", ()),
        ("results/loom", "OpenHands CodeAct", "OpenHands", ("harness-conflict",)),
        ("alternative_agents/acp-gemini/loom", "OpenHands", "Gemini CLI", ("harness-conflict",)),
        ("alternative_agents/acp-loom/loom", "Loom CLI", "Loom CLI", ()),
        ("alternative_agents/acp-loom/loom", None, None, ()),
        ("alternative_agents/acp-claude/loom", None, "Claude Code", ()),
    ],
)
def test_a_folder_says_the_harness(folder: str, said: str | None, harness: str | None, flags: tuple[str, ...]) -> None:
    """An entry's own word is compared, and counts only where its folder is not known."""
    about = {**metadata("", "loom"), "agent_name": said}
    (row,) = entry(folder, about, [score("gaia", 66.1)]).rows

    assert (harness, flags) == (row.harness, row.flags)


@pytest.mark.parametrize(("model", "flags"), [("Loom-2", ()), ("LOOM-2", ()), ("Loom2", ("model-conflict",))])
def test_a_model_that_its_folder_calls_otherwise_is_flagged(model: str, flags: tuple[str, ...]) -> None:
    """The name in the file is taken; capital letters make no difference."""
    (row,) = entry("results/loom-2", metadata("OpenHands", model), [score("gaia", 66.1)]).rows

    assert (model, flags) == (row.model_raw, row.flags)


def test_what_cannot_be_called_any_more_stays_and_says_so() -> None:
    """That is for the inventory to judge."""
    (row,) = entry("results/loom", metadata("OpenHands", "loom", available=False), [score("gaia", 66.1)]).rows

    assert ("unavailable",) == row.flags


@pytest.mark.parametrize(
    ("about", "scores", "why"),
    [
        (metadata("OpenHands", "loom", hide_from_leaderboard=True), [score("gaia", 66.1)], "hidden"),
        ({"agent_name": "OpenHands"}, [score("gaia", 66.1)], "no-model"),
        (metadata("OpenHands", "loom"), [], "no-score"),
        (metadata("OpenHands", "loom"), [score("gaia", None)], "no-score"),
        (metadata("OpenHands", "loom"), [score("gaia", 130)], "no-score"),
    ],
)
def test_what_is_no_evidence_is_left_out_with_a_word(about: Any, scores: Any, why: str) -> None:
    """It is told, and it is not a score of nought."""
    told = entry("results/loom", about, scores)

    assert ((), [why], "empty") == (told.rows, [one.why for one in told.excluded], told.status)


def test_an_entry_with_one_of_its_files_is_unfinished() -> None:
    """It is named, and its one file is not asked for."""
    told = read({**results(), "results/half/metadata.json": metadata("OpenHands", "half")})

    assert [("results/half", "unfinished")] == [(one.row, one.why) for one in told.excluded]
    assert 15 == len(told.rows)


@pytest.mark.parametrize(("about", "scores"), [({}, []), ([], []), ({"model": "loom"}, {}), (None, None)])
def test_an_entry_nobody_can_read_is_counted(about: Any, scores: Any) -> None:
    """Its shape has changed, and that is no score."""
    told = entry("results/loom", about, scores)

    assert ("invalid", ()) == (told.status, told.rows)


def test_a_benchmark_that_is_new_has_no_instances() -> None:
    """How many there are is known of five; a sixth is told without."""
    (row,) = entry("results/loom", metadata("OpenHands", "loom"), [score("loom-bench", 5)]).rows

    assert (None, None, "loom-bench") == (row.n, row.n_tasks, row.benchmark)


def test_files_of_others_are_not_asked_for() -> None:
    """The list once, two files of each entry, and none of the results by instance."""
    world = FakeWorld(AT, web=healthy)
    play(tiers(api_url="https://api.invalid/", raw_url="https://raw.invalid").rankings(), world)
    files = [path for path in sorted(results()) if path.endswith(("/metadata.json", "/scores.json"))]

    assert [f"https://api.invalid{TREE}?recursive=1", *(f"https://raw.invalid{RAW}{path}" for path in files)] == [
        effect.url for effect in world.asked
    ]


def test_a_name_that_holds_a_space_can_be_asked_for() -> None:
    """It is quoted in the address."""
    told = entry("results/Loom 2 #b", metadata("OpenHands", "Loom 2 #b"), [score("gaia", 66.1)])

    assert ["results/Loom 2 #b/gaia"] == [row.id for row in told.rows]


@pytest.mark.parametrize(
    "files", [{}, {"README.md": ""}, {f"results/{n}/{f}.json": {} for n in range(501) for f in ("metadata", "scores")}]
)
def test_a_repository_without_entries_or_with_too_many_is_another(files: dict[str, Any]) -> None:
    """None, or ten times what there are: neither is what was meant."""
    told = read(files)

    assert "invalid" == told.status
    assert "where 1 to 500 are expected" in (told.detail or "")


@pytest.mark.parametrize("option", ["repository", "branch"])
@pytest.mark.parametrize("value", ["", "../x", "a b", "a//b", "a?x=1"])
def test_a_name_cannot_lead_out_of_the_address(option: str, value: Any) -> None:
    """What is to stand in an address is looked at when the source is made."""
    with pytest.raises(ValueError, match=f"{option} must be a name"):
        tiers(**{option: value})


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(anything, anything | st.lists(st.fixed_dictionaries({}, optional={"benchmark": anything, "score": anything})))
def test_any_entry_is_survived(about: Any, scores: Any) -> None:
    """Whatever the two files hold, no score is outside its scale, and nothing raises."""
    told = entry("results/loom", about, scores)

    assert all(0 <= row.score <= 100 for row in told.rows)
    assert told.rows or told.status in {"empty", "invalid"}
