"""The past of a drawn world: fleets as observed, what we wrote to them, what is held and what stands."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.testing.strategies._lanes import world_spent
from capacity.testing.strategies._names import (
    EFFORTS,
    FLEETS,
    HARNESSES,
    MODEL_WORDS,
    ROLES,
    SEATS,
    UNHEARD,
    Parts,
    mostly,
    nearly,
    odd,
    some,
)
from capacity.values.conditions import CONDITIONS, Condition, Fact
from capacity.values.decision import Act
from capacity.values.failures import HOLDS, Circuit, FailureKind, Origin, Subject
from capacity.values.history import Entry, History, Holds, Journal
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Fleet, Seat


@st.composite
def world_histories(draw: DrawFn, policy: Policy, inventory: Inventory, as_of: datetime, seats: int) -> History:
    """Histories of that policy's fleets: their seats run in that inventory, or somewhere the policy never heard of."""
    places = _places(policy, inventory)
    fleets = [draw(_fleets(name, places, as_of, seats)) for name in draw(some(FLEETS, 1))]
    entries: list[Entry] = []
    for index, fleet in enumerate(fleets):
        pairs = [draw(_pasts(seat, places, as_of)) for seat in fleet.seats]
        fleets[index] = evolve(fleet, seats=tuple(seat for seat, _ in pairs))
        entries += [entry for _, entry in pairs if entry is not None]
    stops = st.lists(_circuits(places, as_of), min_size=1, max_size=2, unique_by=lambda circuit: circuit.key)
    return History(
        as_of,
        turn=draw(st.integers(0, 3)),
        seed=draw(st.integers(0, 3)),
        fleets=tuple(fleets),
        journal=Journal(tuple(entries)),
        holds=Holds(tuple(draw(stops) if draw(st.booleans()) else ())),
        conditions=tuple(draw(_conditions(policy, as_of))),
        spent=tuple(draw(world_spent(policy.budgets, as_of))),
    )


def _places(policy: Policy, inventory: Inventory) -> tuple[Candidate, ...]:
    """The places adopted rows and listings make; without any, every listed one; without any, one nobody heard of."""
    adopted = [
        Candidate(row.harness, pool, one.model.id, row.effort)
        for row in policy.tiers.rows
        for pool in policy.harnesses[row.harness].pools
        if pool in inventory.pools
        for one in inventory.pools[pool].find(row.model)
    ]
    listed = [
        Candidate(harness.name, pool, model.id)
        for harness in policy.harnesses.values()
        for pool in harness.pools
        if pool in inventory.pools
        for model in inventory.pools[pool].models
    ]
    return tuple(adopted or listed) or (Candidate(HARNESSES[0], next(iter(policy.pools)), UNHEARD),)


@st.composite
def _fleets(draw: DrawFn, name: str, places: tuple[Candidate, ...], as_of: datetime, seats: int) -> Fleet:
    manned = [draw(_seats(name, seat, places)) for seat in draw(some(SEATS, 0, seats))] if seats else []
    return Fleet(
        name,
        as_of - draw(st.sampled_from((timedelta(0), timedelta(minutes=1)))),
        tuple(manned),
        refuses=draw(nearly(None, "it is being edited")),
        held_by=draw(nearly(None, "another-host")),
    )


ODD_SEATS: tuple[Parts, ...] = (
    *({"harness": harness} for harness in HARNESSES),
    *({"model": word} for word in MODEL_WORDS),
    *({"effort": effort} for effort in EFFORTS if effort),
    *({"role": role} for role in ROLES),
    {"pool": None},
    {"pool": None},
    {"pool": "nowhere"},
    {"cadence": timedelta(minutes=5)},
    {"cadence": timedelta(hours=1)},
    {"pinned": True},
    {"held": True},
    *({"paused_by": whom} for whom in (*("capacity",) * 4, "operator", "login")),
)


