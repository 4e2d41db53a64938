"""Whose fault a refused turn was: every recorded error, header and line of Claude's, and what only looks like one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from attrs import evolve
from capacity.ports import Document, Fact, Failure, Figure, Reader
from capacity.testing.contracts import FailureContract
from capacity_claude import reader

from .documents import AT, SAMPLES, fields, recorded, shown

WEEKLY, SERVICE = Fact("claude:limit", "weekly"), Fact("claude:limit", "service")
CAPPED = Fact("claude:limit", "weekly:overage_included", (Figure("scope", "overage_included", "word"),))
TOO_LONG = Fact("claude:context", "", (Figure("asked", 103078, "tokens"), Figure("window", 102398, "tokens")))
AUTH, LOGIN = Failure.of("auth"), Failure.of("auth", human=True)
BALANCE, RATE, OVERLOAD = Failure.of("balance", human=True), Failure.of("rate"), Failure.of("overload")


def day(number: int, hour: int = 0) -> datetime:
    """An hour of a day of the month in which the samples were read."""
    return datetime(2026, 9, number, hour, tzinfo=UTC)


def spent(reset_at: datetime | None, *facts: Fact, scoped: bool = False) -> Failure:
    """A spent quota."""
    return Failure.of("quota", blames="candidate" if scoped else "pool", reset_at=reset_at, facts=facts)


SAID: Mapping[str, tuple[int | None, Failure]] = {
    "error_400_context.json": (400, Failure.of("context", facts=(TOO_LONG,))),
    "error_400_credit.json": (400, BALANCE),
    "error_401_oauth_unsupported.json": (401, AUTH),
    "error_403.json": (403, AUTH),
    "error_413.json": (413, Failure.of("payload")),
    "error_429_generic.json": (429, RATE),
    "error_429_long_context.json": (429, Failure.of("context-tier")),
    "error_500.json": (500, OVERLOAD),
    "error_529.json": (529, OVERLOAD),
    "headers_429_burst.txt": (429, Failure.of("rate", hold=timedelta(seconds=12))),
    "headers_unified_rejected_7d.txt": (429, spent(day(23), WEEKLY)),
    "headers_unified_rejected_7d_oi.txt": (429, spent(day(22, 23), CAPPED, scoped=True)),
    "headless_result_limit_text.json": (None, spent(day(24, 14), WEEKLY)),
}
"""Sample → the status it came with, and the failure it is."""

NO_ANSWERS = {"README.md", "expected.json", "limit_texts.txt"}
OTHERS = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {*NO_ANSWERS, *SAID})
KINDS = {"context_tier": "context-tier"}
LINES = [line.split("\t") for line in (SAMPLES / "limit_texts.txt").read_text("utf-8").splitlines()[1:]]


def failed(body: Any, status: int | None = None, headers: str = "", zone: str | None = None) -> Failure | None:
    """What the reader makes of an answer: JSON, or a text as it is."""
    text = body if isinstance(body, str) else json.dumps(body)
    return reader().failure(Document(text.encode(), AT, status=status, headers=fields(headers), zone=zone))


def error(kind: str, message: str) -> dict[str, Any]:
    """An error as the service words it."""
    return {"type": "error", "error": {"type": kind, "message": message}}


class TestFailures(FailureContract):
    construct: ClassVar = "from capacity_claude import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def refusals(self) -> Sequence[Document]:
        return [
            evolve(recorded(name), status=status) for name, (status, _) in SAID.items() if name.startswith("error_")
        ]


class TestRefusalsThatAreReadings(TestFailures):
    excused: ClassVar = {"test_refusals_are_no_readings": "headers and lines of limits tell of the quota too"}

    @pytest.fixture
    def refusals(self) -> Sequence[Document]:
        lines = [Document(line.encode(), AT, zone="UTC") for line, *_ in LINES]
        generic = recorded("error_429_generic.json")
        headed = [evolve(recorded(name), body=generic.body, status=429) for name in SAID if name.startswith("headers_")]
        return [*lines, *headed, recorded("headless_result_limit_text.json")]


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("known", [True, False], ids=["with its status", "alone"])
def test_a_recorded_refusal_is_classified(name: str, known: bool) -> None:
    """Every recorded error and header of a turn is the failure it was, whether or not its status was kept."""
    status, failure = SAID[name]

    assert failure == reader().failure(evolve(recorded(name), status=status if known else None))


@pytest.mark.parametrize("name", OTHERS)
def test_other_answers_are_no_failure(name: str) -> None:
    """Usage, models, logins, screens, and refusals of the probe: none of them is a refused turn."""
    assert reader().failure(recorded(name)) is None


@pytest.mark.parametrize(("line", "kind", "ends"), LINES, ids=shown)
def test_a_line_is_the_failure_it_says(line: str, kind: str, ends: str) -> None:
    """Every line of the harness has its kind, and its end where it tells one that is still to come."""
    failure = failed(line, zone="UTC")

    assert failure is not None
    assert KINDS.get(kind, kind) == failure.kind
    if ends.startswith("20"):
        assert datetime.fromisoformat(ends) == failure.reset_at
    else:
        assert failure.reset_known == ends.startswith("wall clock")


@pytest.mark.parametrize(("line", "kind", "ends"), LINES, ids=shown)
def test_a_line_keeps_its_kind_wherever_it_stands(line: str, kind: str, ends: str) -> None:
    """As the last line of a run, as its result, and inside what another program wraps round it."""
    kind = KINDS.get(kind, kind)
    wrapped = {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": f"Internal error: {line}"}}
    told = [
        failed(f"Working.\n\n{line}\n"),
        failed({"type": "result", "is_error": True, "result": line}),
        failed(wrapped),
    ]

    assert [kind] * 3 == [one and one.kind for one in told]


@pytest.mark.parametrize(("line", "kind", "ends"), LINES, ids=shown)
def test_a_line_in_the_middle_of_a_text_is_nobodys(line: str, kind: str, ends: str) -> None:
    """People and models write about limits; only what is said last and alone is a refusal."""
    assert failed(f"The harness then said: {line}") is None
    assert failed(f"{line}\nSo I went on and finished it.") is None
    assert failed({"type": "assistant", "message": {"content": [{"type": "text", "text": line}]}}) is None


def test_only_a_person_ends_some_of_them() -> None:
    """Paying and logging in are a person's; a token that its owner refreshes is not."""
    said = {line: failed(line) for line, *_ in LINES}

    assert {"Credit balance is too low", "You're out of usage credits", "Invalid API key · Please run /login"} == {
        line for line, failure in said.items() if failure is not None and failure.needs_human
    }


