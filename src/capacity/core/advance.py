"""The world in which a decision was applied exactly as asked. Laws and replay use it; nothing real does."""

from __future__ import annotations

from attrs import evolve

from capacity.core.cases import OURS
from capacity.core.steering import steps
from capacity.values.decision import WRITES, Decision, Placement
from capacity.values.history import Entry, History
from capacity.values.seats import Fleet, Seat


def advance(history: History, decision: Decision) -> History:
    """The history after every act was applied as asked: seats moved, journal written, what ended taken out."""
    placed = {placement.key: placement for placement in decision.placements if placement.act in WRITES}
    entries = {entry.key: entry for entry in history.journal.entries}
    entries.update({key: entry_of(placement, history) for key, placement in placed.items()})
    levels = {step.pool: step for step in steps(history, decision)}
    lifted = {one.circuit.key for one in decision.circuits if one.lifted}
    circuits = tuple(one for one in history.holds.circuits if one.key not in lifted)
    return evolve(
        history,
        turn=history.turn + 1,
        fleets=tuple(_fleet(fleet, placed) for fleet in history.fleets),
        journal=evolve(history.journal, entries=tuple(entries.values()), levels={**history.journal.levels, **levels}),
        holds=evolve(history.holds, circuits=circuits),
        conditions=tuple(one for one in decision.conditions if one.status == "raised"),
    )


def entry_of(placement: Placement, history: History) -> Entry:
    """The journal entry of a placement that was applied."""
    return Entry(
        placement.id,
        placement.fleet,
        placement.seat,
        placement.act,
        "applied",
        history.as_of,
        candidate=placement.candidate,
        expected=placement.expected,
        home=placement.home,
        until=placement.until,
        cadence=placement.cadence,
        own_cadence=placement.own_cadence,
        because=placement.fact.code,
    )


def _fleet(fleet: Fleet, placed: dict[tuple[str, str], Placement]) -> Fleet:
    seats = (seat_after(seat, placed[seat.key]) if seat.key in placed else seat for seat in fleet.seats)
    return evolve(fleet, seats=tuple(seats))


def seat_after(seat: Seat, placement: Placement) -> Seat:
    """The seat after a placement was applied as asked."""
    if placement.act == "park":
        return evolve(seat, paused_by=OURS, placement=placement.id)
    there = placement.candidate
    if there is None:
        return seat
    return evolve(
        seat,
        harness=there.harness,
        pool=there.pool,
        model=there.model,
        effort=there.effort,
        cadence=placement.cadence or seat.cadence,
        paused_by=None,
        placement=placement.id,
    )
