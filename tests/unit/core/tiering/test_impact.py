"""What another adopted set means for each seat."""

from __future__ import annotations

from attrs import evolve

from capacity import Inventory, Policy
from capacity.core.tiering import impact
from capacity.values.policy import SeatRule
from capacity.values.proposals import Docket, Impact
from capacity.values.seats import Seat
from capacity.values.tiers import TierRow, TierSet

from .scene import DAY, NOW, inventory, policy, proposal, seat

BEFORE = TierSet(
    [TierRow("mid", "cli", "gamma-1"), TierRow("high", "cli", "alpha-1"), TierRow("high", "cli", "beta-1")]
)
AFTER = TierSet([TierRow("low", "cli", "gamma-1"), TierRow("high", "cli", "alpha-1"), TierRow("mid", "tui", "beta-1")])


def felt(
    before: TierSet = BEFORE, after: TierSet = AFTER, *seats: Seat, rules: Policy | None = None
) -> tuple[Impact, ...]:
    return impact(before, after, inventory(), rules or policy(), seats or (seat(),), NOW)


def test_what_comes_and_goes_for_a_seat() -> None:
    """Pairs it may run on, alternatives to its own, and whether it would be below its floor."""
    (one,) = felt()

    assert ("main/one", ("tui/beta-1",), ("cli/beta-1",)) == (one.seat, one.entering, one.leaving)
    assert (2, 2) == (one.alternatives_before, one.alternatives)
    assert (False, True) == (one.below_floor_before, one.below_floor)


def test_a_seat_without_a_change_and_without_want_is_not_told_of() -> None:
    """Two alternatives, above its floor, the same set."""
    assert () == felt(BEFORE, BEFORE)


def test_a_seat_in_want_is_told_of_without_a_change() -> None:
    """Fewer than two alternatives, or below its floor, is worth a line however it came about."""
    lone = TierSet([TierRow("mid", "cli", "gamma-1"), TierRow("high", "cli", "alpha-1")])

    assert [1] == [one.alternatives for one in felt(lone, lone)]
    assert [True] == [one.below_floor for one in felt(BEFORE, BEFORE, seat(model="eta-1"))]


def test_a_floor_looks_at_what_is_proven() -> None:
    """A pair that may be in the tier and is proven only of the next does not reach it."""
    unsure = TierSet([evolve(one, proven="low") if one.model == "alpha-1" else one for one in BEFORE.rows])

    assert ("cli/alpha-1",) == felt(BEFORE, unsure)[0].leaving


def test_what_could_not_run_is_no_alternative() -> None:
    """Nor what is on no list of the seat's, nor what has expired."""
    rules = policy(seats=(SeatRule("default", floor="mid", harnesses=("cli",), models=("Alpha-1",)),))
    over = TierSet([evolve(one, expires_at=NOW - DAY) if one.model == "beta-1" else one for one in BEFORE.rows])

    assert 1 == felt(BEFORE, BEFORE, rules=rules)[0].alternatives
    assert ("cli/beta-1",) == felt(BEFORE, over)[0].leaving
    assert 0 == impact(BEFORE, BEFORE, Inventory(NOW), policy(), (seat(),), NOW)[0].alternatives


def test_a_proposal_tells_it_for_its_seats() -> None:
    """The seats of the docket are asked for; without seats nobody is told of."""
    made = proposal(docket=Docket(seats=(seat(), seat("two", "alpha-1"))))

    assert ["main/one", "main/two"] == [one.seat for one in made.impact]
    assert () == proposal().impact
