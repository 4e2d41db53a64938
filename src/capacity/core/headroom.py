"""The fold of readings into headroom, and the one answer to "is this limit full?".

A figure is as good as its age: fresh it is exact, older it is a lower bound inside its own window, past its reset it
says nothing. A failed probe never replaces a good reading; it only stops it from staying fresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Literal

from attrs import evolve, frozen

from capacity.values.history import Level
from capacity.values.limits import (
    Evidence,
    Headroom,
    Interval,
    Limit,
    LimitHeadroom,
    Pace,
    PoolHeadroom,
    Reading,
)
from capacity.values.policy import Policy, PoolPolicy

Standing = Literal["full", "open", "unknown"]

PACED: frozenset[Pace] = frozenset({"under", "on-pace", "over", "saturated"})
"""The paces under which pacing lands the pool, so that the paced line is in force."""


@frozen
class Seen:
    """What is known of one pool so far: all a fold keeps of its readings.

    Attributes:
        last: the newest reading of any state.
        good: the newest reading that is `ok`; None = there was none.
    """

    last: Reading
    good: Reading | None


def fold(readings: Iterable[Reading], start: Mapping[str, Seen] | None = None) -> dict[str, Seen]:
    """Pool → what is known of it. `fold(b, fold(a))` equals `fold(a + b)`, in whatever order they come."""
    seen = dict(start or {})
    for reading in readings:
        known = seen.get(reading.pool)
        last = reading if known is None else _newer(known.last, reading)
        good = None if known is None else known.good
        if reading.state == "ok":
            good = reading if good is None else _newer(good, reading)
        seen[reading.pool] = Seen(last, good)
    return seen


def _newer(one: Reading, other: Reading) -> Reading:
    a, b = _moment(one), _moment(other)
    if a == b:  # two stories of one instant: any choice will do that does not hang on their order
        return max(one, other, key=repr)
    return one if a > b else other


def _moment(reading: Reading) -> tuple[datetime, datetime, str]:
    return reading.observed_at, reading.published_at or reading.observed_at, reading.source


def assess(
    readings: Iterable[Reading],
    levels: Iterable[Level],  # noqa: ARG001  # rates rest on them from 0.3; the signature is the contract
    policy: Policy,
    as_of: datetime,
    *,
    start: Mapping[str, Seen] | None = None,
) -> Headroom:
    """What is left of every pool at one instant.

    Args:
        readings: in any order; duplicates change nothing. Pools carry their full names.
        levels: the journalled burn steps of the controlled seats. Rates rest on them from release 0.3.
        policy: gives the lines and the cadence assumed for unstamped readings.
        as_of: the instant, aware.
        start: a fold to continue.

    Returns:
        Headroom of every pool that the policy lists or a reading names; rate and pressure are not assessed.
    """
    seen = fold(readings, start)
    names = seen.keys() | policy.pools.keys()
    return Headroom(as_of, {name: _pool(name, seen.get(name), policy, as_of) for name in names})


def _pool(name: str, seen: Seen | None, policy: Policy, as_of: datetime) -> PoolHeadroom:
    if seen is None:
        return PoolHeadroom(name)
    last, good = seen.last, seen.good
    known = PoolHeadroom(name, state=last.state, detail=last.detail, retry_at=last.retry_at, plan=last.plan)
    if good is None:
        return known
    usual = good.usual or policy.freshness
    limits = tuple(_limit(limit, good.observed_at, usual, as_of) for limit in good.limits)
    known = evolve(known, observed_at=good.observed_at, source=good.source, plan=last.plan or good.plan, limits=limits)
    rules = policy.pools.get(name)
    full = rules is not None and any(standing(limit, rules) == "full" for limit in limits if _binds_all(limit))
    return evolve(known, pace="exhausted") if full else known


def _limit(limit: Limit, observed_at: datetime, usual: timedelta, as_of: datetime) -> LimitHeadroom:
    evidence = _evidence(limit, observed_at, usual, as_of)
    return LimitHeadroom(limit, evidence, _used(limit, evidence))


def _evidence(limit: Limit, observed_at: datetime, usual: timedelta, as_of: datetime) -> Evidence:
    ends_at = limit.resets_at
    if ends_at is None and limit.window is not None:
        ends_at = observed_at + limit.window  # the window cannot have lasted longer than it is
    if ends_at is not None and ends_at <= as_of:
        return "void"
    if as_of - observed_at < 2 * usual:
        return "fresh"
    return "void" if limit.frees_on == "release" else "stale"


def _used(limit: Limit, evidence: Evidence) -> Interval | None:
    percent = limit.percent
    if percent is None:
        told = limit.left or limit.blocked is not None
        return None if told else Interval(0.0, 100.0)
    if evidence == "fresh":
        return Interval(percent, percent)
    return Interval(percent if evidence == "stale" else 0.0, max(percent, 100.0))


def _binds_all(known: LimitHeadroom) -> bool:
    return known.limit.scope is None and known.limit.frees_on != "release"


def line(pool: PoolPolicy, pace: Pace) -> float:
    """The line in force, percent used: the paced one only while pacing lands the pool."""
    return pool.exhausted_at_paced if pace in PACED else pool.exhausted_at


def standing(known: LimitHeadroom, pool: PoolPolicy, pace: Pace = "unknown") -> Standing:
    """Whether a limit is full: the provider's refusal, then the line, then the amounts, then nothing.

    A percentage is full at 100 less half its quantum whatever the line; at a line of 100 the provider's own word that
    it serves outranks the figure. The default money floor of 0 yields to that word too; a floor the policy sets does
    not. `open` needs fresh evidence; a lower bound below the line is `unknown`.
    """
    limit = known.limit
    if known.evidence == "void":
        return "unknown"
    if limit.blocked or _over(limit, line(pool, pace)) or _spent(limit, pool):
        return "full"
    told = limit.percent is not None or limit.left or limit.blocked is not None
    return "open" if told and known.evidence == "fresh" else "unknown"


def _over(limit: Limit, at: float) -> bool:
    if limit.percent is None or (at >= 100.0 and limit.blocked is False):
        return False
    return limit.percent >= min(at, 100.0 - limit.quantum / 2)


def _spent(limit: Limit, pool: PoolPolicy) -> bool:
    if not limit.left:
        return False
    floors = pool.money_floor
    return all(
        amount <= floors[unit] if unit in floors else amount <= 0 and limit.blocked is not False
        for unit, amount in limit.left.items()
    )
