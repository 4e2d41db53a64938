"""One seat with everything its act hangs on, and why it may not be ours to touch. What others did is never undone."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from attrs import evolve

from capacity.core.desk import Answers, Desk
from capacity.core.moment import Spot
from capacity.core.needs import Asked
from capacity.values.conditions import Fact
from capacity.values.decision import TOOK, WRITES
from capacity.values.history import Entry
from capacity.values.seats import Candidate, Fleet, Seat

OURS = "capacity"
"""What a fleet says of a seat that we parked."""


class Case(NamedTuple):
    """One seat with everything its act hangs on."""

    desk: Desk
    fleet: Fleet
    seat: Seat
    asked: Asked
    spot: Spot
    entry: Entry | None
    answers: Answers
    tick: str

    @property
    def parked(self) -> bool:
        """Whether we parked it."""
        return self.seat.paused_by == OURS

    @property
    def name(self) -> str:
        """`fleet/seat`."""
        return f"{self.seat.fleet}/{self.seat.name}"

    @property
    def unseen(self) -> bool:
        """Whether the seat was last seen before our last write to it, so that how it looked then tells nothing."""
        entry = self.entry
        took = entry is not None and entry.outcome in TOOK and entry.act in WRITES
        return took and entry is not None and self.fleet.observed_at < entry.at

    def barred(self, candidate: Candidate) -> bool:
        """Whether a place is not to be had for this seat: its fleet would not take it, or its provider refused it."""
        here = self.spot.candidate
        if self.seat.refused is not None and here is not None and here.pool == candidate.pool:
            return True
        return any(one.bars(self.seat.fleet, self.seat.name, candidate) for one in self.desk.refusals)

    @property
    def own_cadence(self) -> timedelta | None:
        """The seat's own cadence while ours is in force; None where nobody changed it, or somebody else did since."""
        entry = self.entry
        ours = entry is not None and entry.own_cadence is not None and entry.cadence == self.seat.cadence
        return entry.own_cadence if ours and entry is not None else None

    @property
    def home(self) -> Candidate | None:
        """Where it belongs while it is parked or demoted by us."""
        return self.entry.home if self.entry is not None else None


def left_because(case: Case) -> Fact | None:
    """Why a seat is not ours to touch; None where it is."""
    desk, fleet, seat, entry = case.desk, case.fleet, case.seat, case.entry
    name = case.name
    if fleet.held_by is not None:
        return desk.fact("second-controller", fleet.name)
    if fleet.refuses is not None:
        return desk.fact("fleet-refuses", fleet.name)
    if seat.pinned or case.asked.pinned:
        return desk.fact("pinned", name)
    if seat.held or case.asked.held:
        return desk.fact("held", name)
    if seat.paused_by is not None and not case.parked:
        return desk.fact("paused", name)
    if case.unseen:
        return case.spot.why
    if entry is not None and entry.outcome == "indeterminate":
        return desk.fact("indeterminate", name)
    if case.parked and (entry is None or entry.act != "park"):
        return desk.fact("parked-by-whom", name)
    if entry is not None and _changed(case, entry):
        return desk.fact("conflict", name)
    return case.spot.why


def _changed(case: Case, entry: Entry) -> bool:
    """Whether somebody else changed the seat's place since our last write."""
    if entry.outcome not in TOOK or entry.act not in WRITES:
        return False
    if entry.act == "park":
        return not case.parked
    here = case.spot.candidate
    if here is None or entry.candidate is None or _same(here, entry.candidate):
        return False
    pending = entry.outcome in ("applied-not-running", "unverified")
    seen = observed(case)
    return not (pending and seen is not None and entry.expected is not None and _same(seen, entry.expected))


def observed(case: Case) -> Candidate | None:
    """Where the seat is, in its fleet's own word for the model: an actuator compares words and knows no alias."""
    here, word = case.spot.candidate, case.seat.model
    return here if here is None or here.model == word else evolve(here, model=word)


def _same(here: Candidate, there: Candidate) -> bool:
    """Whether two candidates are one place; an effort the fleet does not tell is no difference."""
    return here == there or (here.effort is None and evolve(here, effort=there.effort) == there)
