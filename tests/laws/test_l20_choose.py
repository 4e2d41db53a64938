"""L20: `choose` is `decide` for a fleet of one with the leases' order. L8, leases: unknown never comes before the best observed."""

from __future__ import annotations

from attrs import evolve
from hypothesis import assume, given

from capacity import Need, decide
from capacity.core.choose import choose
from capacity.core.decide import case_of, prepare
from capacity.core.flight import read
from capacity.testing.strategies import World, worlds
from capacity.values.decision import SeatDecision
from capacity.values.history import Journal
from capacity.values.seats import Fleet


def alone(world: World) -> tuple[World, Need, SeatDecision] | None:
    """The world with one seat of one fleet, free to be placed; its need with where it is; and what is decided for it."""
    inventory, headroom, policy, history = world
    seats = [seat for fleet in history.fleets for seat in fleet.seats if not (seat.pinned or seat.held)]
    if not seats:
        return None
    seat = evolve(seats[0], paused_by=None, placement=None, refused=None)
    fleet = Fleet(seat.fleet, history.as_of, (seat,))
    pacing = evolve(policy.pacing, mode="off")
    policy = evolve(policy, pacing=pacing, high_volume=evolve(policy.high_volume, cadence=None))
    history = evolve(history, fleets=(fleet,), journal=Journal(), spent=(), granted={})
    one = World(inventory, headroom, policy, history)
    decided = decide(*one, order="leases").seats[0]
    case = case_of(prepare(*one, "leases"), 0, seat, "tick")
    if decided.placement.act == "leave" or case.asked.pinned or case.asked.held:
        return None
    return one, evolve(case.asked.need, here=case.spot.candidate), decided


@given(worlds(pools=4, seats=1))
def test_a_choice_is_a_decision_for_one(world: World) -> None:
    """Where the decision moves the seat the choice goes to the same place; where it keeps it the choice stays."""
    found = alone(world)
    assume(found is not None)
    assert found is not None
    one, need, decided = found
    choice = choose(need, *one)
    placed = decided.placement
    if placed.act in ("move", "demote"):
        assert choice.act == "move"
        assert choice.candidate == placed.candidate
    elif placed.act == "park":
        assert choice.act in ("refuse", "wait")
    elif decided.verdict is not None and decided.verdict.answer in ("yes", "cannot-tell"):
        assert (choice.act, choice.candidate) == ("stay", need.here)


@given(worlds(pools=4, seats=1))
def test_equal_verdicts_for_equal_needs(world: World) -> None:
    """The tables of both are the same, verdict by verdict."""
    found = alone(world)
    assume(found is not None and found[2].need is not None)
    assert found is not None
    one, need, decided = found
    decision, choice = decide(*one, order="leases"), choose(need, *one)
    assert decided.need is not None
    theirs = dict(decision.answers(decided.need))
    ours = {
        candidate: choice.verdicts[choice.table.verdicts[group]]
        for candidate, group in zip(choice.candidates, choice.groups, strict=True)
    }
    assert {one: verdict.answer for one, verdict in theirs.items()} == {one: said.answer for one, said in ours.items()}


@given(worlds(pools=4, seats=1))
def test_an_unread_pool_never_leads(world: World) -> None:
    """Its figure is never below the best of those that were read and may serve: it may be level with it, and no better."""
    sights = prepare(*world, "leases").sights
    choice = choose(Need(), *world)
    pairs = zip(choice.candidates, choice.groups, strict=True)
    able = {one.pool for one, group in pairs if choice.verdicts[choice.table.verdicts[group]].answer == "yes"}
    best = min((choice.use[pool] for pool in able if read(sights[pool])), default=0.0)
    unread = (pool for pool in choice.use if not (read(sights[pool]) or sights[pool].observed))
    assert all(choice.use[pool] >= best for pool in unread)
