"""`models`, `models check` and `models prepare`: what can run, whether a name may be set, and making it ready."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from capacity.cli import main
from capacity.codec import loads
from capacity.ports import Listing
from capacity.testing.servers import LlamaModel
from capacity.values.models import Inventory

from .house import HOUR, SAMPLES, House

PAGES = [str(SAMPLES / "claude" / f"models_page{page}.json") for page in (1, 2)]
AT = ["--at", "2026-09-20T12:00:00Z"]


def test_recorded_pages_are_one_listing(capsys: pytest.CaptureFixture[str]) -> None:
    """The first alone is partial; with the last it is the whole, in one document, its pools named after the backend."""
    assert 0 == main(["models", "claude", "--from", PAGES[0], *AT, "--json"])
    assert 0 == main(["models", "claude", "--from", *PAGES, *AT, "--json"])
    part, whole = (loads(Listing, line) for line in capsys.readouterr().out.splitlines())

    assert ("partial", "authoritative") == (part.authority, whole.authority)
    assert {model.id for model in part.models} < {model.id for model in whole.models}
    assert {"claude"} == {model.pool for model in whole.models}


def test_a_page_that_is_not_mine_leaves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A listing with a page missing would be another listing, so there is none."""
    strange = str(SAMPLES / "claude" / "usage_old_shape.json")

    assert 3 == main(["models", "claude", "--from", PAGES[0], strange, *AT])
    assert ("", f"capacity: not mine: the reader of claude does not take {strange}\n") == capsys.readouterr()


