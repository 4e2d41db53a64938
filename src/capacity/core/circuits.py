"""Circuits: what a failure opens, what is in force of all that was opened, and what a turn that went well closes.

An operator's stop ends by a word alone. Every other circuit has a longest life, a guess never takes the place of what a
provider told while that holds, and a whole pool is left alone only on evidence from several models and sessions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from attrs import evolve, field, frozen

from capacity.core import headroom as heads
from capacity.core.lanes import serving
from capacity.values.failures import HOLDS, Circuit, Failure, FailureKind, Stop
from capacity.values.lanes import Circuits
from capacity.values.limits import Headroom
from capacity.values.policy import Policy
from capacity.values.seats import Candidate

LONGEST = timedelta(hours=24)
"""Longest life of a circuit no operator opened: a day, so that a forgotten one heals by itself."""

LONGEST_TOLD = timedelta(days=31)
"""Longest life of one whose end a provider told: no provider counts in windows longer than a month."""

K = TypeVar("K")

BARS = 3
"""Bars in the name of a candidate: harness, pool, model and effort, the last of which may be blank."""

Key = tuple[str, str, str, str]
"""(subject, name, kind, origin)."""


@frozen
class Known:
    """What is known of a log of stops: all a fold keeps of it.

    Attributes:
        lifted: key → when it was last lifted.
        stops: key → the stops since then that may still matter, oldest first: the newest, and those whose end a provider
            told, as far as no newer one of them ends later.
        evidence: pool → what speaks against it as a whole, oldest first.
    """

    lifted: Mapping[Key, datetime] = field(factory=dict)
    stops: Mapping[Key, Sequence[Stop]] = field(factory=dict)
    evidence: Mapping[str, Sequence[Stop]] = field(factory=dict)


# --- the fold -----------------------------------------------------------------------------------


def fold(stops: Iterable[Stop], start: Known | None = None) -> Known:
    """What is known of the log. `fold(b, fold(a))` equals `fold(a + b)`, in whatever order they come."""
    before, fresh = start or Known(), list(stops)
    if not fresh:
        return before
    lifted, told, evidence = dict(before.lifted), dict(before.stops), dict(before.evidence)
    for stop in fresh:
        key = _key(stop)
        if stop.lifted:
            lifted[key] = max(stop.at, lifted.get(key, stop.at))
        else:
            told[key] = _mattering((*told.get(key, ()), stop))
    for key in {_key(stop) for stop in fresh} & told.keys():
        told[key] = [stop for stop in told[key] if not _taken_back(stop, lifted.get(key))]
    for pool in {pool for stop in fresh if (pool := pool_of(stop)) is not None}:
        added = (stop for stop in fresh if _is_evidence(stop) and pool_of(stop) == pool)
        evidence[pool] = _unlifted({*evidence.get(pool, ()), *added}, pool, lifted)
    return Known(lifted, _filled(told), _filled(evidence))


def _filled(known: Mapping[K, Sequence[Stop]]) -> Mapping[K, Sequence[Stop]]:
    return {key: left for key, left in known.items() if left}


def _is_evidence(stop: Stop) -> bool:
    return stop.indicts and not stop.lifted and stop.subject == "candidate" and stop.origin != "operator"


def _key(stop: Stop) -> Key:
    return stop.subject, stop.name, stop.kind, stop.origin


def _mattering(stops: Iterable[Stop]) -> Sequence[Stop]:
    """The newest stop, and those that a provider told the end of and that none after them outlasts; oldest first."""
    newest, *older = sorted(stops, key=lambda stop: (stop.at, _end(stop), repr(stop)), reverse=True)
    kept, last = [newest], _end(newest) if newest.known else None
    for stop in older:
        if stop.known and (last is None or _end(stop) > last):
            kept.append(stop)
            last = _end(stop)
    return kept[::-1]


def _unlifted(told: Iterable[Stop], pool: str, lifted: Mapping[Key, datetime]) -> Sequence[Stop]:
    """The evidence nobody took back, neither for the candidate that failed nor for its pool; oldest first."""
    whole = lifted.get(_quarantine(pool))
    left = (stop for stop in told if not (_taken_back(stop, whole) or _taken_back(stop, lifted.get(_key(stop)))))
    return sorted(left, key=lambda stop: (stop.at, repr(stop)))


def _taken_back(stop: Stop, lifted_at: datetime | None) -> bool:
    """Whether a lifting took it back; at one instant that comes after the stop."""
    return lifted_at is not None and stop.at <= lifted_at


def _quarantine(pool: str) -> Key:
    return "pool", pool, "other", "evidence"


# --- the present --------------------------------------------------------------------------------


def fuses(
    stops: Iterable[Stop], as_of: datetime, rules: Circuits | None = None, *, start: Known | None = None
) -> tuple[Circuit, ...]:
    """The circuits in force at one instant, sorted by key.

    Args:
        stops: stops and their liftings, in any order; duplicates change nothing. At one instant a lifting comes after
            the stop. What is later than the instant is not looked at.
        as_of: the instant, aware.
        rules: what the policy says of circuits; None = the defaults.
        start: a fold to continue.
    """
    rules = rules or Circuits()
    known = fold((stop for stop in stops if stop.at <= as_of), start)
    found = [_circuit(told, rules) for told in known.stops.values()]
    found += [
        made for pool, told in known.evidence.items() if (made := _indicted(pool, told, as_of, rules)) is not None
    ]
    return tuple(sorted((one for one in found if _in_force(one, as_of)), key=lambda one: one.key))


def _circuit(told: Sequence[Stop], rules: Circuits) -> Circuit:
    """What the stops of one key come to: the end a provider told, until that is over, then whatever came after."""
    newest = told[-1]
    stop = max((one for one in told if one.known), key=_end, default=newest)
    if _end(stop) <= newest.at:
        stop = newest
    ends_at = stop.until if stop.origin == "operator" else _end(stop)
    waits = stop.origin != "operator" and rules.holds.get(stop.kind, HOLDS[stop.kind]).waits
    return Circuit(
        stop.origin, stop.subject, stop.name, stop.kind, newest.at, ends_at, stop.note,
        known=stop.known, above=stop.above, waits=waits,
    )  # fmt: skip  # the fields of one value


def _end(stop: Stop) -> datetime:
    """When a stop ends at the latest, as if no operator had said it."""
    longest = stop.at + (LONGEST_TOLD if stop.known and stop.until else LONGEST)
    return longest if stop.until is None else min(stop.until, longest)


def _in_force(circuit: Circuit, as_of: datetime) -> bool:
    return circuit.opened_at <= as_of and (circuit.ends_at is None or as_of < circuit.ends_at)


def _indicted(pool: str, evidence: Sequence[Stop], as_of: datetime, rules: Circuits) -> Circuit | None:
    """The quarantine of a pool, where enough of its models failed enough sessions by its own fault.

    Once it stands any new evidence renews it, for a day from what completed it.
    """
    oldest = as_of - 2 * LONGEST - rules.within
    told = [stop for stop in evidence[bisect_left(evidence, oldest, key=lambda stop: stop.at) :] if stop.at <= as_of]
    complete = next((at for at in range(len(told) - 1, -1, -1) if _is_enough(told, at, rules)), None)
    if complete is None:
        return None
    last = [stop for stop in told if stop.at < told[complete].at + LONGEST][-1]
    ends_at, probation_at = last.at + LONGEST, last.at + rules.quarantine
    return Circuit("evidence", "pool", pool, "other", last.at, ends_at, probation_at=probation_at)


def _is_enough(told: Sequence[Stop], at: int, rules: Circuits) -> bool:
    """Whether that one completes a case. Failures of a session nobody knows cannot be told from one another's."""
    first = bisect_left(told, told[at].at - rules.within, key=lambda stop: stop.at)
    late = told[first : at + 1]
    models = {stop.name.split("|")[2] for stop in late}
    sessions = {stop.session for stop in late} - {""}
    return len(models) >= rules.models and len(sessions) >= rules.sessions


