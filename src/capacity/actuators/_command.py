"""The `command` actuator: an operator's own programs tell the seats and carry out a placement.

No shell is involved, no secret is handed on, and a program that ends in any way not listed is *indeterminate*:
nobody knows what it did, so the seats are read back before anything is tried again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from string import Formatter
from typing import cast, get_args

from attrs import evolve, frozen

from capacity.actuators._form import Row, opened, seats_in
from capacity.actuators._transaction import ABILITIES, WritesPlacements, judge
from capacity.codec import dumps
from capacity.errors import CapacityError, Fault, FormError, NotFound, Refused, WireError
from capacity.ports import Ability, Exit, Fleet, Outcome, Placement, Run
from capacity.values.decision import OutcomeWord

EXITS: Mapping[int, OutcomeWord] = {
    0: "applied",
    10: "unchanged",
    11: "conflict",
    12: "gone",
    13: "rejected",
    14: "unauthorised",
    15: "applied-not-running",
    16: "unverified",
}
"""Exit code → outcome. 1 and 2 are what a shell and most programs say of a fault of their own, so they mean nothing."""

BLANKS = ("act", "effort", "fleet", "harness", "id", "model", "pool", "seat")
"""What may stand in braces in the words of `apply`."""


@frozen(kw_only=True)
class CommandActuator(WritesPlacements):
    """Runs an operator's programs.

    Attributes:
        name: the fleet's name.
        seats: argv that prints the seats.
        words: argv that carries out a placement.
        timeout: until either has ended.
        abilities: what the operator says it can do.
    """

    name: str
    seats: tuple[str, ...]
    words: tuple[str, ...]
    timeout: timedelta
    abilities: frozenset[Ability]

    async def fleet(self) -> Fleet:
        """The seats the program prints.

        Raises:
            CapacityError: it could not be run, ended with another code than 0, or printed no seats.
        """
        end = await Run(self.seats, timeout=self.timeout)
        if end.code != 0:
            raise CapacityError(f"{self.seats[0]}: ended with exit code {end.code} instead of seats; run it by hand")
        table = opened(end.stdout, self.seats[0])
        faults: list[Fault] = []
        top = Row(table, "", faults)
        fleet = Fleet(self.name, end.at, tuple(seats_in(top, self.name).values()), refuses=top.text("refuses"))
        if faults:
            raise FormError(self.seats[0], tuple(faults))
        return fleet

    async def apply(self, placement: Placement) -> Outcome:
        """Look at the seats, then run the program where the seat still is as expected."""
        try:
            fleet = await self.fleet()
        except CapacityError as error:
            return Outcome("rejected", str(error))
        seat = next((seat for seat in fleet.seats if seat.name == placement.seat), None)
        answer = judge(seat, placement)
        if answer is not None:
            return evolve(answer, at=fleet.observed_at)
        return await self._run(placement)

    async def _run(self, placement: Placement) -> Outcome:
        argv = tuple(word.format_map(_blanks(placement)) for word in self.words)
        try:
            return _outcome(await Run(argv, stdin=dumps(placement), timeout=self.timeout))
        except (NotFound, Refused) as error:  # it never started
            return Outcome("rejected", str(error))
        except WireError as error:
            return Outcome("indeterminate", str(error))


def command(
    *,
    fleet: str,
    seats: Sequence[str],
    apply: Sequence[str],
    timeout_s: float = 10.0,
    abilities: Collection[Ability] = ABILITIES,
) -> CommandActuator:
    """The actuator of a fleet that is read and written by an operator's own programs.

    Args:
        fleet: the fleet's name.
        seats: argv of a program that prints `{"form": 1, "seats": {NAME: {"harness": …, "model": …}}}`. Each seat may
            also say `effort`, `pool`, `role`, `cadence_s`, `pinned`, `held`, `paused_by`, and `placement`, the id of
            the placement of ours it carries; beside `seats` may stand `refuses`, a sentence.
        apply: argv of a program that carries out the placement it is given as JSON on standard input. `{seat}`,
            `{act}`, `{harness}`, `{pool}`, `{model}`, `{effort}`, `{fleet}` and `{id}` in its words are filled in.
            Exit codes: 0 applied, 10 unchanged, 11 conflict, 12 gone, 13 rejected, 14 unauthorised,
            15 applied-not-running, 16 unverified; any other is indeterminate. `{"outcome": …, "detail": …}` on
            standard output says it in words and goes before the code.
        timeout_s: seconds until either program has ended. Default 10, what any one effect may take.
        abilities: what the programs can do; by default everything but preparing and reporting.

    Raises:
        ValueError: an argv is empty, or braces hold something that cannot be filled in.
    """
    for argv in (seats, apply):
        if not argv or isinstance(argv, str):
            raise ValueError(f"fleet {fleet}: `seats` and `apply` are lists of words, the program first, not {argv!r}")
    unknown = {blank for word in apply for _, blank, _, _ in Formatter().parse(word) if blank is not None} - {*BLANKS}
    if unknown:
        raise ValueError(f"fleet {fleet}: `apply` cannot fill in {sorted(unknown)}; only {', '.join(BLANKS)}")
    return CommandActuator(
        name=fleet,
        seats=tuple(seats),
        words=tuple(apply),
        timeout=timedelta(seconds=timeout_s),
        abilities=frozenset(abilities),
    )


def _blanks(placement: Placement) -> dict[str, str]:
    there = placement.candidate
    where = {key: (getattr(there, key) or "") if there else "" for key in ("effort", "harness", "model", "pool")}
    return {**where, "act": placement.act, "fleet": placement.fleet, "id": placement.id, "seat": placement.seat}


def _outcome(end: Exit) -> Outcome:
    """What the program said, in words or by its exit code."""
    try:
        told = end.document.json()
    except ValueError:
        told = None
    word = told.get("outcome") if isinstance(told, dict) else None
    if word in get_args(OutcomeWord):
        return Outcome(cast("OutcomeWord", word), str(told.get("detail") or ""), end.at)
    detail = "" if end.code in EXITS else f"{end.asked}: ended with exit code {end.code}, which says nothing"
    return Outcome(EXITS.get(end.code, "indeterminate"), detail, end.at)
