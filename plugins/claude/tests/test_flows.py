"""Prober and inventory, played by hand: what they ask for, what they never ask for, and what they make of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from capacity.errors import NotFound, TimedOut, WireError
from capacity.ports import Document, Env, Get, Key, List, Listing, Pause, Read, Reading, Secret, Send
from capacity.testing.flows import FakeWorld, play
from capacity_claude import inventory, prober

from .documents import AT, SAMPLES

HOME = "${CLAUDE_CONFIG_DIR:-~/.claude}"
FILE = f"{HOME}/.credentials.json"
BASE = "http://127.0.0.1:9"
STORED = (SAMPLES / "credentials.json").read_bytes()
TOKEN = Secret("sk-ant-oat01-SAMPLE-ACCESS")
IDS = {
    "accountUuid": "00000000-0000-4000-8000-00000000000a",
    "organizationUuid": "00000000-0000-4000-8000-00000000000b",
}
PROFILE = json.dumps({"oauthAccount": {**IDS, "emailAddress": "someone@example.invalid"}}).encode()


def login(**changes: Any) -> bytes:
    return json.dumps({"claudeAiOauth": {**json.loads(STORED)["claudeAiOauth"], **changes}}).encode()


def ended(days: int = 3) -> int:
    return int((AT - timedelta(days=days)).timestamp() * 1000)


def answer(body: bytes, status: int = 200, **headers: str) -> Any:
    told = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return lambda request: Document(body, AT, asked=request.url.removeprefix(BASE), status=status, headers=told)


USAGE = answer((SAMPLES / "usage_limits_list.json").read_bytes())


def world(files: Mapping[str, bytes], web: Any = USAGE, **environ: str) -> FakeWorld:
    return FakeWorld(AT, files=dict(files), environ=environ, web=web)


def probe(there: FakeWorld, **options: Any) -> Reading:
    (reading,) = play(prober(base_url=BASE, **options).probe(), there)
    return reading


def requests(there: FakeWorld) -> list[Get]:
    return [effect for effect in there.asked if isinstance(effect, Get)]


def test_a_probe_is_one_look_and_one_request() -> None:
    """The file is read as a secret, the endpoint asked once with its token, and the plan joined to the figures."""
    there = world({FILE: STORED})
    reading = probe(there)
    looked, asked = there.asked

    assert ("ok", "max", "oauth-usage") == (reading.state, reading.plan, reading.source)
    assert isinstance(looked, Read)
    assert looked.secret
    assert isinstance(asked, Get)
    assert (f"{BASE}/api/oauth/usage", TOKEN, None) == (asked.url, asked.bearer, asked.retry)
    assert {"anthropic-beta": "oauth-2025-04-20", "Accept": "application/json"} == asked.headers


def test_an_agent_is_the_hosts_unless_one_is_named() -> None:
    """The plugin pretends to be nobody; an operator may name the agent."""
    there = world({FILE: STORED})
    probe(there, user_agent="mine/1")

    assert "mine/1" == requests(there)[0].headers["User-Agent"]


@pytest.mark.parametrize(
    ("files", "state"),
    [
        ({}, "login-required"),
        ({FILE: b""}, "login-required"),
        ({FILE: b"\n"}, "login-required"),
        ({FILE: b"{}"}, "login-required"),
        ({FILE: (SAMPLES / "credentials_mcp_only.json").read_bytes()}, "login-required"),
        ({FILE: login(accessToken="")}, "login-required"),
        ({FILE: login(expiresAt=ended(), refreshToken="")}, "login-required"),
        ({FILE: login(expiresAt=ended())}, "stale-credentials"),
        ({FILE: login(scopes=["user:inference"])}, "unsupported"),
        ({FILE: STORED[:100]}, "unrecognised"),
        ({FILE: b"[]"}, "login-required"),
    ],
)
def test_a_login_that_cannot_ask_is_told_without_a_request(files: dict[str, bytes], state: str) -> None:
    """Nothing is sent for a login that is missing, blank, expired, not entitled or half written."""
    there = world(files)
    reading = probe(there)

    assert (state, "credentials") == (reading.state, reading.source)
    assert reading.detail
    assert [] == requests(there)


@pytest.mark.parametrize("files", [{}, {FILE: b'{"mcpOAuth":{}}'}])
def test_a_keychain_may_hold_the_login(files: dict[str, bytes]) -> None:
    """Where there are keychains, a login missing from the file is not known to be missing."""
    there = world({**files, "~/Library/Keychains/login.keychain-db": b""})

    assert "unsupported" == probe(there).state
    assert any(isinstance(effect, List) for effect in there.asked)


def test_a_blank_token_is_no_matter_of_keychains() -> None:
    """A file whose login was emptied is logged out, wherever else one may be kept."""
    there = world({FILE: login(accessToken=""), "~/Library/Keychains/login.keychain-db": b""})

    assert "login-required" == probe(there).state


def test_a_token_that_expires_while_everything_is_parked_goes_stale() -> None:
    """The same prober that was answered yesterday sends nothing once the token has ended."""
    there = world({FILE: STORED})
    same = prober(base_url=BASE)

    assert "ok" == play(same.probe(), there)[0].state
    there.at += timedelta(days=3)
    assert "stale-credentials" == play(same.probe(), there)[0].state
    assert 1 == len(requests(there))


def test_a_refused_probe_is_not_repeated() -> None:
    """A 429 is answered by one reading with the instant before which nothing is asked."""
    there = world({FILE: STORED}, answer(b"{}", 429, retry_after="0"))
    reading = probe(there)

    assert ("throttled", AT + timedelta(seconds=300)) == (reading.state, reading.retry_at)
    assert 1 == len(requests(there))


@pytest.mark.parametrize(
    ("status", "state"), [(401, "stale-credentials"), (403, "unreachable"), (500, "unreachable"), (200, "unrecognised")]
)
def test_every_answer_is_a_reading(status: int, state: str) -> None:
    """Whatever the service says, the probe ends in one reading and keeps the plan."""
    reading = probe(world({FILE: STORED}, answer(b"{}", status)))

    assert (state, "max") == (reading.state, reading.plan)


def test_no_answer_is_thrown_on() -> None:
    """What the flow cannot answer itself is left to whoever runs it."""
    with pytest.raises(TimedOut):
        probe(world({FILE: STORED}, lambda request: TimedOut(request.url, "nothing came")))


def test_nothing_is_ever_written_or_sent() -> None:
    """Reading, listing and knowing the account take files, variables, the time and GET, and no other effect."""
    allowed = (Read, Get, List, Env, Pause)
    for files in ({FILE: STORED}, {FILE: login(expiresAt=ended())}, {}, {FILE: b""}):
        there = world(files, answer(b"{}", 401))
        before = dict(there.files)
        for flow in (prober(base_url=BASE).probe(), inventory(base_url=BASE).listings()):
            play(flow, there)
        assert before == there.files
        assert all(isinstance(effect, allowed) for effect in there.asked)


def test_no_secret_is_in_what_is_asked_or_said() -> None:
    """Neither an effect nor a reading shows a token, in any state."""
    for files in ({FILE: STORED}, {FILE: login(expiresAt=ended())}, {FILE: login(scopes=["user:inference"])}):
        there = world(files)
        said = (probe(there), play(inventory(base_url=BASE).listings(), there), there.asked)
        assert "SAMPLE" not in repr(said)


# --- where the login is -----------------------------------------------------------------------


def test_another_folder_holds_another_login() -> None:
    """An account's folder is an option; a slash at its end changes nothing."""
    assert "ok" == probe(world({"~/second/.credentials.json": STORED}), config_dir="~/second/").state


