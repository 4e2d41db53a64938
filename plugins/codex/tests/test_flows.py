"""Prober and inventory, played by hand: whom they ask, in which order, and what they make of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from capacity.errors import NotFound, TimedOut
from capacity.ports import Document, Env, Get, Hear, List, Listing, Pause, Read, Reading, Say, Secret, Start
from capacity.testing.children import Answers
from capacity.testing.flows import FakeWorld, play
from capacity.testing.servers.codex import access_token
from capacity_codex import inventory, prober
from capacity_codex._talk import LINES_MOST

from .documents import AT, SAMPLES
from .worlds import FILE, HOME, KEY, LOGIN, VERSION, service, talking, world

BASE = "http://127.0.0.1:9/backend-api"
ROLLOUT = f"{HOME}/sessions/2026/09/20/rollout-2026-09-20T10-00-00-a.jsonl"
HELLO = [{"result": {"userAgent": f"capacity/{VERSION} (Linux)"}}]
LIMITS: Any = json.loads((SAMPLES / "appserver_rate_limits_read.json").read_bytes())["result"]


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def login(**tokens: Any) -> bytes:
    body = json.loads(LOGIN)
    return json.dumps({**body, "tokens": {**body["tokens"], **tokens}}).encode()


def ended(**tokens: Any) -> bytes:
    return login(access_token=access_token(AT - timedelta(days=3)), **tokens)


def refused(status: int, text: str = "no") -> dict[str, Any]:
    where = "GET https://service.invalid/wham/usage"
    return {
        "error": {
            "code": -32603,
            "message": f"failed to fetch codex rate limits: {where} failed: {status} No; body={text}",
        }
    }


def program(*answer: Any) -> Answers:
    """A program whose server gives this answer to the question for limits."""
    return Answers({"initialize": HELLO, "initialized": [], "account/rateLimits/read": answer or None})


def answers(status: int, body: bytes = b"{}", **headers: str) -> Any:
    told = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return lambda request: Document(
        body, AT, asked=request.url.removeprefix("http://127.0.0.1:9"), status=status, headers=told
    )


def probe(there: FakeWorld, **options: Any) -> Reading:
    (reading,) = play(prober(codex_home=HOME, **{"base_url": BASE, **options}).probe(), there)
    return reading


def kinds(there: FakeWorld) -> list[str]:
    return [type(effect).__name__ for effect in there.asked]


def requests(there: FakeWorld) -> list[Get]:
    return [effect for effect in there.asked if isinstance(effect, Get)]


# --- whom it asks -----------------------------------------------------------------------------


def test_the_program_is_asked_first_and_alone() -> None:
    """A look at the login, one conversation, and no request; what the server says unasked is not taken for an answer."""
    there = talking(world(web=service))
    reading = probe(there)

    assert ("ok", "app-server", "plus") == (reading.state, reading.source, reading.plan)
    assert 29.0 == next(limit.percent for limit in reading.limits if limit.name == "5h")
    assert ["Read", "List", "Start", "Say", "Hear", "Say", "Say", "Hear", "Hear"] == kinds(there)


def test_the_server_is_started_for_reading_in_the_folder_of_the_login() -> None:
    """It may write nothing, ask nobody, and knows which home is meant; nothing else of ours is handed to it."""
    there = talking(world(web=service))
    probe(there, command=["/opt/codex", "-c", "a=1"])
    (start,) = [effect for effect in there.asked if isinstance(effect, Start)]
    said = [json.loads(effect.line) for effect in there.asked if isinstance(effect, Say)]

    assert ("/opt/codex", "-c", "a=1", "-s", "read-only", "-a", "never", "app-server") == start.argv
    assert ({"CODEX_HOME": HOME}, None) == (start.env, start.cwd)
    assert ["initialize", "initialized", "account/rateLimits/read"] == [frame["method"] for frame in said]


def test_without_the_program_the_endpoint_is_asked_with_the_login() -> None:
    """Once, with its token and account as secrets, and with nobody else's name."""
    there = world(web=service)
    reading = probe(there)
    (asked,) = requests(there)

    assert ("ok", "usage", "pro") == (reading.state, reading.source, reading.plan)
    assert (f"{BASE}/wham/usage", None) == (asked.url, asked.retry)
    assert Secret(json.loads(LOGIN)["tokens"]["access_token"]) == asked.bearer
    assert {
        "Accept": "application/json",
        "ChatGPT-Account-Id": Secret(json.loads(LOGIN)["tokens"]["account_id"]),
    } == asked.headers


