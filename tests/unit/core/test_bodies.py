"""What is taken from a body, and how little it takes to stop looking."""

from __future__ import annotations

import json
from typing import Any

import pytest

from capacity.core.bodies import CAP, EMPTY, TEXT_CAP, Answer, answer, plain, short


def told(body: Any) -> Answer:
    return answer(json.dumps(body))


def test_everything_an_error_says_is_found() -> None:
    """Codes, statuses, messages, times, headers, whose it is, and that it failed."""
    found = told(
        {
            "type": "error",
            "error": {"code": "x_y", "status": 429, "message": "no", "retryAfter": 5, "providerID": "p"},
            "headers": {"X-Odd": "1"},
        }
    )

    assert Answer(
        codes=("error", "x_y"), statuses=(429,), messages=("no",), times=(("retryafter", 5),),
        headers=(("x-odd", "1"),), provider="p", failed=True,
    ) == found  # fmt: skip  # in its order


@pytest.mark.parametrize(
    "body",
    [{"error": "boom"}, {"type": "error"}, {"object": "error"}, {"status": "failed"}, {"is_error": True}, {"success": False},
     {"ok": False}, {"status_code": 500}, {"error": {"code": "500"}}, [{"error": {}}, {"error": {"message": "x"}}]],
)  # fmt: skip  # one table
def test_a_body_says_that_it_failed(body: Any) -> None:
    """In each of the ways that were seen."""
    assert told(body).failed


@pytest.mark.parametrize(
    "body",
    [{"error": None}, {"error": ""}, {"error": {}}, {"is_error": False}, {"success": True}, {"ok": True}, {"status": "ok"},
     {"status": 200}, {"data": [{"id": "error", "name": "failed"}]}, {"message": {"error": "x"}}, 5, "error", None],
)  # fmt: skip  # one table
def test_a_body_that_does_not_say_so_did_not_fail(body: Any) -> None:
    """A blank error is a success."""
    assert not told(body).failed


def test_what_a_run_said_counts_only_where_it_failed() -> None:
    """The result of a run that ended well is somebody's text."""
    assert () == told({"type": "result", "is_error": False, "result": "limit reached"}).messages
    assert ("limit reached",) == told({"type": "result", "is_error": True, "result": "limit reached"}).messages


@pytest.mark.parametrize("body", [b"", "", b" \n"], ids=["bytes", "text", "blanks"])
def test_an_empty_body_says_nothing(body: bytes | str) -> None:
    """Nor is it a text."""
    assert EMPTY == answer(body)


@pytest.mark.parametrize(
    "body",
    [b"[" * 100_000, b'{"error":' * 20_000, b"\xff\xfe\x00", b'{"a":' + b"9" * 50_000 + b"}", b'{"error":{"message":"' + b"{" * 9_999],
    ids=["brackets", "envelopes", "no text", "a long number", "braces"],
)  # fmt: skip  # one table
def test_a_hostile_body_is_a_text_at_most(body: bytes) -> None:
    """It is cut, and nothing of it is judged."""
    found = answer(body)

    assert (found.codes, found.statuses) == ((), ())
    assert all(len(message) <= TEXT_CAP + 1 for message in found.messages)


def test_only_so_much_is_looked_at() -> None:
    """Envelopes inside envelopes, rows of a list and frames of a stream have an end."""
    deep: Any = {"message": "deep"}
    for _ in range(20):
        deep = {"error": deep}
    frames = "".join(f'data: {{"error":{{"message":"{number}"}}}}\n' for number in range(99))

    assert () == told(deep).messages
    assert 16 == len(told([{"message": "m"}] * 99).messages)
    assert [str(number) for number in range(83, 99)] == list(answer(frames).messages)
    assert ("x",) == answer(b"." * CAP + b'\n{"error":{"message":"x"}}').messages


def test_the_beginning_and_the_end_of_a_long_text_are_kept() -> None:
    """Errors stand there."""
    cut = short("begin" + "." * 9_999 + "end")

    assert cut.startswith("begin")
    assert cut.endswith("end")
    assert TEXT_CAP + 1 == len(cut)


def test_a_name_without_its_spelling() -> None:
    """However a provider writes it."""
    assert "ratelimitexceeded" == plain("rateLimit-exceeded") == plain("RATE_LIMIT.EXCEEDED")
