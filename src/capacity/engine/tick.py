"""One tick, and the only file that knows its order.

1  produce   what is due is asked; what was said is published, and what was wrong with asking is a condition
2  claim     the fleets, in the order of their names
3  read      the seats as they stand
4  fold      every log, at one instant
5  settle    the intents of earlier ticks that have no outcome
6  decide    from the four values, and from nothing else
7  keep      the decision with its inputs, every level, every stop it lifts and every intent, in one durable transaction
8  apply     one placement after another, each outcome journalled before the next is sent
9  tell      conditions are entered; the fleets are told what is known
10 look      the fleets are let go, and tier sources that are due are asked; what they change is proposed
11 notify    the operator's command is told what changed
12 prune     what is too old and needed by nothing
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from attrs import evolve, frozen

from capacity.core.decide import decide, prepare
from capacity.core.judging import awaiting, liftings
from capacity.core.steering import corrected, steps
from capacity.engine.actuation import Actuation, Where
from capacity.engine.adopting import look
from capacity.engine.claims import Claims
from capacity.engine.documents import Written
from capacity.engine.ledger import Ledger
from capacity.engine.notify import notify
from capacity.engine.producer import Producer
from capacity.engine.proposing import of_tiers
from capacity.engine.rankings import RankingSources
from capacity.engine.settings import Settings
from capacity.engine.snapshot import snapshot
from capacity.engine.standing import (
    ENGINES,
    NOT_APPLIED,
    OF_TIERS,
    PLUGIN,
    UNTOLD,
    changes,
    lasting,
    news,
    not_applied,
    restated,
    with_untold,
)
from capacity.ports import Fleet, Outcome, Placement, Reading
from capacity.values.conditions import Condition
from capacity.values.decision import TOOK, WRITES, Decision
from capacity.values.failures import Circuit
from capacity.values.history import History, Holds
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.tick import Tick
from capacity.values.tiers import TierSet
from capacity.wire import Host


@frozen(eq=False)
class Works:
    """What a tick works with.

    Attributes:
        policy: what the operator wants.
        ledger: what is known and done.
        producer: asks the sources.
        actuation: reads and writes the fleets.
        host: where the notify command runs.
        holder: who claims.
        settings: lives and spans.
        made_by: distribution → version.
        rankings: asks the tier sources.
        folder: where the names of files in the policy begin.
    """

    policy: Policy
    ledger: Ledger
    producer: Producer
    actuation: Actuation
    host: Host
    holder: str
    settings: Settings
    made_by: Mapping[str, str]
    rankings: RankingSources
    folder: Path


@frozen
class Present:
    """Every log, folded at one instant.

    Attributes:
        as_of: the instant, UTC.
        inventory: what can run.
        headroom: what is left.
        circuits: stops in force.
    """

    as_of: datetime
    inventory: Inventory
    headroom: Headroom
    circuits: tuple[Circuit, ...]


@frozen
class Report:
    """What a tick did.

    Attributes:
        tick: the decision with everything it was made from.
        published: the readings that were published, sorted by pool.
        outcomes: what became of every placement that was sent or concluded, those of earlier ticks first.
        changed: conditions that were raised or ended.
        conditions: those that stand now, sorted by (code, subject).
        untold: who could not be told, and why.
        adopted: the tiers as the policy's own rule adopted them now; None = nothing was adopted.
    """

    tick: Tick
    published: tuple[Reading, ...] = ()
    outcomes: tuple[tuple[Placement, Outcome], ...] = ()
    changed: tuple[Condition, ...] = ()
    conditions: tuple[Condition, ...] = ()
    untold: tuple[str, ...] = ()
    adopted: TierSet | None = None

    @property
    def loud(self) -> tuple[Condition, ...]:
        """The standing conditions that need a person."""
        return tuple(condition for condition in self.conditions if condition.loud)


def tick(works: Works) -> Report:
    """Do the whole of it once."""
    ledger = works.ledger
    ledger.adopt(works.policy.tiers)
    before = ledger.conditions()
    published = produce(works)
    with Claims(ledger.store, works.holder, works.settings.fleet_life, sorted(works.policy.fleets)) as claims:
        fleets = works.actuation.read(claims.others)
        settled = settle(works, fleets, claims)
        if settled:
            fleets = works.actuation.read(claims.others)
        present = fold(works)
        decided = decision(works, present, fleets, take=True)
        intents = keep(works, decided, claims)
        done = (*settled, *works.actuation.carry_out(intents, claims))
        correct(works, decided, done)
        after = enter(works, standing(ledger.conditions(), decided, done), present.as_of)
        unheard = works.actuation.report(snapshot(ledger, works.policy), claims)
        after = enter(works, with_untold(after, unheard, present.as_of), present.as_of)
    adopted = look(works, fleets)
    after = enter(works, of_tiers(works, after), present.as_of)
    changed, untold = tell(works, before, after, present.as_of, _made(decided).id)
    untold += tuple(f"the fleet {name} was not told: {why}" for name, why in unheard.items())
    ledger.mark()
    ledger.prune(present.as_of - works.settings.retention)
    ledger.leasing.tidy(present.as_of, works.settings)
    ledger.spending.mark()
    outcomes = tuple((written.placement, written.outcome) for written in done if written.outcome is not None)
    return Report(decided, published, outcomes, changed, after, untold, adopted)


def plan(works: Works) -> Tick:
    """Decide from what was published and from the seats as they stand; claim, journal and apply nothing."""
    fleets = works.actuation.read({})
    return decision(works, fold(works), fleets, take=False)


def probe(works: Works) -> tuple[Reading, ...]:
    """Step 1 by itself, and who is told of it."""
    before, at = works.ledger.conditions(), works.ledger.now()
    published = produce(works)
    tell(works, before, works.ledger.conditions(), at, None)
    works.ledger.mark()
    return published


# --- the steps ----------------------------------------------------------------------------------


def produce(works: Works) -> tuple[Reading, ...]:
    """Step 1. A pool nobody runs on, or that is exhausted, is asked about less often, but not one that waits for an answer."""
    ledger, now = works.ledger, works.ledger.now()
    last, headroom = ledger.archive.last(), ledger.headroom(works.policy, now)
    unused = set() if last is None or last.running is None else works.policy.pools.keys() - set(last.running)
    exhausted = {name for name, pool in headroom.pools.items() if pool.pace == "exhausted"}
    stopped = awaiting(ledger.circuits(now, works.policy.circuits))
    produced = works.producer.produce(unused - stopped | exhausted)
    before, at = ledger.conditions(), ledger.now()
    unheard = lasting(before, PLUGIN, works.producer.sources - produced.asked)
    rest = [one for code in (NOT_APPLIED, UNTOLD, *OF_TIERS) for one in lasting(before, code)]
    rest += works.rankings.faults
    enter(works, restated(before, (*produced.raised, *unheard, *rest), at), at)
    return produced.readings


def fold(works: Works) -> Present:
    """Step 4."""
    ledger, as_of = works.ledger, works.ledger.now()
    return Present(
        as_of,
        ledger.inventory(works.policy, as_of),
        ledger.headroom(works.policy, as_of),
        ledger.circuits(as_of, works.policy.circuits),
    )


def settle(works: Works, fleets: tuple[Fleet, ...], claims: Claims) -> tuple[Written, ...]:
    """Step 5. Where anything was left, the fleets are read again afterwards: it may have been sent once more."""
    unsettled = works.ledger.unsettled()
    if not unsettled:
        return ()
    return works.actuation.settle(unsettled, fleets, claims, spotter(works.policy, fold(works), fleets))


def decision(works: Works, present: Present, fleets: tuple[Fleet, ...], *, take: bool) -> Tick:
    """Step 6; `take` the next number, or only look at it."""
    ledger, turn = works.ledger, works.ledger.turn(take=take)
    holds = Holds(present.circuits, ledger.leasing.leases(present.as_of))
    spent = ledger.spending.spent(works.policy, present.as_of, present.inventory)
    conditions = ledger.conditions()
    history = History(present.as_of, turn, ledger.seed(), fleets, ledger.journal(), holds, conditions, spent)
    made = decide(present.inventory, present.headroom, works.policy, history)
    return Tick(present.inventory, present.headroom, works.policy, history, made, works.made_by)


def keep(works: Works, decided: Tick, claims: Claims) -> tuple[Written, ...]:
    """Step 7: either the decision and all its intents are there, or none of it."""
    made = _made(decided)
    shadow = [name for name, fleet in works.policy.fleets.items() if fleet.mode == "shadow"]
    with works.ledger.transaction(durable=True):
        works.ledger.archive.keep(decided, running(made))
        works.ledger.command(steps(decided.history, made, shadow))
        works.ledger.stop(*liftings(made.circuits, made.as_of))
        return works.actuation.intend((one for one in made.placements if one.act in WRITES), claims)


def correct(works: Works, decided: Tick, done: Iterable[Written]) -> None:
    """Step 8, its end: what did not take changed no level, whatever was commanded."""
    undone = {one.placement.key for one in done if one.outcome is not None and one.outcome.word not in TOOK}
    if undone:
        history = evolve(decided.history, journal=works.ledger.journal())
        with works.ledger.transaction():
            works.ledger.command(corrected(history, _made(decided), undone))


def enter(works: Works, after: tuple[Condition, ...], at: datetime) -> tuple[Condition, ...]:
    """Step 9: enter what stands now in place of what stood."""
    with works.ledger.transaction():
        works.ledger.note(changes(works.ledger.conditions(), after, at))
    return after


def tell(
    works: Works, before: tuple[Condition, ...], after: tuple[Condition, ...], at: datetime, tick: str | None
) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
    """Step 11: what is news, and who could not be told of it."""
    told = news(before, changes(before, after, at))
    unheard = notify(works.policy.notify, tick, told, works.host, works.settings.notify_deadline)
    return told, () if unheard is None else (unheard,)


# --- what the steps ask -------------------------------------------------------------------------


def spotter(policy: Policy, present: Present, fleets: tuple[Fleet, ...]) -> Where:
    """From a seat to where it is, as the decision would tell it."""
    history = History(present.as_of, fleets=fleets, holds=Holds(present.circuits))
    desk = prepare(present.inventory, present.headroom, policy, history)
    return lambda seat: desk.moment.spot(seat).candidate


def running(made: Decision) -> tuple[str, ...] | None:
    """The pools a seat runs on after a decision; None where the place of some seat that may run is not known."""
    placements = made.placements
    if any(one.act == "leave" and one.candidate is None for one in placements):
        return None
    return tuple(sorted({one.candidate.pool for one in placements if one.candidate is not None}))


def _made(decided: Tick) -> Decision:
    if decided.decision is None:
        raise ValueError("this tick has not been decided")
    return decided.decision


def standing(before: tuple[Condition, ...], decided: Tick, done: Iterable[Written]) -> tuple[Condition, ...]:
    """What stands after a tick. A placement that did not take is told until its fleet was written to without it."""
    fleets = (fleet for fleet in decided.history.fleets if fleet.held_by is not None or fleet.refuses is not None)
    closed = tuple(f"{fleet.name}/" for fleet in fleets)
    own = (one.fact for one in before if one.fact.code in ENGINES and one.fact.code != UNTOLD)
    lasts = (one for one in own if one.code != NOT_APPLIED or one.subject.startswith(closed))
    raised = (condition for condition in _made(decided).conditions if condition.status == "raised")
    return restated(raised, (*lasts, *not_applied(done)), decided.history.as_of)
