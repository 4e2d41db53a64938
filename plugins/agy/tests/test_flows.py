"""Prober and inventory, played by hand: what they run, what they never run, and what they make of it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from capacity.errors import NotFound, TimedOut
from capacity.ports import Env, Listing, Read, Reading, Run, Secret
from capacity.testing.flows import FakeWorld, play
from capacity_agy import inventory, prober

from .documents import body
from .worlds import BUS, GOOD, MODELS, TOKEN, USAGE, envelope, logged_in

TOO_OLD = (2, b"flag provided but not defined: -output-format\n")


def probe(world: FakeWorld, **options: Any) -> tuple[Reading, ...]:
    return play(prober(**options).probe(), world)


def listing(world: FakeWorld) -> Listing:
    (found,) = play(inventory().listings(), world)
    return found


def runs(world: FakeWorld) -> list[tuple[str, ...]]:
    return [effect.argv for effect in world.asked if isinstance(effect, Run)]


def test_a_probe_is_one_run() -> None:
    """The flag stands before the command, the program hears nothing, and a cold start has its minute and a half."""
    world = logged_in()

    assert ["3p", "gemini"] == [reading.pool for reading in probe(world)]
    (run,) = [effect for effect in world.asked if isinstance(effect, Run)]
    assert ("agy", "--output-format", "json", "--print", "/usage") == run.argv
    assert (b"", None, 90) == (run.stdin, run.cwd, run.timeout.total_seconds())
    assert 90 == prober().budget.deadline.total_seconds()


def test_a_program_is_given_what_reaches_a_keyring_and_no_key() -> None:
    """Variables that are set and named here are passed on, as secrets; no other is even looked at."""
    world = logged_in()
    world.environ["GEMINI_API_KEY"] = "sample-of-another"
    probe(world, home="/srv/other/")
    (run,) = [effect for effect in world.asked if isinstance(effect, Run)]

    assert {
        "AGY_CLI_DISABLE_AUTO_UPDATE": "true",
        "DBUS_SESSION_BUS_ADDRESS": Secret(BUS),
        "HOME": "/srv/other",
    } == run.env
    assert "GEMINI_API_KEY" not in {effect.name for effect in world.asked if isinstance(effect, Env)}


@pytest.mark.parametrize("complaint", [TOO_OLD[1], b"error: unknown flag: --output-format\n"])
def test_a_program_too_old_for_the_flag_is_asked_without_it(complaint: bytes) -> None:
    """It says so, and answers the same command in text."""
    world = logged_in({USAGE: (2, complaint), USAGE[2:]: body("print_usage.tsv.txt")})

    assert {"print-usage-text"} == {reading.source for reading in probe(world)}
    assert [("agy", *USAGE), ("agy", *USAGE[2:])] == runs(world)


@pytest.mark.parametrize("answer", [(1, b""), (0, b""), (1, b"boom"), TimedOut("agy", "no end within 90 s")])
def test_no_other_failure_makes_a_second_run(answer: Any) -> None:
    """What else goes wrong is told, and left for the next time."""
    world = logged_in({USAGE: answer, MODELS: answer})
    for ask in (probe, listing):
        world.asked.clear()
        try:
            ask(world)
        except TimedOut:
            pass
        assert 1 == len(runs(world))


@pytest.mark.parametrize(
    ("error", "state"),
    [
        ("You are not signed in. Please sign in to view your quota.", "login-required"),
        ({"code": 401, "status": "UNAUTHENTICATED"}, "stale-credentials"),
        ({"code": 16, "message": "no token"}, "stale-credentials"),
        (json.loads(body("error_403_validation.json"))["error"], "login-required"),
        (json.loads(body("error_403_subscription.json"))["error"], "unsupported"),
        (json.loads(body("error_429_bare.json"))["error"], "throttled"),
        ("rpc error: 429 Too Many Requests", "throttled"),
        ({"code": 503}, "unreachable"),
        ("context deadline exceeded", "unreachable"),
        (["?"], "unreachable"),
        ({}, "unrecognised"),
        ("", "unrecognised"),
        (None, "unrecognised"),
    ],
)
def test_every_error_is_a_reading_without_figures(error: Any, state: str) -> None:
    """An error speaks of the account, and says why; a blank one is none, but there is no quota either."""
    world = logged_in({USAGE: envelope(error)})
    (reading,) = probe(world)

    assert ("", state, ()) == (reading.pool, reading.state, reading.limits)
    assert (state == "throttled") == (reading.retry_at is not None)
    assert reading.detail


@pytest.mark.parametrize("error", [None, "", {}])
def test_a_success_may_carry_a_blank_error(error: Any) -> None:
    """Three blanks have been seen beside good figures."""
    good = json.loads(GOOD[USAGE])
    world = logged_in({USAGE: json.dumps({**good, "error": error}).encode()})

    assert ["ok", "ok"] == [reading.state for reading in probe(world)]


def test_a_wait_the_error_names_is_kept() -> None:
    """It is in the details, as a span."""
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3600.5s"}]
    (reading,) = probe(logged_in({USAGE: envelope({"code": 429, "details": details})}))

    assert reading.retry_at is not None
    assert 3600 <= (reading.retry_at - reading.observed_at).total_seconds() < 3660


def test_a_list_that_failed_says_nothing() -> None:
    """An error, a prompt for a login or noise list no model, and refuse none."""
    for answer in (envelope("no", "models"), (-15, body("login_prompt.txt")), b"<html>Models</html>", b"[]"):
        found = listing(logged_in({MODELS: answer}))
        assert ("unknown", ()) == (found.authority, found.models)


@pytest.mark.parametrize("usage", [TimedOut("agy", "no end"), (1, b""), envelope("no"), b"noise"])
def test_models_are_listed_without_groups_too(usage: Any) -> None:
    """Where nobody describes the groups, the models are in none, and the list is what it was."""
    found = listing(logged_in({MODELS: GOOD[MODELS], USAGE: usage}))

    assert ("authoritative", {""}) == (found.authority, {model.pool for model in found.models})
    assert 2 == len(found.models)


def test_a_program_without_json_describes_no_groups() -> None:
    """Its text names the groups and not what they serve, so it is not asked for it."""
    world = logged_in({MODELS: TOO_OLD, MODELS[2:]: body("models_tsv_current.txt")})

    assert 5 == len(listing(world).models)
    assert [("agy", *MODELS), ("agy", *MODELS[2:])] == runs(world)


# --- whose it is ------------------------------------------------------------------------------


def identity(subject: str, key: str) -> bytes:
    """A token file of somebody, renewed with a key."""
    middle = base64.urlsafe_b64encode(json.dumps({"sub": subject}).encode()).decode().rstrip("=")
    token = {"access_token": "ya29.SAMPLE", "refresh_token": key, "expiry": "2026-09-20T12:40:00Z"}
    return json.dumps({"id_token": f"e30.{middle}.sig", "token": token}).encode()


def account(file: bytes) -> str:
    world = FakeWorld(logged_in().at, files={TOKEN: file})
    return play(prober().account(), world)


def test_one_login_in_two_homes_is_one_account() -> None:
    """The user tells it, whatever each home renews its token with; another user is another account."""
    assert account(identity("12345678", "1//SAMPLE-A")) == account(identity("12345678", "1//SAMPLE-B"))
    assert account(identity("12345678", "1//SAMPLE-A")) != account(identity("87654321", "1//SAMPLE-A"))


def test_a_file_without_an_identity_is_told_by_its_renewal() -> None:
    """It stays the same while the access token changes."""
    other = body("oauth_token_file.json").replace(b"ya29.SAMPLE", b"ya29.LATER")

    assert account(body("oauth_token_file.json")) == account(other)
    assert 16 == len(account(other))


@pytest.mark.parametrize("file", [b"", b"{}", b"[]", b"not JSON", b'{"token": {"refresh_token": ""}}'])
def test_a_file_without_a_login_tells_nobody(file: bytes) -> None:
    """A keyring may hold it, and is not opened."""
    with pytest.raises(NotFound):
        account(file)


def test_the_token_file_is_read_as_a_secret() -> None:
    """Its text never stands open, and a missing one is no fault of the plugin."""
    world = logged_in()
    play(
        prober(home="/srv/other").account(),
        FakeWorld(world.at, files={TOKEN.replace("~", "/srv/other"): identity("1", "k")}),
    )
    play(prober().account(), world)
    (read,) = world.asked

    assert isinstance(read, Read)
    assert read.secret
    with pytest.raises(NotFound):
        play(prober().account(), FakeWorld(world.at))


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [prober, inventory])
@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"home": "~/other"}, "home must be an absolute path"),
        ({"home": ""}, "home must be an absolute path"),
        ({"program": " "}, "program must be"),
        ({"credentials": Env("KEY")}, "agy keeps its own login"),
    ],
)
def test_a_wrong_option_is_refused_with_a_remedy(make: Any, options: Any, wrong: str) -> None:
    """At once, when the account is made."""
    with pytest.raises(ValueError, match=wrong):
        make(**options)
