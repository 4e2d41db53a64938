"""The shipped strategies draw every value there is, and worlds that hold together."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

import attrs
import pytest
from hypothesis import HealthCheck, Phase, given, settings

import capacity.values
from capacity.testing import strategies
from capacity.testing.strategies import World, value, worlds
from capacity.values.decision import Decision
from capacity.values.limits import LimitHeadroom, PoolHeadroom
from capacity.values.seats import Seat


def classes() -> list[type]:
    """Every class of the ground floor."""
    modules = [
        importlib.import_module(f"capacity.values.{m.name}") for m in pkgutil.iter_modules(capacity.values.__path__)
    ]
    found = [cls for module in modules for cls in vars(module).values() if isinstance(cls, type) and attrs.has(cls)]
    return sorted(set(found), key=lambda cls: cls.__name__)


@pytest.mark.parametrize("cls", classes(), ids=lambda cls: cls.__name__)
def test_every_value_is_drawn(cls: type) -> None:
    """No class of the ground floor is without a strategy, and each draws instances that keep their invariants."""
    drawn = []

    @settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
    @given(value(cls))
    def draw(one: object) -> None:
        drawn.append(one)

    draw()
    assert {cls} == {type(one) for one in drawn}


def test_the_named_ones_are_all_exported() -> None:
    """What the package says it exports is there, sorted."""
    assert sorted(strategies.__all__) == strategies.__all__
    assert [] == [name for name in strategies.__all__ if not hasattr(strategies, name)]


@given(strategies.decisions())
def test_indices_of_a_decision_are_in_range(decision: Decision) -> None:
    """A drawn decision can be walked: each need answers each candidate."""
    for need in range(len(decision.tables)):
        assert len(decision.candidates) == len(list(decision.answers(need)))
    assert all(seat.need is None or seat.need < len(decision.tables) for seat in decision.seats)


@given(worlds())
def test_a_world_holds_together(world: World) -> None:
    """Its four parts are of one instant and speak of the same pools, and of no seat twice."""
    inventory, headroom, policy, history = world

    assert inventory.as_of == headroom.as_of == history.as_of
    assert inventory.pools.keys() <= policy.pools.keys() == headroom.pools.keys()
    assert {pool for harness in policy.harnesses.values() for pool in harness.pools} <= policy.pools.keys()
    assert {fleet.name for fleet in history.fleets} <= policy.fleets.keys()
    keys = [seat.key for fleet in history.fleets for seat in fleet.seats]
    assert len(set(keys)) == len(keys)
    assert {entry.key for entry in history.journal.entries} <= set(keys)
    assert {row.tier for row in policy.tiers.rows} <= set(policy.tiers.names)
    assert policy.lanes.tiers.keys() <= set(policy.tiers.names)
    assert policy.lanes.profiles.keys() <= policy.profiles.keys()
    assert {deal.pool for deal in policy.deals} | {one.pool for one in history.spent} <= policy.pools.keys()


@given(worlds(pools=1, seats=1))
def test_a_world_is_as_small_as_it_is_asked_to_be(world: World) -> None:
    """The bounds are kept."""
    assert 1 == len(world.policy.pools)
    assert all(len(fleet.seats) <= 1 for fleet in world.history.fleets)


def limits(world: World) -> list[tuple[PoolHeadroom, LimitHeadroom]]:
    return [(pool, known) for pool in world.headroom.pools.values() for known in pool.limits]


def seats(world: World) -> list[Seat]:
    return [seat for fleet in world.history.fleets for seat in fleet.seats]


RICH: dict[str, Callable[[World], object]] = {
    "an exhausted pool beside an open one": lambda w: (
        {"exhausted", "unknown"} <= {p.pace for p in w.headroom.pools.values()}
    ),
    "a pool never read": lambda w: any(p.state is None for p in w.headroom.pools.values()),
    "a failed probe over a good reading": lambda w: any(
        p.state not in ("ok", None) and p.limits for p in w.headroom.pools.values()
    ),
    "a stale figure": lambda w: any(known.evidence == "stale" for _, known in limits(w)),
    "a figure past its reset": lambda w: any(known.evidence == "void" for _, known in limits(w)),
    "a full scoped cap": lambda w: any(k.limit.scope and (k.limit.percent or 0) >= 100 for _, k in limits(w)),
    "a feature that binds nothing": lambda w: any(
        k.limit.scope and k.limit.scope.kind == "feature" for _, k in limits(w)
    ),
    "a balance below nothing": lambda w: any(k.limit.left.get("USD", 1) < 0 for _, k in limits(w)),
    "no free slot": lambda w: any(k.limit.left.get("slots", 1) == 0 for _, k in limits(w)),
    "a model that is loading": lambda w: any(
        m.residency == "loading" for p in w.inventory.pools.values() for m in p.models
    ),
    "a model missed three times": lambda w: any(m.misses >= 3 for p in w.inventory.pools.values() for m in p.missed),
    "a pool nobody listed": lambda w: w.policy.pools.keys() > w.inventory.pools.keys(),
    "an inventory that may not reject": lambda w: any(not p.rejects for p in w.inventory.pools.values()),
    "two pools with one model": lambda w: (
        len({m.id for p in w.inventory.pools.values() for m in p.models})
        < sum(len(p.models) for p in w.inventory.pools.values())
    ),
    "a seat parked by us and due": lambda w: (
        any(e.act == "park" and e.until and e.until <= w.history.as_of for e in w.history.journal.entries)
        and any(s.paused_by == "capacity" for s in seats(w))
    ),
    "a seat demoted by us": lambda w: any(e.act == "demote" and e.home for e in w.history.journal.entries),
    "an outcome nobody knows": lambda w: any(e.outcome == "indeterminate" for e in w.history.journal.entries),
    "a seat paused by others": lambda w: any(s.paused_by not in (None, "capacity") for s in seats(w)),
    "a pinned seat": lambda w: any(s.pinned for s in seats(w)),
    "a fleet that refuses": lambda w: any(f.refuses for f in w.history.fleets),
    "a fleet held elsewhere": lambda w: any(f.held_by for f in w.history.fleets),
    "a seat whose pool is not told": lambda w: any(s.pool is None for s in seats(w)),
    "a pool on probation": lambda w: any(c.probation_at == w.history.as_of for c in w.history.holds.circuits),
    "a stop that is waited for": lambda w: any(c.waits for c in w.history.holds.circuits),
    "a stop of long contexts": lambda w: any(c.above is not None for c in w.history.holds.circuits),
    "an operator's stop without an end": lambda w: any(c.ends_at is None for c in w.history.holds.circuits),
    "a wall": lambda w: any(rule.profile == "lan" for rule in w.policy.seats),
    "a high-volume rule": lambda w: w.policy.high_volume.cadence is not None,
    "a local and a metered pool": lambda w: {"local", "metered"} <= {p.kind for p in w.policy.pools.values()},
    "a lane with picks of its own": lambda w: any(lane.candidates for lane in w.policy.lanes.tiers.values()),
    "a step that opens later": lambda w: any(s.after for lane in w.policy.lanes.tiers.values() for s in lane.fallback),
    "a share for local pools": lambda w: any(lane.local_share for lane in w.policy.lanes.tiers.values()),
    "a profile that is manual": lambda w: any(profile.manual for profile in w.policy.profiles.values()),
    "a deal for the night": lambda w: any(deal.start for deal in w.policy.deals),
    "a budget that is spent": lambda w: any(s.stops and (s.percent or 0) >= 100 for s in w.history.spent),
    "a share that is spent": lambda w: any(s.name and (s.percent or 0) >= 100 for s in w.history.spent),
    "a model with one slot": lambda w: any(s.slots == 1 for p in w.policy.pools.values() for s in p.serving),
    "an account of two pools": lambda w: {"harbour", "harbour/east"} <= w.policy.pools.keys(),
}


def test_worlds_reach_every_corner() -> None:
    """Each corner the rules of the decision speak of is met within a few hundred worlds."""
    met: set[str] = set()

    @settings(max_examples=600, derandomize=True, database=None, phases=[Phase.generate])
    @given(worlds())
    def draw(world: World) -> None:
        met.update(corner for corner, holds in RICH.items() if corner not in met and holds(world))

    draw()
    assert set() == RICH.keys() - met
