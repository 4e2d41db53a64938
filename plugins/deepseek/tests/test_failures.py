"""Whose fault a refused turn was: every recorded error of DeepSeek's, and what only looks like one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from capacity.ports import Document, Fact, Failure, Figure, Reader
from capacity.testing.contracts import FailureContract
from capacity_deepseek import reader

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "deepseek"
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
BALANCE = Failure.of("balance", human=True)
TOO_LONG = Fact("deepseek:context", "", (Figure("asked", 140211, "tokens"), Figure("window", 131072, "tokens")))

SAID: Mapping[str, tuple[int, Failure]] = {
    "error_400_context.json": (400, Failure.of("context", facts=(TOO_LONG,))),
    "error_400_model.json": (400, Failure.of("model")),
    "error_402.json": (402, BALANCE),
    "error_422.json": (422, Failure.of("payload")),
    "error_429.json": (429, Failure.of("rate")),
}
"""Sample → the status it came with, and the failure it is."""

OTHERS = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {"README.md", "expected.json", *SAID})


def failed(message: object, status: int | None = None, **known: Any) -> Failure | None:
    """What the reader makes of an error with a message."""
    body = {"error": {"message": message, "type": "invalid_request_error", "code": "invalid_request_error"}}
    return reader().failure(Document(json.dumps(body).encode(), AT, status=status, **known))


class TestFailures(FailureContract):
    construct: ClassVar = "from capacity_deepseek import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def refusals(self) -> Sequence[Document]:
        return [Document((SAMPLES / name).read_bytes(), AT, status=status) for name, (status, _) in SAID.items()]


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("known", [True, False], ids=["with its status", "alone"])
def test_a_recorded_refusal_is_classified(name: str, known: bool) -> None:
    """Every recorded error of a turn is the failure it was, whether or not its status was kept."""
    status, failure = SAID[name]

    assert failure == reader().failure(Document((SAMPLES / name).read_bytes(), AT, status=status if known else None))


@pytest.mark.parametrize("name", OTHERS)
def test_other_answers_are_no_failure(name: str) -> None:
    """Balances, models and a stream that waits: none of them is a refused turn."""
    assert reader().failure(Document((SAMPLES / name).read_bytes(), AT)) is None


@pytest.mark.parametrize("body", [b"", b"<html>Payment Required</html>", b'{"error": {"message": "Something new"}}'])
def test_a_402_is_a_spent_balance_whatever_it_says(body: bytes) -> None:
    """DeepSeek has nothing else that ends with a payment, and its codes call it a bad request."""
    assert BALANCE == reader().failure(Document(body, AT, status=402))


@pytest.mark.parametrize(
    ("message", "failure"),
    [
        ("Authentication Fails (no such user)", Failure.of("auth", human=True)),
        ("Authentication Fails, Your api key: ****0000 is invalid", Failure.of("auth", human=True)),
        ("Your Insufficient Balance sheet is attached", None),
        ("The Model Not Exist tag is deprecated", None),
        (["Model Not Exist"], None),
        (None, None),
    ],
)
def test_a_message_counts_as_a_whole(message: object, failure: Failure | None) -> None:
    """Words in the middle of another sentence are nobody's."""
    assert failure == failed(message)


def test_a_wait_that_a_proxy_names_is_kept() -> None:
    """DeepSeek names none itself."""
    told = failed("Rate limit reached: too many concurrent requests", 429, headers=(("retry-after", "4"),))

    assert Failure.of("rate", hold=timedelta(seconds=4)) == told


def test_an_error_quoted_by_another_program_is_found() -> None:
    """A client wraps the body it was answered as a text."""
    quoted = {
        "name": "APIError",
        "data": {"statusCode": 400, "responseBody": (SAMPLES / "error_400_model.json").read_text()},
    }

    assert Failure.of("model") == reader().failure(Document(json.dumps(quoted).encode(), AT))


def test_what_answers_the_balance_is_no_refused_turn() -> None:
    """A refused probe is a reading, and no matter of a seat."""
    for status in (401, 402, 429):
        assert failed("Rate limit reached", status, asked="/user/balance") is None
