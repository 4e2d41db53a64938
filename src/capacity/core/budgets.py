"""Our own ledger: what leases spent, in windows of a fixed length. A fold over settlements in the order they were written.

1  A window begins with the first spend after the last one ended, or at its anchor's phase; a spend dated before the
   window that is open counts in it, since clocks step back and what was used was used.
2  A turn counts what it told. One that told nothing made a request all the same, and where it ran to its end it spent
   tokens and money nobody knows of (`tallies` says what these count).
3  A ceiling that nobody declared is learned from a refusal for a spent quota, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from attrs import evolve

from capacity.core.deals import multiplier
from capacity.core.tallies import Tallies, Tally
from capacity.values.budgets import Spent
from capacity.values.lanes import METERS, TOKENS, BudgetWindow, PoolBudget
from capacity.values.leases import Amount, Ending, Settled, Usage
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.seats import Candidate

UNTOLD: frozenset[Ending] = frozenset({"used", "abandoned", "expired"})
"""How turns end that spent something although nobody told how much. One that failed was not answered, one that was
released never began: of these only what they tell is counted."""

ONE = Decimal(1)

TOLERANCE = 1.05
"""How much further off than its window's length a reset may be: windows are named by their length with the same five
percent to spare."""


def ledger(
    settled: Iterable[Settled],
    policy: Policy,
    as_of: datetime,
    *,
    start: Tallies = (),
    inventory: Inventory | None = None,
) -> tuple[Spent, ...]:
    """What was spent by our own count, as it stands at an instant. A window of which nobody can tell is not in it.

    Args:
        settled: ends of leases, in the order they were written.
        policy: whose budgets are counted.
        as_of: the present, UTC.
        start: what `fold` made of those before.
        inventory: what tells every name of a model, for deals; None = a model answers to its id alone.
    """
    tallies = {one.key: one for one in fold(settled, policy, start, inventory)}
    windows = [(budget, window) for budget in policy.budgets.values() for window in budget.windows]
    rows = [row for budget, window in windows for row in _rows(budget, window, tallies, as_of)]
    return tuple(sorted(rows, key=lambda row: row.key))


def fold(
    settled: Iterable[Settled], policy: Policy, start: Tallies = (), inventory: Inventory | None = None
) -> Tallies:
    """What is counted after some more ends of leases. `fold(b, p, fold(a, p))` equals `fold(a + b, p)` [L19].

    Args:
        settled: ends of leases, in the order they were written.
        policy: whose budgets are counted; what it does not count any more is forgotten.
        start: what was counted before.
        inventory: as for `ledger`.
    """
    tallies = {one.key: one for one in start}
    for one in settled:
        budget = policy.budgets.get(one.candidate.pool)
        if budget is None:
            continue
        times = _times(policy, one, inventory)
        for window in budget.windows:
            key = _key(budget, window)
            tally = _after(tallies.get(key), one, budget, window, times)
            if tally is not None:
                tallies[key] = tally
    kept = {_key(budget, window) for budget in policy.budgets.values() for window in budget.windows}
    return tuple(tallies[key] for key in sorted(kept & tallies.keys()))


def _key(budget: PoolBudget, window: BudgetWindow) -> tuple[str, str, str, timedelta]:
    return budget.pool, window.name, window.meter, window.length


# --- one end of a lease ---------------------------------------------------------------------------


def _after(
    tally: Tally | None, settled: Settled, budget: PoolBudget, window: BudgetWindow, times: Decimal
) -> Tally | None:
    """The tally after one more turn; None where none was begun by it."""
    told = _told(settled, budget, window.meter, times)
    if told is not None or settled.ending in UNTOLD:
        team = settled.team if settled.team in budget.shares else ""
        tally = _open(tally, budget, window, settled.at).counting(team, told, settled.at)
    if tally is not None and _fills(settled, budget, window):
        return tally.refused(settled.at)
    return tally


def _told(settled: Settled, budget: PoolBudget, meter: str, times: Decimal) -> Amount | None:
    """What a turn told of one meter, None = nothing, which is not nought. It made a request, unless it never began."""
    usage = settled.usage
    if meter == "requests":
        return usage.requests or (None if settled.ending == "released" else Amount(1, "estimated"))
    return _weighted(usage, budget.weights, times) if meter in METERS else usage.money.get(meter)


def _weighted(usage: Usage, weights: Mapping[str, float], times: Decimal) -> Amount | None:
    """Tokens by what one of each kind counts. A turn that read and wrote none at all told nothing."""
    told = {kind: amount for kind in TOKENS if (amount := getattr(usage, kind)) is not None}
    if not any(amount.value for amount in told.values()):
        return None
    weighed = (amount.value * Decimal(str(weights.get(kind, TOKENS[kind]))) for kind, amount in told.items())
    whole = {"input", "output"} <= told.keys() and all(amount.told == "reported" for amount in told.values())
    return Amount(sum(weighed, Decimal(0)) * times, "reported" if whole else "estimated")


def _times(policy: Policy, settled: Settled, inventory: Inventory | None) -> Decimal:
    """What a token counts at that hour."""
    if all(deal.pool != settled.candidate.pool for deal in policy.deals):
        return ONE
    names = _names(settled.candidate, inventory)
    return Decimal(str(multiplier(policy.deals, settled.candidate.pool, names, settled.at)))


def _names(candidate: Candidate, inventory: Inventory | None) -> frozenset[str]:
    pool = inventory.pools.get(candidate.pool) if inventory is not None else None
    found = pool.find(candidate.model) if pool is not None else ()
    return frozenset({candidate.model.casefold()}.union(*(one.model.names for one in found)))


def _fills(settled: Settled, budget: PoolBudget, window: BudgetWindow) -> bool:
    """Whether a turn was refused because that window is full. Of several the shortest that could be meant is: what is
    learned wrongly of it is forgotten first. One whose reset is further off than its length cannot be.
    """
    failure = settled.failure
    if failure is None or failure.kind != "quota":
        return False
    reset_at = failure.reset_at if failure.reset_known else None
    off = timedelta(0) if reset_at is None else reset_at - settled.at
    return window.length == min((one.length for one in budget.windows if one.length * TOLERANCE >= off), default=None)


# --- windows --------------------------------------------------------------------------------------


def _open(tally: Tally | None, budget: PoolBudget, window: BudgetWindow, at: datetime) -> Tally:
    """The window that an instant falls into, or the one that is open where it lies before that."""
    if tally is not None and at < tally.ends_at:
        return tally
    began_at = at if window.anchor is None else at - (at - window.anchor) % window.length
    if tally is not None:
        return evolve(tally, began_at=began_at, counts={})
    return Tally(budget.pool, window.name, window.meter, window.length, began_at)


def _rows(
    budget: PoolBudget, window: BudgetWindow, tallies: Mapping[tuple[str, str, str, timedelta], Tally], as_of: datetime
) -> Iterator[Spent]:
    """A window as a whole, then the part of each team that has a share, then that of everybody else where some is kept."""
    counted = tallies.get(_key(budget, window))
    now = _open(counted, budget, window, as_of)
    began = window.anchor is not None or bool(now.counts)
    learned = counted.ceiling(as_of) if counted is not None and window.ceiling is None else None
    for name, share, names in _parts(budget, now):
        amount = now.spent(*names)
        if amount is not None:
            yield Spent(
                budget.pool, window.name, window.meter, amount, now.began_at if began else None,
                now.ends_at if began else None, window.ceiling if learned is None else learned, learned is not None,
                name, share, now.estimates(*names), window.stops,
            )  # fmt: skip  # the fields of one value


def _parts(budget: PoolBudget, tally: Tally) -> Iterator[tuple[str, float | None, tuple[str, ...]]]:
    """(name, share, whose counts are in it)."""
    yield "", None, tuple(tally.counts)
    yield from ((name, share, (name,)) for name, share in budget.shares.items())
    if budget.reserve:
        yield "", 1.0 - budget.reserve, tuple(name for name in tally.counts if name not in budget.shares)
