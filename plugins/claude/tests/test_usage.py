"""What the usage endpoint answered, and which documents of unknown origin are such an answer."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from capacity.ports import Document, Reading
from capacity_claude import reader

from .documents import AT, SAMPLES, recorded, shown

ASKED = "/api/oauth/usage"
LISTED = (SAMPLES / "usage_limits_list.json").read_bytes()


def error(kind: str, message: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()


REVOKED = error("permission_error", "OAuth token has been revoked. Please obtain a new token.")
UNSUPPORTED = error("authentication_error", "OAuth authentication is currently not supported.")
EXPIRED = error("authentication_error", "OAuth token has expired.")
THROTTLED = error("rate_limit_error", "Rate limited. Please try again later.")
SCOPE = (SAMPLES / "usage_403_scope.json").read_bytes()
PAGE = b"<html><body>0% used</body></html>"


def read(body: bytes, status: int | None = 200, asked: str | None = ASKED, **headers: str) -> Reading | None:
    told = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    readings = reader().readings(Document(body, AT, asked=asked, status=status, headers=told))
    assert readings is None or len(readings) == 1
    return readings[0] if readings else None


def state(*args: Any, **named: Any) -> str | None:
    reading = read(*args, **named)
    return reading.state if reading else None


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, LISTED, "ok"),
        (200, b"{}", "unrecognised"),
        (200, b"null", "unrecognised"),
        (200, b"[]", "unrecognised"),
        (200, b"", "unrecognised"),
        (200, LISTED[:100], "unrecognised"),
        (200, PAGE, "unreachable"),
        (429, THROTTLED, "throttled"),
        (429, b"", "throttled"),
        (429, PAGE, "throttled"),
        (401, EXPIRED, "stale-credentials"),
        (401, b"", "stale-credentials"),
        (401, UNSUPPORTED, "unreachable"),
        (403, SCOPE, "unsupported"),
        (403, REVOKED, "login-required"),
        (401, REVOKED, "login-required"),
        (403, error("permission_error", "no"), "unreachable"),
        (403, PAGE, "unreachable"),
        (404, b"{}", "unreachable"),
        (302, b"", "unreachable"),
        (500, error("api_error", "Internal server error"), "unreachable"),
        (529, error("overloaded_error", "Overloaded"), "unreachable"),
        (None, LISTED, "ok"),
        (None, THROTTLED, "throttled"),
        (None, EXPIRED, "stale-credentials"),
    ],
    ids=shown,
)
def test_each_answer_has_its_state(status: int | None, body: bytes, expected: str) -> None:
    """The endpoint's answer is always a reading, and only a good one carries limits."""
    reading = read(body, status)

    assert reading is not None
    assert (expected, "", "oauth-usage", AT) == (reading.state, reading.pool, reading.source, reading.observed_at)
    assert (expected == "ok") == bool(reading.limits)
    assert expected == "ok" or reading.detail


def test_a_throttled_probe_says_when_to_ask_again() -> None:
    """The wait the server asks for, with the margin, counts from the answer's arrival."""
    reading = read(THROTTLED, 429, retry_after="60")

    assert reading is not None
    assert AT + timedelta(seconds=960) == reading.retry_at


@pytest.mark.parametrize(
    "header", [None, "", "0", "-1", "nan", "soon", "Sun, 20 Sep 2026 11:59:00 GMT", "Sun, 99 Sep"], ids=shown
)
def test_a_refusal_without_a_deadline_waits_five_minutes(header: str | None) -> None:
    """No `Retry-After`, zero, a negative, a past or an unreadable one is no deadline."""
    headers = {} if header is None else {"retry_after": header}
    reading = read(THROTTLED, 429, **headers)

    assert reading is not None
    assert AT + timedelta(minutes=5) == reading.retry_at


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("1", 901),
        ("120", 1020),
        ("12.5", 912.5),
        ("3600", 4500),
        ("86400", 4500),
        ("9" * 400, 4500),
        ("Sun, 20 Sep 2026 12:05:00 GMT", 1200),
        ("Mon, 21 Sep 2026 12:05:00 GMT", 4500),
    ],
    ids=shown,
)
def test_a_deadline_gets_a_margin_and_a_ceiling(header: str, seconds: float) -> None:
    """Fifteen minutes more than the server asks, and never above an hour and a quarter."""
    reading = read(THROTTLED, 429, retry_after=header)

    assert reading is not None
    assert AT + timedelta(seconds=seconds) == reading.retry_at


