"""Whose fault a refused turn was: every recorded error and line of Codex's, and what only looks like one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from attrs import evolve
from capacity.ports import Document, Fact, Failure, Figure, Reader
from capacity.testing.contracts import FailureContract
from capacity_codex import reader

from .documents import AT, SAMPLES, fields, recorded, shown

RATE, OVERLOAD, CONTEXT = Failure.of("rate"), Failure.of("overload"), Failure.of("context")
AUTH, LOGIN, BALANCE = Failure.of("auth"), Failure.of("auth", human=True), Failure.of("balance", human=True)


def spent(reset_at: datetime | None, *facts: Fact, scoped: bool = False) -> Failure:
    """A spent quota."""
    return Failure.of("quota", blames="candidate" if scoped else "pool", reset_at=reset_at, facts=facts)


def model(name: str) -> Failure:
    """A model that this login does not serve."""
    return Failure.of("model", facts=(Fact("codex:model", name),))


SAID: Mapping[str, tuple[int | None, Failure]] = {
    "error_400_model.json": (400, model("gpt-5-nope")),
    "error_401_expired.json": (401, AUTH),
    "error_401_refresh_reused.json": (401, LOGIN),
    "error_429_not_included.json": (429, Failure.of("entitlement", human=True)),
    "error_429_tpm.json": (429, Failure.of("rate", hold=timedelta(seconds=1.898))),
    "error_context.json": (200, CONTEXT),
    "error_sse_usage_limit.json": (200, spent(datetime(2026, 9, 20, 14, tzinfo=UTC))),
}
"""Sample → the status it came with, and the failure it is."""

NO_ANSWERS = {"README.md", "expected.json", "limit_texts.txt"}
OTHERS = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {*NO_ANSWERS, *SAID})
LINES = [line.split("\t") for line in (SAMPLES / "limit_texts.txt").read_text("utf-8").splitlines()[1:]]


def failed(body: Any, status: int | None = None, headers: str = "", zone: str | None = "UTC") -> Failure | None:
    """What the reader makes of an answer: JSON, or a text as it is."""
    text = body if isinstance(body, str) else json.dumps(body)
    return reader().failure(Document(text.encode(), AT, status=status, headers=fields(headers), zone=zone))


class TestFailures(FailureContract):
    construct: ClassVar = "from capacity_codex import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def refusals(self) -> Sequence[Document]:
        errors = [recorded(name, status=status) for name, (status, _) in SAID.items()]
        return [*errors, *(Document(line.encode(), AT, zone="UTC") for line, *_ in LINES)]


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("known", [True, False], ids=["with its status", "alone"])
def test_a_recorded_refusal_is_classified(name: str, known: bool) -> None:
    """Every recorded error of a turn is the failure it was, whether or not its status was kept."""
    status, failure = SAID[name]

    assert failure == reader().failure(recorded(name, status=status if known else None))


@pytest.mark.parametrize("name", OTHERS)
def test_other_answers_are_no_failure(name: str) -> None:
    """Usage, session files, models, logins, screens, and refusals of the probe: none of them is a refused turn."""
    assert reader().failure(recorded(name)) is None


@pytest.mark.parametrize(("line", "kind", "ends"), LINES, ids=shown)
def test_a_line_is_the_failure_it_says(line: str, kind: str, ends: str) -> None:
    """Every line of the harness has its kind, blames a model where it names one, and tells its end where it can."""
    kind, _, scope = kind.removesuffix(")").partition("(")
    failure = failed(line)

    assert failure is not None
    assert kind == failure.kind
    assert "candidate" == failure.blames or not scope
    assert (None if ends == "none" else datetime.fromisoformat(ends)) == failure.reset_at


@pytest.mark.parametrize(("line", "kind", "ends"), LINES, ids=shown)
def test_a_line_is_known_wherever_it_stands(line: str, kind: str, ends: str) -> None:
    """As the last line of a run, in its events, in its session's file, and from its server."""
    plain = failed(line)
    events = ({"type": "error", "message": line}, {"type": "turn.failed", "error": {"message": line}})
    filed = {"timestamp": "2026-09-20T11:59:00Z", "type": "event_msg", "payload": {"type": "error", "message": line}}
    told = [
        failed(f"thinking\n■ {line}\n"),
        *map(failed, events),
        failed(filed),
        failed({"id": 7, "error": {"message": line}}),
    ]

    assert [plain] * 5 == told


@pytest.mark.parametrize(("line", "kind", "ends"), LINES, ids=shown)
def test_what_people_and_models_say_is_nobodys(line: str, kind: str, ends: str) -> None:
    """They may write about limits."""
    for talk in ("agent_message", "user_message"):
        assert failed({"type": "event_msg", "payload": {"type": talk, "message": line}}) is None
    assert failed(f"The program said: {line}") is None


def test_a_clock_time_needs_its_host_s_zone() -> None:
    """Without one nobody knows the moment; in another it is another one."""
    line = "You've hit your usage limit. Try again at 6:44 PM."

    assert spent(None) == failed(line, zone=None)
    assert spent(datetime(2026, 9, 20, 16, 44, tzinfo=UTC)) == failed(line, zone="Europe/Berlin")


