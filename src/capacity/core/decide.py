"""The decision, and the only file that knows its order.

1  sights      what each pool says for itself
2  candidates  adopted row × pool × model, in groups no rule can tell apart
3  verdicts    one table for each distinct need, made on the first seat that has it
4  acts        one act for each seat, in the order of (fleet, seat); each newly placed one counts as load
5  paces       one pacing move for each pool, made of seats that would stay
6  conditions  what stands, and what ended
"""

from __future__ import annotations

from datetime import datetime

from capacity.core.acts import act
from capacity.core.cases import Case
from capacity.core.conditions import conditions
from capacity.core.desk import Desk, OrderName
from capacity.core.steering import steered
from capacity.errors import CapacityError
from capacity.values.decision import Decision
from capacity.values.history import History
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.seats import Seat


def decide(
    inventory: Inventory, headroom: Headroom, policy: Policy, history: History, *, order: OrderName = "seats"
) -> Decision:
    """What the whole fleet should do now. Same inputs, same decision, byte for byte.

    Args:
        inventory: what can run.
        headroom: what is left.
        policy: what the operator wants; without one nothing can be decided.
        history: what has been done and what is held.
        order: what candidates are ranked by: as for seats, or as for the turns of sessions.

    Returns:
        One act for each seat, one table of verdicts for each distinct need, and the conditions.

    Raises:
        CapacityError: the inputs are not of one instant.
    """
    of_one_instant(inventory.as_of, headroom.as_of, history.as_of)
    desk = prepare(inventory, headroom, policy, history, order)
    tick = tick_id(history)
    cases = [case_of(desk, index, seat, tick) for index, seat in _in_turn(desk)]
    seats, paces = steered(cases, [act(case) for case in cases], headroom)
    return Decision(
        tick,
        history.as_of,
        order,
        desk.field.candidates,
        tuple(desk.field.groups),
        desk.verdicts,
        tuple(desk.tables),
        seats,
        conditions(desk.moment, headroom, history, seats, desk.tables, paces),
        paces,
        desk.moment.judged,
    )


def prepare(
    inventory: Inventory, headroom: Headroom, policy: Policy, history: History, order: OrderName = "seats"
) -> Desk:
    """Steps 1 and 2: the desk with its sights and candidates, before any seat is looked at."""
    desk = Desk(inventory, headroom, policy, history, order)
    if policy.high_volume.caps:
        for _, seat in _in_turn(desk):
            _count_often(desk, seat)
    return desk


def tick_id(history: History) -> str:
    """The id of the tick: its instant and turn."""
    return f"{history.as_of.isoformat().replace('+00:00', 'Z')}-{history.turn}"


def case_of(desk: Desk, fleet: int, seat: Seat, tick: str) -> Case:
    """A seat with everything its act hangs on."""
    asked = desk.survey.resolver.ask(seat)
    entry = desk.entries.get(seat.key)
    answers = desk.answers(asked.need)
    return Case(desk, desk.history.fleets[fleet], seat, asked, desk.moment.spot(seat), entry, answers, tick)


def _in_turn(desk: Desk) -> list[tuple[int, Seat]]:
    return [(index, seat) for index, fleet in enumerate(desk.history.fleets) for seat in fleet.seats]


def _count_often(desk: Desk, seat: Seat) -> None:
    if seat.paused_by is None and desk.survey.resolver.ask(seat).need.high_volume:
        candidate = desk.moment.spot(seat).candidate
        if candidate is not None:
            desk.count_often(candidate.pool)


def of_one_instant(*instants: datetime) -> None:
    """Inputs of different instants are refused: a figure is as good as its age.

    Raises:
        CapacityError: they differ.
    """
    if len(set(instants)) != 1:
        told = ", ".join(instant.isoformat() for instant in instants)
        raise CapacityError(
            f"inventory, headroom and history are of different instants ({told}); fold them to one as_of"
        )
