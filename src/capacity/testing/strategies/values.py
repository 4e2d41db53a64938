"""A strategy for every value. `value(Class)` draws any of them; the ones people ask for most have a name of their own.

What is drawn keeps the invariants of its docstring (sorted by key, indices in range) and no others: it need not make
sense. For values that make sense together see `worlds`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeVar, cast

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.ports import Budget, Document
from capacity.testing.strategies._build import instants, money, of, percents, spans, words
from capacity.values.conditions import CONDITIONS, Condition, Fact, Figure
from capacity.values.decision import Decision, SeatDecision, Table, Verdict
from capacity.values.history import History
from capacity.values.leases import Amount
from capacity.values.limits import Estimate, Headroom, Interval, Limit, LimitHeadroom, PoolHeadroom, Reading
from capacity.values.models import Inventory, Listing, Missed, Model, PoolInventory
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Fleet, Need, Seat
from capacity.values.tick import Tick

V = TypeVar("V")


def value(cls: type[V]) -> SearchStrategy[V]:
    """Any value of that class.

    Raises:
        TypeError: a field has an annotation nobody knows to draw.
    """
    made = MADE.get(cls)
    return cast("SearchStrategy[V]", made()) if made else of(cls)


def amounts() -> SearchStrategy[dict[str, Decimal]]:
    """Unit → decimal: at most two of money in two currencies, credits and slots."""
    units = st.sampled_from(("USD", "CNY", "credits", "slots"))
    return st.dictionaries(units, money(), max_size=2)


def used() -> SearchStrategy[Amount]:
    """Figures of use: from nought up, reported or estimated."""
    return of(Amount, value=st.decimals(0, 1000, places=2))


def limits() -> SearchStrategy[Limit]:
    """Limits with any mixture of the three kinds of evidence, or none."""
    told = st.one_of(st.none(), percents())
    return of(Limit, percent=told, quantum=st.sampled_from((1.0, 0.1, 0.01)), left=amounts(), cap=amounts())


def readings() -> SearchStrategy[Reading]:
    """Readings in every state."""
    return of(Reading)


def estimates() -> SearchStrategy[Estimate]:
    """Estimates; an end may be unbounded."""
    figure = st.floats(0, 1000) | st.just(float("inf"))
    return st.tuples(figure, figure, figure).map(lambda three: Estimate(*sorted(three)))


def intervals() -> SearchStrategy[Interval]:
    """Bounds in order; the upper one may be unbounded."""
    pair = st.tuples(percents(), st.one_of(percents(), st.just(math.inf)))
    return pair.map(lambda ends: Interval(min(ends), max(ends)))


def pool_headrooms() -> SearchStrategy[PoolHeadroom]:
    """What is left of one pool, its limits in order."""
    limits = st.lists(value(LimitHeadroom), max_size=2, unique_by=lambda known: known.limit.name)
    return of(PoolHeadroom, limits=limits.map(lambda all_: tuple(sorted(all_, key=lambda known: known.limit.name))))


def headrooms() -> SearchStrategy[Headroom]:
    """What is left of at most two pools."""
    return of(Headroom)


def models() -> SearchStrategy[Model]:
    """Models, from those nothing is known of to those told in full."""
    return of(Model, context=st.one_of(st.none(), st.sampled_from((4_096, 32_768, 200_000, 1_000_000))))


def listings() -> SearchStrategy[Listing]:
    """Listings of every authority."""
    return of(Listing)


def pool_inventories() -> SearchStrategy[PoolInventory]:
    """What one pool can run, in order; a model is listed or missed, never both."""
    return st.builds(
        _split,
        of(PoolInventory, models=st.just(()), missed=st.just(())),
        st.lists(models(), max_size=3, unique_by=lambda model: model.id),
        st.lists(st.integers(1, 4), max_size=2),
    )


def _split(pool: PoolInventory, some: list[Model], misses: list[int]) -> PoolInventory:
    ordered = sorted(some, key=lambda model: model.id)
    missed = tuple(Missed(model, times) for model, times in zip(ordered, misses, strict=False))
    listed = tuple(ordered[len(missed) :])
    return PoolInventory(pool.pool, pool.authority, pool.fresh, pool.observed_at, listed, missed)


def inventories() -> SearchStrategy[Inventory]:
    """What at most two pools can run."""
    return of(Inventory)


def candidates() -> SearchStrategy[Candidate]:
    """Places a seat could run."""
    return of(Candidate)


def needs() -> SearchStrategy[Need]:
    """Needs, from any place will do to nothing will."""
    return of(Need)


def seats() -> SearchStrategy[Seat]:
    """Seats as some fleet runs them."""
    return of(Seat, paused_by=st.sampled_from((None, "capacity", "operator", "login")))


def fleets() -> SearchStrategy[Fleet]:
    """Fleets of at most two seats, each of that fleet and named once."""
    return st.builds(_manned, of(Fleet, seats=st.just(())), st.lists(seats(), max_size=2))


def _manned(fleet: Fleet, some: list[Seat]) -> Fleet:
    own = {seat.name: evolve(seat, fleet=fleet.name) for seat in some}
    return evolve(fleet, seats=tuple(own.values()))


def policies() -> SearchStrategy[Policy]:
    """Policies whose parts need not know each other."""
    return of(Policy)


def figures() -> SearchStrategy[Figure]:
    """Figures whose unit fits the type of their value."""
    kinds: tuple[tuple[SearchStrategy[Any], tuple[str, ...]], ...] = (
        (st.one_of(st.floats(-1000, 1000), st.just(math.inf)), ("percent", "points", "per-hour")),
        (st.integers(0, 10**9), ("tokens", "misses", "seats")),
        (money(), ("USD", "CNY", "credits", "slots")),
        (instants(), ("instant",)),
        (words(), ("word",)),
    )
    return st.one_of(*(of(Figure, value=values, unit=st.sampled_from(units)) for values, units in kinds))


def facts() -> SearchStrategy[Fact]:
    """Facts with codes of the core's and of a plugin's own."""
    codes = st.one_of(st.sampled_from(sorted(CONDITIONS)), st.just("stranger:shrug"))
    return of(Fact, code=codes, figures=st.lists(figures(), max_size=2, unique_by=lambda f: f.name).map(tuple))


def conditions() -> SearchStrategy[Condition]:
    """Conditions, raised and cleared."""
    return of(Condition)


def histories() -> SearchStrategy[History]:
    """Histories whose parts need not know each other."""
    return of(History, fleets=_unique(fleets(), lambda fleet: fleet.name))


@st.composite
def decisions(draw: DrawFn) -> Decision:
    """Decisions of at most two needs and two seats: every index in range, every row complete, all in order."""
    places = sorted(draw(_unique(candidates(), lambda place: place.key)), key=lambda place: place.key)
    groups = tuple(range(len(places)))
    verdicts = tuple(draw(st.lists(value(Verdict), min_size=1, max_size=3, unique=True)))
    row = st.tuples(*(st.integers(0, len(verdicts) - 1) for _ in groups))
    tables = draw(st.lists(of(Table, verdicts=row), max_size=2))
    need = st.sampled_from((None, *range(len(tables))))
    seats = sorted(draw(_unique(of(SeatDecision, need=need), _seat_key)), key=_seat_key)
    stand = sorted(draw(_unique(conditions(), lambda condition: condition.key)), key=lambda c: c.key)
    return Decision(
        draw(words()),
        draw(instants()),
        "seats",
        tuple(places),
        groups,
        verdicts,
        tuple(tables),
        tuple(seats),
        tuple(stand),
    )


def _seat_key(seat: SeatDecision) -> tuple[str, str]:
    return seat.placement.key


def _unique(values: SearchStrategy[V], key: Callable[[V], Any]) -> SearchStrategy[tuple[V, ...]]:
    return st.lists(values, max_size=2, unique_by=key).map(tuple)


def ticks() -> SearchStrategy[Tick]:
    """Ticks whose parts need not know each other: for forms, not for decisions."""
    return of(Tick)


def documents() -> SearchStrategy[Document]:
    """Documents of any bytes, with and without a status."""
    status = st.sampled_from((None, 200, 304, 401, 403, 404, 429, 500, 503))
    headers = st.lists(st.tuples(st.sampled_from(("date", "retry-after", "x-any")), words()), max_size=2).map(tuple)
    return of(Document, body=st.binary(max_size=64), status=status, headers=headers)


def budgets() -> SearchStrategy[Budget]:
    """Budgets that keep their own order."""
    steps = st.lists(spans(), min_size=4, max_size=4).map(
        lambda steps: sorted(step + timedelta(seconds=1) for step in steps)
    )
    return steps.map(lambda s: Budget(floor=s[0], usual=s[1], idle=s[2], slowest=s[3]))


MADE: Mapping[type[Any], Callable[[], SearchStrategy[Any]]] = {
    Amount: used,
    Budget: budgets,
    Decision: decisions,
    Document: documents,
    Fact: facts,
    Figure: figures,
    Fleet: fleets,
    History: histories,
    Estimate: estimates,
    Interval: intervals,
    Limit: limits,
    Model: models,
    PoolHeadroom: pool_headrooms,
    PoolInventory: pool_inventories,
    Seat: seats,
}
"""The classes whose annotations say less than their invariants."""
