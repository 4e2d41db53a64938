"""Numbers, money and instants: what is no figure is None, whichever way it is spelt."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from capacity.ports import Document
from capacity_claude._wire import instant, money, parsed, percent, word

from .documents import AT, shown


@pytest.mark.parametrize(
    ("told", "meant"),
    [(0, 0.0), (41, 41.0), (41.5, 41.5), ("18.5", 18.5), (" 7 ", 7.0), (102.4, 102.4), (-0.0, 0.0)],
    ids=shown,
)
def test_a_figure_is_read_however_it_is_spelt(told: object, meant: float) -> None:
    """Integers, fractions, strings of digits and more than the whole are percent used."""
    assert meant == percent(told)


@pytest.mark.parametrize(
    "told",
    [
        *[None, True, False, [], {}, [41], -1, float("nan"), float("inf"), 1000.1, 10**400],
        *["-1", "", "n/a", "nan", "1e3", "1_0", "12%", "١٢", "9" * 5000],
    ],
    ids=shown,
)
def test_what_is_no_figure_is_unknown(told: object) -> None:
    """Flags, NaN, negatives, absurd numbers and other texts are None, and never 0."""
    assert percent(told) is None


@pytest.mark.parametrize(
    ("minor", "places", "amount"),
    [
        (1234, 2, "12.34"),
        (1234, None, "12.34"),
        ("1234", "2", "12.34"),
        (1234, 0, "1234"),
        (5, 3, "0.005"),
        (0, 2, "0.00"),
        (1234.5, 2, "12.345"),
    ],
    ids=shown,
)
def test_money_is_told_in_minor_units(minor: object, places: object, amount: str) -> None:
    """An amount is divided by ten to the decimal places, two where none are told."""
    assert Decimal(amount) == money(minor, places)


@pytest.mark.parametrize(
    ("minor", "places"), [(None, 2), (True, 2), (-5, 2), (1, "x"), (1, 1.5), (1, 99), (1e16, 2)], ids=shown
)
def test_money_is_not_guessed(minor: object, places: object) -> None:
    """Without a figure, or with places nobody can count, there is no amount."""
    assert money(minor, places) is None


@pytest.mark.parametrize(
    "told",
    [
        "2026-09-20T14:00:00Z",
        "2026-09-20T16:00:00+02:00",
        "2026-09-20T14:00:00.000000000+00:00",
        1789912800,
        1789912800.0,
        1789912800000,
        "1789912800",
        "1789912800000",
    ],
    ids=shown,
)
def test_an_instant_is_read_however_it_is_spelt(told: object) -> None:
    """RFC 3339 in any offset and precision, seconds and milliseconds, also as strings, are one moment."""
    assert datetime(2026, 9, 20, 14, tzinfo=UTC) == instant(told)


@pytest.mark.parametrize(
    "told",
    [
        *[None, True, 0, 3600, -1789912800, float("nan"), 1e300, "", "0", "soon", "9" * 400],
        *["2026-09-20T14:00:00", "2026-09-20", "1970-01-01T00:00:00Z"],
        *["9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00+23:00"],
    ],
    ids=shown,
)
def test_what_is_no_instant_is_unknown(told: object) -> None:
    """A moment without an offset, the epoch's zero, a span, and years nobody means are None."""
    assert instant(told) is None


@pytest.mark.parametrize("told", [None, "", "  ", "two\nlines", "\ud800", "x" * 20_000, 7], ids=shown)
def test_a_word_is_a_short_printable_text(told: object) -> None:
    """What could not be shown on one line, or not be encoded, names nothing."""
    assert word(told) is None


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\x00\xff", b"[" * 100_000, b'{"a":"' + b"x" * 9_000_000 + b'"}'], ids=shown
)
def test_what_is_no_json_has_no_body(body: bytes) -> None:
    """Torn, binary, deeply nested and oversized bodies end in one place."""
    assert parsed(Document(body, AT)) is None