def test_another_base_has_another_path() -> None:
    """Whatever stands in for the service has the endpoint elsewhere; an operator may name the agent."""
    there = world(web=service)
    probe(there, base_url="http://127.0.0.1:9/", user_agent="mine/1")
    (asked,) = requests(there)

    assert ("http://127.0.0.1:9/api/codex/usage", "mine/1") == (asked.url, asked.headers["User-Agent"])


@pytest.mark.parametrize(
    "talk",
    [
        program(),
        program(refused(403)),
        program(refused(500)),
        program({"error": {"code": -32601, "message": "Method not found"}}),
        program({"error": "odd"}),
        program({"result": None}),
        program({"result": {"rateLimits": None}}),
        program({"result": {"rateLimits": {"primary": {"usedPercent": None}}}}),
        program("no JSON", "[" * 100_000, '{"id": 2, "method": "a request of the server\'s own", "params": {}}'),
        program(*[{"method": "noise"}] * (LINES_MOST + 1), {"result": LIMITS}),
        Answers({"initialize": None}),
    ],
    ids=["silent", "403", "500", "unknown", "odd", "null", "empty", "figureless", "garbage", "endless", "dumb"],
)
def test_a_program_that_does_not_tell_is_followed_by_the_endpoint(talk: Answers) -> None:
    """Silence, errors, garbage, noise without end and answers without a figure are no reading."""
    reading = probe(world(web=service, talk=talk))

    assert ("ok", "usage") == (reading.state, reading.source)


@pytest.mark.parametrize(("status", "state"), [(429, "throttled"), (401, "stale-credentials")])
def test_a_refusal_is_not_asked_for_twice(status: int, state: str) -> None:
    """What the service refused the program it is not asked again with the same login."""
    there = world(web=service, talk=program(refused(status, "sk-SAMPLE-quoted")))
    reading = probe(there)

    assert (state, "app-server", []) == (reading.state, reading.source, requests(there))
    assert (AT + timedelta(minutes=5) if status == 429 else None) == reading.retry_at
    assert "quoted" not in repr(reading)


@pytest.mark.parametrize(
    ("message", "state"),
    [
        ("codex account authentication required to read rate limits", "login-required"),
        ("chatgpt authentication required to read rate limits", "unsupported"),
        ("Your access token could not be refreshed because your refresh token was already used.", "login-required"),
    ],
)
def test_the_programs_word_on_its_login_is_the_last(message: str, state: str) -> None:
    """Nobody else is asked, and no session file is looked into."""
    there = world(
        web=service,
        talk=program({"error": {"code": -32600, "message": message}}),
        files={ROLLOUT: sample("rollout_new.jsonl")},
    )

    assert (state, ()) == (probe(there).state, probe(there).limits)
    assert [] == requests(there)


# --- logins -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "state"),
    [
        (KEY, "unsupported"),
        (login(access_token=""), "login-required"),
        (b'{"tokens": null, "OPENAI_API_KEY": null}', "login-required"),
        (b"{}", "login-required"),
        (ended(refresh_token=""), "login-required"),
    ],
)
def test_a_login_that_can_tell_nothing_asks_nobody(file: bytes, state: str) -> None:
    """Neither program nor service is asked for a key, a blank login, or one that nothing can refresh."""
    there = talking(world(web=service, files={FILE: file}))
    reading = probe(there)

    assert (state, "auth", ["Read"]) == (reading.state, reading.source, kinds(there))
    assert reading.detail


