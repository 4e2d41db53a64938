"""Our own ledger: what counts, when windows begin and end, what nobody told, what a refusal teaches, whose part it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from attrs import evolve

from capacity.core.budgets import fold, ledger
from capacity.core.tallies import LEAST_TURNS
from capacity.values.budgets import Spent
from capacity.values.failures import Failure, FailureKind
from capacity.values.lanes import BudgetWindow, Deal, PoolBudget
from capacity.values.leases import Amount, Ending, Settled, Usage
from capacity.values.models import Inventory, Model, PoolInventory
from capacity.values.policy import Policy
from capacity.values.seats import Candidate

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FIVE = BudgetWindow("5h", 5 * HOUR)
WEEK = BudgetWindow("weekly", timedelta(days=7))
HERE = Candidate("h", "p", "heron-2")


def told(**figures: int | str) -> Usage:
    """What a turn told: input, output, …, and any other word as money."""
    kinds = ("requests", "input", "output", "cache_read", "cache_write")
    counts = {kind: Amount(Decimal(figures.pop(kind))) for kind in kinds if kind in figures}
    return Usage(**counts, money={unit: Amount(Decimal(amount)) for unit, amount in figures.items()})


def turn(hours: float = 0, usage: Usage | None = None, **more: Any) -> Settled:
    """A turn that ended so many hours after noon; of 100 tokens, unless it says otherwise."""
    usage = told(input=90, output=10) if usage is None else usage
    return Settled("lease", "s", HERE, NOON + hours * HOUR, usage=usage, **more)


def policy(*windows: BudgetWindow, deals: tuple[Deal, ...] = (), **more: Any) -> Policy:
    """A policy with a budget of one pool."""
    return Policy(budgets={"p": PoolBudget("p", windows or (FIVE,), **more)}, deals=deals)


def whole(settled: list[Settled], of: Policy, hours: float = 0) -> Spent:
    """The one row of a ledger, so many hours after noon."""
    (row,) = ledger(settled, of, NOON + hours * HOUR)
    return row


# --- what counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("meter", "usage", "amount"),
    [
        ("tokens", told(input=100, output=20, cache_write=30, cache_read=1000), "250"),
        ("tokens", told(input=100, output=20), "120"),
        ("requests", told(requests=3, input=9, output=9), "3"),
        ("USD", told(input=9, output=9, USD="0.25"), "0.25"),
    ],
)
def test_each_meter_counts_its_own(meter: str, usage: Usage, amount: str) -> None:
    """A token read from a cache counts a tenth; money is what was charged."""
    row = whole([turn(usage=usage), turn(usage=usage)], policy(evolve(FIVE, meter=meter)))

    assert (2 * Decimal(amount), False) == (row.amount, row.estimated)


def test_tokens_weigh_what_the_policy_says() -> None:
    """A kind it does not name keeps its usual weight."""
    usage = told(input=100, output=20, cache_read=100)

    assert 210 == whole([turn(usage=usage)], policy(weights={"output": 5.0})).amount
    assert 120 == whole([turn(usage=usage)], policy(weights={"cache_read": 0.0})).amount


def test_a_deal_makes_tokens_count_less_and_money_not() -> None:
    """Money is charged as it is; a deal for a model is found by any of its names, at the hour of the turn."""
    deals = (Deal("p", 0.5, "heron", timedelta(hours=11), timedelta(hours=13)),)
    windows = (FIVE, evolve(FIVE, name="paid", meter="USD"), evolve(FIVE, name="asked", meter="requests"))
    listed = PoolInventory("p", "authoritative", True, NOON, (Model("heron-2", names=frozenset({"heron"})),))
    usage = told(requests=1, input=90, output=10, USD="1.00")
    settled = [turn(0, usage), turn(2, usage)]

    rows = ledger(settled, policy(*windows, deals=deals), NOON + 2 * HOUR, inventory=Inventory(NOON, {"p": listed}))
    assert {"5h": 150, "asked": 2, "paid": 2} == {row.window: row.amount for row in rows}
    assert 200 == whole(settled, policy(deals=deals), 2).amount


def test_other_pools_are_not_counted() -> None:
    """A pool without a budget is nobody's account."""
    assert () == ledger([turn()], Policy(), NOON)
    assert 0 == whole([evolve(turn(), candidate=evolve(HERE, pool="q"))], policy()).amount