# --- a 429, by its headers ----------------------------------------------------------------------

GENERIC = error("rate_limit_error", "This request would exceed your account's rate limit. Please try again later.")


@pytest.mark.parametrize(
    ("name", "failure"), [(name, failure) for name, (_, failure) in SAID.items() if name.startswith("headers_")]
)
def test_the_headers_say_what_a_429_is(name: str, failure: Failure) -> None:
    """One and the same body is a burst or a spent quota: the account's own headers decide."""
    assert failure == failed(GENERIC, 429, (SAMPLES / name).read_text("utf-8"))


def test_a_gate_is_told_by_its_message_whatever_the_headers_are() -> None:
    """A request for the long window is refused with a quota that is hardly used, and does not become a burst."""
    body = json.loads((SAMPLES / "error_429_long_context.json").read_bytes())

    assert Failure.of("context-tier") == failed(body, 429, (SAMPLES / "headers_429_burst.txt").read_text("utf-8"))


def test_two_full_windows_end_with_the_later() -> None:
    """The account serves again when the last of its full windows has reset, whichever the claim names."""
    headers = """
        anthropic-ratelimit-unified-status: rejected
        anthropic-ratelimit-unified-representative-claim: five_hour
        anthropic-ratelimit-unified-reset: 1789914600
        anthropic-ratelimit-unified-5h-status: rejected
        anthropic-ratelimit-unified-5h-reset: 1789914600
        anthropic-ratelimit-unified-7d-status: rejected
        anthropic-ratelimit-unified-7d-reset: 1790121600"""

    failure = failed(GENERIC, 429, headers)

    assert failure is not None
    assert ("pool", day(23)) == (failure.blames, failure.reset_at)


def test_a_reset_that_has_passed_is_no_promise() -> None:
    """A refusal whose reset lies behind it is a spent quota of unknown end."""
    failure = failed(
        GENERIC, 429, "anthropic-ratelimit-unified-status: rejected\nanthropic-ratelimit-unified-reset: 1700000000"
    )

    assert spent(None, SERVICE) == failure


def test_a_turn_that_was_served_is_no_failure() -> None:
    """Headers of an answer with status 200 refuse nothing, though a window beside the one that serves be full."""
    doc = evolve(recorded("headers_unified_rejected_7d.txt"), status=200)

    assert reader().failure(doc) is None