def test_an_expired_token_is_the_programs_to_refresh() -> None:
    """With the program there are figures; without it the login is stale, and the service is not asked."""
    assert "ok" == probe(talking(world(web=service, files={FILE: ended()}))).state
    there = world(web=service, files={FILE: ended()})
    reading = probe(there)

    assert ("stale-credentials", "auth", []) == (reading.state, reading.source, requests(there))
    assert "no such program" in (reading.detail or "")


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        (None, "login-required"),
        (b'cli_auth_credentials_store = "keyring"', "unsupported"),
        (b'cli_auth_credentials_store = "file"', "login-required"),
        (b"[broken", "login-required"),
    ],
)
def test_a_missing_login_may_be_in_a_keyring(settings: bytes | None, state: str) -> None:
    """The program, which opens it, is asked; without it nobody can tell, unless the settings say that there is none."""
    there = FakeWorld(AT, files={f"{HOME}/config.toml": settings} if settings else {}, web=service)
    reading = probe(there)

    assert (state, []) == (reading.state, requests(there))
    if settings:
        there.talk = program({"result": LIMITS})
        assert "ok" == probe(there).state


def test_half_a_file_is_asked_about_all_the_same() -> None:
    """A file that is being written just now is no login, and no reason not to ask the program."""
    there = world(web=service, files={FILE: LOGIN[:90]})
    assert ("unrecognised", []) == (probe(there).state, requests(there))
    there.talk = program({"result": LIMITS})
    assert "ok" == probe(there).state


def test_no_secret_is_in_what_is_asked_or_said() -> None:
    """Neither an effect nor a reading shows a token or the account, in any state."""
    secrets = [*json.loads(LOGIN)["tokens"].values()]
    for there in (
        world(web=service),
        world(web=answers(401)),
        talking(world(web=service)),
        world(files={FILE: ended()}),
    ):
        told = repr((probe(there), there.asked))
        assert not [secret for secret in secrets if secret in told]


def test_nothing_is_ever_written_or_sent() -> None:
    """Reading and listing take files, a child, the time and GET, and no other effect."""
    allowed = (Read, List, Get, Pause, Start, Say, Hear)
    for there in (talking(world(web=service)), world(web=answers(500), files={ROLLOUT: sample("rollout_new.jsonl")})):
        before = dict(there.files)
        probe(there)
        play(inventory(codex_home=HOME).listings(), there)
        assert before == there.files
        assert all(isinstance(effect, allowed) for effect in there.asked)


# --- session files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parts",
    [
        {"web": None},
        {"web": answers(500)},
        {"web": answers(200, b"<html>")},
        {"web": answers(429, retry_after="60")},
        {"web": answers(401)},
        {"talk": program(refused(429))},
    ],
    ids=["no web", "500", "a page", "429", "401", "program's 429"],
)
def test_what_sessions_noted_is_the_last_resort(parts: dict[str, Any]) -> None:
    """Evidence of its own time, with why nothing newer is known, and with the wait that was asked for."""
    there = world(files={ROLLOUT: sample("rollout_new.jsonl")}, **parts)
    reading = probe(there)

    assert ("ok", "rollout", AT - timedelta(minutes=2)) == (reading.state, reading.source, reading.observed_at)
    assert "usage: " in (reading.detail or "") or "app-server: " in (reading.detail or "")


def test_a_wait_outlives_the_last_resort() -> None:
    """What a session noted does not make the service be asked sooner."""
    there = world(files={ROLLOUT: sample("rollout_new.jsonl")}, web=answers(429, retry_after="900"))

    assert AT + timedelta(minutes=15) == probe(there).retry_at


def test_sessions_whose_windows_are_all_over_tell_nothing() -> None:
    """Then the last source that was asked has the word."""
    there = world(
        files={ROLLOUT: sample("rollout_past_reset.jsonl"), FILE: login(access_token="opaque")}, web=answers(500)
    )
    there.at += timedelta(days=30)

    assert ("unreachable", ()) == (probe(there).state, probe(there).limits)


def test_the_newest_event_of_all_sessions_counts() -> None:
    """Whichever file was changed last; only the end of each is read, and one that vanishes is left out."""
    other = ROLLOUT.replace("rollout-2026", "rollout-1999")
    there = world(files={ROLLOUT: sample("rollout_mid_iso.jsonl"), other: sample("rollout_new.jsonl")})

    assert AT - timedelta(minutes=2) == probe(there).observed_at
    tails = [effect.tail for effect in there.asked if isinstance(effect, Read) and "rollout" in effect.path]
    assert [2**18, 2**18] == tails


