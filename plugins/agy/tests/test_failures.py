"""Whose fault a refused turn was: every recorded error and line of Antigravity's, and what only looks like one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from attrs import evolve
from capacity.ports import Document, Fact, Failure, Figure, Reader
from capacity.testing.contracts import FailureContract
from capacity_agy import reader

from .documents import AT, SAMPLES, recorded

RATE, OVERLOAD, LOGIN = Failure.of("rate"), Failure.of("overload"), Failure.of("auth", human=True)


def spent(reset_at: datetime | None, *facts: Fact, scoped: bool = False) -> Failure:
    """A spent quota."""
    return Failure.of("quota", blames="candidate" if scoped else "pool", reset_at=reset_at, facts=facts)


NAMED = Fact("agy:model", "claude-opus-4-6-thinking")
SAID: Mapping[str, tuple[int | None, Failure]] = {
    "error_400_credits.json": (400, Failure.of("balance", human=True)),
    "error_402_standard.json": (402, spent(AT + timedelta(seconds=12060))),
    "error_403_subscription.json": (403, Failure.of("entitlement", human=True)),
    "error_403_validation.json": (403, LOGIN),
    "error_404_model.json": (404, Failure.of("model")),
    "error_429_bare.json": (429, RATE),
    "error_429_quota.json": (429, spent(datetime(2026, 9, 21, 13, 20, 26, tzinfo=UTC), NAMED, scoped=True)),
    "login_prompt.txt": (None, LOGIN),
}
"""Sample → the status it came with, and the failure it is."""

NO_ANSWERS = {"README.md", "expected.json", "limit_texts.txt"}
OTHERS = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {*NO_ANSWERS, *SAID})
LINES = [line.split("\t") for line in (SAMPLES / "limit_texts.txt").read_text("utf-8").splitlines()[1:]]


def failed(body: Any, status: int | None = None, headers: tuple[tuple[str, str], ...] = ()) -> Failure | None:
    """What the reader makes of an answer: JSON, or a text as it is."""
    text = body if isinstance(body, str) else json.dumps(body)
    return reader().failure(Document(text.encode(), AT, status=status, headers=headers))


def error(reason: str, delay: str | None = None, **metadata: str) -> dict[str, Any]:
    """An error with a reason, as the services word it."""
    rows: list[dict[str, Any]] = [{"reason": reason, "metadata": metadata}]
    rows += [] if delay is None else [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
    return {"error": {"code": 429, "message": "Invented.", "status": "RESOURCE_EXHAUSTED", "details": rows}}


class TestFailures(FailureContract):
    construct: ClassVar = "from capacity_agy import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def refusals(self) -> Sequence[Document]:
        errors = [recorded(name, status=status) for name, (status, _) in SAID.items() if name.startswith("error_")]
        return [*errors, *(Document(line.encode(), AT) for line, kind, _ in LINES if kind != "auth")]


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("known", [True, False], ids=["with its status", "alone"])
def test_a_recorded_refusal_is_classified(name: str, known: bool) -> None:
    """Every recorded error of a turn is the failure it was, whether or not its status was kept."""
    status, failure = SAID[name]

    assert failure == reader().failure(recorded(name, status=status if known else None))


@pytest.mark.parametrize("name", OTHERS)
def test_other_answers_are_no_failure(name: str) -> None:
    """Quota, models and tokens: none of them is a refused turn."""
    assert reader().failure(recorded(name)) is None


@pytest.mark.parametrize(("line", "kind", "ends"), LINES)
def test_a_line_is_the_failure_it_says(line: str, kind: str, ends: str) -> None:
    """Every line has its kind, blames a model where it speaks of one, and tells its end where it can."""
    kind, _, scope = kind.removesuffix(")").partition("(")
    failure = failed(line)

    assert failure is not None
    assert kind == failure.kind
    assert "candidate" == failure.blames or not scope
    assert (None if ends == "none" else datetime.fromisoformat(ends)) == failure.reset_at


@pytest.mark.parametrize(("line", "kind", "ends"), LINES)
def test_a_line_is_known_wherever_it_stands(line: str, kind: str, ends: str) -> None:
    """As the last line of a run that ended well, and as the error of its envelope."""
    told = [failed(f"Thinking...\n\x1b[31m{line}\x1b[0m\n"), failed({"status": "ERROR", "error": f"Error: {line}"})]

    assert [failed(line)] * 2 == told


@pytest.mark.parametrize(("line", "kind", "ends"), LINES)
def test_a_line_in_the_middle_of_a_text_is_nobodys(line: str, kind: str, ends: str) -> None:
    """People and models write about limits; only what is said last and alone is a refusal."""
    assert failed(f"The program said: {line}") is None
    assert kind == "auth" or failed(f"{line}\nSo I went on and finished it.") is None


def test_what_names_no_model_blames_the_group() -> None:
    """A reason without a model speaks of all that the group serves; its end may be told as a delay."""
    assert spent(AT + timedelta(hours=2)) == failed(error("QUOTA_EXHAUSTED", quotaResetDelay="2h"))
    assert spent(AT + timedelta(seconds=90)) == failed(error("QUOTA_EXHAUSTED", "90s"))


@pytest.mark.parametrize("told", ["2001-01-01T00:00:00Z", "soon", "2026-09-20T11:00:00Z"])
def test_a_reset_that_is_none_is_not_told(told: str) -> None:
    """What has passed, or cannot be read, is an unknown end."""
    assert spent(None) == failed(error("QUOTA_EXHAUSTED", quotaResetTimeStamp=told))


def test_a_burst_is_left_alone_for_as_long_as_it_asks() -> None:
    """Its own delay, to the part of a second, else the header."""
    assert Failure.of("rate", hold=timedelta(milliseconds=479.4)) == failed(error("RATE_LIMIT_EXCEEDED", "479.4ms"))
    assert Failure.of("rate", hold=timedelta(seconds=8)) == failed(
        error("RATE_LIMIT_EXCEEDED"), 429, (("retry-after", "8"),)
    )
    assert Failure.of("overload", hold=timedelta(seconds=3)) == failed(error("MODEL_CAPACITY_EXHAUSTED", "3s"), 503)


def test_a_prompt_that_is_too_long_tells_its_length() -> None:
    """And how long it may be."""
    message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    figures = (Figure("asked", 1200000, "tokens"), Figure("window", 1048576, "tokens"))
    failure = failed([{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}], 400)

    assert Failure.of("context", facts=(Fact("agy:context", "", figures),)) == failure


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"details": [{"reason": ["QUOTA_EXHAUSTED"]}], "status": ["RESOURCE_EXHAUSTED"], "message": ""}},
        {"error": {"code": 403, "message": "The caller does not have permission", "status": "PERMISSION_DENIED"}},
        "billing address missing",
        "disk capacity",
        "No capacity available for the weekend",
        "",
    ],
)
def test_what_nobody_words_so_is_no_failure(body: Any) -> None:
    """What is known by its status alone, or by a word, is left to others."""
    assert failed(body) is None


@pytest.mark.parametrize("asked", ["agy --output-format json --print /usage", "/v1internal:retrieveUserQuota"])
def test_what_answers_a_question_about_quota_is_no_refused_turn(asked: str) -> None:
    """A refused probe is a reading, and no matter of a seat."""
    for name in SAID:
        assert reader().failure(evolve(recorded(name), asked=asked)) is None