@pytest.mark.parametrize(
    ("when", "ends"),
    [
        ("at Sep 24th, 2026 9:05 PM", datetime(2026, 9, 24, 21, 5, tzinfo=UTC)),
        ("at September 1st, 2027, 12:00 AM", datetime(2027, 9, 1, tzinfo=UTC)),
        ("at Sep 19th, 2026 9:05 PM", None),
        ("at Sep 31st, 2026 9:05 PM", None),
        ("at Nop 3rd, 2026 9:05 PM", None),
        ("at Sep 24th, 2026 25:05", None),
        ("in 1 day 2 hours", datetime(2026, 9, 21, 14, tzinfo=UTC)),
        ("in 45 minutes", datetime(2026, 9, 20, 12, 45, tzinfo=UTC)),
        ("in 999999 days", None),
        ("in a while", None),
    ],
)
def test_an_end_is_told_only_where_it_is_one(when: str, ends: datetime | None) -> None:
    """What has passed, is no date, or lies beyond every window is not taken for the end."""
    assert spent(ends) == failed(f"You've hit your usage limit. Try again {when}.")


# --- headers ------------------------------------------------------------------------------------

FULL = (SAMPLES / "headers_x_codex.txt").read_text("utf-8")
CODED = {
    "error": {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_in_seconds": 60}
}


def test_headers_tell_the_windows_that_are_full() -> None:
    """A refusal for too many whose body is lost is a spent quota where a window is full, until it resets."""
    until = spent(datetime(2026, 9, 20, 14, tzinfo=UTC), Fact("codex:limit", "5h"))

    assert until == failed("", 429, FULL)
    assert failed("", 200, FULL) is None
    assert failed("", 429, FULL.replace("used-percent: 100", "used-percent: 99")) is None


def test_two_full_windows_end_with_the_later() -> None:
    """The account serves again when the last of its full windows has reset, whatever the error says."""
    failure = failed(CODED, 429, FULL.replace("used-percent: 80", "used-percent: 100"))

    assert failure is not None
    assert ("pool", datetime(2026, 9, 24, 16, tzinfo=UTC)) == (failure.blames, failure.reset_at)


def test_a_full_window_of_one_model_blames_that_model() -> None:
    """The account's own windows have room: the others serve."""
    headers = """
        x-codex-primary-used-percent: 12
        x-codex-primary-window-minutes: 300
        x-codex-zephyr-limit-name: Zephyr
        x-codex-zephyr-primary-used-percent: 100
        x-codex-zephyr-primary-window-minutes: 300"""
    cap = Fact("codex:limit", "5h:zephyr", (Figure("scope", "zephyr", "word"),))

    assert spent(AT + timedelta(seconds=60), cap, scoped=True) == failed(CODED, 429, headers)


def test_a_burst_is_left_alone_for_as_long_as_it_asks() -> None:
    """The header first, then the message."""
    body = json.loads((SAMPLES / "error_429_tpm.json").read_bytes())

    assert Failure.of("rate", hold=timedelta(seconds=9)) == failed(body, 429, "retry-after: 9")


# --- codes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ({"code": "server_is_overloaded"}, OVERLOAD),
        ({"codexErrorInfo": "serverOverloaded"}, OVERLOAD),
        ({"codex_error_info": "context_window_exceeded"}, CONTEXT),
        ({"codexErrorInfo": "usageLimitExceeded"}, spent(None)),
        ({"code": "insufficient_quota", "type": "insufficient_quota"}, BALANCE),
        ({"type": "usage_limit_reached", "rate_limit_reached_type": "workspace_member_credits_depleted"}, BALANCE),
        ({"type": "usage_limit_reached", "rate_limit_reached_type": {"type": "rate_limit_reached"}}, spent(None)),
        ({"type": "usage_limit_reached", "resets_at": 1}, spent(None)),
        ({"code": "refresh_token_expired"}, LOGIN),
        ({"code": ["token_expired"], "type": {"type": 3}}, None),
        ({"code": "nobody_knows_this"}, None),
    ],
)
def test_a_code_is_known_in_either_spelling(error: dict[str, Any], failure: Failure | None) -> None:
    """As the service underscores it, or as the program's server humps it; what is no code says nothing."""
    assert failure == failed({"type": "response.failed", "response": {"error": {"message": "It failed.", **error}}})


@pytest.mark.parametrize(("status", "failure"), [(401, AUTH), (429, RATE), (503, OVERLOAD), (500, None)])
def test_a_last_status_is_told_in_a_line(status: int, failure: Failure | None) -> None:
    """The harness gives up with the status that it saw last."""
    assert failure == failed(f"exceeded retry limit, last status: {status} Some Words, request id: invented")


@pytest.mark.parametrize(
    "text", ["billing address missing", "disk capacity", "The model is at capacity", "usage limit of the pump", ""]
)
def test_a_word_alone_is_no_failure(text: str) -> None:
    """Only whole lines of the service and its harness count."""
    assert failed(text) is None


def test_what_answers_the_usage_endpoint_is_no_refused_turn() -> None:
    """A refused probe is a reading, and no matter of a seat."""
    doc = evolve(recorded("error_401_expired.json"), asked="/backend-api/wham/usage", status=401)

    assert reader().failure(doc) is None