def test_a_session_that_vanishes_meanwhile_is_left_out() -> None:
    """The others still tell."""
    there = world(files={ROLLOUT: sample("rollout_new.jsonl"), ROLLOUT.replace("-a.", "-b."): b""})

    def answer(effect: Any) -> Any:
        if isinstance(effect, Read) and effect.path.endswith("-b.jsonl"):
            raise NotFound(effect.path, "no such file")
        return there(effect)

    (reading,) = play(prober(codex_home=HOME, base_url=BASE).probe(), answer)
    assert ("ok", "rollout") == (reading.state, reading.source)


def test_a_login_without_an_account_asks_all_the_same() -> None:
    """The token itself says whose it is."""
    there = world(web=service, files={FILE: login(account_id=None)})

    assert "ok" == probe(there).state
    assert ["Accept"] == list(requests(there)[0].headers)


# --- a plan that lapses -----------------------------------------------------------------------

FREE = answers(200, sample("wham_usage_weekly_in_primary.json"))


@pytest.mark.parametrize("plan", [None, "Plus", "pro"])
def test_a_lapsed_plan_is_an_alarm_and_no_headroom(plan: str | None) -> None:
    """An account that was paid for and is on a free plan refuses until somebody pays, whatever its new windows say."""
    reading = probe(world(web=FREE), plan=plan)
    service_word = next(limit for limit in reading.limits if limit.name == "service")

    assert ("ok", "free", True, "payment") == (reading.state, reading.plan, service_word.blocked, service_word.frees_on)
    assert "has lapsed" in (reading.detail or "")
    assert 61.0 == next(limit.percent for limit in reading.limits if limit.name == "weekly")


@pytest.mark.parametrize(
    ("file", "plan"),
    [
        (login(access_token=access_token(AT + timedelta(days=5), plan="free")), None),
        (LOGIN, "free"),
        (login(access_token="opaque-token"), None),
    ],
)
def test_a_plan_that_was_always_free_has_not_lapsed(file: bytes, plan: str | None) -> None:
    """Nor has one of which nobody knows that it was ever paid for."""
    reading = probe(world(web=FREE, files={FILE: file}), plan=plan)

    assert (["weekly"], None) == ([limit.name for limit in reading.limits], reading.detail)


# --- whose login it is ------------------------------------------------------------------------


def account(file: bytes | None, home: str = HOME) -> str:
    there = FakeWorld(AT, files={} if file is None else {f"{home}/auth.json": file})
    mark = play(prober(codex_home=home).account(), there)
    assert "000000" not in mark + repr(there.asked)
    return mark


def test_two_homes_of_one_login_are_one_account() -> None:
    """The mark is the login's: another folder, and tokens that were refreshed, change nothing."""
    fresh = login(access_token=access_token(AT + timedelta(days=9)), refresh_token="rt_other")

    assert account(LOGIN) == account(LOGIN, "~/second")
    assert account(fresh) == account(login(access_token=access_token(AT)))


def test_another_login_is_another_mark() -> None:
    """Another account, another user of one workspace, and a key are told apart."""
    user = login(access_token=access_token(AT))  # it names a user, which the recorded one does not
    marks = {account(LOGIN), account(login(account_id="another")), account(user), account(KEY)}

    assert 4 == len(marks)


@pytest.mark.parametrize("file", [None, b"", b"{", b"[]", b'{"tokens": {"access_token": "x"}}', login(account_id=" ")])
def test_an_unknown_login_has_no_mark(file: bytes | None) -> None:
    """Nobody can say whose it is."""
    with pytest.raises(NotFound):
        account(file)


# --- the inventory ----------------------------------------------------------------------------


def listings(there: FakeWorld, **options: Any) -> tuple[Listing, ...]:
    return play(inventory(codex_home=HOME, **options).listings(), there)


def cache(**changes: Any) -> Mapping[str, bytes]:
    body = json.loads(sample("models_cache.json"))
    body["fetched_at"] = (AT - timedelta(minutes=3)).isoformat()
    return {f"{HOME}/models_cache.json": json.dumps({**body, **changes}).encode()}


