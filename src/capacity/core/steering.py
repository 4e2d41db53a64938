"""The pacing of a fleet: after every seat has its act, those that stay are raised or lowered, one move a pool.

A seat is lowered between its tier and its floor, inside its pool, to places that nothing speaks against, so that placing
never calls it wrong; it is raised no further than where it was. Only seats that are ours to move take part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cached_property

from attrs import evolve

from capacity.core.cases import Case
from capacity.core.facts import fact
from capacity.core.ladders import Gear, Spread
from capacity.core.pacing import OVER, OWN, UNDER, Reach, landing, paced, saturated, target
from capacity.core.runners import Runner, burn, runner, turns
from capacity.core.tuning import Tuning
from capacity.values.conditions import Fact
from capacity.values.decision import Act, Decision, PoolPace, SeatDecision
from capacity.values.history import History, Level
from capacity.values.limits import Headroom, PoolHeadroom
from capacity.values.policy import Pacing
from capacity.values.seats import Candidate

SAME = 0.05
"""Share by which a cadence has to change to be worth a command."""

SMALL = 1e-9
"""A change of the level that is none."""

INSTANT = timedelta(milliseconds=2)
"""What is told later of one instant is told so much later: two of the steps that instants are cut to."""


def steered(
    cases: Sequence[Case], decided: Sequence[SeatDecision], headroom: Headroom
) -> tuple[tuple[SeatDecision, ...], tuple[PoolPace, ...]]:
    """The decisions with the pacing moves made, and how each pool that can be paced stands.

    Args:
        cases: the seats.
        decided: the act of each, in the same order.
        headroom: what is left.
    """
    if not cases:
        return tuple(decided), ()
    policy, seats = cases[0].desk.policy, list(decided)
    pilots = {
        name: Pilot(pool, cases[0].desk.history, policy.pacing, policy.pools[name].uncontrolled)
        for name, pool in headroom.pools.items()
        if name in policy.pools and any(one.pace for one in pool.limits)
    }
    enforced = {case.spot.candidate.pool for case in cases if case.spot.candidate is not None and _enforced(case)}
    for index, (case, made) in enumerate(zip(cases, decided, strict=True) if pilots else ()):
        here, there = case.spot.candidate, _place_after(case, made)
        stays = made.placement.act == "keep" and not case.parked and not case.unseen
        if stays and here is not None and here.pool in pilots and (_enforced(case) or here.pool not in enforced):
            pilots[here.pool].runners.append(runner(index, case, here, policy.pacing))
        elif there is not None and there.pool in pilots:
            pilots[there.pool].fixed += _burn_of(case, there, made.placement.cadence or case.seat.cadence)
    for pilot in pilots.values():
        for index, moved in pilot.moves(seats):
            seats[index] = moved
    _count(cases, seats, pilots)
    return tuple(seats), tuple(pilot.pace() for pilot in pilots.values())


def steps(history: History, decision: Decision, shadow: Collection[str] = ()) -> Iterator[Level]:
    """The levels in force from now on, where they differ from those before.

    A fleet that cannot be seen, or is another's, goes on as it was: then only what is changed of the others counts.

    Args:
        history: what was commanded before.
        decision: what is commanded now.
        shadow: fleets for which nothing of it is done.
    """
    blind = any(one.refuses is not None or one.held_by is not None for one in history.fleets)
    for pace in decision.paces:
        last = history.journal.levels.get(pace.pool)
        was = sum(pace.now.values())
        level = sum(value for fleet, value in pace.commanded.items() if fleet not in shadow)
        level += sum(value for fleet, value in pace.now.items() if fleet in shadow)
        if blind:
            level += (was if last is None else last.level) - was
        if (last is None and not blind) or (last is not None and abs(last.level - level) > SMALL):
            yield Level(pace.pool, decision.as_of, max(level, 0.0))


def corrected(history: History, decision: Decision, undone: Collection[tuple[str, str]]) -> Iterator[Level]:
    """The levels in force where some placements did not take, told an instant later.

    Args:
        history: what was commanded before, with the steps of this decision in it.
        decision: what was commanded.
        undone: (fleet, seat) of the placements that did not take.
    """
    for pace in decision.paces:
        back = sum(change for name, change in pace.changes.items() if tuple(name.split("/", 1)) in undone)
        last = history.journal.levels.get(pace.pool)
        if last is not None and abs(back) > SMALL:
            yield Level(pace.pool, max(last.at, decision.as_of) + INSTANT, max(last.level - back, 0.0))


def _count(cases: Sequence[Case], seats: Sequence[SeatDecision], pilots: Mapping[str, Pilot]) -> None:
    """The burn of every pool, as it is and as it is commanded, fleet by fleet, and what changes seat by seat."""
    for case, made in zip(cases, seats, strict=True) if pilots else ():
        placement, seat, entry = made.placement, case.seat, case.entry
        if placement.act == "leave":
            continue
        here = entry.candidate if case.unseen and entry is not None else None if case.parked else case.spot.candidate
        there = placement.candidate
        if here is not None and here.pool in pilots:
            pilots[here.pool].count(case, -_burn_of(case, here, seat.cadence), now=True)
        if there is not None and there.pool in pilots:
            pilots[there.pool].count(case, _burn_of(case, there, placement.cadence or seat.cadence), now=False)


def _place_after(case: Case, made: SeatDecision) -> Candidate | None:
    """Where a seat that is ours runs after a decision; None where it runs nowhere, or is not ours."""
    if made.placement.act == "leave":
        return None
    if case.unseen or _enforced(case):
        return made.placement.candidate
    return None if case.parked else case.spot.candidate


def _enforced(case: Case) -> bool:
    fleet = case.desk.policy.fleets.get(case.seat.fleet)
    return fleet is None or fleet.mode == "enforce"


def _burn_of(case: Case, there: Candidate, cadence: timedelta | None) -> float:
    return burn(case, there, case.desk.policy.pacing) * turns(cadence)


class Pilot:
    """Steers one pool.

    Attributes:
        runners: its seats that stay and are ours.
        fixed: the burn of seats that are ours and are not paced now: they came with this decision, or are only shadowed.
        now: fleet → the burn its seats make.
        commanded: fleet → the burn they will make.
    """

    def __init__(self, known: PoolHeadroom, history: History, pacing: Pacing, uncontrolled: float | None) -> None:
        self.known, self.pacing, self.history, self.uncontrolled = known, pacing, history, uncontrolled
        self.runners: list[Runner] = []
        self.now: defaultdict[str, float] = defaultdict(float)
        self.commanded: defaultdict[str, float] = defaultdict(float)
        self.changes: defaultdict[str, float] = defaultdict(float)
        self.fixed = 0.0
        self._moved = False

    def count(self, case: Case, burn: float, *, now: bool) -> None:
        """The burn of one seat, less where it is what it was."""
        (self.now if now else self.commanded)[case.seat.fleet] += abs(burn)
        self.changes[case.name] += burn

    @cached_property
    def spread(self) -> Spread:
        """Its seats, as they are and as they would be."""
        return Spread([one.ladder for one in self.runners], [one.rung for one in self.runners])

    def moves(self, decided: Sequence[SeatDecision]) -> Sequence[tuple[int, SeatDecision]]:
        """The decisions to put in place of those that only keep a seat: what is owed first, else the move of this tick."""
        found = [(one.index, _given_back(one, decided[one.index], self._why(OWN))) for one in self.runners if one.owes]
        if not found:
            gears = self._gears()
            found = [] if gears is None else list(self._made(gears, decided))
        self._moved = bool(found)
        return found

    @property
    def level(self) -> float:
        """The burn of the seats it can pace."""
        return sum(one.level for one in self.runners)

    def _gears(self) -> tuple[Gear, ...] | None:
        """Where its seats should stand; None = hold."""
        known, pacing = self.known, self.pacing
        if not self.runners or known.pace == "exhausted" or pacing.mode == "off" or self._dwells():
            return None
        if pacing.mode == "notch":
            return self._notch(self.spread)
        goal = target(self._wanted(), self.whole, self.bounds, Tuning(band=pacing.band), jump=known.jump)
        return None if goal is None else self.spread.at(goal - self.fixed)

    @property
    def whole(self) -> float:
        """The burn of all seats that are ours."""
        return self.level + self.fixed

    @property
    def bounds(self) -> Reach:
        """What all of them together can be commanded to."""
        reach = self.spread.reach
        return Reach(reach.low + self.fixed, reach.high + self.fixed)

    def _wanted(self) -> float | None:
        """The level that lands the pool, in the unit of its seats; where none was recorded it was told as a multiple."""
        wanted = self.known.wanted
        unknown = self.known.pool not in self.history.journal.levels
        return wanted * self.whole if wanted is not None and unknown else wanted

    def _dwells(self) -> bool:
        """Whether the level changed too lately for a figure to have shown it."""
        last = self.history.journal.levels.get(self.known.pool)
        return last is not None and last.at > self.history.as_of - self.pacing.tick / 2

    def _notch(self, spread: Spread) -> tuple[Gear, ...] | None:
        """One seat, one rung: the dearest falls first, and what fell last rises first."""
        step = {"over": -1, "under": 1}.get(self.known.pace)
        if step is None:
            return None
        split = spread.split(spread.here + step)
        return tuple((rung, one.cadence) for rung, one in zip(split, self.runners, strict=True))

    def _why(self, code: str) -> Fact:
        pressure = None if self.known.pressure is None else self.known.pressure.middle
        figures = {} if code == OWN else {"limit": self.known.binding, "pressure": pressure}
        return fact(code.removeprefix("core:"), self.known.pool, **figures)

    def _made(self, gears: Sequence[Gear], decided: Sequence[SeatDecision]) -> Iterator[tuple[int, SeatDecision]]:
        goal = sum(
            one.ladder.rungs[rung].burn * cadence for one, (rung, cadence) in zip(self.runners, gears, strict=True)
        )
        why = self._why(OVER if goal < self.level else UNDER)
        for one, (rung, cadence) in zip(self.runners, gears, strict=True):
            changed = abs(cadence / one.cadence - 1) > SAME if one.cadence else cadence > 0
            if rung != one.rung or changed:
                yield one.index, _moved(one, decided[one.index], rung, cadence if changed else one.cadence, why)

    def pace(self) -> PoolPace:
        """How the pool stands after the moves."""
        known, runners = self.known, self.runners
        reach = self.spread.reach if runners else None
        rungs = [(one.rung, len(one.places) - 1) for one in runners]
        spans = [(one.cadence, one.ladder.cadences) for one in runners]
        made = PoolPace(
            known.pool,
            known.pace,
            self.now,
            self.commanded,
            {name: change for name, change in self.changes.items() if abs(change) > SMALL},
            low=None if reach is None else reach.low,
            high=None if reach is None else reach.high,
            seats=len(runners),
            demotable=sum(rung > 0 for rung, _ in rungs),
            restorable=sum(rung < top for rung, top in rungs),
            slowable=sum(cadence > curve[0][0] * (1 + SAME) for cadence, curve in spans),
            hastenable=sum(cadence < curve[-1][0] * (1 - SAME) for cadence, curve in spans),
        )
        idle = self._moved or self.pacing.mode == "off" or not runners
        wanted = self._wanted()
        least, most = not (made.demotable or made.slowable), not (made.restorable or made.hastenable)
        declared = self.uncontrolled is not None
        end = None if idle else saturated(known.pace, wanted, self.whole, least=least, most=most, known=declared)
        if end is None:
            return evolve(made, leans=None if idle else self.bounds.beyond(wanted, self.pacing.band))
        return evolve(
            made, pace="saturated", direction=end[0], because=end[1], leans=end[0], unspent=self._unspent(end[0])
        )

    def _unspent(self, direction: str) -> float | None:
        """What the binding limit will lose at its reset if nothing changes, percent points."""
        one = next((one for one in self.known.limits if one.limit.name == self.known.binding), None)
        end = None if one is None or direction == "down" else landing(one, self.history.as_of)
        return None if end is None else end.unspent


def _moved(one: Runner, made: SeatDecision, rung: int, cadence: float, why: Fact) -> SeatDecision:
    """The decision that a seat stays, with its pacing move in place of that."""
    act: Act = "adjust" if rung == one.rung else "demote" if rung < one.rung else "restore"
    there, top = one.places[rung], one.case.home if paced(one.case.entry) else one.places[one.rung]
    return _placed(one, made, act, there, None if there == top else top, cadence, why)


def _given_back(one: Runner, made: SeatDecision, why: Fact) -> SeatDecision:
    """The decision that a seat stays, with what it is owed in place of that."""
    here = one.places[one.rung]
    home = one.case.home if paced(one.case.entry) and one.home is None and one.case.home != here else None
    act: Act = "adjust" if one.home is None else "restore"
    return _placed(one, made, act, one.home or here, home, 1.0 if one.owed else one.cadence, why)


def _placed(
    one: Runner, made: SeatDecision, act: Act, there: Candidate, home: Candidate | None, cadence: float, why: Fact
) -> SeatDecision:
    case = one.case
    commanded, own = (case.seat.cadence, case.own_cadence) if case.own_cadence is not None else (None, None)
    if one.own is not None and abs(cadence / one.cadence - 1) > SAME:
        near = abs(cadence - 1) <= SAME  # its own pace is given back whole, so that it never creeps
        commanded = one.own if near else timedelta(seconds=max(round(one.own.total_seconds() / cadence), 1))
        own = None if near else one.own
    moved = evolve(made.placement, act=act, fact=why, candidate=there, home=home, cadence=commanded, own_cadence=own)
    close = case.desk.close(case.answers, case.desk.field.index.get(there))
    return evolve(made, placement=moved, runners_up=close)
