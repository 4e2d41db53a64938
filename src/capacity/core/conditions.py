"""Conditions: what stands after a decision, what ended with it, and since when.

The decision owns the codes in `OWN`; a condition with any other code belongs to the engine or a plugin and is carried
through as it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from attrs import evolve

from capacity.core.candidates import Survey, binds
from capacity.core.facts import fact
from capacity.core.judging import ends
from capacity.core.moment import Moment
from capacity.core.sights import Sight, fullness
from capacity.values.conditions import CONDITIONS, Condition, Fact
from capacity.values.decision import WRITES, Placement, PoolPace, SeatDecision, Table
from capacity.values.failures import Circuit, FailureKind, Subject
from capacity.values.history import History
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Need

OWN = frozenset(
    f"core:{word}"
    for word in (
        "pool-exhausted", "pool-empty", "model-capped", "scope-unanswered", "login-required", "probe-failing",
        "unplaced-part", "inventory-unknown", "model-invalid", "nothing-eligible", "below-tier", "partly-controlled",
        "saturated-down", "saturated-up", "saturated-by-others",
        "conflict", "indeterminate", "fleet-refuses", "second-controller", "no-tiers",
        "tier-empty", "nothing-interchangeable",
        "pool-refused", "plan-lapsed", "not-entitled", "quarantined",
    )
)  # fmt: skip  # one list, read as rows
"""The codes a decision raises and clears by itself."""

OF_SEATS = frozenset(
    f"core:{word}"
    for word in ("below-tier", "conflict", "indeterminate", "nothing-eligible", "nothing-interchangeable")
)
"""Those of them whose subject is a seat, `fleet/seat`."""

FAILING = frozenset({"throttled", "stale-credentials", "unsupported", "unreachable", "unrecognised"})
"""States in which a pool cannot be read."""


def conditions(
    moment: Moment,
    headroom: Headroom,
    history: History,
    seats: Sequence[SeatDecision],
    tables: Sequence[Table] = (),
    paces: Iterable[PoolPace] = (),
) -> tuple[Condition, ...]:
    """Those that stand, and those that ended now, sorted by key."""
    if moment.told is None:
        moment.told = tuple(_of_the_moment(moment, headroom))
    raised = [
        *moment.told,
        *_saturated(paces, history),
        *_seats(seats, moment.survey.policy),
        *_fleets(history, moment.survey.policy),
        *_empty(tables, moment.survey),
        *_alone(seats, tables, moment.survey),
    ]
    return tuple(sorted(_dated(raised, history), key=lambda condition: condition.key))


def _of_the_moment(moment: Moment, headroom: Headroom) -> Iterator[Fact]:
    """What stands whatever is decided: the state of pools and listings."""
    policy = moment.survey.policy
    yield from _pools(moment.sights)
    yield from stopped(one.circuit for one in moment.judged if not one.lifted)
    yield from _strangers(headroom, policy)
    yield from _inventories(moment.survey.inventory, policy, moment.sights)


def _dated(raised: Iterable[Fact], history: History) -> Iterator[Condition]:
    """Facts as conditions: since when they stand, what of the old ended, and what is not ours, carried through."""
    before = {condition.key: condition for condition in history.conditions if condition.status == "raised"}
    now: dict[tuple[str, str], Fact] = {(one.code, one.subject): one for one in raised}
    for key, made in now.items():
        ends, loud = CONDITIONS[made.code]
        since = before[key].since if key in before else history.as_of
        yield Condition(made, "raised", since, ends, loud)
    # of the seats of a fleet that cannot be written to nothing was found out, so what was said of them stands
    closed = tuple(
        f"{fleet.name}/" for fleet in history.fleets if fleet.refuses is not None or fleet.held_by is not None
    )
    for key, old in before.items():
        if key not in now:
            ours = old.fact.code in OWN and not (old.fact.code in OF_SEATS and old.fact.subject.startswith(closed))
            yield _cleared(old, history.as_of) if ours else old


def _cleared(old: Condition, as_of: datetime) -> Condition:
    return evolve(old, status="cleared", since=as_of)


def _named(code: str, subject: str, source: Fact) -> Fact:
    return Fact(f"core:{code}", subject, source.figures)


def _pools(sights: dict[str, Sight]) -> Iterator[Fact]:
    for name, sight in sights.items():
        known = sight.headroom
        for one, stands in sight.stands:
            scope = one.limit.scope
            if stands != "full" or (scope and scope.kind == "feature") or one.limit.frees_on == "release":
                continue
            why = fullness(sight.pool, known, one)
            if scope is not None:
                yield _named("model-capped", f"{name} {one.limit.name}", why)
            else:
                yield _named("pool-exhausted" if one.limit.frees_on == "reset" else "pool-empty", name, why)
        if known.state == "login-required":
            yield fact("login-required", name)
        if known.state in FAILING and not sight.pool.unmeasurable:
            yield fact("probe-failing", name, state=known.state)


def stopped(circuits: Iterable[Circuit]) -> Iterator[Fact]:
    """What stops in force mean to an operator, as far as he did not put them himself."""
    for circuit in circuits:
        code = "quarantined" if circuit.origin == "evidence" else STOPPED.get((circuit.kind, circuit.subject))
        if code is not None and circuit.origin != "operator":
            yield fact(code, circuit.name, **ends(circuit))


STOPPED: Mapping[tuple[FailureKind, Subject], str] = {
    ("quota", "pool"): "pool-refused",
    ("balance", "pool"): "pool-empty",
    ("lapsed", "pool"): "plan-lapsed",
    ("auth", "pool"): "login-required",
    ("entitlement", "candidate"): "not-entitled",
}
"""Kind and subject of a stop that a failure made → the condition it is."""


def _saturated(paces: Iterable[PoolPace], history: History) -> Iterator[Fact]:
    """Pools with nothing left to do about their pace: which way, what ran out, and what is left of the other levers.

    What was said stands while the level that would land the pool is out of reach on that side: the quiet hours of a day
    do not end it, nor its busy ones raise it anew.
    """
    before = {one.key for one in history.conditions if one.status == "raised"}
    for pace in paces:
        if pace.because == "uncontrolled":
            yield fact("saturated-by-others", pace.pool, seats=pace.seats)
        elif "down" in (pace.direction, pace.leans if ("core:saturated-down", pace.pool) in before else None):
            yield fact("saturated-down", pace.pool, demotable=pace.demotable, slowable=pace.slowable, seats=pace.seats)
        elif "up" in (pace.direction, pace.leans if ("core:saturated-up", pace.pool) in before else None):
            yield fact(
                "saturated-up", pace.pool, unspent=pace.unspent, restorable=pace.restorable,
                hastenable=pace.hastenable, seats=pace.seats,
            )  # fmt: skip  # the figures of one sentence


def _strangers(headroom: Headroom, policy: Policy) -> Iterator[Fact]:
    for name in headroom.pools:
        if name not in policy.pools:
            yield fact("unplaced-part", name)


def _inventories(inventory: Inventory, policy: Policy, sights: dict[str, Sight]) -> Iterator[Fact]:
    drawn = {pool for harness in policy.harnesses.values() for pool in harness.pools}
    for name in sorted(drawn & sights.keys()):
        shelf = inventory.pools.get(name)
        if shelf is None or not shelf.fresh:
            yield fact("inventory-unknown", name)
        elif shelf.rejects:
            for word in sights[name].caps:
                if not any(binds(word, model) for model in shelf.models):
                    yield fact("scope-unanswered", f"{name} {word}")


def _seats(seats: Iterable[SeatDecision], policy: Policy) -> Iterator[Fact]:
    uncontrolled: dict[str, int] = {}
    for seat in seats:
        placement = seat.placement
        name = f"{placement.fleet}/{placement.seat}"
        code = placement.fact.code.removeprefix("core:")
        if code in ("conflict", "indeterminate"):
            yield fact(code, name)
        if placement.act == "leave" and placement.candidate is not None:
            uncontrolled[placement.candidate.pool] = uncontrolled.get(placement.candidate.pool, 0) + 1
        if placement.act == "park" or code in ("parked", "still-full"):
            yield fact("nothing-eligible", name)
        if placement.home is not None and placement.candidate is not None and _stands(placement, policy):
            yield fact("below-tier", name, pool=placement.candidate.pool)
        if (
            seat.verdict is not None
            and seat.verdict.fact is not None
            and seat.verdict.fact.code == "core:model-invalid"
        ):
            yield seat.verdict.fact
    for pool, count in uncontrolled.items():
        yield fact("partly-controlled", pool, seats=count)


def _stands(placement: Placement, policy: Policy) -> bool:
    """Whether a seat is where it is placed: in a shadow fleet nothing that is decided is done."""
    fleet = policy.fleets.get(placement.fleet)
    return placement.act not in WRITES or fleet is None or fleet.mode == "enforce"


def _fleets(history: History, policy: Policy) -> Iterator[Fact]:
    for fleet in history.fleets:
        if fleet.held_by is not None:
            yield fact("second-controller", fleet.name)
        elif fleet.refuses is not None:
            yield fact("fleet-refuses", fleet.name, because=fleet.refuses)
        if fleet.seats and not policy.tiers.rows:
            yield fact("no-tiers", fleet.name)


def _empty(tables: Iterable[Table], survey: Survey) -> Iterator[Fact]:
    """Tiers that seats belong to and in which policy and inventory leave nothing to run, whatever is adopted."""
    refused = ({finding.answer for finding in place.findings} for place in survey.field.places)
    usable = {place.tier for place, said in zip(survey.field.places, refused, strict=True) if "no" not in said}
    asked = {table.need.tier for table in tables if table.need.tier in survey.policy.tiers.names}
    yield from (fact("tier-empty", f"{tier}") for tier in sorted(asked - usable, key=str) if survey.policy.tiers.rows)


def _alone(seats: Iterable[SeatDecision], tables: Sequence[Table], survey: Survey) -> Iterator[Fact]:
    """Seats with nothing else of their own tier to run on. Told where the policy looks for evidence: else nobody asked."""
    sideways: dict[int, set[Candidate]] = {}
    for seat in seats if survey.policy.tiers.sources else ():
        if seat.need is None or tables[seat.need].need.tier is None:
            continue
        if seat.need not in sideways:
            sideways[seat.need] = _own_tier(tables[seat.need].need, survey)
        placement = seat.placement
        if sideways[seat.need] <= {placement.candidate or placement.expected}:
            name = f"{placement.fleet}/{placement.seat}"
            yield fact("nothing-interchangeable", name, tier=tables[seat.need].need.tier)


def _own_tier(need: Need, survey: Survey) -> set[Candidate]:
    """The places of a need's own tier that neither policy nor inventory refuses it."""
    asking, settled = survey.answers(need)
    fits = [
        place.rank == asking.tier and (finding is None or finding.answer != "no")
        for place, finding in zip(survey.field.places, settled, strict=True)
    ]
    return {one for one, group in zip(survey.field.candidates, survey.field.groups, strict=True) if fits[group]}
