"""What every actuator of the core answers before it writes, and the two calls none of them offers.

A placement is one transaction on (harness, model, effort): it is written over the place it expects, or not at all.
"""

from __future__ import annotations

from attrs import evolve

from capacity.core.advance import seat_after
from capacity.ports import Ability, Candidate, Outcome, Placement, Seat, Snapshot
from capacity.values.decision import WRITES

Place = tuple[str, str, str | None]
"""(harness, model, effort)."""

ABILITIES: frozenset[Ability] = frozenset({"move", "effort", "cadence", "park", "reads-back"})
"""What the core's own actuators can do."""

OURS = "capacity"
"""Who paused a seat that was parked by us."""


def place_of(where: Seat | Candidate) -> Place:
    """The place of a seat or a candidate, without its pool: no transaction is about the pool."""
    return where.harness, where.model, where.effort


def told(place: Place) -> str:
    """A place as a person reads it."""
    harness, model, effort = place
    return f"{harness} with {model}" + (f" at {effort}" if effort else "")


def judge(seat: Seat | None, placement: Placement) -> Outcome | None:
    """Why a placement need not or must not be written; None = it is to be written.

    What a person or another program did to the seat since it was decided about comes before what we wanted. A seat
    that already is as asked is `unchanged`, whoever made it so; only a park is written again, since its end is news.
    """
    if placement.act not in WRITES:
        return Outcome("rejected", f"`{placement.act}` changes nothing and is not applied")
    if seat is None:
        return Outcome("gone", f"no seat is called {placement.seat} any more")
    if seat.placement == placement.id or (placement.act != "park" and _already(seat, placement)):
        return Outcome("unchanged")
    if seat.pinned or seat.held or seat.paused_by not in (None, OURS):
        return Outcome("conflict", f"{seat.name} was pinned, held or paused by somebody else since")
    if placement.expected is not None and place_of(seat) != place_of(placement.expected):
        return Outcome("conflict", f"{seat.name} runs {told(place_of(seat))}, not {told(place_of(placement.expected))}")
    return None


def _already(seat: Seat, placement: Placement) -> bool:
    return evolve(seat_after(seat, placement), placement=seat.placement) == seat


class WritesPlacements:
    """An actuator that neither prepares nor reports."""

    async def prepare(self, candidate: Candidate) -> Outcome:
        """Not offered: the ability is not declared."""
        return Outcome("rejected", f"this actuator cannot prepare {candidate.model}")

    async def report(self, snapshot: Snapshot) -> Outcome:
        """Not offered: the ability is not declared."""
        return Outcome("rejected", f"this actuator takes no report of {snapshot.as_of.isoformat()}")