@pytest.mark.parametrize(
    ("credentials", "there", "token"),
    [
        (Env("TOKEN"), world({}, TOKEN="sk-bare"), "sk-bare"),
        (Read("/run/token"), world({"/run/token": b"sk-bare"}), "sk-bare"),
        (Read("/run/login.json"), world({"/run/login.json": STORED}), "sk-ant-oat01-SAMPLE-ACCESS"),
    ],
)
def test_an_operator_may_say_where_the_login_is(credentials: Key, there: FakeWorld, token: str) -> None:
    """A variable or a file with a bare token, or another credentials file, is used instead of the harness's own."""
    assert "ok" == probe(there, credentials=credentials).state
    assert Secret(token) == requests(there)[0].bearer


@pytest.mark.parametrize(
    ("credentials", "there"),
    [
        (Env("TOKEN"), world({FILE: STORED})),
        (Env("TOKEN"), world({FILE: STORED}, TOKEN=" ")),
        (Read("/run/token"), world({FILE: STORED, "~/Library/Keychains/login.keychain-db": b""})),
        (Read("/run/token"), world({FILE: STORED, "/run/token": b""})),
        (Read("/run/token"), world({FILE: STORED, "/run/token": b"{}"})),
    ],
)
def test_a_declared_login_that_is_missing_is_missing(credentials: Key, there: FakeWorld) -> None:
    """No other store is looked into: the operator has said where the login is, and the reading names the place."""
    reading = probe(there, credentials=credentials)
    place = credentials.name if isinstance(credentials, Env) else credentials.path

    assert "login-required" == reading.state
    assert place in (reading.detail or "")
    assert [] == requests(there)