@st.composite
def _seats(draw: DrawFn, fleet: str, name: str, places: tuple[Candidate, ...]) -> Seat:
    place = draw(st.sampled_from(places))
    plain = {"harness": place.harness, "model": place.model, "pool": place.pool}
    return Seat(fleet, name, **{**plain, **draw(odd(ODD_SEATS, most=3))})


@st.composite
def _pasts(draw: DrawFn, seat: Seat, places: tuple[Candidate, ...], as_of: datetime) -> tuple[Seat, Entry | None]:
    """A seat, and what we last did to it: what it shows, what somebody changed since, or nothing."""
    here = Candidate(seat.harness, seat.pool or places[0].pool, seat.model, seat.effort)
    parked = seat.paused_by == "capacity"
    if not draw(nearly(True, False) if parked else st.booleans()):
        return seat, None
    act: Act = (
        draw(nearly("park", "move")) if parked else draw(st.sampled_from(("demote", "move", "restore", "resume")))
    )
    target = None if act == "park" else draw(nearly(here, *places))
    entry = Entry(
        placement=f"past/{seat.fleet}/{seat.name}",
        fleet=seat.fleet,
        seat=seat.name,
        act=act,
        outcome=draw(nearly("applied", "unchanged", "unverified", "rejected", "gone", "indeterminate")),
        at=as_of - timedelta(hours=1),
        candidate=target,
        expected=draw(mostly(here, *places)),
        home=draw(st.sampled_from((*places, here))) if act in {"park", "demote"} else None,
        until=draw(_dues(as_of)) if act == "park" else None,
    )
    return evolve(seat, placement=draw(mostly(entry.placement, None))), entry


def _dues(as_of: datetime) -> SearchStrategy[datetime | None]:
    return st.sampled_from((None, as_of - timedelta(minutes=1), as_of, as_of + timedelta(hours=2)))


@st.composite
def _circuits(draw: DrawFn, places: tuple[Candidate, ...], as_of: datetime) -> Circuit:
    place = draw(st.sampled_from(places))
    names: dict[Subject, str] = {"pool": place.pool, "candidate": "|".join(place.key), "backend": "fake"}
    subject = draw(st.sampled_from(SUBJECTS))
    origin = draw(st.sampled_from(ORIGINS[subject]))
    kind = draw(st.sampled_from(OPENED[subject])) if origin == "refusal" else "other"
    ends_at = draw(st.sampled_from((as_of + timedelta(minutes=1), as_of + timedelta(hours=5))))
    return Circuit(
        origin,
        subject,
        names[subject],
        kind,
        as_of - draw(st.sampled_from((timedelta(minutes=5), timedelta(hours=1)))),
        None if origin == "operator" and draw(st.booleans()) else ends_at,
        known=draw(st.booleans()),
        probation_at=draw(st.sampled_from((as_of, ends_at))) if origin == "evidence" else None,
        above=50_000 if kind == "context-tier" else None,
        waits=HOLDS[kind].waits,
    )


SUBJECTS: tuple[Subject, ...] = ("candidate", "pool", "candidate", "pool", "backend")
"""What is stopped, as often as it stands here: an operator alone stops a whole backend."""

ORIGINS: Mapping[Subject, tuple[Origin, ...]] = {
    "pool": ("operator", "refusal", "evidence"),
    "candidate": ("operator", "refusal"),
    "backend": ("operator",),
}
"""What is stopped → on whose word."""

OPENED: Mapping[Subject, tuple[FailureKind, ...]] = {
    "pool": ("quota", "lapsed", "balance", "auth", "connect"),
    "candidate": ("rate", "model", "context-tier", "busy"),
}
"""What is stopped → the failures that stop it."""


@st.composite
def _conditions(draw: DrawFn, policy: Policy, as_of: datetime) -> list[Condition]:
    """What stood after the decision before: conditions of a pool, which may have ended since."""
    codes = draw(some(("core:pool-exhausted", "core:probe-failing", "core:login-required"), most=2))
    pool = draw(st.sampled_from(tuple(policy.pools)))
    since = as_of - timedelta(hours=2)
    return [Condition(Fact(code, pool), "raised", since, *CONDITIONS[code]) for code in codes]
