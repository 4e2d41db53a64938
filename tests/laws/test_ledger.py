"""Our own ledger: what it counts hangs on what was spent, not on how it was told, and never on what nobody told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import get_args

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from capacity.core.budgets import fold, ledger
from capacity.values.budgets import Spent
from capacity.values.failures import Failure, FailureKind
from capacity.values.lanes import BudgetWindow, Deal, PoolBudget
from capacity.values.leases import Amount, Ending, Settled, Usage
from capacity.values.policy import Policy
from capacity.values.seats import Candidate

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
WINDOWS = (
    BudgetWindow("5h", 5 * HOUR),
    BudgetWindow("weekly", 168 * HOUR, "requests", anchor=NOON),
    BudgetWindow("month", 720 * HOUR, "USD", Decimal(9), stops=True),
)
POLICY = Policy(
    budgets={pool: PoolBudget(pool, WINDOWS, shares={"ann": 0.5}, reserve=0.75) for pool in ("p", "q")},
    deals=(Deal("p", 0.5, start=timedelta(hours=22), end=timedelta(hours=6)),),
)
KINDS = ("requests", "input", "output", "cache_read", "cache_write")


@st.composite
def usages(draw: DrawFn) -> Usage:
    """What a turn may tell: some of it, all of it, none."""
    amount = st.builds(Amount, st.integers(0, 1000), st.sampled_from(("reported", "estimated")))
    told = {kind: draw(amount) for kind in KINDS if draw(st.booleans())}
    return Usage(**told, money=draw(st.sampled_from(({}, {"USD": Amount(Decimal("0.25"))}))))


@st.composite
def turns(draw: DrawFn) -> Settled:
    """Turns of two budgeted pools and another one, over some days, by teams with a share and without."""
    failure = draw(st.none() | st.builds(Failure.of, st.sampled_from(get_args(FailureKind))))
    return Settled(
        "lease",
        "s",
        Candidate("h", draw(st.sampled_from("pqr")), "m"),
        NOON + draw(st.integers(0, 96)) * HOUR,
        draw(st.sampled_from(get_args(Ending))) if failure is None else "failed",
        draw(usages()),
        failure,
        draw(st.sampled_from(("ann", "ben", ""))),
    )


def lists() -> st.SearchStrategy[list[Settled]]:
    """Turns in the order they were written; one in ten or so is dated before the one before it."""
    several = st.lists(turns(), max_size=6).flatmap(lambda some: st.integers(1, 12).map(lambda times: some * times))
    ordered = several.map(lambda some: sorted(some, key=lambda one: one.at))
    return st.one_of(ordered, several)


@given(lists(), st.integers(0, 60), st.integers(0, 200))
def test_it_does_not_hang_on_where_a_fold_was_interrupted(settled: list[Settled], cut: int, hours: int) -> None:
    """fold(a + b) is fold(a) continued with b [L19]."""
    start, as_of = fold(settled[:cut], POLICY), NOON + hours * HOUR

    assert fold(settled, POLICY) == fold(settled[cut:], POLICY, start)
    assert ledger(settled, POLICY, as_of) == ledger(settled[cut:], POLICY, as_of, start=start)


@given(lists(), st.integers(0, 200), st.randoms(use_true_random=False))
def test_it_does_not_hang_on_an_order_without_a_meaning(settled: list[Settled], hours: int, chance: Random) -> None:
    """Pools are counted each by itself, and turns of one instant are one turn's as much as another's."""
    settled = sorted(settled, key=lambda one: one.at)
    by_pool = sorted(settled, key=lambda one: one.candidate.pool)
    quiet = [evolve(one, failure=None) for one in settled]
    mixed = sorted(chance.sample(quiet, len(quiet)), key=lambda one: one.at)
    as_of = NOON + hours * HOUR

    assert ledger(settled, POLICY, as_of) == ledger(by_pool, POLICY, as_of)
    assert figures(ledger(quiet, POLICY, as_of)) == figures(ledger(mixed, POLICY, as_of))


def figures(rows: tuple[Spent, ...]) -> list[tuple[object, ...]]:
    """What rows tell, amounts to the digits that an order of additions cannot change."""
    return [(*row.key, round(row.amount, 9), row.began_at, row.ceiling, row.estimated) for row in rows]


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=1, max_size=6))
def test_tokens_told_in_two_settlements_are_those_of_one(parts: list[tuple[int, int]]) -> None:
    """What was spent is spent, whatever it is told in."""
    read, written = (sum(part[side] for part in parts) for side in (0, 1))

    def amount(*told: tuple[int, int]) -> Decimal:
        usages = [Usage(input=Amount(one), output=Amount(other)) for one, other in told]
        settled = [Settled("lease", "s", Candidate("h", "q", "m"), NOON, usage=usage) for usage in usages]
        return ledger(settled, POLICY, NOON)[0].amount

    assert amount((read, written)) == amount(*parts)


@given(lists(), st.integers(0, 200))
def test_whatever_is_not_told_makes_nothing_cheaper(settled: list[Settled], hours: int) -> None:
    """To keep silent about tokens never makes a window of alike turns look emptier: it counts as much, or is unknown."""
    told = Usage(input=Amount(10), output=Amount(10))
    alike = [evolve(one, ending="used", failure=None, usage=told) for one in settled]
    silent = [evolve(one, usage=Usage()) if index % 2 else one for index, one in enumerate(alike)]
    as_of, plain = NOON + hours * HOUR, evolve(POLICY, deals=())

    whole = {row.key: row.amount for row in ledger(alike, plain, as_of) if row.meter == "tokens"}
    rest = {row.key: row.amount for row in ledger(silent, plain, as_of) if row.meter == "tokens"}
    assert rest == {key: amount for key, amount in whole.items() if key in rest}
    unknown = {key[:2] for key in whole if key not in rest}
    assert unknown <= {key[:2] for key, amount in whole.items() if amount}


@given(lists(), st.integers(0, 200))
def test_a_ceiling_is_only_learned_from_a_spent_quota(settled: list[Settled], hours: int) -> None:
    """No other failure, and no volume, teaches one; a declared one stays as it is."""
    others = [one for one in settled if one.failure is None or one.failure.kind != "quota"]
    rows = ledger(others, POLICY, NOON + hours * HOUR)

    assert not any(row.learned for row in rows)
    assert {Decimal(9)} >= {row.ceiling for row in ledger(settled, POLICY, NOON) if row.meter == "USD"}


@given(lists(), st.integers(0, 200))
def test_the_parts_are_not_more_than_the_whole(settled: list[Settled], hours: int) -> None:
    """Each team's part and the rest add up to what was spent, to a rounding of the mean."""
    rows = ledger(settled, POLICY, NOON + hours * HOUR)
    wholes = {row.key[:2]: row.amount for row in rows if row.share is None}
    for key, whole in wholes.items():
        parts = [row.amount for row in rows if row.key[:2] == key and row.share is not None]
        assert len(parts) < 2 or abs(sum(parts) - whole) <= whole / 10**20
