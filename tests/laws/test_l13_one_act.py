"""L13: each seat gets exactly one act, each refused candidate a fact."""

from __future__ import annotations

from hypothesis import given

from capacity import decide
from capacity.core.findings import RULES
from capacity.testing.strategies import World, worlds


@given(worlds(pools=4, seats=5))
def test_one_act_each(world: World) -> None:
    """Every seat of every fleet has one act, in the order of (fleet, seat), each with a fact."""
    decision = decide(*world)
    seats = [seat.key for fleet in world.history.fleets for seat in fleet.seats]
    assert [placement.key for placement in decision.placements] == sorted(seats)
    assert all(placement.fact.code for placement in decision.placements)


@given(worlds(pools=4, seats=5))
def test_every_refusal_has_its_rule_and_fact(world: World) -> None:
    """Whatever is not a yes names the rule that decided and a fact; refusals are counted by code."""
    decision = decide(*world)
    for index, table in enumerate(decision.tables):
        counted: dict[str, int] = {}
        for _, verdict in decision.answers(index):
            assert (verdict.answer == "yes") == (verdict.fact is None)
            assert verdict.rule == "" or verdict.rule in RULES
            if verdict.answer == "no" and verdict.fact is not None:
                counted[verdict.fact.code] = counted.get(verdict.fact.code, 0) + 1
        assert counted == table.refused


@given(worlds(pools=4, seats=5))
def test_runners_up_are_eligible_and_others(world: World) -> None:
    """At most two runners-up, none of them the place itself, none of them refused."""
    decision = decide(*world)
    for seat in decision.seats:
        assert len(seat.runners_up) <= 2
        assert seat.need is not None
        answers = dict(decision.answers(seat.need))
        for other in seat.runners_up:
            assert other.candidate != seat.placement.candidate
            assert answers[other.candidate].answer in ("yes", "cannot-tell")
