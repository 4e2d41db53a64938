"""Once with nothing faked but the program: every recorded text spoken by a real child, through the real driver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from capacity import Engine, load_policy
from capacity.errors import NotFound, TimedOut, TooLarge
from capacity.ports import Document, Listing, Reading
from capacity.store import memory
from capacity.testing.children import Exits, FakePrograms, Floods, Habit, Ignores, Says, Spawns, Stops, Waits
from capacity.testing.clocks import SettableClock
from capacity.wire import Cassette, Host, Recorder, replay, run
from capacity_agy import inventory, prober, reader

from .documents import AT, body
from .worlds import JSON, MODELS, USAGE

LONG, SHORT = timedelta(seconds=60), timedelta(seconds=1)
TOO_OLD = (Says(b"flag provided but not defined: -output-format\nUsage of agy:\n", "stderr"), Exits(2))
PRINTED = ["print_usage_json.json", "print_usage.tsv.txt", "usage_tui.txt", "usage_tui_old.txt", "login_prompt.txt"]
LISTED = sorted(f"models_{form}" for form in ("json.json", "tsv_current.txt", "bare_slugs.txt", "display_only.txt"))
PROSE = "models_print_table.txt"


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[FakePrograms]:
    with FakePrograms(tmp_path / "programs") as programs:
        yield programs
        assert () == programs.left()


@pytest.fixture
def host(programs: FakePrograms, tmp_path: Path) -> Host:
    """A host with a key of another account in its environment."""
    environ = {"PATH": programs.path, "HOME": str(tmp_path), "GEMINI_API_KEY": "sample-of-another", "NO_PROXY": "here"}
    return Host(clock=SettableClock(AT), environ=environ)


def probe(host: Host, deadline: timedelta = LONG, **options: Any) -> tuple[Reading, ...]:
    return run(prober(**options).probe(), deadline=deadline, host=host)


def listing(host: Host) -> Listing:
    (found,) = run(inventory().listings(), deadline=LONG, host=host)
    return found


def speaks(name: str) -> dict[tuple[str, ...], Sequence[Habit]]:
    """A program of the age of a sample: JSON where the sample is JSON, else without the flag for it."""
    said: Sequence[Habit] = (Says(body(name)), *([Waits()] if name == "login_prompt.txt" else []))
    return {JSON: said if name.endswith(".json") else TOO_OLD, (): said}


@pytest.mark.parametrize("name", PRINTED)
def test_a_quota_is_read_as_it_is_spoken(programs: FakePrograms, host: Host, name: str) -> None:
    """Whatever the age of the program, the probe tells what its text tells, from the form it speaks."""
    programs.write("agy", when=speaks(name))

    assert reader().readings(Document(body(name), AT)) == probe(host)
    asked = [USAGE] if name.endswith(".json") else [USAGE, USAGE[2:]]
    assert asked == sorted((one.arguments for one in programs.runs), key=len, reverse=True)


@pytest.mark.parametrize("name", [*LISTED, PROSE])
def test_a_list_is_read_as_it_is_spoken(programs: FakePrograms, host: Host, name: str) -> None:
    """Likewise for models: the ids, the names, and how far the list may be trusted."""
    programs.write("agy", when=speaks(name))
    expected = reader().listing(Document(body(name), AT))
    found = listing(host)

    assert expected is not None
    assert (expected.authority, [model.id for model in expected.models]) == (
        found.authority,
        sorted(model.id for model in found.models),
    )


def test_models_are_put_where_the_groups_say(programs: FakePrograms, host: Host) -> None:
    """Two runs: the list, and the groups whose descriptions name the families of its models."""
    programs.write(
        "agy", when={MODELS: (Says(body("models_json.json")),), USAGE: (Says(body("print_usage_json.json")),)}
    )

    assert [("3p", "claude-opus-4-6-thinking"), ("gemini", "gemini-3.8-flash-high")] == [
        (model.pool, model.id) for model in listing(host).models
    ]
    assert {MODELS, USAGE} == {one.arguments for one in programs.runs}


def test_nobody_else_is_needed(programs: FakePrograms, host: Host) -> None:
    """The program runs by itself: no terminal, no session of anybody's, no key, and the words it is given in their order."""
    programs.write("agy", Says(body("print_usage_json.json")))
    probe(host)
    (seen,) = programs.runs

    assert (USAGE, True, False) == (seen.arguments, seen.leads, seen.terminal)
    assert {"AGY_CLI_DISABLE_AUTO_UPDATE", "HOME", "NO_PROXY", "PATH"} == set(seen.environ) - {
        "CAPACITY_CHILD",
        "LC_CTYPE",
        "PWD",
    }


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("habit", [Waits(), Stops(), Floods()])
def test_a_prompt_for_a_login_is_not_waited_for(programs: FakePrograms, host: Host, habit: Habit, stream: Any) -> None:
    """On either stream, and with nothing behind it but waiting: the program is ended, and the login is what is missing."""
    programs.write("agy", Says(b"Starting\n"), Says(body("login_prompt.txt").rstrip(), stream), Spawns(), habit)

    assert [("", "login-required", ())] == [(one.pool, one.state, one.limits) for one in probe(host)]
    assert 1 == len(programs.runs)
    assert ("unknown", ()) == (listing(host).authority, listing(host).models)


