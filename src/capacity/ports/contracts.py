"""The protocols a plugin implements. Each is small; what a backend cannot do it simply does not offer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, Protocol

from attrs import frozen

from capacity.ports.budget import Budget
from capacity.ports.document import Document
from capacity.values.decision import Outcome, Placement
from capacity.values.failures import Failure
from capacity.values.limits import Reading
from capacity.values.models import Listing
from capacity.values.rankings import Rankings
from capacity.values.seats import Candidate, Fleet
from capacity.values.tick import Snapshot

Ability = Literal["move", "effort", "cadence", "park", "prepare", "report", "reads-back"]


class Reader(Protocol):
    """Pure: bytes in, values out. None = not mine.

    A known body in a new shape is a reading `unrecognised`; a figure that is missing is None, never 0. A `ValueError`
    or `RecursionError` that escapes becomes `unrecognised` too.
    """

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """One reading per pool, named by its part; None = this backend never says such a thing about its quota."""
        ...

    def listing(self, doc: Document) -> Listing | None:
        """The models of one page; None = not a list of models."""
        ...

    def failure(self, doc: Document) -> Failure | None:
        """A failure, classified; None = not a failure this backend knows."""
        ...


class Prober(Protocol):
    """Asks one account how much is left. Read-only: it refreshes, spends, starts and loads nothing."""

    @property
    def budget(self) -> Budget:
        """How often it may be asked."""
        ...

    async def account(self) -> str:
        """The login's fingerprint, from local files: no network, no child.

        Raises:
            WireError: nothing local says which login it is.
        """
        ...

    async def probe(self) -> tuple[Reading, ...]:
        """One reading per pool. Takes no seat: it cannot depend on a consumer."""
        ...


class InventorySource(Protocol):
    """Asks one account what it can run."""

    @property
    def budget(self) -> Budget:
        """How often it may be asked."""
        ...

    async def listings(self) -> tuple[Listing, ...]:
        """What each page or source said; the engine joins them."""
        ...


class Preparer(Protocol):
    """Makes a model of one account ready to serve. Somebody asked for that model by name; no probe and no decision does.

    Loading takes as long as it takes: what is not ready when the flow's deadline passes is `applied-not-running`, and
    whoever asks again waits on for the same loading.
    """

    async def prepare(self, model: str) -> Outcome:
        """See to it that a model serves, and wait until it does.

        Args:
            model: its id, or a name the backend accepts for it.

        Returns:
            `applied`: it serves now. `unchanged`: it did already. `applied-not-running`: it is on its way.
            `unverified`: nobody can tell. `rejected`: the backend does not know it, or cannot. `conflict`: something
            else is in the way. `unauthorised`: the backend lets nobody in with this login.

        Raises:
            WireError: nobody answered.
        """
        ...


@frozen(kw_only=True)
class SourceCard:
    """What a tier source needs and is, readable without a call.

    Attributes:
        url: where it comes from.
        licence: of its figures.
        attribution: the sentence its licence asks for.
        requires: keys or files it needs.
        required: whether it is useless without them.
        sunset: when it ends, where that is known.
    """

    url: str
    licence: str
    attribution: str
    requires: tuple[str, ...] = ()
    required: bool = False
    sunset: datetime | None = None


class TierSource(Protocol):
    """Tells how competent models are. Proposes, never adopts."""

    @property
    def budget(self) -> Budget:
        """How often it may be asked."""
        ...

    @property
    def about(self) -> SourceCard:
        """What it needs and is."""
        ...

    async def rankings(self) -> Rankings:
        """The rows it knows, with their status."""
        ...


class Actuator(Protocol):
    """Reads and writes one fleet. `prepare` and `report` are called only where the ability is declared.

    One that is slower than most has a `deadline` too: the span that one of its flows may take.
    """

    @property
    def abilities(self) -> frozenset[Ability]:
        """What it can do."""
        ...

    async def fleet(self) -> Fleet:
        """The seats as they stand."""
        ...

    async def apply(self, placement: Placement) -> Outcome:
        """One transaction on (harness, model, effort), against the place it expects to replace."""
        ...

    async def prepare(self, candidate: Candidate) -> Outcome:
        """Make a candidate ready; never awaited inside a decision."""
        ...

    async def report(self, snapshot: Snapshot) -> Outcome:
        """Write back what we know."""
        ...


class Clock(Protocol):
    """The time. Given to the engine; nobody else reads it."""

    def now(self) -> datetime:
        """The present, UTC."""
        ...

    def sleep(self, span: timedelta) -> None:
        """Let so much of it pass."""
        ...
