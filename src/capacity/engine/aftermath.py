"""What a placement asks of an actuator, and what became of one nobody heard of again. Pure."""

from __future__ import annotations

from attrs import evolve

from capacity.core.cases import OURS
from capacity.engine.documents import Written
from capacity.ports import Ability, Candidate, Outcome, Placement, Seat

SENT_AT_MOST = 2
"""How often one placement is sent: once, and once more where the seat is known to be as before."""


def asked_of(act: Placement) -> frozenset[Ability]:
    """The abilities an actuator needs for a placement."""
    here, there = act.expected, act.candidate
    needs: set[Ability] = {"park"} if act.act in ("park", "resume") else set()
    if there is not None and (here is None or (here.harness, here.model) != (there.harness, there.model)):
        needs.add("move")
    if there is not None and there.effort != (here.effort if here is not None else None):
        needs.add("effort")
    if act.cadence is not None:
        needs.add("cadence")
    return frozenset(needs)


def concluded(written: Written, seat: Seat | None, here: Candidate | None, *, again: bool) -> Outcome | None:
    """The outcome of an intent that has none; None = it is to be sent once more.

    Args:
        written: the intent.
        seat: the seat it was for, as read back; None = it is gone.
        here: where that seat is; None = its place is not known.
        again: whether its actuator reads back what it wrote, and may write.
    """
    act = written.placement
    if seat is None:
        return Outcome("gone", f"no seat is called {act.seat} any more")
    if seat.placement == act.id or _as_asked(act, seat, here):
        return Outcome("applied", "read back after its outcome was lost")
    if again and written.sent < SENT_AT_MOST and _as_before(act, seat, here):
        return None
    return Outcome("indeterminate", "its outcome was lost, and the seat as it stands does not tell it")


def _as_asked(act: Placement, seat: Seat, here: Candidate | None) -> bool:
    if act.act == "park":
        return seat.paused_by == OURS
    return seat.paused_by is None and same(here, act.candidate) and act.cadence in (None, seat.cadence)


def _as_before(act: Placement, seat: Seat, here: Candidate | None) -> bool:
    """Where it was expected is told in the fleet's own word for the model, which may stand for another."""
    if act.act == "resume":
        return seat.paused_by == OURS
    return seat.paused_by is None and here is not None and same(evolve(here, model=seat.model), act.expected)


def same(here: Candidate | None, there: Candidate | None) -> bool:
    """Whether two candidates are one place; an effort that is not told is no difference."""
    if here is None or there is None:
        return False
    efforts = here.effort == there.effort or here.effort is None
    return efforts and (here.harness, here.pool, here.model) == (there.harness, there.pool, there.model)
