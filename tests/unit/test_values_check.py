"""What is put into a value and is of another kind than its place asks for is refused with a sentence."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from capacity.ports import Limit, Reading
from capacity.values.leases import Amount

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"percent": "41"}, "percent must be a finite number from 0 up, not '41'"),
        ({"percent": True}, "percent must be a finite number from 0 up, not True"),
        ({"percent": [41]}, r"percent must be a finite number from 0 up, not \[41\]"),
        ({"percent": -1}, "percent must be a finite number from 0 up, not -1"),
        ({"percent": "x" * 1000}, r"percent must be a finite number from 0 up, not 'x{39}$"),
        ({"quantum": "1"}, "quantum must be a finite number from 0 up, not '1'"),
        ({"resets_at": "2026-03-02T15:00:00Z"}, "'2026-03-02T15:00:00Z' is no instant; give an aware datetime"),
        ({"resets_at": 1772463600}, "1772463600 is no instant; give an aware datetime"),
        ({"left": 5}, "5 is no table of units and decimals"),
        ({"left": {"USD": "14.37"}}, "USD: '14.37' is not a finite decimal"),
    ],
)
def test_a_limit_of_another_kind(parts: dict[str, Any], told: str) -> None:
    """Whoever writes a reader reads what is wrong with which figure, and not what Python could not compare."""
    with pytest.raises(ValueError, match=f"^{told}"):
        Limit("5h", **parts)


def test_a_reading_that_was_never_made() -> None:
    """An instant nobody gave is no instant."""
    with pytest.raises(ValueError, match=r"^None is no instant; give an aware datetime$"):
        Reading("", "ok", "usage", None)  # type: ignore[arg-type]  # what the test is about


@pytest.mark.parametrize("figure", [-1, Decimal("-0.01"), Decimal("NaN"), 0.5])
def test_an_amount_of_use_is_never_less_than_nothing(figure: Any) -> None:
    """What was used does not become unused: a figure that runs backwards is no figure."""
    with pytest.raises(ValueError, match=r"is less than nothing|is not a finite decimal"):
        Amount(figure)
