"""Conditions: raised, kept since, cleared once, and carried through where they are somebody else's."""

from __future__ import annotations

from datetime import timedelta

from attrs import evolve

from capacity import Condition, Decision, Limit, Model, Reading, Scope
from capacity.values.conditions import Fact
from capacity.values.models import Missed
from capacity.values.policy import FleetPolicy
from capacity.values.seats import Fleet

from .build import NOW, decided, full, headroom, history, inventory, policy, reading, windows


def codes(decision: Decision) -> dict[str, str]:
    """Code → subject of what stands."""
    return {
        condition.fact.code.removeprefix("core:"): condition.fact.subject
        for condition in decision.conditions
        if condition.status == "raised"
    }


def test_a_full_pool_and_a_capped_model_are_two_conditions() -> None:
    """One of the pool, one of the limit."""
    capped = Limit("weekly:mid", 100.0, scope=Scope("model", "mid"))
    told = codes(decided(north=reading("north", limits=windows(20.0, 30.0, capped))))
    assert "north weekly:mid" == told["model-capped"]
    assert "pool-exhausted" not in told
    assert "north" == codes(decided(north=full()))["pool-exhausted"]


def test_a_scope_nobody_answers_to_is_told_and_never_taken_as_unscoped() -> None:
    """An authoritative listing knows no such model."""
    odd = Limit("weekly:odd", 100.0, scope=Scope("model", "odd"))
    decision = decided(north=reading("north", limits=windows(20.0, 30.0, odd)))
    assert "north odd" == codes(decision)["scope-unanswered"]
    assert "keep" == decision.placements[0].act


def test_a_pool_that_cannot_be_read_or_listed_is_told() -> None:
    """With the state; a part nobody listed in the policy too."""
    bare = Reading("north", "unrecognised", "test", NOW)
    stock = inventory()
    stock = evolve(stock, pools={name: pool for name, pool in stock.pools.items() if name != "south"})
    told = codes(decided(stock=stock, north=bare, stranger=Reading("x/part", "ok", "test", NOW)))
    assert ("north", "south", "x/part") == (told["probe-failing"], told["inventory-unknown"], told["unplaced-part"])


def test_since_is_kept_and_an_end_is_told_once() -> None:
    """The instant is that of the first decision; the one after the end does not know it any more."""
    hour = timedelta(hours=1)
    old = Condition(Fact("core:pool-exhausted", "north"), "raised", NOW - hour, "reset")
    still = decided(past=history(conditions=(old,)), north=full())
    assert NOW - hour == next(one.since for one in still.conditions if one.key == old.key)
    ended = decided(past=history(conditions=(old,)))
    (cleared,) = [one for one in ended.conditions if one.key == old.key]
    assert ("cleared", NOW) == (cleared.status, cleared.since)
    assert old.key not in {one.key for one in decided(past=history(conditions=(cleared,))).conditions}


def test_what_is_not_ours_is_carried_through_unharmed() -> None:
    """A plugin's condition stays as it came."""
    theirs = Condition(Fact("acme:overheated", "rack 3"), "raised", NOW - timedelta(days=1), "cooling", loud=True)
    assert theirs in decided(past=history(conditions=(theirs,))).conditions


def test_a_fleet_without_any_adopted_tier_is_told() -> None:
    """Nothing can be placed, and somebody has to adopt something."""
    rules = policy()
    bare = evolve(rules, tiers=evolve(rules.tiers, rows=()))
    assert "main" == codes(decided(rules=bare))["no-tiers"]


def test_a_model_that_is_gone_is_told_with_its_pool() -> None:
    """Not the model's name alone: another pool may have it."""
    north = {"north": (Model("north-big-2"),)}
    decision = decided(stock=inventory(north, north=(Missed(Model("north-mid-2"), 3),)))
    assert "north-mid-2" == codes(decision)["model-invalid"]


def test_an_exhausted_pool_is_in_the_headroom_too() -> None:
    """The word of the pool and the condition agree."""
    assert "exhausted" == headroom(policy(), north=full()).pools["north"].pace


NOTHING = {
    "north": full("north"),
    "south": full("south"),
    "paid": reading("paid", limits=(Limit("balance", blocked=True),)),
}


def test_what_is_only_decided_is_not_told_as_done() -> None:
    """A demotion in a shadow fleet puts nobody below a tier; in an enforced one it does."""
    rules = policy()
    for mode, expected in (("enforce", True), ("shadow", False)):
        fleets = {"main": FleetPolicy("main", "file", mode)}  # type: ignore[arg-type]  # from a table
        decision = decided(rules=evolve(rules, fleets=fleets), **NOTHING)
        assert "demote" == decision.placements[0].act
        assert expected == ("below-tier" in codes(decision))


def test_of_a_fleet_that_cannot_be_read_nothing_ends() -> None:
    """What was said of its seats stands; what was said of another fleet's seat, and is not so any more, ends."""
    old = [
        Condition(Fact("core:nothing-eligible", f"{fleet}/gone"), "raised", NOW - timedelta(hours=1), "room")
        for fleet in ("main", "other")
    ]
    past = evolve(history(conditions=tuple(old)), fleets=(Fleet("main", NOW, refuses="it is cut off"),))
    told = {one.fact.subject: one.status for one in decided(past=past).conditions}
    assert ("raised", "cleared") == (told["main/gone"], told["other/gone"])
