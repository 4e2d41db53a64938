"""Fleets are read and written. A placement is journalled before it is sent, its outcome before the next is sent.

An outcome is entered only while the fleet is ours: whoever takes it over reads the seats back and finds out what became
of the intents that have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from attrs import evolve

from capacity.engine.aftermath import concluded
from capacity.engine.claims import Claims
from capacity.engine.documents import Written
from capacity.engine.ledger import Ledger
from capacity.engine.settings import Settings
from capacity.errors import CapacityError
from capacity.plugins.factories import said as told_of
from capacity.ports import Actuator, Candidate, Fleet, Outcome, Placement, Seat
from capacity.values.policy import Policy
from capacity.wire import Host, run, run_all

Where = Callable[[Seat], Candidate | None]
"""From a seat to where it is; None where that is not known."""


class Actuation:
    """The fleets of one policy.

    Args:
        policy: whose fleets.
        actuators: fleet → its actuator.
        ledger: where the journal is.
        host: where flows run.
        settings: how long one flow may take.
    """

    def __init__(
        self, policy: Policy, actuators: Mapping[str, Actuator], ledger: Ledger, host: Host, settings: Settings
    ) -> None:
        self._policy, self._actuators = policy, actuators
        self._ledger, self._host, self._settings = ledger, host, settings

    def read(self, others: Mapping[str, str]) -> tuple[Fleet, ...]:
        """Every fleet as it stands. One that cannot be read has no seats, and says why in `refuses`.

        Args:
            others: fleet → another controller that holds it.
        """
        flows = {name: (_fleet(actuator), self._settings.read_deadline) for name, actuator in self._actuators.items()}
        answers = run_all(flows, host=self._host) if flows else {}
        return tuple(self._read(name, answers[name], others.get(name)) for name in sorted(answers))

    def _read(self, name: str, answer: Any, held_by: str | None) -> Fleet:
        if isinstance(answer, Fleet):
            return evolve(answer, held_by=held_by)
        why = str(answer) if isinstance(answer, CapacityError) else f"its actuator failed: {told_of(answer)}"
        return Fleet(name, self._ledger.now(), refuses=why, held_by=held_by)

    def settle(
        self, unsettled: Iterable[Written], fleets: Iterable[Fleet], claims: Claims, where: Where
    ) -> tuple[Written, ...]:
        """Conclude the intents that have no outcome, from the seats as they were read back."""
        ours = {fleet.name: fleet for fleet in fleets if fleet.refuses is None and fleet.held_by is None}
        seats = {seat.key: seat for fleet in ours.values() for seat in fleet.seats}
        return tuple(
            self._conclude(written, seats.get(written.placement.key), claims, where)
            for written in unsettled
            if written.placement.fleet in ours
        )

    def _conclude(self, written: Written, seat: Seat | None, claims: Claims, where: Where) -> Written:
        name = written.placement.fleet
        again = "reads-back" in self._actuators[name].abilities and self._policy.fleets[name].mode == "enforce"
        outcome = concluded(written, seat, where(seat) if seat else None, again=again)
        if outcome is not None:
            return self._enter(written, outcome, claims)
        return self._send(self._journal(written.placement, written.sent + 1), claims) if claims.keep(name) else written

    def carry_out(self, intents: Iterable[Written], claims: Claims) -> tuple[Written, ...]:
        """Send what was journalled, fleet by fleet. A refusal of ours as such ends its fleet's tick."""
        done = []
        for fleet, group in groupby(intents, key=lambda written: written.placement.fleet):
            barred = False
            for written in group:
                if barred:
                    done.append(
                        self._enter(written, Outcome("unauthorised", f"not sent: {fleet} had refused us"), claims)
                    )
                elif claims.keep(fleet):
                    done.append(self._send(written, claims))
                    barred = done[-1].outcome is not None and done[-1].outcome.word == "unauthorised"
        return tuple(done)

    def intend(self, placements: Iterable[Placement], claims: Claims) -> tuple[Written, ...]:
        """Journal what is about to be sent, where the fleet is to be written to and still ours.

        The caller holds the durable transaction that keeps the decision too.
        """
        mine = {name: fleet.mode == "enforce" and claims.keep(name) for name, fleet in self._policy.fleets.items()}
        return tuple(self._journal(placement) for placement in placements if mine[placement.fleet])

    def _journal(self, placement: Placement, sent: int = 1) -> Written:
        written = Written(placement, self._ledger.now(), sent)
        with self._ledger.transaction(durable=True):
            self._ledger.write(written)
        return written

    def _send(self, written: Written, claims: Claims) -> Written:
        """Apply one placement. What could not be known is not entered: the next tick reads it back."""
        flow = _applied(self._actuators[written.placement.fleet], written.placement)
        try:
            outcome = run(flow, deadline=self._settings.apply_deadline, host=self._host)
        except CapacityError as error:
            outcome = Outcome("indeterminate", str(error))
        except Exception as error:  # noqa: BLE001  # whatever an actuator raises, it may have written before it did
            outcome = Outcome("indeterminate", f"its actuator failed: {told_of(error)}")
        if outcome.word == "indeterminate":
            return evolve(written, outcome=evolve(outcome, at=outcome.at or self._ledger.now()))
        return self._enter(written, outcome, claims)

    def _enter(self, written: Written, outcome: Outcome, claims: Claims) -> Written:
        """Journal an outcome, if the fleet is still ours to speak for."""
        at = self._ledger.now()
        done = evolve(written, at=at, outcome=evolve(outcome, at=outcome.at or at))
        with self._ledger.transaction(durable=True):
            if claims.keep(written.placement.fleet):
                self._ledger.write(done)
        return done


async def _fleet(actuator: Actuator) -> Fleet:
    fleet = await actuator.fleet()
    if not isinstance(fleet, Fleet):
        raise TypeError(f"fleet() returned {type(fleet).__name__}, not a Fleet")
    return fleet


async def _applied(actuator: Actuator, placement: Placement) -> Outcome:
    outcome = await actuator.apply(placement)
    if not isinstance(outcome, Outcome):
        raise TypeError(f"apply() returned {type(outcome).__name__}, not an Outcome")
    return outcome
