"""A decision for a person: one seat, one pool, or the whole tick. Every word comes from the tick's own values.

For a seat *all* rules are walked, not only the first that refused, and where exactly one numeric rule stands in the way
the figure that would turn it is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from capacity.core import headroom as heads
from capacity.core.adopted import adopted_line, place_of, row_of, unusable
from capacity.core.cases import Case
from capacity.core.circuits import pool_of
from capacity.core.decide import case_of, decide, prepare, tick_id
from capacity.core.desk import Desk
from capacity.core.findings import Finding
from capacity.core.orders import KEYS
from capacity.core.sentences import instant, one_line, sentence
from capacity.errors import CapacityError, NoSuch
from capacity.values.decision import Decision, Judged, SeatDecision
from capacity.values.limits import Interval, Limit, LimitHeadroom
from capacity.values.seats import Candidate
from capacity.values.tick import Tick
from capacity.values.tiers import TierRow

NUMERIC = frozenset({"core:exhausted", "core:capped", "core:context-small"})
"""Facts one figure could turn."""


def explain(tick: Tick, *, seat: str | None = None, pool: str | None = None) -> str:
    """The text an operator reads.

    Args:
        tick: the four inputs; the decision is made again where it is not in it.
        seat: a seat's name, or `fleet/seat` where fleets share names.
        pool: a pool's full name.

    Returns:
        Lines for one seat, for one pool, or, with neither, for the whole tick.

    Raises:
        NoSuch: no such seat or pool; the message lists those there are.
    """
    decision = tick.decision or decide(tick.inventory, tick.headroom, tick.policy, tick.history)
    desk = prepare(tick.inventory, tick.headroom, tick.policy, tick.history)
    if seat is not None:
        lines = _seat(desk, seat_named(decision, seat))
    elif pool is not None:
        lines = _pool(desk, decision, pool)
    else:
        lines = _tick(desk, decision)
    return "\n".join(lines) + "\n"


def counted(count: int, word: str) -> str:
    """So many of something, in as many as there are.

    Args:
        count: how many.
        word: what one of them is called.
    """
    many = "" if count == 1 else "es" if word.endswith("s") else "s"
    return f"{count} {word}{many}"


def place(candidate: Candidate | None) -> str:
    """A candidate as a person reads it."""
    if candidate is None:
        return "nowhere"
    effort = f" at effort {candidate.effort}" if candidate.effort else ""
    return one_line(f"{candidate.model}{effort} in {candidate.harness} on {candidate.pool}")


def seat_named(decision: Decision, name: str) -> SeatDecision:
    """What was decided for the seat of that name.

    Raises:
        NoSuch: there is none of it, or several; the message lists those there are.
    """
    named = [
        seat
        for seat in decision.seats
        if name in (seat.placement.seat, f"{seat.placement.fleet}/{seat.placement.seat}")
    ]
    if len(named) == 1:
        return named[0]
    known = ", ".join(f"{one.fleet}/{one.seat}" for one in decision.placements) or "none"
    what = "is in several fleets; say fleet/seat" if named else "is no seat of this tick"
    raise NoSuch(f"{name!r} {what}. Seats: {known}")


def _seat(desk: Desk, decided: SeatDecision) -> Iterator[str]:
    placement = decided.placement
    case = _case(desk, placement.fleet, placement.seat)
    yield f"{placement.fleet}/{placement.seat}: {placement.act}, because {sentence(placement.fact)}."
    if placement.expected is not None:
        yield f"  it is:     {place(placement.expected)}"
    if placement.candidate not in (None, placement.expected):
        yield f"  it goes:   {place(placement.candidate)}"
    row = _row(desk, decided)
    if row is not None:
        yield f"  adopted:   {adopted_line(row)}"
    if placement.home is not None:
        yield f"  its home:  {place(placement.home)}"
    if placement.act == "park" or case.parked:
        yield f"  until:     {instant(placement.until) if placement.until else 'somebody acts'}"
    yield from _asked(case)
    for other in decided.runners_up:
        yield f"  runner-up: {place(other.candidate)}, behind by {other.by} ({other.margin:g})"
    yield "  candidates:"
    yield from _candidates(case, placement.candidate)


def _row(desk: Desk, decided: SeatDecision) -> TierRow | None:
    """The adopted row that puts a seat where it will be, or is."""
    where = decided.placement.candidate or decided.placement.expected
    return None if where is None else row_of(desk.survey, where)


def _case(desk: Desk, fleet: str, name: str) -> Case:
    for index, observed in enumerate(desk.history.fleets):
        for seat in observed.seats:
            if (seat.fleet, seat.name) == (fleet, name):
                return case_of(desk, index, seat, tick_id(desk.history))
    raise CapacityError(f"the tick decides for {fleet}/{name}, but its history does not hold that seat")


def _asked(case: Case) -> Iterator[str]:
    need = case.asked.need
    for part, origin in case.asked.origins.items():
        value = getattr(need, part)
        told = ", ".join(value) if isinstance(value, tuple) else f"{value:,}" if part == "context" else f"{value}"
        yield f"  asks:      {part} {told} (said by: {origin})"
    if need.high_volume:
        yield "  asks:      to stay off subscriptions (it runs very often)"


def _candidates(case: Case, chosen: Candidate | None) -> Iterator[str]:
    field = case.desk.field
    if not field.candidates:
        yield "    none: no adopted row meets a pool its harness may draw on"
    for candidate, group in zip(field.candidates, field.groups, strict=True):
        found = case.answers.asking.against(field.places[group], case.desk.moment.said(group))
        answer = min((finding.answer for finding in found), key=_badness, default="yes")
        mark = "*" if candidate == chosen else " "
        yield f"   {mark} {answer:11} {place(candidate)}"
        yield from (f"                 {finding.rule}: {sentence(finding.fact)}" for finding in found)
        flip = _flip(found)
        if flip:
            yield f"                 would be eligible {flip}"


def _badness(answer: str) -> int:
    return ("no", "wait", "cannot-tell", "yes").index(answer)


def _flip(found: Iterable[Finding]) -> str:
    """What would turn a refusal, where exactly one numeric rule refuses and nothing else speaks against it."""
    found = list(found)
    if len(found) != 1 or found[0].answer != "no" or found[0].fact.code not in NUMERIC:
        return ""
    fact = found[0].fact
    if fact.code == "core:context-small":
        return f"if it needed at most {fact.figure('window'):,} tokens"
    return f"if {fact.figure('limit')} were below {fact.figure('line'):g} %"


def _pool(desk: Desk, decision: Decision, name: str) -> Iterator[str]:
    sight = desk.sights.get(name)
    if sight is None:
        raise NoSuch(f"{name!r} is no pool of this tick. Pools: {', '.join(desk.sights) or 'none'}")
    known = sight.headroom
    yield f"{name}: pace {known.pace}, last asked: {known.state or 'never'}{f' ({known.detail})' if known.detail else ''}"
    if known.observed_at is not None:
        yield f"  last good reading {instant(known.observed_at)} from {known.source}"
    yield from (f"  {limit_line(limit, stands)}" for limit, stands in sight.stands)
    for finding in sight.findings:
        yield f"  {finding.answer}: {sentence(finding.fact)}"
    yield from (f"  {line}" for line in stops_lines(decision.circuits, name))
    there = [(one, one.expected if one.expected is not None else one.candidate) for one in decision.placements]
    on = [f"{one.fleet}/{one.seat} ({one.act})" for one, where in there if where is not None and where.pool == name]
    come = [
        f"{one.fleet}/{one.seat} ({one.act})"
        for one, where in there
        if one.candidate is not None and one.candidate.pool == name and where is not None and where.pool != name
    ]
    yield f"  seats: {', '.join(on) or 'none'}"
    yield from [f"  to come: {', '.join(come)}"] if come else []


def stops_lines(judged: Iterable[Judged], pool: str | None = None) -> Iterator[str]:
    """The stops that were in force, each kept or lifted, and why.

    Args:
        judged: those of a decision or a choice.
        pool: only those of that pool; None = every one.
    """
    for one in judged:
        if pool is None or pool_of(one.circuit) == pool:
            yield f"{'lifted' if one.lifted else 'kept'}: {sentence(one.fact)}"


def limit_line(one: LimitHeadroom, stands: heads.Standing) -> str:
    """One limit for a person: what is used or left, how surely, and where it stands."""
    limit = one.limit
    resets = f", resets {instant(limit.resets_at)}" if limit.resets_at else ""
    return f"{limit.name}: {figure(limit, one.used)} ({one.evidence}){resets}: {stands}"


def figure(limit: Limit, used: Interval | None) -> str:
    """How much of a limit is used, or left where it is not on a percent scale; else whether the provider serves."""
    if used is None:
        word = "no figure" if limit.blocked is None else "refused" if limit.blocked else "served"
        return ", ".join(f"{amount} {unit} left" for unit, amount in limit.left.items()) or word
    if used.low == used.high:
        return f"{used.low:.4g} % used"
    return f"{used.low:.4g} to {used.high:.4g} % used"


def _tick(desk: Desk, decision: Decision) -> Iterator[str]:
    yield f"tick {decision.id}: {counted(len(decision.seats), 'seat')}, {counted(len(decision.candidates), 'candidate')}"
    yield f"  order: {', then '.join(KEYS)}"
    for name, sight in desk.sights.items():
        limits = "; ".join(limit_line(limit, stands) for limit, stands in sight.stands)
        yield f"  pool {name}: pace {sight.headroom.pace}. {limits or 'nothing known'}"
    for row, why in unusable(desk.survey):
        yield f"  nothing runs by the row {place_of(row)} of tier {row.tier}: {sentence(why)}"
    yield from (f"  {line}" for line in stops_lines(decision.circuits))
    for placement in decision.placements:
        there = f" -> {place(placement.candidate)}" if placement.candidate not in (None, placement.expected) else ""
        yield f"  {placement.fleet}/{placement.seat}: {placement.act}{there}: {sentence(placement.fact)}"
    for condition in decision.conditions:
        yield f"  {condition.status}: {sentence(condition.fact)} (since {instant(condition.since)}, ends by {condition.ends})"
