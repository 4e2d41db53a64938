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
from capacity.core.ladders import Place, Spread
from capacity.core.pacing import OVER, OWN, UNDER, landing, saturated, target
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
    for index, (case, made) in enumerate(zip(cases, decided, strict=True) if pilots else ()):
        here = case.spot.candidate
        stays = made.placement.act == "keep" and not case.parked and not case.unseen
        if stays and here is not None and here.pool in pilots:
            pilots[here.pool].runners.append(runner(index, case, here, policy.pacing))
    for pilot in pilots.values():
        for index, moved in pilot.moves(seats):
            seats[index] = moved
    _count(cases, seats, pilots)
    return tuple(seats), tuple(pilot.pace() for pilot in pilots.values())


def steps(history: History, decision: Decision, shadow: Collection[str] = ()) -> Iterator[Level]:
    """The levels in force from now on, where they differ from those before.

    Args:
        history: what was commanded before.
        decision: what is commanded now.
        shadow: fleets for which nothing of it is done.
    """
    for pace in decision.paces:
        last = history.journal.levels.get(pace.pool)
        level = sum(value for fleet, value in pace.commanded.items() if fleet not in shadow)
        level += sum(value for fleet, value in pace.now.items() if fleet in shadow)
        if last is None or abs(last.level - level) > 1e-9:
            yield Level(pace.pool, decision.as_of, level)


def _count(cases: Sequence[Case], seats: Sequence[SeatDecision], pilots: Mapping[str, Pilot]) -> None:
    """The burn of every pool, as it is and as it is commanded, fleet by fleet."""
    for case, made in zip(cases, seats, strict=True) if pilots else ():
        placement, seat, entry = made.placement, case.seat, case.entry
        here = entry.candidate if case.unseen and entry is not None else None if case.parked else case.spot.candidate
        there = placement.candidate
        if placement.act == "leave":
            continue
        if here is not None and here.pool in pilots:
            pilots[here.pool].now[seat.fleet] += _burn_of(case, here, seat.cadence)
        if there is not None and there.pool in pilots:
            pilots[there.pool].commanded[seat.fleet] += _burn_of(case, there, placement.cadence or seat.cadence)


def _burn_of(case: Case, there: Candidate, cadence: timedelta | None) -> float:
    return burn(case, there, case.desk.policy.pacing) * turns(cadence)


class Pilot:
    """Steers one pool.

    Attributes:
        runners: its seats that stay and are ours.
        now: fleet → the burn its seats make.
        commanded: fleet → the burn they will make.
    """

    def __init__(self, known: PoolHeadroom, history: History, pacing: Pacing, uncontrolled: float | None) -> None:
        self.known, self.pacing, self.history, self.uncontrolled = known, pacing, history, uncontrolled
        self.runners: list[Runner] = []
        self.now: defaultdict[str, float] = defaultdict(float)
        self.commanded: defaultdict[str, float] = defaultdict(float)
        self._moved = False

    @cached_property
    def spread(self) -> Spread:
        """Its seats, as they are and as they would be."""
        return Spread([one.ladder for one in self.runners], [one.rung for one in self.runners])

    def moves(self, decided: Sequence[SeatDecision]) -> Sequence[tuple[int, SeatDecision]]:
        """The decisions to put in place of those that only keep a seat."""
        level = sum(one.level for one in self.runners)
        places = self._places(self.spread, level)
        found = [] if places is None else list(self._made(places, level, decided))
        self._moved = bool(found)
        return found

    def _places(self, spread: Spread, level: float) -> tuple[Place, ...] | None:
        """Where its seats should stand; None = hold."""
        known, pacing = self.known, self.pacing
        if not self.runners or known.pace == "exhausted":
            return None
        if pacing.mode == "off":
            return tuple((len(one.places) - 1, 1.0 if one.own else one.cadence) for one in self.runners)
        if self._dwells():
            return None
        if pacing.mode == "notch":
            return self._notch(spread)
        wanted = self._wanted(level)
        goal = target(wanted, level, spread.reach, Tuning(band=pacing.band), jump=known.jump)
        return None if goal is None else spread.at(goal)

    def _wanted(self, level: float) -> float | None:
        """The level that lands the pool, in the unit of its seats; where none was recorded it was told as a multiple."""
        wanted = self.known.wanted
        unknown = self.known.pool not in self.history.journal.levels
        return wanted * level if wanted is not None and unknown else wanted

    def _dwells(self) -> bool:
        """Whether the level changed too lately for a figure to have shown it."""
        last = self.history.journal.levels.get(self.known.pool)
        return last is not None and last.at > self.history.as_of - self.pacing.tick / 2

    def _notch(self, spread: Spread) -> tuple[Place, ...] | None:
        """One seat, one rung: the dearest falls first, and what fell last rises first."""
        step = {"over": -1, "under": 1}.get(self.known.pace)
        if step is None:
            return None
        split = spread.split(spread.here + step)
        return tuple((rung, one.cadence) for rung, one in zip(split, self.runners, strict=True))

    def _made(
        self, places: Sequence[Place], level: float, decided: Sequence[SeatDecision]
    ) -> Iterator[tuple[int, SeatDecision]]:
        goal = sum(
            one.ladder.rungs[rung].burn * cadence for one, (rung, cadence) in zip(self.runners, places, strict=True)
        )
        code = OWN if self.pacing.mode == "off" else OVER if goal < level else UNDER
        pressure = None if self.known.pressure is None else self.known.pressure.middle
        why = fact(code.removeprefix("core:"), self.known.pool, limit=self.known.binding, pressure=pressure)
        for one, (rung, cadence) in zip(self.runners, places, strict=True):
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
            low=None if reach is None else reach.low,
            high=None if reach is None else reach.high,
            seats=len(runners),
            demotable=sum(rung > 0 for rung, _ in rungs),
            restorable=sum(rung < top for rung, top in rungs),
            slowable=sum(cadence > curve[0][0] * (1 + SAME) for cadence, curve in spans),
            hastenable=sum(cadence < curve[-1][0] * (1 - SAME) for cadence, curve in spans),
        )
        level = sum(one.level for one in runners)
        idle = self._moved or self.pacing.mode == "off"
        wanted = self._wanted(level)
        declared = self.uncontrolled is not None
        end = None if idle else saturated(known.pace, wanted, level, reach, known=declared)
        if end is None:
            return evolve(made, leans=None if idle or reach is None else reach.beyond(wanted, self.pacing.band))
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
    placement, case = made.placement, one.case
    there = one.places[rung]
    act: Act = "adjust" if rung == one.rung else "demote" if rung < one.rung else "restore"
    commanded = own = None
    if one.own is not None and abs(cadence / one.cadence - 1) > SAME:
        commanded = timedelta(seconds=max(round(one.own.total_seconds() / cadence), 1))
        own = None if abs(cadence - 1) <= SAME else one.own
    elif case.entry is not None:
        own = case.entry.own_cadence
    moved = evolve(
        placement, act=act, fact=why, candidate=there, home=None if rung == len(one.places) - 1 else one.places[-1],
        cadence=commanded, own_cadence=own,
    )  # fmt: skip  # the parts that differ
    close = case.desk.close(case.answers, case.desk.field.index.get(there))
    return evolve(made, placement=moved, runners_up=close)
