"""The `callback` actuator: an embedding host's own functions tell the seats and carry out a placement.

It cannot be named in a policy file: functions are given in Python. What a function raises is told by its type alone,
since nobody knows what its message holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import timedelta

from attrs import evolve, frozen

from capacity.actuators._transaction import ABILITIES, WritesPlacements, judge
from capacity.errors import CapacityError
from capacity.ports import Ability, Fleet, Outcome, Pause, Placement, Seat

NOW = Pause(timedelta(0))
"""Asks for the instant and nothing else."""


@frozen(kw_only=True)
class CallbackActuator(WritesPlacements):
    """Calls a host's functions.

    Attributes:
        name: the fleet's name.
        seats: tells the seats.
        carry_out: carries out a placement.
        abilities: what the host says it can do.
    """

    name: str
    seats: Callable[[], Iterable[Seat]]
    carry_out: Callable[[Placement], Outcome]
    abilities: frozenset[Ability]

    async def fleet(self) -> Fleet:
        """The seats the host tells, whatever fleet they say they are of.

        Raises:
            CapacityError: the host's function raised; its type is named.
        """
        pulse = await NOW
        try:
            seats = tuple(evolve(seat, fleet=self.name) for seat in self.seats())
        except Exception as error:  # noqa: BLE001 - a host's function may raise anything
            raise CapacityError(
                f"fleet {self.name}: the host's `seats` raised {type(error).__name__}; mend it"
            ) from None
        return Fleet(self.name, pulse.at, seats)

    async def apply(self, placement: Placement) -> Outcome:
        """Look at the seats, then call the host where the seat still is as expected."""
        try:
            fleet = await self.fleet()
        except CapacityError as error:
            return Outcome("rejected", str(error))
        seat = next((seat for seat in fleet.seats if seat.name == placement.seat), None)
        outcome = judge(seat, placement) or self._called(placement)
        return outcome if outcome.at else evolve(outcome, at=fleet.observed_at)

    def _called(self, placement: Placement) -> Outcome:
        try:
            outcome: object = self.carry_out(placement)
        except Exception as error:  # noqa: BLE001 - a host's function may raise anything
            return Outcome("indeterminate", f"the host's `apply` raised {type(error).__name__}")
        if not isinstance(outcome, Outcome):
            return Outcome("indeterminate", f"the host's `apply` gave {type(outcome).__name__}, not an Outcome")
        return outcome


def callback(
    *,
    fleet: str,
    seats: Callable[[], Iterable[Seat]],
    apply: Callable[[Placement], Outcome],
    abilities: Collection[Ability] = ABILITIES,
) -> CallbackActuator:
    """The actuator of a host that embeds the library and runs its agents itself.

    Args:
        fleet: the fleet's name.
        seats: tells the seats as they stand.
        apply: carries out one placement and says what became of it. It is called only where the seat is as the
            placement expects, from the engine's loop: what takes long belongs in a queue of the host's.
        abilities: what the functions can do; by default everything but preparing and reporting.
    """
    return CallbackActuator(name=fleet, seats=seats, carry_out=apply, abilities=frozenset(abilities))
