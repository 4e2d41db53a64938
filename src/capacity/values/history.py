"""History: what has been done and what is held. No raw reading, listing or failure is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from attrs import field, frozen

from capacity.values import _check
from capacity.values.budgets import Spent
from capacity.values.conditions import Condition
from capacity.values.decision import Act, OutcomeWord
from capacity.values.failures import Circuit
from capacity.values.leases import Lease
from capacity.values.seats import Candidate, Fleet


@frozen
class Entry:
    """Our last placement of one seat.

    Attributes:
        placement: its id.
        fleet: the fleet's name.
        seat: the seat's name.
        act: what was done.
        outcome: what became of it.
        at: when the outcome was known, UTC.
        candidate: where it put the seat; None for a park.
        expected: where the seat was before.
        home: where the seat belongs while parked or demoted; None otherwise.
        until: for a park: when it is due, UTC; None = somebody has to act.
        cadence: the cadence commanded; None = none.
        own_cadence: the seat's own, while we command another; None otherwise.
        because: code of the fact it was placed for; `""` = not recorded.
    """

    placement: str
    fleet: str
    seat: str
    act: Act
    outcome: OutcomeWord
    at: datetime = field(converter=_check.utc)
    candidate: Candidate | None = None
    expected: Candidate | None = None
    home: Candidate | None = None
    until: datetime | None = field(default=None, converter=_check.utc_or_none)
    cadence: timedelta | None = None
    own_cadence: timedelta | None = None
    because: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """(fleet, seat)."""
        return self.fleet, self.seat


@frozen
class Refusal:
    """A place that turned out not to be had, and is not asked for again within a day.

    Attributes:
        fleet: the fleet's name.
        candidate: the place.
        at: when it was refused, UTC.
        seat: whose provider refused it, which means the candidate's whole pool, for that seat; None = the fleet does not
            take the candidate, for any seat.
    """

    fleet: str
    candidate: Candidate
    at: datetime = field(converter=_check.utc)
    seat: str | None = None

    @property
    def key(self) -> tuple[str, str, tuple[str, str, str, str]]:
        """(fleet, seat, the candidate's key)."""
        return self.fleet, self.seat or "", self.candidate.key

    def bars(self, fleet: str, seat: str, candidate: Candidate) -> bool:
        """Whether a seat is not to be put there."""
        if self.fleet != fleet:
            return False
        if self.seat is None:
            return self.candidate == candidate
        return self.seat == seat and self.candidate.pool == candidate.pool


def _refusals(refusals: Iterable[Refusal]) -> tuple[Refusal, ...]:
    """Refusals in the order of their keys."""
    return tuple(sorted(refusals, key=lambda refusal: refusal.key))


def _entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries in the order of their keys."""
    return tuple(sorted(entries, key=lambda entry: entry.key))


@frozen
class Level:
    """One step of the commanded burn of one pool.

    Attributes:
        pool: full name.
        at: since when, UTC.
        level: the burn commanded, in any fixed unit.
    """

    pool: str
    at: datetime = field(converter=_check.utc)
    level: float


@frozen
class Journal:
    """What was written.

    Attributes:
        entries: our last placement of each seat, sorted by (fleet, seat).
        levels: pool name → the step last commanded.
        refused: the places that were refused, each once, sorted by key.
    """

    entries: tuple[Entry, ...] = field(default=(), converter=_entries)
    levels: Mapping[str, Level] = field(factory=dict, converter=_check.by_key)
    refused: tuple[Refusal, ...] = field(default=(), converter=_refusals)


def _circuits(circuits: Iterable[Circuit]) -> tuple[Circuit, ...]:
    """Circuits in the order of their keys."""
    return tuple(sorted(circuits, key=lambda circuit: circuit.key))


def _leases(leases: Iterable[Lease]) -> tuple[Lease, ...]:
    """Leases in the order of their ids."""
    return tuple(sorted(leases, key=lambda lease: lease.id))


@frozen
class Holds:
    """What is held.

    Attributes:
        circuits: stops in force, sorted by (subject, name, kind, origin).
        leases: leases in flight, offered or claimed, sorted by id.
    """

    circuits: tuple[Circuit, ...] = field(default=(), converter=_circuits)
    leases: tuple[Lease, ...] = field(default=(), converter=_leases)


def _spent(spent: Iterable[Spent]) -> tuple[Spent, ...]:
    """What was spent, in the order of (pool, window, name)."""
    return tuple(sorted(spent, key=lambda one: one.key))


def _fleets(fleets: Iterable[Fleet]) -> tuple[Fleet, ...]:
    """Fleets in the order of their names."""
    return tuple(sorted(fleets, key=lambda fleet: fleet.name))


def _conditions(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Conditions in the order of their keys."""
    return tuple(sorted(conditions, key=lambda condition: condition.key))


@frozen
class History:
    """The past and the present a decision may look at.

    Attributes:
        as_of: the instant, UTC; the same as the inventory's and the headroom's.
        turn: how many decisions were made before.
        seed: what chance is drawn from.
        fleets: the fleets as observed, sorted by name.
        journal: what we wrote.
        holds: what is held.
        conditions: those that stood after the last decision, sorted by (code, subject).
        spent: what was spent by our own count, sorted by (pool, window, name).
        granted: counter → how often it was drawn on: what takes turns takes them by it.
    """

    as_of: datetime = field(converter=_check.utc)
    turn: int = 0
    seed: int = 0
    fleets: tuple[Fleet, ...] = field(default=(), converter=_fleets)
    journal: Journal = field(factory=Journal)
    holds: Holds = field(factory=Holds)
    conditions: tuple[Condition, ...] = field(default=(), converter=_conditions)
    spent: tuple[Spent, ...] = field(default=(), converter=_spent)
    granted: Mapping[str, int] = field(factory=dict, converter=_check.by_key)
