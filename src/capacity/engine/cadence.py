"""When a source is due: a pure function of its budget and of what is remembered of it.

Whoever asks and however many they are, a source is never asked again within its floor, and nothing it says silences it
for longer than the longest circuit. Spread comes from a digest of its name and count, never from chance, so every process
works out the same instant.
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
        first_at: when somebody else first told anything of a source that was never asked, UTC; None = likewise.
        refused_at: when it last refused a probe, UTC; None = never.
        account: the account's name in the policy of whoever asked last; None = not noted.
    """

    count: int = 0
    asked_at: datetime | None = None
    told_at: datetime | None = None
    failures: int = 0
    retry_at: datetime | None = None
    first_at: datetime | None = None
    refused_at: datetime | None = None
    account: str | None = None

    @property
    def since(self) -> datetime | None:
        """What its interval counts from: the last question, or the first that was told where it was never asked."""
        return self.asked_at or self.first_at

    def asking(self, now: datetime, account: str | None = None) -> Asked:
        """As remembered once the question is about to go out, for an account of that name."""
        return evolve(self, count=self.count + 1, asked_at=now, account=account)

    def answered(self, *, good: bool, retry_at: datetime | None, refused_at: datetime | None = None) -> Asked:
        """As remembered once the answer, or its absence, is known."""
        failures = 0 if good else self.failures + 1
        return evolve(self, failures=failures, retry_at=retry_at, refused_at=refused_at or self.refused_at)

    def told(self, now: datetime, *, good: bool, retry_at: datetime | None, refused_at: datetime | None) -> Asked:
        """As remembered once somebody else told what it said to them; what tells nothing puts nothing off."""
        known = evolve(self, refused_at=refused_at or self.refused_at)
        if retry_at is not None:
            known = evolve(known, retry_at=max(retry_at, self.retry_at or retry_at))
        if not good and retry_at is None:
            return known
        known = evolve(known, first_at=self.first_at or now)
        return evolve(known, told_at=now) if good else known


def due_at(
    budget: Budget, asked: Asked, source: str, *, idle: bool, account: str | None = None, sooner: bool = False
) -> datetime | None:
    """When a source may next be asked; None = nothing was ever heard of it, so now.

    What others told puts the question off, but never further than the slowest interval after the last one: they may
    have seen only part of what the source knows. An instant the source set holds, but for no longer than any circuit
    that no operator opened. What was said under another name of the account is known under that name alone: an account
    that was renamed is asked as soon as the floor allows.

    Args:
        budget: of the source.
        asked: what is remembered of it.
        source: its name; the spread hangs on it.
        idle: nobody runs on its pools, or they are exhausted.
        account: the account's name for whoever would ask; None = no matter.
        sooner: something is known to have changed, so that the floor alone holds it back; where it failed or refused of
            late, nothing changes.
    """
    since = asked.since
    if since is None:
        return None
    last = max(since, asked.told_at or since)
    renamed = account is not None and asked.account not in (None, account)
    early = renamed or (sooner and not _is_wary(budget, asked))
    span = budget.floor if early and not asked.failures else _interval(budget, asked, source, idle=idle)
    usual = min((since if early else last) + span, since + budget.slowest)
    return max(usual, since + budget.floor, min(asked.retry_at or usual, since + LONGEST))


def due(
    budget: Budget,
    asked: Asked,
    source: str,
    now: datetime,
    *,
    idle: bool,
    account: str | None = None,
    sooner: bool = False,
) -> bool:
    """Whether a source may be asked now; the arguments are those of `due_at`.

    What was noted further in the future than the slowest interval was noted by a clock that was wrong; waiting for that
    instant could silence the source for good, so it is due.
    """
    at = due_at(budget, asked, source, idle=idle, account=account, sooner=sooner)
    if at is None or asked.since is None:
        return True
    return at <= now or asked.since - now > budget.slowest


def _interval(budget: Budget, asked: Asked, source: str, *, idle: bool) -> timedelta:
    """From one question to the next: grown by failures, shortened by chance, and inside [floor, slowest].

    It is never lengthened, so that what is fresh for two intervals is not stale while the second one lasts.
    """
    span, slowest = (budget.idle if idle else budget.usual).total_seconds(), budget.slowest.total_seconds()
    for _ in range(max(asked.failures, _is_wary(budget, asked))):
        if span >= slowest:
            break
        span = min(span * budget.growth, slowest)
    span *= 1 - budget.jitter * _share(source, asked.count)
    return min(max(timedelta(seconds=span), budget.floor), budget.slowest)


def _is_wary(budget: Budget, asked: Asked) -> bool:
    """Whether it refused not long before it was last asked."""
    since, refused_at = asked.since, asked.refused_at
    return since is not None and refused_at is not None and since - refused_at < budget.wary


def _share(source: str, count: int) -> float:
    """A number from 0 to 1 that hangs on its arguments alone."""
    digest = sha256(f"{source}#{count}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64
