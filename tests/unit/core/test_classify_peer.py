"""What opencode-broker learned about blame: its fixed bugs by their number, and its table of kinds with our answers.

The numbers are those of `docs/explanation/failures-of-a-peer.md`. Where our answer differs from that peer's, the row says why.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from capacity import classify
from capacity.values.failures import Failure

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
NESTED = {"name": "UnknownError", "data": {"name": "ProviderModelNotFoundError", "data": {"message": "no such model"}}}
SPENT_PLAN = {"name": "APICallError", "statusCode": 403, "responseBody": json.dumps({"error": {"code": "Unpurchased"}})}

BUGS: list[tuple[int, dict[str, Any], str, str]] = [
    (1, {"body": json.dumps({"name": "ProviderModelNotFoundError", "data": {}})}, "model", "candidate"),
    (2, {"text": "TypeError: cannot read properties of undefined"}, "other", "candidate"),
    (3, {"text": "SqliteError: database is locked"}, "noop", "none"),
    (4, {"status": 400, "text": "response blocked by content filter"}, "payload", "none"),
    (5, {"status": 400, "text": "tool_use ids were found without tool_result blocks"}, "payload", "none"),
    (6, {"text": "all lightweight routing targets are busy"}, "noop", "none"),
    (7, {"status": 502, "text": "no provider could serve this request"}, "noop", "none"),
    (8, {"status": 502, "text": "no provider could serve: upstream qwen HTTP 503", "provider": "qwen"}, "overload", "candidate"),
    (9, {"text": "upstream local HTTP 499"}, "noop", "none"),
    (10, {"status": 401, "text": "OAuth token has expired"}, "auth", "candidate"),
    (11, {"status": 429}, "rate", "candidate"),
    (12, {"status": 529}, "overload", "candidate"),
    (13, {"transport": "unreached"}, "connect", "pool"),
    (14, {"status": 400, "text": "prompt is too long: 9 tokens > 5 maximum"}, "context", "none"),
    (15, {"status": 400, "text": "version 2.1.0 or newer is required to use it"}, "model", "candidate"),
    (16, {"status": 400, "text": "The 'x' model is not supported when using Codex with a ChatGPT account."}, "model", "candidate"),
    (17, {"status": 404, "text": "not found: not support"}, "payload", "none"),
    (18, {"body": json.dumps(SPENT_PLAN)}, "lapsed", "pool"),
    (19, {"status": 429, "text": "Fast mode requires usage credits"}, "entitlement", "candidate"),
    (20, {"text": "fast mode off " + "." * 90 + " usage credits bought"}, "other", "candidate"),
    (21, {"body": json.dumps(NESTED)}, "model", "candidate"),
    (23, {"status": 500, "body": '{"data":{"providerID":"a"}}', "provider": "b"}, "noop", "none"),
    (27, {"transport": "aborted"}, "noop", "none"),
    (28, {"transport": "timeout"}, "overload", "candidate"),
    (30, {"status": 404}, "other", "candidate"),
]  # fmt: skip  # rows of one table


@pytest.mark.parametrize(("number", "given", "kind", "blames"), BUGS, ids=[f"bug-{number}" for number, *_ in BUGS])
def test_a_bug_of_a_peer_is_none_here(number: int, given: dict[str, Any], kind: str, blames: str) -> None:
    """Each has its kind and blame, and none of them is evidence against a provider."""
    failure = classify(at=NOON, **given)

    assert (kind, blames, False) == (failure.kind, failure.blames, failure.indicts)


KINDS: list[tuple[str, dict[str, Any], str]] = [
    ("a stalled local model", {"body": '{"error":{"code":"LOCAL_INACTIVITY_TIMEOUT","message":"x"}}'}, "overload"),
    ("fast credits; there a model stopped for good, here one that waits for a payment", {"text": "no usage credits for fast mode", "status": 403}, "entitlement"),
    ("a gateway's list of those it asked", {"text": "no provider could serve: upstream a HTTP 500"}, "noop"),
    ("its own refusal", {"text": "usage limit reached -- a weekly"}, "noop"),
    ("an empty answer", {"text": "empty completion"}, "noop"),
    ("a locked table", {"text": "database table is locked"}, "noop"),
    ("a lapsed plan; there a quota held for longer", {"text": "Unpurchased"}, "lapsed"),
    ("a model code", {"body": '{"code":"model_not_supported","message":"x"}'}, "model"),
    ("no entitlement to a model", {"status": 403, "text": "not authorized for this model"}, "model"),
    ("an old token", {"text": "authentication failed: expired token"}, "auth"),
    ("an account's rate; there a quota, here one only where headers say so", {"text": "would exceed your account's rate limit"}, "rate"),
    ("a burst code", {"body": '{"code":"Throttling.RateQuota","message":"x"}'}, "rate"),
    ("an allocation code", {"body": '{"code":"Throttling.AllocationQuota","message":"x"}'}, "quota"),
    ("no money; there a quota, here a balance", {"body": '{"error":{"code":"insufficient_quota","message":"x"}}'}, "balance"),
    ("a weekly limit", {"status": 429, "text": "weekly limit reached, resets in 3 hours"}, "quota"),
    ("too many", {"status": 429}, "rate"),
    ("too busy", {"status": 503, "text": "server too busy"}, "overload"),
    ("too long", {"text": "maximum context length is 8"}, "context"),
    ("a bad request by code", {"body": '{"error":{"type":"invalid_request_error","message":"x"}}'}, "payload"),
    ("filtered", {"text": "content policy violation"}, "payload"),
    ("refused connection", {"text": "connect ECONNREFUSED"}, "connect"),
    ("a dropped socket; there other and evidence, here evidence only with `transport`", {"text": "socket hang up"}, "overload"),
    ("500, 502, 504; there other", {"status": 504}, "overload"),
    ("413; there other", {"status": 413}, "payload"),
    ("402; there other", {"status": 402}, "balance"),
    ("408; there other", {"status": 408}, "overload"),
    ("a plain 404", {"status": 404}, "other"),
]  # fmt: skip  # rows of one table


@pytest.mark.parametrize(("what", "given", "kind"), KINDS, ids=[what for what, *_ in KINDS])
def test_a_peers_table_of_kinds_with_our_answers(what: str, given: dict[str, Any], kind: str) -> None:
    """Every row of that table, in its order."""
    assert kind == classify(at=NOON, **given).kind


def test_a_structured_reset_wins_over_the_text() -> None:
    """And a weekly limit that resets in three hours holds for exactly three."""
    text = "weekly limit reached, resets in 3 hours"

    assert timedelta(hours=3) == classify(at=NOON, status=429, text=text).hold
    body = json.dumps({"error": {"message": text, "resetAt": "2026-09-20T14:00:00Z"}})
    assert datetime(2026, 9, 20, 14, tzinfo=UTC) == classify(at=NOON, status=429, body=body).reset_at


def test_two_reports_of_one_failure_are_equal() -> None:
    """So that whoever keeps them by lease keeps one."""
    given = {"at": NOON, "status": 429, "text": "try again in 9 seconds"}
    one, other = classify(**given), classify(**given)  # type: ignore[arg-type]  # arguments by name

    assert isinstance(one, Failure)
    assert one == other