def test_an_allowed_turn_outranks_the_word_on_a_window() -> None:
    """A window may refuse while extra usage pays: a 429 on top of that is a burst."""
    headers = """
        retry-after: 7
        anthropic-ratelimit-unified-status: allowed
        anthropic-ratelimit-unified-5h-status: rejected
        anthropic-ratelimit-unified-5h-reset: 1789914600"""

    assert Failure.of("rate", hold=timedelta(seconds=7)) == failed(GENERIC, 429, headers)


def test_overload_is_left_alone_for_as_long_as_it_asks() -> None:
    """A wait that the service names is kept."""
    assert timedelta(seconds=40) == getattr(
        failed(error("overloaded_error", "Overloaded"), 529, "retry-after: 40"), "hold", 0
    )


# --- streams ------------------------------------------------------------------------------------


def event(**told: Any) -> dict[str, Any]:
    """An event of a stream."""
    return {"type": "rate_limit_event", "rate_limit_info": told}


def test_an_error_in_the_middle_of_a_stream_is_found() -> None:
    """The service says it as an event of the stream, after a status of 200."""
    body = f"event: message_start\ndata: {{}}\n\nevent: error\ndata: {json.dumps(error('overloaded_error', 'Overloaded'))}\n\n"

    assert OVERLOAD == failed(body, 200)


def test_an_error_behind_the_harness_s_words_is_found() -> None:
    """The harness prints the service's own error behind a status."""
    body = json.dumps(error("authentication_error", "OAuth token has expired. Please obtain a new token."))

    assert AUTH == failed(f"API Error: 401 {body} · Please run /login")


def test_the_last_event_of_a_stream_counts() -> None:
    """A refusal of one model's cap blames it alone; a run that ends well was served all the same."""
    refusal = event(status="rejected", rateLimitType="seven_day_zephyr", resetsAt=int(day(22).timestamp()))
    stream = "\n".join(json.dumps(one) for one in (event(status="allowed", rateLimitType="five_hour"), refusal))
    cap = Fact("claude:limit", "weekly:zephyr", (Figure("scope", "zephyr", "word"),))

    assert spent(day(22), cap, scoped=True) == failed(stream)
    assert failed("\n".join([stream, json.dumps({"type": "result", "is_error": False, "result": "Done."})])) is None
    assert failed(event(status="rejected", rateLimitType="five_hour", isUsingOverage=True)) is None
    assert failed(event(status="allowed_warning", rateLimitType="five_hour")) is None


# --- other errors -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "message", "failure"),
    [
        ("not_found_error", "model: zephyr-5", Failure.of("model", facts=(Fact("claude:model", "zephyr-5"),))),
        ("not_found_error", "Not found", None),
        ("billing_error", "Whatever it says.", BALANCE),
        ("invalid_request_error", "messages.3: tool_use ids were found without tool_result blocks", None),
        ("invalid_request_error", "This organization has been disabled.", Failure.of("lapsed", human=True)),
        ("permission_error", "OAuth token has been revoked. Please obtain a new token.", LOGIN),
        ("authentication_error", "invalid x-api-key", LOGIN),
        ("rate_limit_error", "Fast mode requires usage credits.", Failure.of("entitlement", human=True)),
        ("rate_limit_error", "Your usage credits do not cover fast mode.", Failure.of("entitlement", human=True)),
        ("no_such_error", "Overloaded by you", None),
    ],
)
def test_an_error_is_what_its_type_and_message_say(kind: str, message: str, failure: Failure | None) -> None:
    """The exact message first, then the type; what neither knows is left to those who judge by status."""
    assert failure == failed(error(kind, message))


def test_a_prompt_that_leaves_no_room_is_too_long() -> None:
    """What was asked for is prompt and answer together."""
    message = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length"
    figures = (Figure("asked", 209573, "tokens"), Figure("window", 200000, "tokens"))

    assert Failure.of("context", facts=(Fact("claude:context", "", figures),)) == failed(
        error("invalid_request_error", message), 400
    )


@pytest.mark.parametrize(
    "text",
    [
        "billing address missing",
        "disk capacity reached",
        "concurrent modification",
        "The rate limit of the pump was reached",
        "Overloaded function f(int) is ambiguous",
        "fast mode needs usage credits",
        "",
    ],
)
def test_a_word_alone_is_no_failure(text: str) -> None:
    """Only whole lines of the service and its harness count."""
    assert failed(text) is None


def test_what_answers_the_usage_endpoint_is_no_refused_turn() -> None:
    """A refused probe is a reading, and no matter of a seat."""
    for name in ("error_429_generic.json", "error_401_oauth_unsupported.json", "error_500.json"):
        doc = evolve(recorded(name), asked="/api/oauth/usage", status=int(name.split("_")[1].split(".")[0]))
        assert reader().failure(doc) is None