# --- whose login it is ------------------------------------------------------------------------


def account(there: FakeWorld, **options: Any) -> str:
    return play(prober(**options).account(), there)


def test_two_homes_of_one_login_are_one_account() -> None:
    """The default folder has its profile beside it, one of its own has it inside; the mark is the login's."""
    beside, inside = world({f"{HOME}.json": PROFILE}), world({"~/second/.claude.json": PROFILE})

    assert account(beside) == account(inside, config_dir="~/second")
    assert 16 == len(account(beside))


def test_another_account_or_organization_is_another_mark() -> None:
    """A login is a person in an organization."""
    marks = {
        account(world({f"{HOME}.json": json.dumps({"oauthAccount": {**IDS, **change}}).encode()}))
        for change in ({}, {"accountUuid": "c"}, {"organizationUuid": "c"}, {"organizationUuid": None})
    }

    assert 4 == len(marks)


def test_a_mark_outlives_its_token() -> None:
    """A refresh changes every token and not the fingerprint; nothing of the profile is shown."""
    old = world({f"{HOME}.json": PROFILE, FILE: STORED})
    new = world({f"{HOME}.json": PROFILE, FILE: login(accessToken="other", refreshToken="other")})

    assert account(old) == account(new)
    assert "someone" not in repr(old.asked) + account(old)


def test_a_bare_token_is_told_by_a_mark_of_itself() -> None:
    """Wherever it is kept, one token is one account; the profile of the harness is not asked, it may be another's."""
    variable = world({f"{HOME}.json": PROFILE}, TOKEN="sk-bare")
    file = world({"/run/token": b"sk-bare"})

    assert account(variable, credentials=Env("TOKEN")) == account(file, credentials=Read("/run/token"))
    assert account(variable, credentials=Env("TOKEN")) != account(variable)


def test_a_declared_credentials_file_has_its_profile_beside_it() -> None:
    """A credentials file elsewhere belongs to the profile of its own folder."""
    there = world({"/b/.credentials.json": STORED, "/b/.claude.json": PROFILE})

    assert account(world({f"{HOME}.json": PROFILE})) == account(there, credentials=Read("/b/.credentials.json"))


@pytest.mark.parametrize(
    "profile", [None, b"", b"{}", b"[]", b"{", b'{"oauthAccount":null}', b'{"oauthAccount":{"accountUuid":" "}}']
)
def test_an_unknown_login_has_no_mark(profile: bytes | None) -> None:
    """Without a profile that names the account nobody can say whose login it is."""
    files = {FILE: STORED} if profile is None else {FILE: STORED, f"{HOME}.json": profile}

    with pytest.raises(NotFound, match="which login"):
        account(world(files))


def test_a_blank_variable_has_no_mark() -> None:
    """A declared token that is blank is nobody's, and no other login's profile stands in for it."""
    with pytest.raises(NotFound, match="which login"):
        account(world({f"{HOME}.json": PROFILE}, TOKEN=" "), credentials=Env("TOKEN"))


# --- the inventory ----------------------------------------------------------------------------


def pages(*bodies: bytes) -> tuple[Any, list[str]]:
    """A server that gives one page after another, and what it was asked."""
    urls: list[str] = []
    turns: Iterator[bytes] = iter(bodies)

    def web(request: Get | Send) -> Document | WireError:
        urls.append(request.url.removeprefix(BASE))
        return Document(next(turns), AT, asked=urls[-1], status=200)

    return web, urls


