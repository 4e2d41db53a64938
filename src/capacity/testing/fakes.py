"""A fake for every port: it answers what it was told to, and remembers what it was asked.

The fake store is `capacity.store.memory`, which keeps the store's whole contract; the fake clocks are in `.clocks`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Generic, TypeVar

from attrs import evolve

from capacity.actuators import callback
from capacity.core.advance import seat_after
from capacity.ports import (
    Ability,
    Budget,
    Candidate,
    Document,
    Failure,
    Fleet,
    Listing,
    Outcome,
    Pause,
    Placement,
    Rankings,
    Reading,
    Seat,
    Snapshot,
    SourceCard,
)
from capacity.values.decision import TOOK, OutcomeWord

T = TypeVar("T")

BUDGET = Budget(floor=timedelta(seconds=60), usual=timedelta(seconds=300), idle=timedelta(seconds=600))
"""A budget like that of a careful usage endpoint."""


class Crash(BaseException):
    """The end of the process, as far as anybody inside it can tell: nothing that catches an `Exception` sees it."""


class Script(Generic[T]):
    """What a fake says, one after another; the last is said again for ever. An exception is raised instead.

    Args:
        says: at least one.
    """

    def __init__(self, says: Iterable[T | BaseException]) -> None:
        self._says = deque(says)
        self.told = 0

    def say(self, *says: T | BaseException) -> None:
        """From now on, say this."""
        self._says = deque(says)

    def next(self) -> T:
        """What is said now."""
        self.told += 1
        now = self._says.popleft() if len(self._says) > 1 else self._says[0]
        if isinstance(now, BaseException):
            raise now
        return now


class FakeReader:
    """A reader that knows bodies by heart; it makes nothing of any other.

    Args:
        readings: body → the readings it holds.
        listings: body → the listing it is.
        failures: body → the failure it tells.
    """

    def __init__(
        self,
        readings: Mapping[bytes, tuple[Reading, ...]] | None = None,
        listings: Mapping[bytes, Listing] | None = None,
        failures: Mapping[bytes, Failure] | None = None,
    ) -> None:
        self._readings = dict(readings or {})
        self._listings = dict(listings or {})
        self._failures = dict(failures or {})

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """The readings of a known body, seen when the document arrived."""
        found = self._readings.get(doc.body)
        return None if found is None else tuple(evolve(reading, observed_at=doc.at) for reading in found)

    def listing(self, doc: Document) -> Listing | None:
        """The listing of a known body, seen when the document arrived."""
        found = self._listings.get(doc.body)
        return None if found is None else evolve(found, observed_at=doc.at)

    def failure(self, doc: Document) -> Failure | None:
        """The failure of a known body."""
        return self._failures.get(doc.body)


class FakeProber:
    """A prober that says what it is told to, seen at the host's present.

    Args:
        says: what each probe gives, or raises.
        login: the fingerprint of its login.
        budget: how often it may be asked.

    Attributes:
        script: what it says next; `script.told` counts the probes.
    """

    def __init__(
        self, *says: tuple[Reading, ...] | BaseException, login: str = "fake-login", budget: Budget = BUDGET
    ) -> None:
        self.script: Script[tuple[Reading, ...]] = Script(says or [()])
        self.budget = budget
        self._login = login

    async def account(self) -> str:
        """The fingerprint it was given."""
        return self._login

    async def probe(self) -> tuple[Reading, ...]:
        """What it was told to say."""
        pulse = await Pause(timedelta(0))
        return tuple(evolve(reading, observed_at=pulse.at) for reading in self.script.next())


class FakeInventory:
    """An inventory source that says what it is told to, seen at the host's present.

    Args:
        says: what each call gives, or raises.
        budget: how often it may be asked.

    Attributes:
        script: what it says next; `script.told` counts the calls.
    """

    def __init__(self, *says: tuple[Listing, ...] | BaseException, budget: Budget = BUDGET) -> None:
        self.script: Script[tuple[Listing, ...]] = Script(says or [()])
        self.budget = budget

    async def listings(self) -> tuple[Listing, ...]:
        """What it was told to say."""
        pulse = await Pause(timedelta(0))
        return tuple(evolve(listing, observed_at=pulse.at) for listing in self.script.next())


class FakePreparer:
    """A preparer that says what it is told to, at the host's present.

    Args:
        says: what each request gives, or raises; `applied` where nothing is said.

    Attributes:
        script: what it says next; `script.told` counts the requests.
        prepared: every model it was asked for, in order.
    """

    def __init__(self, *says: Outcome | BaseException) -> None:
        self.script: Script[Outcome] = Script(says or [Outcome("applied")])
        self.prepared: list[str] = []

    async def prepare(self, model: str) -> Outcome:
        """Remember the model, and say what it was told to."""
        pulse = await Pause(timedelta(0))
        self.prepared.append(model)
        return evolve(self.script.next(), at=pulse.at)


class FakeTierSource:
    """A tier source that says what it is told to, as of the host's present.

    Args:
        says: what the first call gives, or raises.
        more: likewise for those after it.
        budget: how often it may be asked.

    Attributes:
        script: what it says next; `script.told` counts the calls.
        about: its card.
    """

    about = SourceCard(url="https://tiers.invalid", licence="CC0-1.0", attribution="nobody")

    def __init__(
        self, says: Rankings | BaseException, *more: Rankings | BaseException, budget: Budget = BUDGET
    ) -> None:
        self.script: Script[Rankings] = Script([says, *more])
        self.budget = budget

    async def rankings(self) -> Rankings:
        """What it was told to say."""
        pulse = await Pause(timedelta(0))
        return evolve(self.script.next(), as_of=pulse.at)


class FakeActuator:
    """A fleet in memory that does as it is asked, or whatever it is told to do instead.

    Args:
        fleet: the fleet's name.
        seats: its seats.
        abilities: what it can do; every ability by default.

    Attributes:
        seats: name → seat as it stands; a test may put others there, as an operator would.
        refuses: why it may not be written to now; None = it may.
        asked: every placement it was given, in order, those it refused too.
        prepared: every candidate it was asked to prepare.
        reports: every snapshot it was given.
    """

    def __init__(
        self,
        *,
        fleet: str,
        seats: Iterable[Seat] = (),
        abilities: Collection[Ability] = ("move", "effort", "cadence", "park", "prepare", "report", "reads-back"),
    ) -> None:
        self.abilities = frozenset(abilities)
        self.seats = {seat.name: seat for seat in seats}
        self.refuses: str | None = None
        self.asked: list[Placement] = []
        self.prepared: list[Candidate] = []
        self.reports: list[Snapshot] = []
        self._told: dict[str, deque[tuple[OutcomeWord | BaseException, bool]]] = {}
        self._host = callback(fleet=fleet, seats=lambda: self.seats.values(), apply=self._carry_out)

    def tell(self, seat: str, answer: OutcomeWord | BaseException, *, halfway: bool = False) -> None:
        """What the next placement of a seat ends in; told more than once, they are used up in order.

        Args:
            seat: the seat's name.
            answer: the outcome, or what is raised; `Crash()` for the end of the process.
            halfway: the seat is changed first, as when the answer was lost on its way back.
        """
        self._told.setdefault(seat, deque()).append((answer, halfway))

    async def fleet(self) -> Fleet:
        """The seats as they stand."""
        return evolve(await self._host.fleet(), refuses=self.refuses)

    async def apply(self, placement: Placement) -> Outcome:
        """Remember it, and carry it out where the seat is as expected, or do what it was told."""
        self.asked.append(placement)
        told = self._told.get(placement.seat)
        if not told:
            return await self._host.apply(placement)
        answer, halfway = told.popleft()
        pulse = await Pause(timedelta(0))
        if halfway or answer in TOOK:
            self._carry_out(placement)
        if isinstance(answer, BaseException):
            raise answer
        return Outcome(answer, at=pulse.at)

    async def prepare(self, candidate: Candidate) -> Outcome:
        """Remember the candidate."""
        pulse = await Pause(timedelta(0))
        self.prepared.append(candidate)
        return Outcome("applied", at=pulse.at)

    async def report(self, snapshot: Snapshot) -> Outcome:
        """Remember the snapshot."""
        pulse = await Pause(timedelta(0))
        self.reports.append(snapshot)
        return Outcome("applied", at=pulse.at)

    def _carry_out(self, placement: Placement) -> Outcome:
        self.seats[placement.seat] = seat_after(self.seats[placement.seat], placement)
        return Outcome("applied")
