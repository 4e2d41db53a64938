"""What a DeepSeek body may look like, and what it must never become."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from capacity.ports import Document, Limit, Reading
from capacity_deepseek import reader
from hypothesis import given
from hypothesis import strategies as st

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
GARBAGE = {
    "empty": b"",
    "truncated": b'{"is_available": true, "balance_infos": [{"currency": "USD", "total_bal',
    "html": b"<!doctype html><title>Just a moment</title>",
    "binary": bytes(range(256)),
    "deep": b"[" * 100_000,
    "deep balance": b'{"balance_infos":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "large": b'{"balance_infos": "' + b"x" * 9_000_000 + b'"}',
    "a list": b"[]",
    "a number": b"17",
    "null": b"null",
    "another object": b'{"error": {"message": "?"}}',
    "nothing told": b'{"is_available": null, "balance_infos": []}',
    "rows of no kind": b'{"balance_infos": [17, null, "USD"]}',
    "no rows": b'{"balance_infos": 12}',
}


def asked(body: Any, path: str | None = "/user/balance", **more: Any) -> Document:
    """A body as the answer to a path."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Document(raw, AT, asked=path, **more)


def one(doc: Document) -> Reading:
    """The one reading of a document."""
    (reading,) = reader().readings(doc) or ()
    return reading


def balance(body: Any) -> Limit:
    """The one limit of a balance."""
    (limit,) = one(asked(body)).limits
    return limit


def row(currency: Any = "USD", total: Any = "14.37") -> dict[str, Any]:
    """A row of a balance."""
    return {"currency": currency, "total_balance": total, "granted_balance": "0.00", "topped_up_balance": total}


@pytest.mark.parametrize(
    ("available", "blocked"), [(True, False), (False, True), (None, None), ("false", None), (0, None)]
)
def test_blocked_is_the_providers_own_word(available: Any, blocked: bool | None) -> None:
    """Only a true or false of `is_available` blocks or serves; anything else leaves the provider silent."""
    limit = balance({"is_available": available, "balance_infos": [row()]})

    assert ("balance", blocked, {"USD": Decimal("14.37")}) == (limit.name, limit.blocked, limit.left)
    assert (None, None, None, None) == (limit.percent, limit.resets_at, limit.window, limit.scope)
    assert "payment" == limit.frees_on


def test_a_missing_flag_leaves_the_figures() -> None:
    """Figures without `is_available` are still figures."""
    limit = balance({"balance_infos": [row(total="-1.23")]})

    assert (None, {"USD": Decimal("-1.23")}) == (limit.blocked, limit.left)


def test_currencies_are_never_added() -> None:
    """Two currencies are two units: any one pays."""
    limit = balance({"is_available": True, "balance_infos": [row(), row("CNY", "0.00")]})

    assert {"CNY": Decimal("0.00"), "USD": Decimal("14.37")} == limit.left


@pytest.mark.parametrize(
    "total",
    [None, "", " ", "much", "NaN", "Infinity", float("nan"), float("inf"), "1e9", 1e300, "1_000", "１２", "1,5", ".5", "1.",
     "--1", True, [], {}, ["1"], "9" * 40],
)  # fmt: skip  # one list, read as rows
def test_an_odd_amount_is_left_out_and_named(total: Any) -> None:
    """What is no plain decimal is dropped aloud: it is not zero, and it does not spoil its neighbour."""
    reading = one(asked({"is_available": True, "balance_infos": [row("CNY", total), row("USD", "0.10")]}))

    assert {"USD": Decimal("0.10")} == reading.limits[0].left
    assert "CNY" in (reading.detail or "")


@pytest.mark.parametrize(("total", "amount"), [(14, "14"), (-2, "-2"), (14.37, "14.37"), (" 7.10 ", "7.10")])
def test_a_number_is_taken_as_the_string_it_should_have_been(total: Any, amount: str) -> None:
    """The wire tells strings; a number, and white space around one, lose nothing."""
    assert {"USD": Decimal(amount)} == balance({"balance_infos": [row(total=total)]}).left


