"""Rate-limit headers of a turn: a subscription's windows, an API key's caps, and what a refusal binds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from capacity.ports import Document, Limit, Reading, Scope
from capacity_claude import reader

from .documents import AT

WEEK = timedelta(days=7)
RESET = datetime(2026, 9, 22, 23, tzinfo=UTC)
EPOCH = str(int(RESET.timestamp()))


def read(status: int | None = None, body: bytes = b"", asked: str | None = None, /, **told: str) -> Reading:
    """The reading of header lines, given without what they all begin with."""
    pairs = tuple((f"Anthropic-RateLimit-{name.replace('__', '-')}", value) for name, value in told.items())
    (reading,) = reader().readings(Document(body, AT, asked=asked, status=status, headers=pairs)) or ()
    return reading


def limits(**told: str) -> dict[str, Limit]:
    return {limit.name: limit for limit in read(**told).limits}


def blocked(**told: str) -> dict[str, bool | None]:
    return {name: limit.blocked for name, limit in limits(**told).items()}


def test_a_window_is_a_share_a_word_and_a_reset() -> None:
    """Shares are fractions of the whole and may exceed it, resets seconds since 1970."""
    told = limits(unified__7d__status="allowed_warning", unified__7d__reset=EPOCH, unified__7d__utilization="1.02")

    assert {"weekly": Limit("weekly", 102.0, blocked=False, resets_at=RESET, window=WEEK)} == told


@pytest.mark.parametrize(("share", "used"), [("1", 100.0), ("1.0", 100.0), ("0.57", 57.0), ("0", 0.0), ("x", None)])
def test_a_share_is_always_a_fraction(share: str, used: float | None) -> None:
    """One is the whole, whatever else it could mean, and what is no figure is unknown."""
    assert used == limits(unified__5h__status="allowed", unified__5h__utilization=share)["5h"].percent


@pytest.mark.parametrize(
    ("key", "name", "scope"),
    [
        ("5h", "5h", None),
        ("7d", "weekly", None),
        ("7d_oi", "weekly:overage_included", Scope("model", "overage_included")),
        ("7d_some", "weekly:some", Scope("model", "some")),
    ],
)
def test_what_stands_behind_a_window_is_its_scope(key: str, name: str, scope: Scope | None) -> None:
    """A word behind the week's is a model scope by the word the service writes out elsewhere, known or not."""
    told = limits(**{f"unified__{key}__status": "rejected"})

    assert {name: (True, scope)} == {one.name: (one.blocked, one.scope) for one in told.values()}


@pytest.mark.parametrize(
    ("claim", "refused"),
    [
        ("five_hour", "5h"),
        ("seven_day", "weekly"),
        ("seven_day_some", "weekly:some"),
        ("seven_day_overage_included", "weekly:overage_included"),
        ("overage", "service"),
        ("unheard_of", "service"),
        ("", "service"),
    ],
)
def test_a_refusal_binds_what_it_claims(claim: str, refused: str) -> None:
    """A claim without a window of its own makes one; a refusal that names none is about the whole account."""
    told = limits(**{"unified__status": "rejected", "unified__representative-claim": claim, "unified__reset": EPOCH})

    assert {refused: (True, RESET)} == {name: (one.blocked, one.resets_at) for name, one in told.items()}


def test_a_window_that_refuses_itself_needs_no_claim() -> None:
    """Where a window says that it refuses, nothing is said about the whole account."""
    told = blocked(unified__status="rejected", unified__5h__status="allowed", unified__7d_some__status="rejected")

    assert {"5h": False, "weekly:some": True} == told


def test_a_turn_that_was_served_contradicts_the_account_s_refusals_only() -> None:
    """It says nothing of a scoped window that has no word of its own: it may have run another model."""
    told = blocked(unified__status="allowed", unified__5h__utilization="0.2", unified__7d_some__utilization="1")

    assert {"5h": False, "service": False, "weekly:some": None} == told


def test_money_that_does_not_pay_is_said_only_where_it_matters() -> None:
    """On a refused turn the reason is told; on a served one it is the normal state of most accounts."""
    off = {"unified__overage-status": "rejected", "unified__overage-disabled-reason": "out_of_credits"}
    full = {"unified__5h__status": "rejected", "unified__status": "rejected"}

    assert "extra usage does not pay: out_of_credits" == read(**off, **full).detail
    assert read(**off, unified__status="allowed").detail is None
    assert ["service"] == list(limits(**off, unified__status="allowed"))


def test_a_burst_is_no_matter_of_the_quota() -> None:
    """A turn refused with 429 while the subscription serves fills no window, and throttles no probe."""
    told = read(429, b'{"type":"error","error":{"type":"rate_limit_error"}}', "/v1/messages", unified__status="allowed")

    assert ("ok", None) == (told.state, told.retry_at)
    assert "the turn was refused for a burst, which says nothing of the quota" == told.detail
    assert {False} == {limit.blocked for limit in told.limits}


def test_a_key_s_caps_bind_nothing() -> None:
    """They refill within the minute: shown, and no reason to leave."""
    told = limits(
        **{"input-tokens-limit": "400", "input-tokens-remaining": "0", "input-tokens-reset": RESET.isoformat()}
    )

    left, cap = {"tokens": Decimal(0)}, {"tokens": Decimal(400)}
    scope = Scope("feature", "input-tokens")
    assert {"input-tokens": Limit("input-tokens", left=left, cap=cap, resets_at=RESET, scope=scope)} == told


def test_a_cap_on_requests_at_once_is_waited_for() -> None:
    """It is counted in slots, of the whole pool, and a request that ends frees one."""
    told = limits(**{"concurrent-requests-limit": "4", "concurrent-requests-remaining": "1"})["slots"]

    assert ("release", {"slots": Decimal(1)}, {"slots": Decimal(4)}) == (told.frees_on, told.left, told.cap)


@pytest.mark.parametrize("count", ["", "-1", "many", "1e3", "9" * 20])
def test_a_count_that_is_none_is_left_out(count: str) -> None:
    """No zero is made of a missing or misspelt number."""
    assert "unrecognised" == read(**{"tokens-remaining": count}).state
    assert {} == limits(**{"tokens-remaining": count, "tokens-limit": "5"})["tokens"].left


@pytest.mark.parametrize("name", ["unified__status", "unified__5h__reset", "unified__lunar__status", "brand-new"])
def test_headers_without_a_word_or_a_figure_are_unrecognised(name: str) -> None:
    """A status nobody knows, a reset alone and an unknown window are no evidence."""
    assert ("unrecognised", ()) == (read(**{name: "strange"}).state, read(**{name: "strange"}).limits)


def test_the_usage_endpoint_s_own_answer_is_no_turn() -> None:
    """What answers the probe is read by its body, whatever headers came with it."""
    assert "throttled" == read(429, b"", "/api/oauth/usage", unified__status="allowed").state
