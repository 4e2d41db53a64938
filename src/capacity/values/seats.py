"""Candidates, needs, seats and fleets: who runs, where it could run, and what it asks for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

from attrs import field, frozen

from capacity.values import _check

Egress = Literal["none", "lan", "any"]


@frozen(cache_hash=True)
class Candidate:
    """One place a seat could run.

    Attributes:
        harness: the program that runs the agent.
        pool: full pool name.
        model: the id the harness is given.
        effort: the effort word; None = none is set.
    """

    harness: str
    pool: str
    model: str
    effort: str | None = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What ties are broken by."""
        return self.harness, self.pool, self.model, self.effort or ""


@frozen(cache_hash=True)
class Need:
    """What a seat or a lease asks for. Equal needs share one table of verdicts.

    Attributes:
        tier: the tier it belongs to; None = any.
        floor: the least tier it may run on; None = its tier, or any where that is None too.
        context: tokens one request must hold; None = does not matter.
        capabilities: `tools`, or a modality (`image`); all are required.
        profile: the egress profile; None = no wall.
        effort: the effort it must run at; None = the tier row's own.
        home: the candidate it returns to; None = none.
        harnesses: allow-list that narrows; None = every harness.
        pools: allow-list that narrows; None = every pool.
        models: allow-list of names that narrows; None = every model.
        high_volume: runs so often that it stays off subscriptions.
        rise: may be placed above its tier.
        turn: asks for one turn of a session, and `context` is the size of its prompt; None is then a prompt of unknown
            size, which no local place takes.
        lane: the lane it is decided in; None = its profile's, else its tier's.
        here: the candidate its session runs on now; None = on none.
        cached: tokens of its prompt that the provider of `here` still holds in a cache.
        waited: how long it has waited.
        local: only local places will do.
        pick: the place its session picked for itself, under a profile that is manual.
        team: who it is charged to, where shares are declared; `""` = nobody in particular.
    """

    tier: str | None = None
    floor: str | None = None
    context: int | None = None
    capabilities: tuple[str, ...] = field(default=(), converter=_check.ordered)
    profile: str | None = None
    effort: str | None = None
    home: Candidate | None = None
    harnesses: tuple[str, ...] | None = field(default=None, converter=_check.ordered_or_none)
    pools: tuple[str, ...] | None = field(default=None, converter=_check.ordered_or_none)
    models: tuple[str, ...] | None = field(default=None, converter=_check.ordered_or_none)
    high_volume: bool = False
    rise: bool = False
    turn: bool = False
    lane: str | None = None
    here: Candidate | None = None
    cached: int = 0
    waited: timedelta = timedelta(0)
    local: bool = False
    pick: Candidate | None = None
    team: str = ""


@frozen
class Seat:
    """One agent as its fleet runs it. Its key is (fleet, name).

    Attributes:
        fleet: the fleet's name in the policy.
        name: the agent's name.
        harness: the harness it runs in.
        model: the model string it runs with, any name.
        effort: the effort word; None = none set, or not told.
        pool: the pool the fleet says it draws on; None = not told.
        role: the role the fleet gives it; None = none.
        cadence: how often it starts a turn; None = not told.
        pinned: an operator fixed its place.
        held: an operator or a breaker holds it.
        paused_by: who paused it: None = it runs; `capacity` = we parked it; anything else is somebody else.
        placement: id of the placement of ours the fleet knows for it; None = none.
        refused: why its provider refuses it now, as the fleet tells; None = it tells nothing of that kind.
    """

    fleet: str
    name: str
    harness: str
    model: str
    effort: str | None = None
    pool: str | None = None
    role: str | None = None
    cadence: timedelta | None = None
    pinned: bool = False
    held: bool = False
    paused_by: str | None = None
    placement: str | None = None
    refused: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """(fleet, name)."""
        return self.fleet, self.name


def _by_name(seats: Iterable[Seat]) -> tuple[Seat, ...]:
    """Seats in the order of their names."""
    return tuple(sorted(seats, key=lambda seat: seat.name))


@frozen
class Fleet:
    """The seats of one fleet, as observed.

    Attributes:
        name: the fleet's name in the policy.
        observed_at: when it was true, UTC.
        seats: sorted by name.
        refuses: why it may not be written to now; None = it may.
        held_by: another controller that holds the fleet's claim; None = we do.
        abilities: what its actuator can do, in the words of its port, sorted; `()` = not told.
    """

    name: str
    observed_at: datetime = field(converter=_check.utc)
    seats: tuple[Seat, ...] = field(default=(), converter=_by_name)
    refuses: str | None = None
    held_by: str | None = None
    abilities: tuple[str, ...] = field(default=(), converter=_check.ordered)
