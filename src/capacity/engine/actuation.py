"""Fleets are read and written. A placement is journalled before it is sent, its outcome before the next is sent.

An outcome is entered only while the fleet is ours: whoever takes it over reads the seats back and finds out what became
of the intents that have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import TypeVar

from attrs import evolve

from capacity.engine.aftermath import asked_of, concluded
from capacity.engine.claims import Claims
from capacity.engine.documents import Written
from capacity.engine.ledger import Ledger
from capacity.engine.settings import Settings
from capacity.errors import CapacityError, PluginError
from capacity.plugins.factories import said as told_of
from capacity.ports import Actuator, Candidate, Fleet, Flow, Outcome, Placement, Seat, Snapshot
from capacity.values.decision import TOOK
from capacity.values.policy import Policy
from capacity.wire import Host, run, run_all

V = TypeVar("V")
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
        deadline = self._settings.read_deadline
        flows = {name: (typed(Fleet, actuator.fleet), deadline) for name, actuator in self._actuators.items()}
        answers = run_all(flows, host=self._host) if flows else {}
        return tuple(self._read(name, answers[name], others.get(name)) for name in sorted(answers))

    def _read(self, name: str, answer: Fleet | Exception, held_by: str | None) -> Fleet:
        if isinstance(answer, Fleet):
            told = {answer.name, *(seat.fleet for seat in answer.seats)}
            if told == {name}:
                return evolve(answer, held_by=held_by, abilities=tuple(self._actuators[name].abilities))
            answer = PluginError(f"its actuator told of {', '.join(sorted(told - {name}))} instead")
        return Fleet(name, self._ledger.now(), refuses=_why(answer), held_by=held_by)

    def settle(
        self, unsettled: Iterable[Written], fleets: Iterable[Fleet], claims: Claims, where: Where
    ) -> tuple[Written, ...]:
        """Conclude the intents that have no outcome, from the seats as they were read back: seen since, not before."""
        ours = {fleet.name: fleet for fleet in fleets if fleet.refuses is None and fleet.held_by is None}
        seats = {seat.key: seat for fleet in ours.values() for seat in fleet.seats}
        return tuple(
            self._conclude(written, seats.get(written.placement.key), claims, where)
            for written in unsettled
            if (fleet := ours.get(written.placement.fleet)) is not None and fleet.observed_at >= written.at
        )

    def _conclude(self, written: Written, seat: Seat | None, claims: Claims, where: Where) -> Written:
        name = written.placement.fleet
        again = "reads-back" in self._actuators[name].abilities and self._writes(name)
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
        mine = {name: self._writes(name) and claims.keep(name) for name in self._policy.fleets}
        return tuple(self._journal(placement) for placement in placements if mine[placement.fleet])

    def _journal(self, placement: Placement, sent: int = 1) -> Written:
        written = Written(placement, self._ledger.now(), sent)
        with self._ledger.transaction(durable=True):
            self._ledger.write(written)
        return written

    def _send(self, written: Written, claims: Claims) -> Written:
        """Apply one placement. What could not be known is not entered: the next tick reads it back."""
        act, actuator = written.placement, self._actuators[written.placement.fleet]
        lacking = asked_of(act) - actuator.abilities
        if lacking:
            refusal = Outcome("rejected", f"the actuator of {act.fleet} does not offer {', '.join(sorted(lacking))}")
            return self._enter(written, refusal, claims)
        try:
            flow = typed(Outcome, actuator.apply, act)
            outcome = run(flow, deadline=self._settings.apply_deadline, host=self._host)
        except Exception as error:  # noqa: BLE001 - whatever an actuator raises, it may have written before it did
            outcome = Outcome("indeterminate", _why(error))
        if outcome.word == "indeterminate":
            return evolve(written, outcome=evolve(outcome, at=outcome.at or self._ledger.now()))
        return self._enter(written, outcome, claims)

    def report(self, snapshot: Snapshot, claims: Claims) -> dict[str, str]:
        """Tell the fleets that are ours to write what is known, where their actuators take it; fleet → why it was not."""
        takes = {name: one for name, one in self._actuators.items() if "report" in one.abilities and self._writes(name)}
        flows = {
            name: (typed(Outcome, actuator.report, snapshot), self._settings.read_deadline)
            for name, actuator in takes.items()
            if claims.keep(name)
        }
        answers = run_all(flows, host=self._host) if flows else {}
        refused = {name: _refusal(answer) for name, answer in answers.items()}
        return {name: why for name, why in refused.items() if why is not None}

    def _writes(self, fleet: str) -> bool:
        return self._policy.fleets[fleet].mode == "enforce"

    def _enter(self, written: Written, outcome: Outcome, claims: Claims) -> Written:
        """Journal an outcome, if the fleet is still ours to speak for."""
        at = self._ledger.now()
        done = evolve(written, at=at, outcome=evolve(outcome, at=outcome.at or at))
        with self._ledger.transaction(durable=True):
            if claims.keep(written.placement.fleet):
                self._ledger.write(done)
        return done


async def typed(form: type[V], make: Callable[..., Flow[V]], *given: object) -> V:
    """What an actuator's flow returns; made in here, so that one that fails while it is made fails alone."""
    value = await make(*given)
    if not isinstance(value, form):
        raise TypeError(f"it returned {type(value).__name__}, not {form.__name__}")
    return value


def _why(error: BaseException) -> str:
    return str(error) if isinstance(error, CapacityError) else f"its actuator failed: {told_of(error)}"


def _refusal(answer: Outcome | Exception) -> str | None:
    if isinstance(answer, Exception):
        return _why(answer)
    return None if answer.word in TOOK else f"{answer.word}, {answer.detail}"