def test_a_server_error_is_named_without_its_words() -> None:
    """The detail says status and kind, and repeats nothing else of what the server said."""
    reading = read(error("api_error", "sk-ant-oat01-SAMPLE-ACCESS"), 500)

    assert reading is not None
    assert "the usage endpoint answered 500 (api_error) and no usage" == reading.detail


@pytest.mark.parametrize("asked", [None, "usage.json", "/home/someone/api/saved.json"])
def test_a_body_of_unknown_origin_is_known_by_its_windows(asked: str | None) -> None:
    """A file's name says nothing of what is in it."""
    assert "ok" == state(LISTED, None, asked)


@pytest.mark.parametrize("asked", ["/v1/messages", "/v1/models?limit=1000", "/api/oauth/profile"])
@pytest.mark.parametrize("body", [LISTED, SCOPE, THROTTLED, b"{}"], ids=shown)
def test_an_answer_to_something_else_is_not_ours(asked: str, body: bytes) -> None:
    """What answers another path of the service is no usage, whatever it looks like."""
    assert read(body, 429, asked) is None


def test_a_refused_turn_is_not_a_refused_probe() -> None:
    """A 429 of unknown origin is the probe's own only with its wording, its status, and without a turn's headers."""
    turn = error("rate_limit_error", "This request would exceed your account's rate limit. Please try again later.")

    assert "throttled" == state(THROTTLED, 429, None)
    assert read(THROTTLED, None, None) is None
    assert read(turn, 429, None) is None
    refused = read(THROTTLED, 429, None, anthropic_ratelimit_unified_status="rejected")
    assert refused is not None
    assert ("ok", "headers") == (refused.state, refused.source)
    assert read(b"", 429, None) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00\xff\x00",
        PAGE,
        b"[" * 100_000,
        b"[]",
        b"null",
        b"0",
        b'{"limits":{}}',
        b'{"limits":[{"kind":"x"}]}',
        b'{"type":"some_event"}\n{"five_hour_left":1}',
        b'{"rate_limits":{"primary":{"used_percent":41}}}',
        b'{"rate_limits":{"five_hour":41}}',
        UNSUPPORTED,
        REVOKED,
        b"Current session\n2% used\n" * 400_000,
    ],
    ids=shown,
)
def test_a_body_nobody_can_place_is_not_ours(body: bytes) -> None:
    """Without a window's name or the endpoint's own refusal there is no reading at all."""
    assert read(body, None, None) is None


@pytest.mark.parametrize(
    "body",
    [
        LISTED[:60],
        b'{"five_hour":' + b"[" * 100_000,
        b'{"seven_day":{"utilization":1},"pad":"' + b"x" * 50_000_000 + b'"}',
    ],
    ids=shown,
)
def test_a_ruined_usage_body_is_unrecognised(body: bytes) -> None:
    """Torn, bottomless or fifty megabytes long: it began as ours, and no figure is taken from it."""
    assert "unrecognised" == state(body, None, None)


def test_a_failing_answer_that_looks_like_usage_is_not_ours() -> None:
    """Windows beside an error status, of unknown origin, are no evidence."""
    assert read(LISTED, 500, None) is None


@pytest.mark.parametrize("name", ["error_429_generic.json", "error_403.json", "error_500.json"])
def test_an_error_of_a_turn_stays_foreign_with_its_status(name: str) -> None:
    """A recorded error body completed by its status is still not the usage endpoint's."""
    assert reader().readings(evolve(recorded(name), status=int(name.split("_")[1].split(".")[0]))) is None
