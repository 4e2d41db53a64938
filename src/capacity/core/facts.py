"""Facts: made once, shared, and typed. The unit of every figure is decided here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from capacity.values.conditions import Fact, Figure

Value = float | int | Decimal | datetime | str

UNITS: Mapping[str, str] = {
    "used": "percent",
    "line": "percent",
    "resets_at": "instant",
    "until": "instant",
    "again_at": "instant",
    "settles_at": "instant",
    "observed_at": "instant",
    "since": "instant",
    "needed": "tokens",
    "window": "tokens",
    "least": "tokens",
    "size": "tokens",
    "fresh": "tokens",
    "gain": "tokens",
    "cost": "tokens",
    "misses": "listings",
    "seats": "seats",
    "rewrites": "count",
    "step": "count",
    "demotable": "count",
    "restorable": "count",
    "slowable": "count",
    "hastenable": "count",
    "unspent": "percent",
    "pressure": "times the allowed rate",
    "cap": "seats",
    "status": "code",
    "exit_code": "code",
}
"""Figure name → unit; a name that is not here is a word, unless its maker says otherwise."""


def fact(code: str, subject: str = "", **figures: Value | None) -> Fact:
    """A fact of the core. Figures that are None are left out: they are not known."""
    made = [Figure(name, value, UNITS.get(name, "word")) for name, value in figures.items() if value is not None]
    return Fact(f"core:{code}", subject, tuple(made))