def listings(there: FakeWorld, **options: Any) -> tuple[Listing, ...]:
    return play(inventory(base_url=BASE, **options).listings(), there)


def test_pages_are_followed_to_the_last() -> None:
    """The first asks for as many rows as there can be, the next begins after its last id, and only the last rejects."""
    web, urls = pages(*((SAMPLES / f"models_page{n}.json").read_bytes() for n in (1, 2)))
    found = listings(world({FILE: STORED}, web))

    assert ["partial", "authoritative"] == [page.authority for page in found]
    assert ["/v1/models?limit=1000", "/v1/models?limit=1000&after_id=claude-sonnet-5"] == urls
    assert 5 == sum(len(page.models) for page in found)


def test_models_answer_to_the_labels_of_their_account() -> None:
    """A cap whose word no list explains binds the models the operator says."""
    web, _ = pages((SAMPLES / "models_page2.json").read_bytes())
    (page,) = listings(world({FILE: STORED}, web), labels={"overage_included": ["*-4-8"]})

    assert ["claude-opus-4-8"] == [model.id for model in page.models if "overage_included" in model.names]


def test_the_list_is_asked_as_a_login() -> None:
    """The token goes as a bearer with the version and the login's header, never as an API key."""
    web, _ = pages((SAMPLES / "models_page2.json").read_bytes())
    there = world({FILE: STORED}, web)
    listings(there)
    (asked,) = requests(there)

    assert TOKEN == asked.bearer
    assert {"anthropic-version", "anthropic-beta", "Accept"} == set(asked.headers)


def test_a_list_without_end_is_given_up() -> None:
    """After twenty pages the list is what it is by then: partial."""
    web, urls = pages(*[(SAMPLES / "models_page1.json").read_bytes()] * 30)
    found = listings(world({FILE: STORED}, web))

    assert 20 == len(urls)
    assert {"partial"} == {page.authority for page in found}


def test_a_page_that_fails_leaves_the_list_partial() -> None:
    """What came before it is kept, and nothing may reject."""
    web, _ = pages((SAMPLES / "models_page1.json").read_bytes(), b'{"type":"error","error":{}}')

    assert ["partial", "unknown"] == [page.authority for page in listings(world({FILE: STORED}, web))]


@pytest.mark.parametrize("status", [401, 403, 429, 500])
def test_a_refused_list_knows_nothing(status: int) -> None:
    """It is no sample, and no reason to think that a model is gone."""
    (listing,) = listings(world({FILE: STORED}, answer(b'{"type":"error","error":{}}', status)))

    assert ("unknown", ()) == (listing.authority, listing.models)


@pytest.mark.parametrize("files", [{}, {FILE: login(accessToken="")}, {FILE: login(expiresAt=ended())}])
def test_without_a_token_no_list_is_asked_for(files: dict[str, bytes]) -> None:
    """A login that cannot ask gives a listing that knows nothing, without a request."""
    there = world(files)

    assert ["unknown"] == [listing.authority for listing in listings(there)]
    assert [] == requests(there)


def test_a_login_that_cannot_report_usage_can_list_models() -> None:
    """Scope is a matter of the usage endpoint alone."""
    web, urls = pages((SAMPLES / "models_page2.json").read_bytes())

    assert "authoritative" == listings(world({FILE: login(scopes=["user:inference"])}, web))[0].authority
    assert 1 == len(urls)


# --- configuration ----------------------------------------------------------------------------


@pytest.mark.parametrize("factory", [prober, inventory])
@pytest.mark.parametrize(
    "url", ["", "api.example.invalid", "ftp://x", "https://u:p@x", "https://x/?a=b", "https://x y"]
)
def test_a_base_url_that_is_none_is_refused(factory: Any, url: str) -> None:
    """It holds a host and a path, and nothing that would have to be hidden."""
    with pytest.raises(ValueError, match="base_url must be"):
        factory(base_url=url)


def test_budgets_keep_inside_the_shared_one() -> None:
    """Fewer than twenty-eight requests an hour even at the floor, and one deadline of ten seconds."""
    budget = prober().budget

    assert timedelta(hours=1) / budget.floor < 28
    assert timedelta(seconds=10) == budget.deadline
    assert inventory().budget.usual >= budget.usual
