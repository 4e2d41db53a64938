"""What one seat can be commanded to: its rungs between home and floor, its cadences, and what each burns.

A rung below home is the first place of its tier, in the same pool and harness, that nothing speaks against and that burns
less by the policy's word. A seat is never raised above where it was.
"""

from __future__ import annotations

from datetime import timedelta
from math import sqrt

from attrs import frozen

from capacity.core.acts import answer, rank
from capacity.core.cases import Case
from capacity.core.ladders import STEADY, Cadences, Ladder, Rung
from capacity.core.pacing import paced
from capacity.values.policy import Pacing
from capacity.values.seats import Candidate

HOUR = 3600.0

EXTRA = 0.25
"""What a turn beyond a seat's own pace is worth against one of its own; 0.15 to 0.40 is the range assumed in simulation."""


@frozen
class Runner:
    """One seat that is ours to pace.

    Attributes:
        index: of its decision.
        case: the seat.
        places: its rungs as candidates, the cheapest first.
        ladder: its rungs and cadences.
        rung: where it stands.
        own: its own cadence; None = it cannot be changed.
        cadence: its cadence now, as a multiple of its own pace.
        home: where it is to go back to, since rungs are no lever any more; None = nothing is owed.
        owed: its cadence is to be given back, since cadences are no lever any more.
    """

    index: int
    case: Case
    places: tuple[Candidate, ...]
    ladder: Ladder
    rung: int
    own: timedelta | None
    cadence: float
    home: Candidate | None = None
    owed: bool = False

    @property
    def owes(self) -> bool:
        """Whether anything is to be given back."""
        return self.home is not None or self.owed

    @property
    def level(self) -> float:
        """The burn it makes now."""
        return self.ladder.rungs[self.rung].burn * self.cadence


def runner(index: int, case: Case, here: Candidate, pacing: Pacing) -> Runner:
    """A seat that stays where it is, as it can be paced; with what it is owed where a lever was taken away."""
    entry, now = case.entry, case.seat.cadence
    lowered = entry is not None and paced(entry) and entry.home != here
    home = entry.home if entry is not None and entry.home is not None and lowered else here
    places = _places(case, here, home, pacing) if "rung" in pacing.levers and pacing.mode != "off" else (here,)
    back = home if lowered and home not in places and answer(case, home) == "yes" else None
    own = case.own_cadence or now
    able = own is not None and own.total_seconds() > 0 and "cadence" in case.fleet.abilities
    moves = able and "cadence" in pacing.levers and pacing.mode == "level"
    pace, base = turns(own), burn(case, places[-1], pacing)
    rungs = tuple(Rung(burn(case, one, pacing) * pace, sqrt(burn(case, one, pacing) / base) * pace) for one in places)
    return Runner(
        index, case, places, Ladder(rungs, _cadences(pacing) if moves else STEADY), places.index(here),
        own if able else None, 1.0 if own is None or not now else own / now,
        home=back, owed=able and not moves and case.own_cadence is not None,
    )  # fmt: skip  # in the order of the class


def turns(cadence: timedelta | None) -> float:
    """Turns an hour; one where nobody tells."""
    seconds = cadence.total_seconds() if cadence is not None else 0.0
    return HOUR / seconds if seconds > 0 else 1.0


def _cadences(pacing: Pacing) -> Cadences:
    """The curve of what a cadence is worth: a turn is worth a turn up to a seat's own pace, and less beyond."""
    points = {pacing.slowest: pacing.slowest, 1.0: 1.0, pacing.fastest: 1.0 + EXTRA * (pacing.fastest - 1.0)}
    return tuple(sorted(points.items()))


def burn(case: Case, candidate: Candidate, pacing: Pacing) -> float:
    """The burn of a place relative to others, by any name its model answers to; 1 where the policy tells none."""
    harness = case.desk.policy.harnesses.get(candidate.harness)
    found = case.desk.survey.found(harness, candidate.pool, candidate.model) if harness and pacing.rungs else ()
    names = {candidate.model.casefold(), *(name for one in found for name in one.model.names)}
    return next((burn for name, burn in pacing.rungs.items() if name.casefold() in names), 1.0)


def _places(case: Case, here: Candidate, home: Candidate, pacing: Pacing) -> tuple[Candidate, ...]:
    """Home, where nothing speaks against it, and below it down to the floor the first place of each tier that is free to
    use and burns less; cheapest first. Here alone where a rung is not known to burn less.
    """
    field, answers = case.desk.field, case.answers
    found: dict[int, Candidate] = {}
    for group, place in enumerate(field.places):
        at_hand = (place.harness, place.pool) == (home.harness, home.pool) and answers.worst[group] is None
        if at_hand and place.rank is not None and place.rank > rank(case, home) and field.firsts[group]:
            first = field.candidates[field.firsts[group][0]]
            found[place.rank] = min(found.get(place.rank, first), first, key=_key)
    ladder = [home]
    for _, candidate in sorted(found.items()):
        if not case.barred(candidate) and burn(case, candidate, pacing) < burn(case, ladder[-1], pacing):
            ladder.append(candidate)
    if here not in ladder:
        return (here,)
    if here != home and answer(case, home) != "yes":
        ladder.remove(home)
    return tuple(ladder[::-1])


def _key(candidate: Candidate) -> tuple[str, str, str, str]:
    return candidate.key