@pytest.mark.parametrize("currency", [None, "", "dollars", 840, ["USD"], "U$D"])
def test_a_row_without_a_currency_is_named_as_that(currency: Any) -> None:
    """An amount of nobody knows what is no amount, and what stood there is not repeated."""
    reading = one(asked({"is_available": False, "balance_infos": [row(currency)]}))

    assert {} == reading.limits[0].left
    assert reading.limits[0].blocked is True
    assert "no amount could be read for a row without a currency" == reading.detail


def test_one_currency_told_in_two_ways_is_not_believed() -> None:
    """Two different amounts of one currency are neither added nor chosen from; the same one twice is one."""
    reading = one(asked({"is_available": True, "balance_infos": [row(), row(total="2.00"), row("CNY"), row("CNY")]}))

    assert {"CNY": Decimal("14.37")} == reading.limits[0].left
    assert "USD" in (reading.detail or "")


@pytest.mark.parametrize("available", [True, False])
def test_the_flag_alone_is_a_balance(available: bool) -> None:
    """Without any figure the provider's word still stands, under the same name."""
    limit = balance({"is_available": available, "balance_infos": []})

    assert Limit("balance", blocked=not available) == limit


@pytest.mark.parametrize("known", ["0.00", "-1.00"])
def test_an_empty_currency_beside_an_unreadable_one_is_not_empty(known: str) -> None:
    """Where the provider is silent, the currency that could not be read may be the one that pays."""
    reading = one(asked({"balance_infos": [row(total=known), row("CNY", None)]}))

    assert ("unrecognised", ()) == (reading.state, reading.limits)


@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
def test_garbage_at_the_balance_is_unrecognised(body: bytes) -> None:
    """The endpoint's answer in a shape nobody knows has no limits at all, never a zero."""
    reading = one(asked(body))

    assert ("unrecognised", ()) == (reading.state, reading.limits)
    assert reading.detail


@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
def test_garbage_from_nobody_knows_where_is_not_a_balance(body: bytes) -> None:
    """Where neither the question nor the body says DeepSeek, nothing is made of it but `unrecognised` or not ours."""
    readings = reader().readings(asked(body, None)) or ()

    assert {"unrecognised"} >= {reading.state for reading in readings}
    assert reader().listing(asked(body, None)) is None


@pytest.mark.parametrize(
    ("status", "state"),
    [(401, "login-required"), (402, "unreachable"), (403, "unreachable"), (404, "unreachable"), (429, "throttled"),
     (500, "unreachable"), (503, "unreachable")],
)  # fmt: skip  # one table, read as rows
def test_a_status_of_the_balance_endpoint_is_a_state(status: int, state: str) -> None:
    """A refused question says nothing of the balance: no limits, and a sentence that names the status."""
    reading = one(asked(b'{"error": {"message": "Insufficient Balance"}}', status=status))

    assert (state, ()) == (reading.state, reading.limits)
    assert str(status) in (reading.detail or "")


@pytest.mark.parametrize(
    ("header", "seconds"), [(None, 300), ("0", 300), ("30", 300), ("900", 900), ("-5", 300), ("9" * 30, 86400), ("soon", 300)]
)  # fmt: skip  # one table, read as rows
def test_throttled_waits_the_usual_time_at_least(header: str | None, seconds: int) -> None:
    """DeepSeek sends no Retry-After; one that comes is believed where it asks for more, and up to a day."""
    headers = () if header is None else (("retry-after", header),)

    assert AT + timedelta(seconds=seconds) == one(asked(b"", status=429, headers=headers)).retry_at


# --- models -----------------------------------------------------------------------------------


def test_models_of_another_house_are_not_ours() -> None:
    """An OpenAI-style list is DeepSeek's where a row says so, or where DeepSeek was asked."""
    body = {"object": "list", "data": [{"id": "m", "object": "model", "owned_by": "someone"}]}

    assert reader().listing(asked(body, None)) is None
    assert reader().listing(asked(body, "/v1/models")) is not None
    assert reader().readings(asked(body, "/v1/models")) is None


