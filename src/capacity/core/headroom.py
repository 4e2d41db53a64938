"""The fold of readings into headroom, and the one answer to "is this limit full?".

A figure is as good as its age: fresh it is exact, older it is a lower bound inside its own window, past its reset it
says nothing. A failed probe never replaces a good reading; it only stops it from staying fresh. What was seen in passing
adds to what a source answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Literal

from attrs import evolve, field, frozen

from capacity.core.epochs import Sample, ordered, pruned, sample, seconds
from capacity.core.pressure import Paced, press
from capacity.core.rates import Exposure, steps_of
from capacity.core.tellers import is_over, kept, moment
from capacity.core.tellers import told as spoken
from capacity.core.tracks import Work, tracks
from capacity.core.tuning import Tuning
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

PACED: frozenset[Pace] = frozenset({"under", "on-pace", "over"})
"""What the readings of a pool can prove of its pace."""


@frozen
class Seen:
    """What is known of one pool so far: all a fold keeps of its readings.

    Attributes:
        last: the newest reading of any state.
        told: the readings that are `ok` and still speak for some limit, newest first.
        samples: limit → its figures, oldest first, no older than the horizon; only limits that can be paced.
    """

    last: Reading
    told: tuple[Reading, ...] = ()
    samples: Mapping[str, Sequence[Sample]] = field(factory=dict)

    @cached_property
    def worked(self) -> dict[str, Work]:
        """What was worked through of the samples and may be gone on from. No part of the value: not compared."""
        return {}

    @property
    def good(self) -> Reading | None:
        """The newest reading that is `ok`; None = there was none."""
        return self.told[0] if self.told else None


def fold(readings: Iterable[Reading], start: Mapping[str, Seen] | None = None) -> dict[str, Seen]:
    """Pool → what is known of it. `fold(b, fold(a))` equals `fold(a + b)`, in whatever order they come."""
    seen = dict(start or {})
    told: dict[str, list[Reading]] = {}
    for reading in readings:
        told.setdefault(reading.pool, []).append(reading)
    for pool, fresh in told.items():
        seen[pool] = _seen(seen.get(pool), fresh)
    return seen


def _seen(known: Seen | None, fresh: Sequence[Reading]) -> Seen:
    last = fresh[0] if known is None else known.last
    for reading in fresh:
        last = _newer(last, reading)
    good = [reading for reading in fresh if reading.state == "ok"]
    if not good:
        return Seen(last) if known is None else evolve(known, last=last)
    figures: defaultdict[str, list[Sample]] = defaultdict(list)
    stamps: dict[datetime, float] = {}
    for reading in good:
        at = seconds(reading.observed_at)
        for limit in reading.limits:
            found = sample(limit, at, stamps)
            if found is not None:
                figures[limit.name].append(found)
    before = known or Seen(last)
    after = Seen(last, kept([*before.told, *good]), joined(before.samples, figures))
    if continues(before.samples, figures):
        after.worked.update(before.worked)
    return after


def continues(known: Mapping[str, Sequence[Sample]], fresh: Mapping[str, Sequence[Sample]]) -> bool:
    """Whether all of what is fresh is newer than all that is known, so that what was worked through stays true."""
    if not known:
        return True
    newest = max(told[-1].at for told in known.values())
    return all(one.at > newest for told in fresh.values() for one in told)


def joined(known: Mapping[str, Sequence[Sample]], fresh: Mapping[str, Sequence[Sample]]) -> dict[str, Sequence[Sample]]:
    """Samples of two stretches, in order, each once; what comes of it hangs on the set of all of them alone."""
    names = sorted(known.keys() | fresh.keys())
    return {name: pruned(ordered([*known.get(name, ()), *fresh.get(name, ())])) for name in names}


def _newer(one: Reading, other: Reading) -> Reading:
    if one.observed_at != other.observed_at:
        return one if one.observed_at > other.observed_at else other
    a, b = moment(one), moment(other)
    if a == b:  # two stories of one instant: any choice will do that does not hang on their order
        return max(one, other, key=repr)
    return one if a > b else other


def assess(
    readings: Iterable[Reading],
    levels: Iterable[Level],
    policy: Policy,
    as_of: datetime,
    *,
    start: Mapping[str, Seen] | None = None,
) -> Headroom:
    """What is left of every pool at one instant, how fast it is spent, and at what level it would land.

    Args:
        readings: in any order; duplicates change nothing. Pools carry their full names.
        levels: the journalled burn steps of the controlled seats, in any order; none = nobody recorded what was
            commanded, and the wanted level is then told as a multiple of the level in force.
        policy: gives the lines, the pacing settings, and the cadence assumed for unstamped readings.
        as_of: the instant, aware.
        start: a fold to continue.

    Returns:
        Headroom of every pool that the policy lists or a reading names. A pool's pace goes up to `over` and `under`:
        whether anything is left to do about it is for the decision to say.
    """
    seen = fold(readings, start)
    names = seen.keys() | policy.pools.keys()
    commanded = steps_of(levels)
    pools = {name: _pool(name, seen.get(name), commanded.get(name, ()), policy, as_of) for name in names}
    return Headroom(as_of, pools)


def _pool(name: str, seen: Seen | None, levels: Sequence[Level], policy: Policy, as_of: datetime) -> PoolHeadroom:
    if seen is None:
        return PoolHeadroom(name)
    last, good = seen.last, seen.good
    known = PoolHeadroom(name, state=last.state, detail=last.detail, retry_at=last.retry_at, plan=last.plan)
    if good is None:
        return known
    limits = tuple(
        _limit(one.limit, one.reading.observed_at, one.reading.usual or policy.freshness, as_of)
        for one in spoken(seen.told, as_of)
    )
    plan = next((one.plan for one in (last, *seen.told) if one.plan), None)
    known = evolve(known, observed_at=good.observed_at, source=good.source, plan=plan, limits=limits)
    known = _paced(known, seen, levels, policy, as_of)
    rules = policy.pools.get(name)
    full = rules is not None and any(standing(limit, rules, known) == "full" for limit in limits if _binds_all(limit))
    return evolve(known, pace="exhausted") if full else known


def _paced(known: PoolHeadroom, seen: Seen, levels: Sequence[Level], policy: Policy, as_of: datetime) -> PoolHeadroom:
    """The pool with its pace: what its own readings prove, and what level would land it."""
    now = seconds(as_of)
    told = {one.limit.name for one in known.limits}
    figures, exposure = tuning(policy, known.pool), Exposure(levels, now)
    samples = {name: samples for name, samples in seen.samples.items() if name in told}
    said = press(tracks(samples, exposure, now, figures, seen.worked), exposure, figures, now)
    if said is None:
        return known
    on = policy.pacing.mode != "off" and known.pool in policy.pools
    return evolve(
        known,
        limits=tuple(_told(one, said.limits.get(one.limit.name)) for one in known.limits),
        pace=_word(said.pace),
        binding=said.binding,
        pressure=said.pressure,
        paced=on and (said.pace in PACED or said.wanted is not None),
        wanted=said.wanted if on else None,
        jump=said.jump and on,
    )


def _word(pace: Pace) -> Pace:
    """A pool's word before its lines are asked: they alone say that it is exhausted, and the provider may serve on."""
    return "over" if pace == "exhausted" else pace