# --- what nobody told -----------------------------------------------------------------------------


def test_an_untold_turn_counts_as_the_mean_of_those_told() -> None:
    """Missing is not nought: three of a hundred told, one not, are four hundred, and estimated."""
    row = whole([turn(), turn(), turn(), turn(usage=Usage())], policy())

    assert (400, True) == (row.amount, row.estimated)


def test_a_turn_of_no_token_at_all_told_nothing() -> None:
    """Nought in and nought out is how a report fails, and would teach that a place is free."""
    row = whole([turn(), turn(usage=told(input=0, output=0))], policy())

    assert (200, True) == (row.amount, row.estimated)


def test_where_nobody_told_the_window_is_unknown() -> None:
    """It is not in the ledger, where it would look empty; its requests are counted all the same."""
    rows = ledger([turn(usage=Usage())], policy(FIVE, evolve(FIVE, name="asked", meter="requests")), NOON)

    assert [("asked", 1, True)] == [(row.window, row.amount, row.estimated) for row in rows]


@pytest.mark.parametrize(
    ("ending", "tokens", "requests"),
    [("used", 200, 2), ("abandoned", 200, 2), ("expired", 200, 2), ("failed", 100, 2), ("released", 100, 1)],
)
def test_how_a_turn_ended_says_whether_it_spent(ending: Ending, tokens: int, requests: int) -> None:
    """One that failed made a request and had no answer, one that was released never began."""
    settled = [turn(usage=told(requests=1, input=90, output=10)), turn(usage=Usage(), ending=ending)]
    rows = ledger(settled, policy(FIVE, evolve(FIVE, name="asked", meter="requests")), NOON)

    assert {"5h": tokens, "asked": requests} == {row.window: row.amount for row in rows}


def test_what_a_failed_turn_tells_is_counted() -> None:
    """A stream that broke was paid for as far as it went."""
    assert 100 == whole([turn(ending="failed", failure=Failure.of("overload"))], policy()).amount


@pytest.mark.parametrize(
    "usage", [told(input=50), told(output=50), Usage(input=Amount(50, "estimated"), output=Amount(9))]
)
def test_half_a_report_is_an_estimate(usage: Usage) -> None:
    """What was told counts, and the window says that it is not all."""
    assert whole([turn(usage=usage)], policy()).estimated


# --- windows --------------------------------------------------------------------------------------


def test_a_window_begins_with_the_first_spend_after_the_last_one() -> None:
    """Five hours from then on; what comes later begins another."""
    settled = [turn(0), turn(4.9), turn(7)]

    first, over, second = (whole(settled[:count], policy(), hours) for count, hours in ((2, 4.9), (2, 6), (3, 7)))
    assert (200, NOON, NOON + 5 * HOUR) == (first.amount, first.began_at, first.resets_at)
    assert (0, None, None) == (over.amount, over.began_at, over.resets_at)
    assert (100, NOON + 7 * HOUR, NOON + 12 * HOUR) == (second.amount, second.began_at, second.resets_at)


def test_an_anchored_window_keeps_its_phase() -> None:
    """It rolls by whole periods, before its anchor too, whether anything is spent in it or not."""
    week = evolve(WEEK, anchor=NOON + timedelta(days=9))

    row = whole([turn()], policy(week))
    assert (100, NOON - timedelta(days=5), NOON + timedelta(days=2)) == (row.amount, row.began_at, row.resets_at)
    later = whole([turn()], policy(week), 24 * 20)
    assert (0, NOON + timedelta(days=16)) == (later.amount, later.began_at)


def test_a_clock_that_steps_back_loses_nothing() -> None:
    """What is dated before the open window counts in it."""
    assert 200 == whole([turn(0), turn(-1)], policy()).amount


def test_a_window_the_policy_changed_is_counted_anew() -> None:
    """Another length or meter is another window, and what is kept of one that is gone is forgotten."""
    start = fold([turn()], policy())
    longer = policy(evolve(FIVE, length=6 * HOUR))

    assert () == fold([], longer, start)
    (row,) = ledger([turn()], longer, NOON, start=start)
    assert 100 == row.amount


# --- ceilings -------------------------------------------------------------------------------------


def refused(hours: float = 0, kind: FailureKind = "quota", reset: float | None = None) -> Settled:
    """A turn that was refused so many hours after noon, and whose reset is so many hours away."""
    at = None if reset is None else NOON + (hours + reset) * HOUR
    return turn(hours, Usage(), ending="failed", failure=Failure.of(kind, reset_at=at))


