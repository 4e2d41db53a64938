"""The loopback servers speak as the real ones do, change with their clock, and note all they are asked."""

from __future__ import annotations

import json
import stat
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from capacity.testing.clocks import SettableClock
from capacity.testing.servers import (
    ClaudeModel,
    ClaudeServer,
    DeepSeekServer,
    LlamaModel,
    LlamaServer,
    LoopbackServer,
    write_credentials,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
BETA = {"anthropic-beta": "oauth-2025-04-20"}
VERSION = {"anthropic-version": "2023-06-01"}


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(NOON)


@pytest.fixture
def claude(clock: SettableClock) -> Iterator[ClaudeServer]:
    rows = [ClaudeModel(f"sample-{n}", f"Sample {n}", None if n == 5 else 200_000) for n in range(1, 6)]
    with ClaudeServer(clock, rows) as server:
        server.use("session", 37, NOON + HOUR)
        server.use("weekly_all", 67.5, NOON + timedelta(days=2))
        server.use("weekly_scoped", 100, NOON + timedelta(days=2), model="Sample Large")
        yield server


@pytest.fixture
def deepseek(clock: SettableClock) -> Iterator[DeepSeekServer]:
    with DeepSeekServer(clock, ["sample-chat"]) as server:
        yield server


@pytest.fixture
def llama(clock: SettableClock) -> Iterator[LlamaServer]:
    models = [LlamaModel("tiny", aliases=("t",), busy=1), LlamaModel("big", "unloaded"), LlamaModel("nap", "sleeping")]
    with LlamaServer(clock, models) as server:
        yield server


def ask(
    server: LoopbackServer, path: str, token: str | None = None, **how: Any
) -> tuple[int, Message[str, str], bytes]:
    """Status, headers and body of one answer."""
    headers = dict(how.get("headers", {}))
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(
        server.url + path, method=how.get("method", "GET"), headers=headers, data=how.get("data")
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def usage(claude: ClaudeServer, **how: Any) -> tuple[int, Message[str, str], bytes]:
    return ask(claude, "/api/oauth/usage", claude.token, headers=BETA, **how)


def rows(claude: ClaudeServer) -> dict[tuple[str, str | None], tuple[float, str]]:
    """(kind, model) → percent and reset."""
    told = json.loads(usage(claude)[2])["limits"]
    return {
        (row["kind"], row["scope"] and row["scope"]["model"]["display_name"]): (row["percent"], row["resets_at"])
        for row in told
    }


# --- every server -----------------------------------------------------------------------------


def test_a_server_notes_what_it_is_asked_and_no_secret(claude: ClaudeServer, clock: SettableClock) -> None:
    """Method, path and headers of every request are kept, with its instant; a secret only as having been there."""
    usage(claude)
    clock.advance(HOUR)
    ask(claude, "/v1/models?limit=3", headers={"x-api-key": "hush-hush"}, method="DELETE")
    first, second = claude.asked

    assert ("GET", "/api/oauth/usage", NOON) == (first.method, first.path, first.at)
    assert ("DELETE", "/v1/models?limit=3", NOON + HOUR) == (second.method, second.path, second.at)
    assert ("***", "oauth-2025-04-20") == (first.headers["authorization"], first.headers["anthropic-beta"])
    assert (second,) == claude.changes
    assert (1, 1) == (claude.times("/api/oauth/usage"), claude.times("/v1/models"))
    assert claude.token not in repr(claude.asked)
    assert "hush-hush" not in repr(claude.asked)


def test_a_server_dates_its_answers_by_its_clock(claude: ClaudeServer, clock: SettableClock) -> None:
    """The `Date` header follows the clock, not the machine."""
    clock.advance(timedelta(days=3))

    assert "Wed, 04 Mar 2026 12:00:00 GMT" == usage(claude)[1]["Date"]


def test_a_server_answers_many_at_once(llama: LlamaServer) -> None:
    """Requests that come together are all answered and all noted."""
    threads = [threading.Thread(target=ask, args=(llama, "/models")) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert 12 == llama.times("/models")


def test_a_closed_server_is_gone(clock: SettableClock) -> None:
    """It refuses connections, has no address, and can be closed twice."""
    server = LlamaServer(clock).start()
    url = server.url
    server.close()
    server.close()

    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url + "/health", timeout=10)
    with pytest.raises(RuntimeError, match="start it"):
        _ = server.url


@pytest.mark.parametrize("name", ["claude", "deepseek", "llama"])
def test_a_server_can_be_throttled_and_broken(name: str, request: pytest.FixtureRequest) -> None:
    """The next so many answers are refusals or nonsense; then it is well again."""
    server = request.getfixturevalue(name)
    path = {"claude": "/api/oauth/usage", "deepseek": "/user/balance", "llama": "/models"}[name]
    token = getattr(server, "token", None) or getattr(server, "key", None)
    server.throttle(2, retry_after=60)
    server.break_shape(1)
    server.break_shape(1, b"{}")
    told = [ask(server, path, token, headers=BETA) for _ in range(5)]

    assert [429, 429, 200, 200, 200] == [status for status, _, _ in told]
    assert ["60", "60", None] == [headers["Retry-After"] for _, headers, _ in told[:3]]
    assert told[2][2].startswith(b"<!doctype html>")
    assert b"{}" == told[3][2]
    assert len(json.loads(told[4][2])) > 0


# --- claude -----------------------------------------------------------------------------------


def test_usage_is_a_list_of_limits_with_its_twins(claude: ClaudeServer) -> None:
    """Rows carry kind, percent, reset and scope; the two main windows stand beside them once more."""
    told = json.loads(usage(claude)[2])

    assert {
        ("session", None): (37, "2026-03-01T13:00:00.000000+00:00"),
        ("weekly_all", None): (67.5, "2026-03-03T12:00:00.000000+00:00"),
        ("weekly_scoped", "Sample Large"): (100, "2026-03-03T12:00:00.000000+00:00"),
    } == rows(claude)
    assert {"utilization": 37.0, "resets_at": "2026-03-01T13:00:00.000000+00:00"} == told["five_hour"]
    assert 67.5 == told["seven_day"]["utilization"]
    assert ["normal", "normal", "critical"] == [row["severity"] for row in told["limits"]]


def test_windows_roll_over_with_the_clock(claude: ClaudeServer, clock: SettableClock) -> None:
    """Past its reset a window is unused and resets a window later, however many were missed."""
    clock.set(NOON + timedelta(hours=12))
    assert (0.0, "2026-03-02T04:00:00.000000+00:00") == rows(claude)["session", None]
    assert 67.5 == rows(claude)["weekly_all", None][0]
    clock.set(NOON + timedelta(days=2))
    assert (0.0, "2026-03-10T12:00:00.000000+00:00") == rows(claude)["weekly_all", None]
    claude.use("session", 12, clock.now() + HOUR)
    assert 12 == rows(claude)["session", None][0]


@pytest.mark.parametrize(
    ("token", "headers", "status"),
    [
        ("right", BETA, 200),
        ("right", {}, 401),
        ("wrong", BETA, 401),
        (None, BETA, 401),
        (None, {**BETA, "x-api-key": "right"}, 401),
    ],
)
def test_usage_wants_a_login_and_the_beta_header(
    claude: ClaudeServer, token: str | None, headers: dict[str, str], status: int
) -> None:
    """Without either the service refuses, as an error with its type."""
    claude.token = "right"
    answer = ask(claude, "/api/oauth/usage", token, headers=headers)

    assert status == answer[0]
    assert status == 200 or "authentication_error" == json.loads(answer[2])["error"]["type"]


def test_a_token_ends(claude: ClaudeServer, clock: SettableClock) -> None:
    """From its end on it is refused, until there is another."""
    claude.expires_at = NOON + HOUR
    before, _, _ = usage(claude)
    clock.advance(HOUR)
    after, _, body = usage(claude)
    claude.expires_at = None

    assert (200, 401, 200) == (before, after, usage(claude)[0])
    assert b"expired" in body


def test_models_come_in_pages(claude: ClaudeServer) -> None:
    """`after_id` follows `last_id` while there is more; a page is as long as asked for, and twenty by default."""
    claude.page = 2
    pages, query = [], "?limit=1000"
    while query:
        page = json.loads(ask(claude, f"/v1/models{query}", claude.token, headers=VERSION)[2])
        pages.append([row["id"] for row in page["data"]])
        query = f"?limit=1000&after_id={page['last_id']}" if page["has_more"] else ""

    assert [["sample-1", "sample-2"], ["sample-3", "sample-4"], ["sample-5"]] == pages
    assert 400 == ask(claude, "/v1/models?limit=1001", claude.token, headers=VERSION)[0]
    assert 400 == ask(claude, "/v1/models", claude.token)[0]
    assert 401 == ask(claude, "/v1/models", headers=VERSION)[0]


def test_a_model_may_be_told_in_full_or_hardly(claude: ClaudeServer) -> None:
    """Newer rows say what they take in; the oldest say only who they are."""
    told = json.loads(ask(claude, "/v1/models", claude.token, headers=VERSION)[2])["data"]

    assert 200_000 == told[0]["max_input_tokens"]
    assert {"supported": True} == told[0]["capabilities"]["effort"]["high"]
    assert {"type", "id", "display_name", "created_at"} == set(told[4])


def test_a_list_may_be_empty(claude: ClaudeServer) -> None:
    """No model is no error."""
    claude.models = ()

    assert {"data": [], "has_more": False, "first_id": None, "last_id": None} == json.loads(
        ask(claude, "/v1/models", claude.token, headers=VERSION)[2]
    )


def test_nothing_else_is_there(claude: ClaudeServer) -> None:
    """Another path is not found, another method not allowed."""
    assert 404 == ask(claude, "/v1/complete", claude.token)[0]
    assert 405 == usage(claude, method="POST", data=b"{}")[0]


@pytest.mark.parametrize("blank", [False, True])
def test_credentials_are_written_as_the_harness_keeps_them(tmp_path: Path, blank: bool) -> None:
    """The file is the owner's alone, its tokens are plainly invented, and a wiped login has its fields empty."""
    path = tmp_path / "deep" / "credentials.json"
    write_credentials(path, NOON, blank=blank)
    write_credentials(path, NOON, blank=blank)
    login = json.loads(path.read_text(encoding="utf-8"))["claudeAiOauth"]

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert (0 if blank else 1_772_366_400_000) == login["expiresAt"]
    assert blank == (not login["accessToken"]) == (not login["refreshToken"])
    assert [path] == list(path.parent.iterdir())


# --- deepseek ---------------------------------------------------------------------------------


def test_a_balance_is_told_in_strings(deepseek: DeepSeekServer) -> None:
    """Each currency has a row of decimal strings; below zero it says that it does not serve."""
    deepseek.balance = {"USD": Decimal("-1.23"), "CNY": Decimal(0)}
    told = json.loads(ask(deepseek, "/user/balance", deepseek.key)[2])

    assert not told["is_available"]
    assert [("USD", "-1.23"), ("CNY", "0.00")] == [
        (row["currency"], row["total_balance"]) for row in told["balance_infos"]
    ]
    deepseek.available = True
    assert json.loads(ask(deepseek, "/user/balance", deepseek.key)[2])["is_available"]


def test_deepseek_lists_ids_and_wants_a_key(deepseek: DeepSeekServer) -> None:
    """The list has ids and owners only; another key, path or method is refused."""
    deepseek.models = ("sample-chat", "sample-deep")

    assert [{"id": "sample-chat", "object": "model", "owned_by": "deepseek"}] == json.loads(
        ask(deepseek, "/models", deepseek.key)[2]
    )["data"][:1]
    assert 401 == ask(deepseek, "/models", "another")[0]
    assert 401 == ask(deepseek, "/user/balance")[0]
    assert 404 == ask(deepseek, "/v2/models", deepseek.key)[0]
    assert 405 == ask(deepseek, "/user/balance", deepseek.key, method="POST", data=b"{}")[0]


# --- llama.cpp --------------------------------------------------------------------------------


def status(llama: LlamaServer) -> dict[str, str]:
    return {row["id"]: row["status"]["value"] for row in json.loads(ask(llama, "/models")[2])["data"]}


def test_a_router_lists_models_with_their_status(llama: LlamaServer, clock: SettableClock) -> None:
    """A model that is loading is loaded from an instant on; one may be added, removed or have failed."""
    llama.load("big", NOON + HOUR)
    llama.put(LlamaModel("sad", "unloaded", exit_code=1))
    llama.remove("nap")
    assert {"tiny": "loaded", "big": "loading", "sad": "unloaded"} == status(llama)
    clock.advance(HOUR)
    assert "loaded" == status(llama)["big"]
    sad = json.loads(ask(llama, "/v1/models")[2])["data"][-1]
    assert (1, True) == (sad["status"]["exit_code"], sad["status"]["failed"])


def test_a_resident_model_tells_its_slots(llama: LlamaServer) -> None:
    """Slots, their context and who is busy; by id or by alias; metrics only where it was started with them."""
    slots = json.loads(ask(llama, "/slots?model=t&autoload=false")[2])
    props = json.loads(ask(llama, "/props?model=tiny&autoload=false")[2])

    assert [(0, True, 32_768), (1, False, 32_768)] == [(s["id"], s["is_processing"], s["n_ctx"]) for s in slots]
    assert (2, 32_768, False) == (
        props["total_slots"],
        props["default_generation_settings"]["n_ctx"],
        props["is_sleeping"],
    )
    assert 501 == ask(llama, "/metrics?model=tiny&autoload=false")[0]
    llama.put(LlamaModel("tiny", metrics=True, busy=2))
    assert b"llamacpp:requests_processing 2\n" in ask(llama, "/metrics?model=tiny&autoload=false")[2]


def test_a_careless_question_loads_a_model(llama: LlamaServer) -> None:
    """Without `autoload=false` a model that is not resident is loaded for whoever asks about it, and that is noted."""
    assert 400 == ask(llama, "/props?model=big&autoload=false")[0]
    assert [] == llama.loads
    assert 503 == ask(llama, "/props?model=big")[0]
    assert 503 == ask(llama, "/slots?model=big")[0]
    assert (["big"], "loading") == (llama.loads, status(llama)["big"])


def test_looking_at_its_slots_wakes_a_model(llama: LlamaServer) -> None:
    """A sleeping one tells its props asleep, and wakes for its slots; both are noted."""
    assert json.loads(ask(llama, "/props?model=nap&autoload=false")[2])["is_sleeping"]
    assert "sleeping" == status(llama)["nap"]
    ask(llama, "/slots?model=nap&autoload=false")
    assert (["nap"], "loaded") == (llama.woken, status(llama)["nap"])


@pytest.mark.parametrize(
    ("path", "code"),
    [("/slots", 400), ("/slots?model=", 400), ("/slots?model=nope", 400), ("/nowhere", 404), ("/health", 200)],
)
def test_a_router_refuses_what_it_cannot_tell(llama: LlamaServer, path: str, code: int) -> None:
    """No model named, an unknown one, an unknown path; of itself it tells a dummy, and that it is well."""
    assert code == ask(llama, path)[0]
    assert "router" == json.loads(ask(llama, "/props")[2])["role"]


@pytest.mark.parametrize(
    ("path", "model", "code"),
    [
        ("/models/load", "big", 200),
        ("/models/load", "tiny", 400),
        ("/models/load", "nope", 404),
        ("/models/unload", "tiny", 200),
        ("/models/unload", "big", 400),
        ("/models/unload", "nope", 400),
        ("/models/burn", "tiny", 404),
    ],
)
def test_loading_on_request_is_a_change(llama: LlamaServer, path: str, model: str, code: int) -> None:
    """Load and unload answer as the router does, and are noted as changes."""
    assert code == ask(llama, path, method="POST", data=json.dumps({"model": model}).encode())[0]
    assert [path] == [asked.path for asked in llama.changes]
    assert 400 == ask(llama, "/models/load", method="POST", data=b"no")[0]


def test_a_router_holds_what_it_may(clock: SettableClock) -> None:
    """It says how many that is, lets the one go that it loaded first, never one that loads, and loads in its time."""
    models = [LlamaModel("a"), *(LlamaModel(id_, "unloaded") for id_ in "bcd")]
    with LlamaServer(clock, models, most=2, takes=HOUR) as server:

        def load(id_: str) -> int:
            return ask(server, "/models/load", method="POST", data=json.dumps({"model": id_}).encode())[0]

        assert 2 == json.loads(ask(server, "/props")[2])["max_instances"]
        assert [200, 200, 500] == [load("b"), load("c"), load("d")]
        assert {"a": "unloaded", "b": "loading", "c": "loading", "d": "unloaded"} == status(server)
        clock.advance(HOUR)
        assert 200 == load("d")
        assert {"a": "unloaded", "b": "unloaded", "c": "loaded", "d": "loading"} == status(server)
        assert (["b", "c", "d"], ["a", "b"]) == (server.loads, server.evicted)


def test_a_router_may_want_a_key(clock: SettableClock) -> None:
    """With a key only its health is open."""
    with LlamaServer(clock, key="right") as server:
        assert [401, 200, 200] == [
            ask(server, "/models")[0], ask(server, "/models", "right")[0], ask(server, "/health")[0],
        ]  # fmt: skip  # one answer beside the other