def _told(one: LimitHeadroom, known: Paced | None) -> LimitHeadroom:
    if known is None:
        return one
    return evolve(
        one, rate=known.rate, allowed_rate=known.allowed, pressure=known.pressure, pace=known.pace, why=known.why
    )


def tuning(policy: Policy, pool: str) -> Tuning:
    """What one pool is paced with: the figures that are the policy's, and the controller's own."""
    pacing, rules = policy.pacing, policy.pools.get(pool)
    declared = None if rules is None else rules.uncontrolled
    share = pacing.share if declared is None else declared / max(1.0 - declared, 0.01)  # of all → of ours
    return Tuning(tick=pacing.tick.total_seconds(), band=pacing.band, reserve=pacing.reserve, share=share)


def _limit(limit: Limit, observed_at: datetime, usual: timedelta, as_of: datetime) -> LimitHeadroom:
    evidence = _evidence(limit, observed_at, usual, as_of)
    return LimitHeadroom(limit, evidence, _used(limit, evidence), observed_at=observed_at)


def _evidence(limit: Limit, observed_at: datetime, usual: timedelta, as_of: datetime) -> Evidence:
    if is_over(limit, observed_at, as_of):
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


def line(pool: PoolPolicy, known: PoolHeadroom | None) -> float:
    """The line in force, percent used: the paced one only while pacing lands the pool."""
    return pool.exhausted_at_paced if known is not None and known.paced else pool.exhausted_at


def standing(one: LimitHeadroom, pool: PoolPolicy, known: PoolHeadroom | None = None) -> Standing:
    """Whether a limit is full: the provider's refusal, then the line, then the amounts, then nothing.

    A percentage is full at 100 less half its quantum whatever the line; at a line of 100 the provider's own word that
    it serves outranks the figure. The default money floor of 0 yields to that word too; a floor the policy sets does
    not. `open` needs fresh evidence; a lower bound below the line is `unknown`.
    """
    limit = one.limit
    if one.evidence == "void":
        return "unknown"
    if limit.blocked or _over(limit, line(pool, known)) or _spent(limit, pool):
        return "full"
    told = limit.percent is not None or limit.left or limit.blocked is not None
    return "open" if told and one.evidence == "fresh" else "unknown"


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
