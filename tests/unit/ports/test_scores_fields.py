"""What somebody else's JSON says is taken field by field: what is missing or of another kind is not known."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import inf, isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.ports.scores import Fields

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("tree", [None, 5, "text", [], [{"a": 1}], {}])
def test_what_is_no_object_has_no_fields(tree: Any) -> None:
    """A list, a page or nothing at all: every field of it is missing, and it is as good as empty."""
    fields = Fields(tree)

    assert not fields
    assert (None, None, None, []) == (fields.text("a"), fields.number("a"), fields.items("a"), list(fields.each()))


@pytest.mark.parametrize(
    ("value", "text"),
    [("a", "a"), (" a b ", "a b"), ("", None), (" ", None), ("a\nb", None), (5, None), ("x" * 1001, None)],
)
def test_a_text_is_one_printable_line(value: Any, text: str | None) -> None:
    """White space at its ends is not part of it; what has several lines or no end is no name of anything."""
    assert text == Fields({"a": value}).text("a")


def test_the_first_text_counts() -> None:
    """Where a source has two names for a field, the first that says something is taken."""
    assert "b" == Fields({"one": "", "two": "b", "three": "c"}).text("one", "two", "three")


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1.0), (1.5, 1.5), ("2.5", 2.5), (" 2 ", 2.0), ("-1e-3", -0.001), (True, None), ("1_000", None), ("１", None),
     ("inf", None), (float("nan"), None), (-inf, None), ("1,5", None), ("0x10", None), (None, None), ([1], None)],
)  # fmt: skip  # one table, read as rows
def test_a_number_is_a_plain_finite_figure(value: Any, number: float | None) -> None:
    """Also where it is spelt as a text, and only in the spelling everybody reads alike."""
    assert number == Fields({"a": value}).number("a")


def test_a_number_no_float_can_hold_is_none() -> None:
    """JSON has no end to its whole numbers."""
    assert Fields({"a": 10**400}).number("a") is None


def test_a_number_out_of_its_bounds_is_none() -> None:
    """A score of 130 percent says nothing of anything."""
    fields = Fields({"a": 130})

    assert (None, 130.0, None) == (fields.number("a", 0, 100), fields.number("a", 0), fields.number("a", 131))


@pytest.mark.parametrize(
    ("value", "whole"), [(5, 5), (5.0, 5), ("6", 6), (5.5, None), (-1, None), (0, 0), (True, None)]
)
def test_a_whole_number_has_no_rest(value: Any, whole: int | None) -> None:
    """Half a trial is none."""
    assert whole == Fields({"a": value}).whole("a")


@pytest.mark.parametrize(
    ("value", "money"),
    [("12.50", Decimal("12.50")), (0.1, Decimal("0.1")), (0, None), ("0.00", None), (-1, None), ("free", None)],
)
def test_nought_is_no_price(value: Any, money: Decimal | None) -> None:
    """An amount is exact as it is spelt; a missing one is often written as nought."""
    assert money == Fields({"a": value}).money("a")


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ("2026-06-04", datetime(2026, 6, 4, tzinfo=UTC)),
        ("2026-06-04T18:50:59.5+02:00", datetime(2026, 6, 4, 16, 50, 59, 500000, tzinfo=UTC)),
        ("2026-06-04T18:50:59Z", datetime(2026, 6, 4, 18, 50, 59, tzinfo=UTC)),
        ("2026-06-04T18:50:59", datetime(2026, 6, 4, 18, 50, 59, tzinfo=UTC)),
        ("2019-12-31", None),
        ("2026-06", None),
        ("2026-13-01", None),
        ("20260604", None),
        ("2026-W23", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("soon", None),
        (1780000000, None),
    ],
)
def test_an_instant_is_an_iso_date(value: Any, at: datetime | None) -> None:
    """A day is its midnight, UTC; a month, a week and a count of seconds are not guessed at."""
    assert at == Fields({"a": value}).instant("a")


def test_objects_and_lists_are_reached() -> None:
    """Each field that holds an object, in order; a flag is true or false and nothing that looks like it."""
    fields = Fields({"b": {"x": 1}, "n": 5, "a": {}, "l": [1], "t": True, "s": "true"})

    assert [("b", 1.0), ("a", None)] == [(name, inner.number("x")) for name, inner in fields.each()]
    assert ([1], True, None) == (fields.items("l"), fields.flag("t"), fields.flag("s"))


@given(anything)
def test_any_tree_is_survived(tree: Any) -> None:
    """Nothing raises, and whatever is told is what its name says."""
    fields = Fields(tree)
    for name in "abc":
        number, money, at = fields.number(name), fields.money(name), fields.instant(name)
        assert number is None or isfinite(number)
        assert money is None or money > 0
        assert at is None or at.utcoffset() == timedelta(0)
        assert fields.text(name) in (None, str(tree.get(name)).strip() if isinstance(tree, dict) else None)
        assert isinstance(fields.inside(name), Fields)


@given(st.decimals(0, 10**6, places=4).filter(bool))
def test_money_loses_no_digit(amount: Decimal) -> None:
    """Through JSON and back, as a text."""
    assert amount == Fields(json.loads(json.dumps({"a": str(amount)}))).money("a")