@pytest.mark.parametrize(
    ("rows", "authority", "ids"),
    [
        ([], "unknown", []),
        ([{"id": "a"}, {"id": "b"}], "authoritative", ["a", "b"]),
        ([{"id": "a"}, {"id": "a"}], "authoritative", ["a"]),
        ([{"id": "a"}, {"name": "b"}], "partial", ["a"]),
        ([{"id": "a"}, {"id": 7}, None, "b"], "partial", ["a"]),
        ([{"id": " "}], "unknown", []),
    ],
)
def test_only_a_whole_list_may_reject(rows: list[Any], authority: str, ids: list[str]) -> None:
    """A list with a row nobody could read knows only part of it, and an empty one is no sample."""
    listing = reader().listing(asked({"data": rows}, "/models"))

    assert listing is not None
    assert (authority, ids) == (listing.authority, [model.id for model in listing.models])


@pytest.mark.parametrize("status", [401, 402, 429, 503])
def test_an_error_is_no_list(status: int) -> None:
    """A body with an error status lists nothing, whatever it looks like."""
    assert reader().listing(asked({"data": [{"id": "a", "owned_by": "deepseek"}]}, "/models", status=status)) is None


# --- properties -------------------------------------------------------------------------------

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
decimals = st.decimals(-(10**6), 10**6, places=2)
totals = decimals.map(str) | decimals.map(float) | anything
rows = st.fixed_dictionaries(
    {},
    optional={
        "currency": st.sampled_from(["USD", "CNY", "usd", ""]) | anything,
        "total_balance": totals,
        "x": anything,
    },
)
balances = st.fixed_dictionaries(
    {},
    optional={
        "is_available": st.booleans() | anything,
        "balance_infos": st.lists(rows | anything, max_size=5) | anything,
    },
)


@given(balances)
def test_any_balance_is_a_reading(body: dict[str, Any]) -> None:
    """Whatever is missing, null, of another type or added: one reading, and every amount is one the wire told."""
    reading = one(asked(body))
    given_ = body.get("balance_infos")
    totals = (
        {str(row.get("total_balance")).strip() for row in given_ if isinstance(row, dict)}
        if isinstance(given_, list)
        else set()
    )

    assert reading.state in {"ok", "unrecognised"}
    assert {str(amount) for limit in reading.limits for amount in limit.left.values()} <= totals
    assert bool(reading.limits) == (reading.state == "ok")


@given(st.lists(rows, max_size=5).flatmap(lambda told: st.tuples(st.just(told), st.permutations(told))), st.booleans())
def test_the_order_of_rows_means_nothing(told: tuple[list[Any], list[Any]], available: bool) -> None:
    """The same rows in another order are the same balance."""
    one_way, other = ({"is_available": available, "balance_infos": rows} for rows in told)

    assert one(asked(one_way)) == one(asked(other))


@given(st.binary(max_size=200), st.sampled_from([None, "/user/balance", "/models"]), st.sampled_from([None, 200, 500]))
def test_any_bytes_are_survived(body: bytes, path: str | None, status: int | None) -> None:
    """No body makes the reader raise, and none of random bytes has a limit or a model."""
    doc = asked(body, path, status=status)

    assert [] == [limit for reading in reader().readings(doc) or () for limit in reading.limits]
    assert reader().listing(doc) is None


@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"id": st.text(max_size=5) | anything, "owned_by": anything}), max_size=5
    )
)
def test_any_list_of_models_is_a_listing(told: list[dict[str, Any]]) -> None:
    """Each row with an id is a model under its own name; nothing else is guessed."""
    listing = reader().listing(asked({"data": told}, "/models"))

    assert listing is not None
    assert {row["id"] for row in told if isinstance(row.get("id"), str) and row["id"].strip()} == {
        model.id for model in listing.models
    }
    assert all({model.id.casefold()} == model.names and model.context is None for model in listing.models)