def test_the_catalogue_is_followed_page_by_page_and_is_no_entitlement() -> None:
    """Hidden models are asked for, each page goes on at the cursor of the last, and none of them may reject a name."""
    there = talking(world(web=service))
    found = listings(there)
    asked = [json.loads(effect.line).get("params") for effect in there.asked if isinstance(effect, Say)]

    assert [("partial", 2), ("partial", 2)] == [(page.authority, len(page.models)) for page in found]
    assert [{"limit": 100, "includeHidden": True}, {"limit": 100, "includeHidden": True, "cursor": "2"}] == asked[2:]


def test_a_fresh_cache_of_the_version_that_runs_speaks_for_the_account() -> None:
    """It is what the account was told, as old as it says."""
    (listing,) = listings(talking(world(web=service, files=cache())))

    assert ("authoritative", "models-cache", AT - timedelta(minutes=3)) == (
        listing.authority,
        listing.source,
        listing.observed_at,
    )
    assert 5 == len(listing.models)


@pytest.mark.parametrize(
    "changes",
    [
        {"client_version": "0.146.0"},
        {"client_version": None},
        {"fetched_at": (AT - timedelta(hours=1)).isoformat()},
        {"fetched_at": None},
        {"fetched_at": "yesterday"},
        {"models": []},
        {"models": [{"slug": "some"}, {"no": "slug"}]},
        {"models": None},
    ],
    ids=str,
)
def test_another_cache_does_not(changes: dict[str, Any]) -> None:
    """Of another version, old, undated, empty or torn: the catalogue is told instead, as one."""
    assert {"partial"} == {page.authority for page in listings(talking(world(web=service, files=cache(**changes))))}


def test_without_the_program_the_cache_is_all_there_is() -> None:
    """Nobody knows which version runs, so it may not reject; and without a cache nothing is known."""
    assert ["partial"] == [page.authority for page in listings(world(files=cache()))]
    assert ["unknown"] == [page.authority for page in listings(world())]


def test_a_catalogue_without_end_is_given_up() -> None:
    """After twenty pages it is what it is by then."""
    page = {"result": {"data": [{"id": "a", "model": "a"}], "nextCursor": "again"}}
    there = world(talk=Answers({"initialize": HELLO, "model/list": [page]}))

    assert 20 == len(listings(there))


# --- configuration ----------------------------------------------------------------------------


@pytest.mark.parametrize("factory", [prober, inventory])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        *[
            ({"base_url": url}, "base_url must be")
            for url in ("", "chatgpt.com", "ftp://x", "https://u:p@x", "https://x/?a=b")
        ],
        *[({"command": command}, "command must be") for command in ("", [], [" "])],
        ({"credentials": Env("A_KEY")}, "name it as codex_home"),
    ],
)
def test_options_that_mean_nothing_are_refused(factory: Any, options: dict[str, Any], words: str) -> None:
    """Each says what it has to be."""
    with pytest.raises(ValueError, match=words):
        factory(**options)


def test_options_of_an_account_suit_both() -> None:
    """Every option of the policy is given to the prober and to the inventory."""
    options: Any = {"codex_home": "~/b/", "command": ["a"], "base_url": BASE, "user_agent": "u", "plan": "plus"}

    assert prober(**options).budget.usual < inventory(**options).budget.usual


def test_a_conversation_that_took_too_long_is_not_gone_on_with() -> None:
    """What is left of its time is what each wait is given, and nothing is said after it."""
    there = world(web=service)

    def answer(effect: Any) -> Any:
        if isinstance(effect, Hear):
            there.at += timedelta(seconds=6)
        return there(effect)

    there.talk = lambda line: ['{"method": "noise"}'] * 3 if "initialize" in line else []
    (reading,) = play(prober(codex_home=HOME, base_url=BASE).probe(), answer)
    heard = [effect.timeout for effect in there.asked if isinstance(effect, Hear)]

    assert ("ok", "usage") == (reading.state, reading.source)
    assert [timedelta(seconds=10), timedelta(seconds=4)] == heard


def test_silence_everywhere_is_unreachable() -> None:
    """With what each of them said."""
    reading = probe(world(web=lambda request: TimedOut("usage", "no answer"), talk=program()))

    assert "unreachable" == reading.state
    assert "app-server: the child: it says no more; usage: usage: no answer" == reading.detail
