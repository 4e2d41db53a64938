"""What an operator says beside the policy: stops, their lifting, and taking a seat as it stands."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from attrs import evolve

from capacity.codec.faults import nearest, quoted
from capacity.core.cases import OURS
from capacity.core.circuits import BARS
from capacity.core.facts import fact
from capacity.engine.claims import Claims
from capacity.engine.documents import Written
from capacity.engine.tick import Works, fold, spotter
from capacity.errors import CapacityError, Fault, PolicyError
from capacity.ports import Fleet, Outcome, Placement, Seat
from capacity.values.failures import Stop, Subject
from capacity.values.policy import Policy


def known(names: Collection[str], where: str, name: str, *, source: str = "policy") -> None:
    """Refuse a name that is none of those, with the nearest that is.

    Args:
        names: those there are.
        where: the key path at which they stand.
        name: the one that was asked for.
        source: what they stand in.

    Raises:
        PolicyError: it is none of them.
    """
    if name not in names:
        raise PolicyError(source, (Fault(where, f"no {quoted(name)} is there", nearest(name, names)),))


def stopped(policy: Policy, subject: Subject, name: str, note: str, at: datetime, *, lifted: bool) -> Stop:
    """An operator's stop, or its lifting, of something the policy knows.

    Raises:
        PolicyError: the policy does not know it.
    """
    if subject == "pool":
        known(policy.pools, "pools", name)
    elif subject == "backend":
        known({account.plugin for account in policy.accounts.values()}, "accounts.*.plugin", name)
    elif name.count("|") != BARS:
        raise PolicyError("stop", (Fault("candidate", f"{name!r} is none", "write harness|pool|model|effort"),))
    else:
        harness, pool, _, _ = name.split("|")
        known(policy.harnesses, "harnesses", harness)
        known(policy.pools, "pools", pool)
    return Stop(at, "operator", subject, name, lifted=lifted, note=note)


def accepted(works: Works, fleet: str, name: str) -> Placement:
    """Journal a seat as it stands, as if we had placed it there. One we parked stays parked and may be resumed.

    Raises:
        PolicyError: the fleet has no such seat.
        CapacityError: the fleet cannot be read, or another controller is writing to it.
    """
    ledger = works.ledger
    with Claims(ledger.store, works.holder, works.settings.fleet_life, [fleet]) as claims:
        if not claims.keep(fleet):
            raise CapacityError(f"fleet {fleet} is being written to by {claims.others[fleet]}; try again in a minute")
        fleets = works.actuation.read({})
        act = _as_it_stands(works, fleets, _seat(fleets, fleet, name))
        at = ledger.now()
        with ledger.transaction(durable=True):
            for written in ledger.unsettled():
                if written.placement.key == act.key:
                    lost = Outcome("indeterminate", "the operator took the seat as it stood", at)
                    ledger.write(evolve(written, at=at, outcome=lost))
            ledger.write(Written(act, at, outcome=Outcome("applied", at=at)))
    return act


def _seat(fleets: tuple[Fleet, ...], fleet: str, name: str) -> Seat:
    found = next(one for one in fleets if one.name == fleet)
    if found.refuses is not None and not found.seats:
        raise CapacityError(f"fleet {fleet} cannot be read: {found.refuses}")
    seats = {seat.name: seat for seat in found.seats}
    known(seats, "seats", name, source=f"fleet {fleet}")
    return seats[name]


def _as_it_stands(works: Works, fleets: tuple[Fleet, ...], seat: Seat) -> Placement:
    present = fold(works)
    here = spotter(works.policy, present, fleets)(seat)
    at = present.as_of.isoformat().replace("+00:00", "Z")
    why = fact("accepted", f"{seat.fleet}/{seat.name}")
    id = f"{at}-accepted/{seat.fleet}/{seat.name}"
    if seat.paused_by == OURS:
        return Placement(id, seat.fleet, seat.name, "park", why, expected=here, home=here)
    return Placement(id, seat.fleet, seat.name, "keep", why, here, here)
