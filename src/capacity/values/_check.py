"""Converters and validators the values share: instants are aware UTC, amounts are decimals, mappings are sorted.

They keep each value's own invariant and do nothing else; a value that breaks one is refused with `ValueError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from attrs import Attribute

LARGEST = 1.7976931348623157e308
"""The largest finite float (IEEE 754, double). An integer beyond it, which JSON may tell, is compared without becoming one."""


def utc(instant: datetime) -> datetime:
    """An aware instant, in UTC. A naive one is refused: nobody can say which moment it names."""
    if not isinstance(instant, datetime):
        raise ValueError(f"{shown(instant)} is no instant; give an aware datetime")
    if instant.tzinfo is UTC:
        return instant
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no zone; instants are aware")
    return instant.astimezone(UTC)


def utc_or_none(instant: datetime | None) -> datetime | None:
    """As `utc`, and None stays None."""
    return None if instant is None else utc(instant)


def amounts(by_unit: Mapping[str, Decimal]) -> Mapping[str, Decimal]:
    """Unit → decimal, sorted by unit. Floats are refused: money is told in decimals."""
    if not isinstance(by_unit, Mapping):
        raise ValueError(f"{shown(by_unit)} is no table of units and decimals")
    for unit, amount in by_unit.items():
        if not _finite_decimal(amount):
            raise ValueError(f"{unit}: {amount!r} is not a finite decimal")
    return dict(sorted(by_unit.items()))


def _finite_decimal(amount: Any) -> bool:
    return isinstance(amount, Decimal) and amount.is_finite()


def decimal(amount: Decimal | int) -> Decimal:
    """One finite decimal; a whole number is one."""
    exact = Decimal(amount) if isinstance(amount, int) and not isinstance(amount, bool) else amount
    if not isinstance(exact, Decimal) or not exact.is_finite():
        raise ValueError(f"{shown(amount)} is not a finite decimal")
    return exact


def amount(figure: Decimal | int) -> Decimal:
    """One finite decimal that is not negative: what was used does not become unused."""
    exact = decimal(figure)
    if exact < 0:
        raise ValueError(f"{shown(figure)} is less than nothing; an amount is 0 or more")
    if exact > LARGEST:
        raise ValueError(f"{shown(figure)} is more than anybody has; an amount is {LARGEST:g} at the most")
    return exact


def by_key(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    """The mapping, sorted by key, so that equal values iterate equally."""
    return dict(sorted(mapping.items()))


def ordered(words: Iterable[str]) -> tuple[str, ...]:
    """Words without a meaning to their order: distinct and sorted."""
    return tuple(sorted(set(words)))


def ordered_or_none(words: Iterable[str] | None) -> tuple[str, ...] | None:
    """As `ordered`, and None stays None (unknown is not empty)."""
    return None if words is None else ordered(words)


def words_or_true(said: Iterable[str] | bool) -> tuple[str, ...] | bool:
    """Words in their order, or true; false says as little as no word."""
    return said or () if isinstance(said, bool) else tuple(said)


def folded(word: str) -> str:
    """The word, casefolded."""
    return word.casefold()


def casefolded(words: Iterable[str]) -> frozenset[str]:
    """Names are compared by membership, casefolded."""
    return frozenset(word.casefold() for word in words)


def share(_: Any, attribute: Attribute[Any], value: float | None) -> None:
    """A percent used: finite and not negative; over 100 happens; None is unknown."""
    if value is not None and not (_is_number(value) and 0 <= value <= LARGEST):
        raise ValueError(f"{attribute.name} must be a finite number from 0 up, not {shown(value)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: Any) -> str:
    """The beginning of what stands where something else should."""
    return f"{value!r:.40}"
