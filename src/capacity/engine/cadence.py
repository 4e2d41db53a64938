"""When a source is due: a pure function of its budget and of what is remembered of it.

Whoever asks and however many they are, a source is never asked again within its floor. Spread comes from a digest of
its name and count, never from chance, so every process works out the same instant.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256

from attrs import evolve, frozen

from capacity.core.circuits import LONGEST
from capacity.ports import Budget


@frozen
class Asked:
    """What is remembered of one source of one account.

    Attributes:
        count: how often it was asked.
        asked_at: when it was last asked, UTC; noted before the question goes out. None = never.
        told_at: when somebody else last told what it would have said, UTC; None = never.
        failures: answers in a row that told nothing.
        retry_at: not before this may it be asked, UTC; None = it set no such instant.
    """

    count: int = 0
    asked_at: datetime | None = None
    told_at: datetime | None = None
    failures: int = 0
    retry_at: datetime | None = None

    def asking(self, now: datetime) -> Asked:
        """As remembered once the question is about to go out."""
        return evolve(self, count=self.count + 1, asked_at=now)

    def answered(self, *, good: bool, retry_at: datetime | None) -> Asked:
        """As remembered once the answer, or its absence, is known."""
        return evolve(self, failures=0 if good else self.failures + 1, retry_at=retry_at)


def due_at(budget: Budget, asked: Asked, source: str, *, idle: bool) -> datetime | None:
    """When a source may next be asked; None = it was never asked, so now.

    What others told puts the question off, but never further than the slowest interval after the last one: they may
    have seen only part of what the source knows. An instant the source set holds, but for no longer than any circuit
    that no operator opened.

    Args:
        budget: of the source.
        asked: what is remembered of it.
        source: its name; the spread hangs on it.
        idle: nobody runs on its pools, or they are exhausted.
    """
    if asked.asked_at is None:
        return None
    span = _interval(budget, asked, source, idle=idle)
    last = max(asked.asked_at, asked.told_at or asked.asked_at)
    usual = min(last + span, asked.asked_at + budget.slowest)
    return max(usual, asked.asked_at + budget.floor, min(asked.retry_at or usual, asked.asked_at + LONGEST))


def due(budget: Budget, asked: Asked, source: str, now: datetime, *, idle: bool) -> bool:
    """Whether a source may be asked now.

    A question noted further in the future than the slowest interval was noted by a clock that was wrong; waiting for
    that instant could silence the source for good, so it is due.
    """
    at = due_at(budget, asked, source, idle=idle)
    if at is None or asked.asked_at is None:
        return True
    return at <= now or asked.asked_at - now > budget.slowest


def _interval(budget: Budget, asked: Asked, source: str, *, idle: bool) -> timedelta:
    """From one question to the next: grown by failures, spread, and inside [floor, slowest]."""
    span = budget.idle if idle else budget.usual
    for _ in range(asked.failures):
        if span >= budget.slowest:
            break
        span = min(span * budget.growth, budget.slowest)
    span *= 1 + budget.jitter * (2 * _share(source, asked.count) - 1)
    return min(max(span, budget.floor), budget.slowest)


def _share(source: str, count: int) -> float:
    """A number from 0 to 1 that hangs on its arguments alone."""
    digest = sha256(f"{source}#{count}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64