def pool_of(one: Stop | Circuit) -> str | None:
    """The pool a stop or circuit is about; None for a whole backend."""
    if one.subject == "candidate":
        return one.name.split("|")[1] if one.name.count("|") == BARS else None
    return one.name if one.subject == "pool" else None


# --- what is entered ----------------------------------------------------------------------------


def stops_for(
    failure: Failure,
    candidate: Candidate,
    *,
    at: datetime,
    session: str,
    headroom: Headroom,
    policy: Policy,
    context: int | None = None,
) -> tuple[Stop, ...]:
    """What a failure opens: nothing where it blames nobody, else one stop, and one more where a person has to log in.

    Args:
        failure: the failure, classified with the holds of the policy.
        candidate: where it happened.
        at: when, aware.
        session: whose turn it was; `""` = nobody can tell.
        headroom: what was known of the pools: a quota whose failure told no reset ends when the last of its full
            windows does.
        policy: gives the lines, the holds and the base windows.
        context: tokens of the request that failed; None = not known.
    """
    if failure.blames == "none":
        return ()
    until, known = _until(failure, candidate.pool, at, headroom, policy)
    opened = Stop(at, "refusal", failure.blames, candidate.pool, failure.kind, until, known=known, session=session)
    human = failure.kind == "auth" and failure.needs_human
    login = evolve(opened, subject="pool", until=None, known=False)
    if failure.blames == "pool":
        return (login if human else opened,)
    above = _base(candidate, policy, context) if failure.kind == "context-tier" else None
    alone = evolve(opened, name="|".join(candidate.key), indicts=failure.indicts, above=above)
    return (alone, login) if human else (alone,)