def test_recorded_pages_in_words(capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """A table of what is known of each model; and an empty list says so."""
    for words in (
        ["claude", "--from", *PAGES],
        ["llama-cpp", "--from", str(SAMPLES / "llamacpp" / "router_models.json")],
    ):
        assert 0 == main(["models", *words, *AT])
    assert 0 == main(["models", "claude", "--from", str(SAMPLES / "claude" / "models_empty.json"), *AT])

    assert snapshot == capsys.readouterr().out


def test_pages_have_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A backend without a page is a mistake, and says what is missing."""
    assert 2 == main(["models", "claude"])
    assert "with --from FILE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "pages", "code", "answer"),
    [
        ("claude-opus-5", 2, 0, "valid"),
        ("opus", 2, 0, "valid"),
        ("claude-opus-7", 2, 6, "invalid"),
        ("claude-opus-7", 1, 5, "cannot-tell"),
        ("nonesuch", 2, 5, "cannot-tell"),
    ],
)
def test_a_name_is_held_against_recorded_pages(
    model: str, pages: int, code: int, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each answer has its code, in words and as JSON."""
    words = ["models", "check", "claude", model, "--from", *PAGES[:pages], *AT]

    assert code == main([*words, "--json"])
    assert answer == json.loads(capsys.readouterr().out)["answer"]
    assert code == main(words)
    assert f"{model}: {answer.replace('-', ' ')}: " in capsys.readouterr().out


def test_an_empty_page_cannot_tell(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty list is no sample of what does not exist."""
    empty = str(SAMPLES / "claude" / "models_empty.json")

    assert 5 == main(["models", "check", "claude", "claude-opus-5", "--from", empty, *AT])
    assert 3 == main(["models", "check", "claude", "x", "--from", str(SAMPLES / "claude" / "error_403.json"), *AT])
    assert "no fresh listing tells what claude can run" in capsys.readouterr().out


def test_nothing_is_valid_before_anything_was_published(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Checking asks nobody: before a tick nobody can tell, and nothing was asked."""
    assert 5 == house.run("models", "check", "claude", "sample-large-2")
    assert 0 == house.run("models")
    assert () == house.team.asked + house.rack.asked
    assert "team: no listing was published yet" in capsys.readouterr().out


def test_a_name_is_held_against_what_was_published(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Ids, aliases of the policy, where a local model is; what is not listed is invalid, with its neighbours."""
    house.run("tick")
    capsys.readouterr()
    asked = len(house.team.asked + house.rack.asked)
    codes = [
        house.run("models", "check", *words)
        for words in (
            ("claude", "sample-large-2"), ("claude", "best"), ("llama-cpp", "sample-local-2"),
            ("claude", "sample-large-3"), ("claude", "sample-local-1"),
        )
    ]  # fmt: skip  # read as pairs
    out = capsys.readouterr().out.splitlines()

    assert [0, 0, 0, 6, 6] == codes
    assert [
        "sample-large-2: valid: sample-large-2 in team",
        "best, which stands for sample-large-2: valid: sample-large-2 in team",
        "sample-local-2: valid: sample-local-2 in rack, loadable",
        "sample-large-3: invalid: team does not list sample-large-3 (its listing: authoritative)",
    ] == out[:4]
    assert out[4].startswith("nearest: sample-large-2")
    assert asked == len(house.team.asked + house.rack.asked)


def test_a_model_that_goes_is_refused_at_once(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """One listing without it is enough for whoever would be given it anew."""
    house.run("tick")
    house.rack.remove("sample-local-2")
    house.clock.advance(HOUR)
    house.run("tick")
    capsys.readouterr()

    assert 6 == house.run("models", "check", "llama-cpp", "sample-local-2")
    assert "is missing from rack (1 listing in a row)" in capsys.readouterr().out


def test_a_backend_without_an_account_is_a_mistake(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """The policy's backends are told, and how to check a recorded listing instead."""
    assert 2 == house.run("models", "check", "deepseek", "x")
    assert "the policy has no account of deepseek (it has: claude, llama-cpp)" in capsys.readouterr().err


def test_what_was_published_is_an_inventory(house: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """In words a table for each pool, with what is missing; as JSON the inventory."""
    house.run("tick")
    house.rack.remove("sample-local-2")
    house.clock.advance(HOUR)
    house.run("tick")
    capsys.readouterr()
    assert 0 == house.run("models")
    words = capsys.readouterr().out
    assert 0 == house.run("models", "--json")
    told = loads(Inventory, capsys.readouterr().out)

    assert snapshot == words
    assert ["rack", "team"] == list(told.pools)
    assert ["sample-local-2"] == [one.model.id for one in told.pools["rack"].missed]


def test_a_page_may_be_a_whole_response(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As for readings: its own date is when it was true."""
    head = b"HTTP/1.1 200 OK\r\nDate: Sun, 20 Sep 2026 11:00:00 GMT\r\n\r\n"
    (tmp_path / "page").write_bytes(head + Path(PAGES[1]).read_bytes())

    assert 0 == main(["models", "claude", "--from", str(tmp_path / "page"), "--json"])
    assert 11 == loads(Listing, capsys.readouterr().out).observed_at.hour


# --- made ready -------------------------------------------------------------------------------


@pytest.fixture
def router(house: House) -> House:
    """The house whose operator lets the local server load, which takes it three seconds."""
    text = house.policy.read_text(encoding="utf-8")
    house.policy.write_text(text.replace('kind = "local"', 'kind = "local"\nprepare = true'), encoding="utf-8")
    house.rack.takes = timedelta(seconds=3)
    return house


def test_a_model_is_made_ready(router: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Once, however often it is asked for; in words and as JSON."""
    words = ("models", "prepare", "rack", "sample-local-2")
    codes = [router.run(*words), router.run(*words), router.run(*words, "--json")]
    out = capsys.readouterr().out.splitlines()

    assert [0, 0, 0] == codes
    assert ["sample-local-2 in rack: ready", "sample-local-2 in rack: was ready already"] == out[:2]
    assert ("sample-local-2", "rack", "unchanged") == (
        (told := json.loads(out[2]))["model"],
        told["pool"],
        told["outcome"]["word"],
    )
    assert (["sample-local-2"], []) == (router.rack.loads, router.rack.woken)


def test_what_does_not_get_ready_says_so(router: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Still on its way, or in the way of another: the code says that it cannot be used yet."""
    router.rack.takes, router.rack.most = None, 2
    router.rack.put(LlamaModel("sample-local-3", "unloaded"))
    assert 1 == router.run("models", "prepare", "rack", "sample-local-2")
    assert 1 == router.run("models", "prepare", "rack", "sample-local-3")
    err = capsys.readouterr().err.splitlines()

    assert (
        "capacity: sample-local-2 in rack: not ready yet; the same command waits on for it (it is still loading)"
        == err[0]
    )
    assert (
        "capacity: sample-local-3 in rack: conflict (sample-local-2 is still loading, and the router holds 2 at most)"
        == err[1]
    )
    assert ["sample-local-2"] == router.rack.loads


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rakc", "sample-local-2"), 'pools: no "rakc" is there (did you mean "rack"?)'),
        (("rack", "sample-lokal-2"), 'rack lists no model "sample-lokal-2" (did you mean "sample-local-2"?)'),
        (("team", "sample-large-2"), "accounts.team.prepare: nothing says how a model of team is loaded"),
    ],
)
def test_what_cannot_be_asked_for_is_a_mistake(
    words: tuple[str, str], said: str, router: House, capsys: pytest.CaptureFixture[str]
) -> None:
    """No such pool, no such model, or no way: each with what would do, and nobody is asked."""
    router.run("tick")
    capsys.readouterr()

    assert 2 == router.run("models", "prepare", *words)
    assert said in capsys.readouterr().err
    assert [] == router.rack.loads


def test_whoever_waits_is_told_the_command(router: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a model could be loaded the explanation holds what an operator types; typed, the seat can go there."""
    adopted = router.folder / "adopted.toml"
    adopted.write_text(adopted.read_text().replace("sample-local-1", "sample-local-2"), encoding="utf-8")
    router.run("tick")
    capsys.readouterr()
    router.run("explain", "ben")
    told = capsys.readouterr().out
    command = "capacity models prepare rack sample-local-2"

    assert f"residency: sample-local-2 is loadable; `{command}` loads it" in told
    assert 0 == router.run(*command.split()[1:])
    router.clock.advance(HOUR)
    router.run("tick")
    capsys.readouterr()
    router.run("explain", "ben")
    assert "yes         sample-local-2" in capsys.readouterr().out