ENOUGH = [turn()] * LEAST_TURNS


def test_a_refusal_for_spent_quota_teaches_the_ceiling() -> None:
    """What had been spent by then is how much there was."""
    row = whole([*ENOUGH, refused()], policy())

    assert (2000, True, 100.0) == (row.ceiling, row.learned, row.percent)


@pytest.mark.parametrize("kind", ["rate", "overload", "balance", "lapsed", "other", "busy"])
def test_nothing_else_teaches_one(kind: FailureKind) -> None:
    """A burst, an outage or an empty purse says nothing of a window."""
    assert whole([*ENOUGH, refused(kind=kind)], policy()).ceiling is None


def test_a_spend_too_small_teaches_nothing() -> None:
    """After three turns a refusal is about what others spent."""
    assert whole([*ENOUGH[1:], refused()], policy()).ceiling is None


def test_a_declared_ceiling_wins() -> None:
    """The operator's word is not learned over."""
    row = whole([*ENOUGH, refused()], policy(evolve(FIVE, ceiling=Decimal(8000))))

    assert (8000, False, 25.0) == (row.ceiling, row.learned, row.percent)


def test_what_was_learned_fades() -> None:
    """It doubles with each length that passes without another refusal, and is forgotten before it looks endless."""
    settled = [*ENOUGH, refused(1)]
    ceilings = [whole(settled, policy(), hours).ceiling for hours in (1, 5.9, 6, 11, 15.9, 16)]

    assert [2000, 2000, 4000, 8000, 8000, None] == ceilings


def test_another_refusal_teaches_anew() -> None:
    """The newest counts, be it lower or higher."""
    more = [evolve(turn(6), at=NOON + 6 * HOUR)] * (LEAST_TURNS + 5)

    assert 2500 == whole([*ENOUGH, refused(1), *more, refused(6)], policy(), 6).ceiling


def test_spending_past_a_learned_ceiling_raises_it() -> None:
    """It was none, also for the windows after this one."""
    settled = [*ENOUGH, refused(), turn(1), turn(6)]

    assert 2100 == whole(settled[:-1], policy(), 1).ceiling
    assert 4200 == whole(settled, policy(), 6).ceiling


def test_what_is_learned_wrongly_is_learned_of_the_shortest_window() -> None:
    """Nobody says which is full: the shortest heals first. A reset further off than its length cannot be its own."""
    both = policy(FIVE, WEEK)

    def learned(reset: float | None) -> list[str]:
        return [row.window for row in ledger([*ENOUGH, refused(reset=reset)], both, NOON) if row.learned]

    assert ["5h"] == learned(None)
    assert ["5h"] == learned(5.01)
    assert ["weekly"] == learned(30)
    assert [] == learned(24 * 30)


def test_a_guessed_reset_is_no_evidence() -> None:
    """Which window is full is only told by a reset that somebody told."""
    far = evolve(refused(reset=30), failure=evolve(Failure.of("quota", reset_at=NOON + 30 * HOUR), reset_known=False))

    assert ["5h"] == [row.window for row in ledger([*ENOUGH, far], policy(FIVE, WEEK), NOON) if row.learned]


# --- shares ---------------------------------------------------------------------------------------


def test_every_part_has_its_row() -> None:
    """The whole, each team that has a share, and everybody else where something is kept from them."""
    shared = policy(evolve(FIVE, ceiling=Decimal(1000)), shares={"ann": 0.5, "ben": 0.25}, reserve=0.6)
    settled = [turn(team="ann"), turn(team="ann"), turn(team="cyd"), turn()]
    rows = ledger(settled, shared, NOON)

    assert [("", None, 400, 40.0), ("", 0.4, 200, 50.0), ("ann", 0.5, 200, 40.0), ("ben", 0.25, 0, 0.0)] == [
        (row.name, row.share, row.amount, row.percent) for row in rows
    ]


def test_untold_turns_of_a_team_count_at_everybodys_mean() -> None:
    """A team that never tells is not free."""
    shared = policy(shares={"ann": 0.5})
    amounts = {
        row.name: (row.amount, row.estimated) for row in ledger([turn(), turn(usage=Usage(), team="ann")], shared, NOON)
    }

    assert {"": (200, True), "ann": (100, True)} == amounts