@pytest.mark.parametrize(
    "half", [b"https://accounts.google.com/o/oauth2/v2/auth?client", b"Waiting for authentication"]
)
def test_half_a_prompt_is_enough(programs: FakePrograms, host: Host, half: bytes) -> None:
    """The address alone, or that it waits, with its line not ended, says what is asked for."""
    programs.write("agy", Says(half), Waits())

    assert ["login-required"] == [one.state for one in probe(host)]


BAD: dict[str, tuple[tuple[Habit, ...], type[Exception]]] = {
    "never answers": ((Waits(),), TimedOut),
    "is stopped": ((Says(b"Fetching...\n"), Stops()), TimedOut),
    "floods": ((Floods(),), TooLarge),
    "floods beside": ((Floods("stderr"),), TooLarge),
    "will not go": ((Ignores(), Waits()), TimedOut),
    "leaves a grandchild and waits": ((Spawns(), Waits()), TimedOut),
    "tells half and waits": ((Says(body("print_usage_json.json")[:700]), Spawns(), Stops()), TimedOut),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_program_that_will_not_end_is_ended(programs: FakePrograms, host: Host, kind: str) -> None:
    """By the deadline at the latest there is no answer, and nothing is left running."""
    habits, fault = BAD[kind]
    programs.write("agy", *habits)

    with pytest.raises(fault):
        probe(host, SHORT)
    assert () == programs.left()
    with pytest.raises(fault):
        run(inventory().listings(), deadline=SHORT, host=host)


def test_a_grandchild_that_stays_is_not_waited_for(programs: FakePrograms, host: Host) -> None:
    """The answer of a program that has ended is taken, and what it left behind is ended."""
    programs.write("agy", Says(body("print_usage_json.json")), Spawns(), Exits())

    assert ["ok", "ok"] == [one.state for one in probe(host)]


@pytest.mark.parametrize(
    ("habits", "state"),
    [
        ((Exits(1),), "unreachable"),
        ((Says(b"panic: runtime error\n", "stderr"), Exits(2)), "unreachable"),
        ((Exits(),), "unrecognised"),
        ((Says(b"Usage of agy:\n  --print\n"),), "unrecognised"),
        ((Says(b"You are not signed in. Please sign in to view your quota.\n"), Exits(1)), "login-required"),
    ],
)
def test_another_failure_is_not_asked_about_again(
    programs: FakePrograms, host: Host, habits: Sequence[Habit], state: str
) -> None:
    """Only a program that does not know the flag is asked once more."""
    programs.write("agy", *habits)

    assert [("", state, ())] == [(one.pool, one.state, one.limits) for one in probe(host)]
    assert 1 == len(programs.runs)


def test_a_program_that_is_not_there_says_so(host: Host) -> None:
    """Nothing is known of the quota then; the engine makes `unreachable` of it."""
    with pytest.raises(NotFound, match="agy"):
        probe(host)


def test_another_login_has_another_home(programs: FakePrograms, host: Host, tmp_path: Path) -> None:
    """The program is told its home, and its token is looked for there."""
    home = tmp_path / "other"
    folder = home / ".gemini" / "antigravity-cli"
    folder.mkdir(parents=True)
    (folder / "antigravity-oauth-token").write_bytes(body("oauth_token_file.json"))
    script = programs.write("agy", Says(body("print_usage_json.json")))
    script.write_text(script.read_text().replace("exec", f'[ "$HOME" = {home} ] || exit 9\nexec'))

    assert ["unreachable"] == [one.state for one in probe(host)]
    assert ["ok", "ok"] == [one.state for one in probe(host, home=f"{home}/", program=str(script))]
    assert 16 == len(run(prober(home=str(home)).account(), deadline=LONG, host=host))


def test_a_recorded_run_is_told_alike(programs: FakePrograms, host: Host) -> None:
    """A cassette of both flows replays them without a program."""
    programs.write(
        "agy", when={MODELS: (Says(body("models_json.json")),), USAGE: (Says(body("print_usage_json.json")),)}
    )
    recorder = Recorder()
    taped = Host(clock=SettableClock(AT), environ=dict(host.environ), recorder=recorder)
    told = probe(taped), listing(taped)
    again = Cassette.loads(recorder.cassette.dumps())

    assert told[0] == replay(prober().probe(), again.flow(0))
    assert (told[1],) == replay(inventory().listings(), again.flow(1))


POLICY = """
version = 1

[accounts.anti]
plugin = "agy"
kind = "subscription"

[accounts.anti.pools.gemini]

[accounts.anti.pools.3p]
models = ["gpt-*"]
"""


@pytest.fixture
def engine(host: Host, tmp_path: Path) -> Iterator[Engine]:
    """An engine with one account of two parts."""
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    with Engine(load_policy(path), store=memory(clock=SettableClock(AT)), host=host) as engine:
        yield engine


def test_each_group_is_a_pool_of_the_account(programs: FakePrograms, engine: Engine) -> None:
    """An empty group is full, the other one is not; each lists its models."""
    programs.write(
        "agy", when={MODELS: (Says(body("models_json.json")),), USAGE: (Says(body("print_usage_json.json")),)}
    )
    engine.probe()
    shown = engine.snapshot()

    assert [("anti/3p", "exhausted"), ("anti/gemini", "unknown")] == [
        (one.pool, "exhausted" if one.pace == "exhausted" else "unknown") for one in shown.pools
    ]
    assert {"anti/3p": "claude-opus-4-6-thinking", "anti/gemini": "gemini-3.8-flash-high"} == {
        one.pool: one.models[0].id for one in shown.models
    }


def test_a_missing_login_is_missing_in_every_pool(programs: FakePrograms, engine: Engine) -> None:
    """Neither group can serve until somebody has logged in."""
    programs.write("agy", Says(body("login_prompt.txt")), Waits())

    assert {"anti/3p": "login-required", "anti/gemini": "login-required"} == {
        one.pool: one.state for one in engine.probe()
    }


def test_without_descriptions_the_policy_places_models(programs: FakePrograms, engine: Engine) -> None:
    """A list of ids without groups: a glob places what it takes, and what nobody places makes the list a partial one."""
    programs.write("agy", when=speaks("models_tsv_current.txt"))
    engine.probe()

    assert {
        "anti": ("partial", 4),
        "anti/3p": ("partial", 1),
    } == {one.pool: (one.authority, len(one.models)) for one in engine.snapshot().models}
