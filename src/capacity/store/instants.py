"""Instants as whole microseconds, as exact as a `datetime` is, and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def micros(at: datetime) -> int:
    """Microseconds since 1970-01-01T00:00:00Z, negative before it.

    Raises:
        ValueError: the instant has no zone.
    """
    if at.tzinfo is None:
        raise ValueError(f"{at.isoformat()} has no zone; instants are aware")
    return (at - EPOCH) // MICROSECOND


def instant(count: int) -> datetime:
    """The instant so many microseconds after 1970-01-01T00:00:00Z, UTC."""
    return EPOCH + count * MICROSECOND
