"""A tick as a value: the four inputs of one decision, the decision, and who made it. A snapshot: what a page shows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from attrs import field, frozen

from capacity.values import _check
from capacity.values.conditions import Condition
from capacity.values.decision import Decision, Placement, PoolPace
from capacity.values.failures import Circuit
from capacity.values.history import History
from capacity.values.leases import Lease
from capacity.values.limits import Headroom, PoolHeadroom
from capacity.values.models import Inventory, PoolInventory
from capacity.values.policy import Policy


@frozen
class Tick:
    """One decision with everything it was made from. Saved as a tick file, it is a replayable test.

    Attributes:
        inventory: what could run.
        headroom: what was left.
        policy: what the operator wanted.
        history: what had been done.
        decision: what was decided; None where it is still to be made.
        made_by: distribution → version of the library and the plugins.
    """

    inventory: Inventory
    headroom: Headroom
    policy: Policy
    history: History
    decision: Decision | None = None
    made_by: Mapping[str, str] = field(factory=dict, converter=_check.by_key)


@frozen
class Snapshot:
    """Everything a page, a table or a report shows, at one instant. Built by one function.

    Attributes:
        as_of: the instant, UTC.
        tick: id of the last decision; None = none yet.
        pools: headroom of every pool, sorted by name.
        models: inventory of every pool, sorted by name.
        placements: the act of every seat in the last decision.
        conditions: those that stand.
        circuits: stops in force.
        paces: of the pools that can be paced, in the last decision.
        leases: in flight, offered or claimed, sorted by id.
        proposals: ids of the tier proposals that wait for an answer, oldest first.
    """

    as_of: datetime = field(converter=_check.utc)
    tick: str | None = None
    pools: tuple[PoolHeadroom, ...] = ()
    models: tuple[PoolInventory, ...] = ()
    placements: tuple[Placement, ...] = ()
    conditions: tuple[Condition, ...] = ()
    circuits: tuple[Circuit, ...] = ()
    paces: tuple[PoolPace, ...] = ()
    leases: tuple[Lease, ...] = ()
    proposals: tuple[str, ...] = ()
