"""A document: the wait it asks for, and the objects its body holds."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.ports import DOCUMENT_CAP, Document

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)


def waits(told: str, name: str = "retry-after", **more: str) -> timedelta | None:
    """The wait that headers ask for."""
    return Document(b"", AT, headers=((name, told), *more.items())).retry_after


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("120", 120.0),
        (" 7.66 ", 7.66),
        ("0", None),
        ("-1", None),
        ("soon", None),
        ("nan", None),
        ("inf", 86400.0),
        ("9" * 30, 86400.0),
        ("Sun, 20 Sep 2026 12:05:00 GMT", 300.0),
        ("Sun, 20 Sep 2026 11:05:00 GMT", None),
        ("Sun, 20 Sep 2099 11:05:00 GMT", 86400.0),
        ("", None),
    ],
)
def test_a_wait_is_seconds_or_a_date(told: str, seconds: float | None) -> None:
    """Nought, the past and what nobody can read ask for nothing; nobody is believed for longer than a day."""
    assert (None if seconds is None else timedelta(seconds=seconds)) == waits(told)


def test_a_date_counts_from_the_answer_s_own() -> None:
    """A server whose clock is an hour slow still asks for five minutes."""
    assert timedelta(minutes=5) == waits("Sun, 20 Sep 2026 11:05:00 GMT", date="Sun, 20 Sep 2026 11:00:00 GMT")


def test_milliseconds_are_finer() -> None:
    """Where both are told, the finer one counts."""
    assert timedelta(milliseconds=1500) == waits("2", **{"retry-after-ms": "1500"})


INNER = {"type": "too_many"}
QUOTED = {"status": 429, "body": json.dumps({"error": INNER})}


@pytest.mark.parametrize(
    "body",
    [
        {"error": INNER},
        [{"errors": [{"deep": INNER}]}],
        QUOTED,
        {"message": f"429 {json.dumps({'error': INNER})}"},
        json.dumps(json.dumps({"error": INNER})),
        f"event: error\r\ndata: {json.dumps({'error': INNER})}\r\n\r\n",
        f"{{}}\n{{broken\n{json.dumps(QUOTED)}\n",
        f"API Error: 429 {json.dumps({'error': INNER})} - see above",
        f"Fetching...\n{json.dumps({'error': INNER}, indent=2)}\n",
    ],
)
def test_an_object_is_found_wherever_it_stands(body: Any) -> None:
    """Nested, in a list, quoted as a text, on a line, in a stream of events, behind a program's words."""
    text = body if isinstance(body, str) else json.dumps(body)

    assert INNER in [*Document(text.encode(), AT).objects()]


@pytest.mark.parametrize(
    "text", ["", "no object", "{broken", "a set {1, 2} and {'a': 1}", '"text"', "[1, 2]", 'He wrote {"type": "x"}']
)
def test_what_is_no_object_is_none(text: str) -> None:
    """Words, and what stands in the middle of a sentence."""
    assert [] == [*Document(text.encode(), AT).objects()]


def test_the_outermost_comes_first() -> None:
    """An outer object speaks before those in it, and both once."""
    body = {"a": {"b": {}}, "c": {}}

    assert [body, body["a"], {}, {}] == [*Document(json.dumps(body).encode(), AT).objects()]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{" * 100_000,
        b'data: {"a": {}}\n' * 100_000,
        b"[" + b"{}," * 1_000_000 + b"{}]",
        b" " * (DOCUMENT_CAP + 1),
    ],
    ids=["brackets", "nested", "braces", "lines", "rows", "large"],
)
def test_a_search_is_bounded(body: bytes) -> None:
    """However large or deep a body is, only so much of it is searched, and nothing raises."""
    assert len([*Document(body, AT).objects()]) <= 10_000


@given(st.binary(max_size=200))
def test_any_bytes_can_be_searched(body: bytes) -> None:
    """Whatever a body is, what is found in it are objects."""
    assert all(isinstance(found, dict) for found in Document(body, AT).objects())
