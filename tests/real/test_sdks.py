"""The vendors' own SDKs speak to the loopback servers without complaint, so that what plugins are tested on is honest."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import capacity_claude
import capacity_deepseek
import pytest

from capacity.ports import Document, Env, Limit
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import ClaudeModel, ClaudeServer, DeepSeekServer
from capacity.testing.servers.claude import API_KEY, TOKEN
from capacity.testing.servers.deepseek import KEY
from capacity.wire import Host, run

pytestmark = pytest.mark.real

ABSENT = "the SDK is not installed; `nox -s real` does, and so does `uv sync --group real`"
NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
HELLO: list[Any] = [{"role": "user", "content": "Hello."}]


@pytest.fixture
def claude() -> Iterator[ClaudeServer]:
    rows = [ClaudeModel(f"sample-{n}", f"Sample {n}", None if n == 5 else 200_000) for n in range(1, 6)]
    with ClaudeServer(SettableClock(NOON), rows) as server:
        server.use("session", 37, NOON + timedelta(hours=1))
        server.use("weekly_all", 67, NOON + timedelta(days=2))
        yield server


@pytest.fixture
def deepseek() -> Iterator[DeepSeekServer]:
    with DeepSeekServer(SettableClock(NOON), ["sample-chat"]) as server:
        yield server


@pytest.fixture
def anthropic() -> Any:
    return pytest.importorskip("anthropic", reason=ABSENT)


@pytest.fixture
def openai() -> Any:
    return pytest.importorskip("openai", reason=ABSENT)


def limits(headers: Any, status: int) -> dict[str, Limit]:
    """What the plugin makes of the headers an SDK was given."""
    told = tuple((name.lower(), value) for name, value in headers.items())
    (reading,) = capacity_claude.reader().readings(Document(b"", NOON, status=status, headers=told)) or ()
    assert "ok" == reading.state
    return {limit.name: limit for limit in reading.limits}


def test_the_login_s_turns_tell_its_windows(anthropic: Any, claude: ClaudeServer) -> None:
    """The SDK reads a message, and its headers say through the plugin what the usage endpoint says."""
    with anthropic.Anthropic(auth_token=TOKEN, base_url=claude.url, max_retries=0) as client:
        raw = client.messages.with_raw_response.create(model="sample-1", max_tokens=5, messages=HELLO)
    message = raw.parse()

    assert ("sample-1", "end_turn", "text") == (message.model, message.stop_reason, message.content[0].type)
    assert message.usage.input_tokens > 0
    told = limits(raw.headers, raw.http_response.status_code)
    assert {"5h": 37.0, "weekly": 67.0, "service": None} == {name: one.percent for name, one in told.items()}
    host = Host(clock=SettableClock(NOON), environ={"LOGIN": TOKEN})
    source = capacity_claude.prober(base_url=claude.url, credentials=Env("LOGIN"))
    (reading,) = run(source.probe(), deadline=source.budget.deadline, host=host)
    assert {one.name: (one.percent, one.resets_at) for one in reading.limits} == {
        name: (one.percent, one.resets_at) for name, one in told.items() if name != "service"
    }


def test_a_key_s_turns_tell_its_caps(anthropic: Any, claude: ClaudeServer) -> None:
    """A key has no windows: its caps are told, and bind nothing."""
    with anthropic.Anthropic(api_key=API_KEY, base_url=claude.url, max_retries=0) as client:
        raw = client.messages.with_raw_response.create(model="sample-1", max_tokens=5, messages=HELLO)

    told = limits(raw.headers, raw.http_response.status_code)
    assert {"requests", "input-tokens", "output-tokens"} == told.keys()
    assert {"feature"} == {one.scope.kind for one in told.values() if one.scope is not None}


def test_the_list_of_models_is_paged(anthropic: Any, claude: ClaudeServer) -> None:
    """The SDK walks the pages and finds every model, newest first."""
    claude.page = 2
    with anthropic.Anthropic(api_key=API_KEY, base_url=claude.url, max_retries=0) as client:
        found = [(model.id, model.display_name, model.type) for model in client.models.list(limit=2)]

    assert [(f"sample-{n}", f"Sample {n}", "model") for n in range(1, 6)] == found
    assert 3 == claude.times("/v1/models")


@pytest.mark.parametrize(
    ("kind", "model", "binding"),
    [("weekly_all", None, "weekly"), ("session", None, "5h"), ("weekly_scoped", "Sample 1", "weekly:overage_included")],
)
def test_a_full_window_is_a_refusal(
    anthropic: Any, claude: ClaudeServer, kind: Any, model: str | None, binding: str
) -> None:
    """The SDK calls it a rate limit; the plugin says which limit it is, and that no other refuses."""
    claude.use(kind, 100, NOON + timedelta(hours=2), model=model)
    with (
        anthropic.Anthropic(auth_token=TOKEN, base_url=claude.url, max_retries=0) as client,
        pytest.raises(anthropic.RateLimitError) as refused,
    ):
        client.messages.create(model="sample-1", max_tokens=5, messages=HELLO)

    told = limits(refused.value.response.headers, refused.value.status_code)
    assert "rate_limit_error" == refused.value.type
    assert {binding: NOON + timedelta(hours=2)} == {name: one.resets_at for name, one in told.items() if one.blocked}


def test_a_burst_refuses_the_turn_and_not_the_subscription(anthropic: Any, claude: ClaudeServer) -> None:
    """The same error for the SDK; its headers say that the account serves."""
    claude.burst(1)
    with anthropic.Anthropic(auth_token=TOKEN, base_url=claude.url, max_retries=0) as client:
        with pytest.raises(anthropic.RateLimitError) as refused:
            client.messages.create(model="sample-1", max_tokens=5, messages=HELLO)
        client.messages.create(model="sample-1", max_tokens=5, messages=HELLO)

    told = limits(refused.value.response.headers, 429)
    assert ("12", {False}) == (refused.value.response.headers["retry-after"], {one.blocked for one in told.values()})


@pytest.mark.parametrize(
    ("error", "type_", "how"),
    [
        ("AuthenticationError", "authentication_error", {"token": "invented-other-token"}),
        ("NotFoundError", "not_found_error", {"model": "sample-9"}),
        ("OverloadedError", "overloaded_error", {"overload": True}),
        ("BadRequestError", "invalid_request_error", {"body": {"max_tokens": None}}),
    ],
)
def test_claude_s_errors_are_what_the_sdk_knows(
    anthropic: Any, claude: ClaudeServer, error: str, type_: str, how: dict[str, Any]
) -> None:
    """Each by its status, with its type in the body."""
    claude.overload(1 if "overload" in how else 0)
    token, known = how.get("token", TOKEN), getattr(anthropic, error, anthropic.APIStatusError)
    body = {"model": how.get("model", "sample-1"), "messages": HELLO, "max_tokens": 5, **how.get("body", {})}
    body = {name: value for name, value in body.items() if value is not None}
    with (
        anthropic.Anthropic(auth_token=token, base_url=claude.url, max_retries=0) as client,
        pytest.raises(known) as refused,
    ):
        client.post("/v1/messages", body=body, cast_to=object)

    assert type_ == refused.value.type
    assert "OverloadedError" != error or refused.value.status_code == 529


def test_deepseek_lists_its_models(openai: Any, deepseek: DeepSeekServer) -> None:
    """The OpenAI SDK reads the list with and without the version in its address."""
    for suffix in ("", "/v1"):
        with openai.OpenAI(api_key=KEY, base_url=deepseek.url + suffix, max_retries=0) as client:
            assert [("sample-chat", "deepseek")] == [(one.id, one.owned_by) for one in client.models.list()]


def test_deepseek_answers_a_turn(openai: Any, deepseek: DeepSeekServer) -> None:
    """Whole, and in a stream that waits for its place with comments."""
    with openai.OpenAI(api_key=KEY, base_url=deepseek.url, max_retries=0) as client:
        whole = client.chat.completions.create(model="sample-chat", messages=HELLO)
        with client.chat.completions.create(model="sample-chat", messages=HELLO, stream=True) as stream:
            pieces = [chunk.choices[0].delta.content or "" for chunk in stream]

    assert ("stop", "Invented.", 7) == (
        whole.choices[0].finish_reason,
        whole.choices[0].message.content,
        whole.usage.total_tokens,
    )
    assert "Invented." == "".join(pieces)


@pytest.mark.parametrize(
    ("status", "error", "model"),
    [
        (400, "BadRequestError", "sample-none"),
        (401, "AuthenticationError", "sample-chat"),
        (402, "APIStatusError", "sample-chat"),
        (429, "RateLimitError", "sample-chat"),
    ],
)
def test_deepseek_s_errors_are_what_the_sdk_knows(
    openai: Any, deepseek: DeepSeekServer, status: int, error: str, model: str
) -> None:
    """Each by its status: the code in the body says bad request for all but one of them."""
    deepseek.crowd(1 if status == 429 else 0)
    deepseek.balance = {"USD": Decimal("-1.23" if status == 402 else "10.00")}
    with (
        openai.OpenAI(
            api_key="invented-other" if status == 401 else KEY, base_url=deepseek.url, max_retries=0
        ) as client,
        pytest.raises(getattr(openai, error)) as refused,
    ):
        client.chat.completions.create(model=model, messages=HELLO)

    assert (status, None) == (refused.value.status_code, refused.value.response.headers.get("retry-after"))
    body = Document(refused.value.response.content, NOON, asked="/chat/completions", status=status)
    assert capacity_deepseek.reader().readings(body) is None