def _until(
    failure: Failure, pool: str, at: datetime, headroom: Headroom, policy: Policy
) -> tuple[datetime | None, bool]:
    """When a failure ends, and whether a provider told that."""
    if failure.reset_at is not None and failure.reset_at > at:
        return failure.reset_at, failure.reset_known
    resets_at = _frees_at(pool, headroom, policy) if failure.kind == "quota" and failure.blames == "pool" else None
    if resets_at is not None and resets_at > at:
        return resets_at, True
    usual = policy.circuits.holds.get(failure.kind, HOLDS[failure.kind])
    span = usual.span if failure.hold is None else failure.hold
    return (None if span is None else at + span), False


def _frees_at(pool: str, headroom: Headroom, policy: Policy) -> datetime | None:
    """When the last of a pool's full windows resets; None where none is full, or one of them never does by itself."""
    known, rules = headroom.pools.get(pool), policy.pools.get(pool)
    if known is None or rules is None:
        return None
    full = [
        one.limit.resets_at
        for one in known.limits
        if one.limit.scope is None and one.limit.frees_on != "release" and heads.standing(one, rules, known) == "full"
    ]
    told = [instant for instant in full if instant is not None]
    return max(told) if told and len(told) == len(full) else None


def _base(candidate: Candidate, policy: Policy, context: int | None) -> int | None:
    """The window a plan pays for without an extra: declared, else smaller than what was refused by a token."""
    rules = policy.pools.get(candidate.pool)
    said = None if rules is None else serving(rules.serving, frozenset({candidate.model.casefold()}))
    if said is not None and said.base_context is not None:
        return said.base_context
    return None if context is None else context - 1


def success(circuits: Iterable[Circuit], candidate: Candidate, *, began_at: datetime, at: datetime) -> tuple[Stop, ...]:
    """What a turn that went through takes back: the quarantine of its pool, if it began while that was on probation.

    Args:
        circuits: those in force.
        candidate: where it ran.
        began_at: when it was granted, aware. One that began before says nothing: it was under way when others failed.
        at: when it ended, aware.
    """
    return tuple(
        lifting(one, at)
        for one in circuits
        if one.origin == "evidence" and pool_of(one) == candidate.pool and _on_probation(one, began_at)
    )


def _on_probation(circuit: Circuit, at: datetime) -> bool:
    return circuit.probation_at is not None and circuit.probation_at <= at


def rearmed(circuits: Iterable[Circuit], pools: Iterable[str], at: datetime) -> tuple[Stop, ...]:
    """What takes back circuits that failures opened, and the evidence gathered against pools.

    Args:
        circuits: those to be taken back; an operator's are left.
        pools: the pools whose evidence is forgotten.
        at: when, aware.
    """
    own = {one.key: lifting(one, at) for one in circuits if one.origin != "operator"}
    kind: FailureKind = "other"
    forgotten = {_quarantine(pool): Stop(at, "evidence", "pool", pool, kind, lifted=True) for pool in pools}
    return tuple(stop for _, stop in sorted({**own, **forgotten}.items()))


def lifting(circuit: Circuit, at: datetime) -> Stop:
    """What takes a circuit back."""
    return Stop(at, circuit.origin, circuit.subject, circuit.name, circuit.kind, lifted=True)
