"""The past of a drawn world: fleets as observed, what we wrote to them, what is held and what stands."""

from __future__ import annotations

from datetime import datetime, timedelta

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.testing.strategies._policy import (
    EFFORTS,
    FLEETS,
    HARNESSES,
    ROLES,
    SEATS,
    UNHEARD,
    mostly,
    some,
    words_for_models,
)
from capacity.values.conditions import CONDITIONS, Condition, Fact
from capacity.values.decision import Act
from capacity.values.failures import Circuit, FailureKind, Origin, Subject
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
    stops = draw(st.lists(_circuits(places, as_of), max_size=2, unique_by=lambda circuit: circuit.key))
    return History(
        as_of,
        turn=draw(st.integers(0, 3)),
        seed=draw(st.integers(0, 3)),
        fleets=tuple(fleets),
        journal=Journal(tuple(entries)),
        holds=Holds(tuple(draw(mostly([], stops)))),
        conditions=tuple(draw(_conditions(policy, as_of))),
    )


def _places(policy: Policy, inventory: Inventory) -> tuple[Candidate, ...]:
    """Every place the policy lets a harness draw on and the inventory lists, or one nobody heard of."""
    valid = [
        Candidate(harness.name, pool, model.id)
        for harness in policy.harnesses.values()
        for pool in harness.pools
        if pool in inventory.pools
        for model in inventory.pools[pool].models
    ]
    return tuple(valid) or (Candidate(HARNESSES[0], next(iter(policy.pools)), UNHEARD),)


@st.composite
def _fleets(draw: DrawFn, name: str, places: tuple[Candidate, ...], as_of: datetime, seats: int) -> Fleet:
    manned = [draw(_seats(name, seat, places)) for seat in draw(some(SEATS, 0, seats))] if seats else []
    return Fleet(
        name,
        as_of - draw(st.sampled_from((timedelta(0), timedelta(minutes=1)))),
        tuple(manned),
        refuses=draw(mostly(None, None, "it is being edited")),
        held_by=draw(mostly(None, None, "another-host")),
    )


@st.composite
def _seats(draw: DrawFn, fleet: str, name: str, places: tuple[Candidate, ...]) -> Seat:
    place = draw(st.sampled_from(places))
    return Seat(
        fleet,
        name,
        draw(mostly(place.harness, *HARNESSES)),
        draw(st.one_of(st.just(place.model), words_for_models())),
        effort=draw(st.sampled_from(EFFORTS)),
        pool=draw(mostly(place.pool, None, "nowhere")),
        role=draw(st.sampled_from(ROLES)),
        cadence=draw(st.sampled_from((None, timedelta(minutes=5), timedelta(hours=1)))),
        pinned=draw(mostly(False, False, True)),
        held=draw(mostly(False, False, True)),
        paused_by=draw(mostly(None, "capacity", "operator", "login")),
    )


@st.composite
def _pasts(draw: DrawFn, seat: Seat, places: tuple[Candidate, ...], as_of: datetime) -> tuple[Seat, Entry | None]:
    """A seat, and what we last did to it: what it shows, what somebody changed since, or nothing."""
    here = Candidate(seat.harness, seat.pool or places[0].pool, seat.model, seat.effort)
    if not draw(st.booleans()):
        return seat, None
    parked = seat.paused_by == "capacity"
    act: Act = (
        draw(mostly("park", "move")) if parked else draw(st.sampled_from(("move", "demote", "restore", "resume")))
    )
    target = None if act == "park" else draw(mostly(here, *places))
    entry = Entry(
        placement=f"past/{seat.fleet}/{seat.name}",
        fleet=seat.fleet,
        seat=seat.name,
        act=act,
        outcome=draw(mostly("applied", "unchanged", "unverified", "rejected", "conflict", "gone", "indeterminate")),
        at=as_of - timedelta(hours=1),
        candidate=target,
        expected=draw(mostly(here, *places)),
        home=draw(st.sampled_from((here, *places))) if act in {"park", "demote"} else None,
        until=draw(_dues(as_of)) if act == "park" else None,
    )
    return evolve(seat, placement=draw(mostly(entry.placement, None))), entry


def _dues(as_of: datetime) -> SearchStrategy[datetime | None]:
    return st.sampled_from((None, as_of - timedelta(minutes=1), as_of, as_of + timedelta(hours=2)))


@st.composite
def _circuits(draw: DrawFn, places: tuple[Candidate, ...], as_of: datetime) -> Circuit:
    place = draw(st.sampled_from(places))
    names: dict[Subject, str] = {"pool": place.pool, "candidate": "|".join(place.key), "backend": "fake"}
    subject = draw(st.sampled_from(tuple(names)))
    origins: tuple[Origin, ...] = ("operator",) if subject == "backend" else ("operator", "refusal", "reading")
    origin = draw(st.sampled_from(origins))
    ends = (as_of + timedelta(minutes=1), as_of + timedelta(hours=5))
    ends_at = draw(st.sampled_from((None, *ends) if origin == "operator" else ends))
    kinds: tuple[FailureKind, ...] = ("other",) if origin == "operator" else ("quota", "auth", "model", "rate")
    return Circuit(origin, subject, names[subject], draw(st.sampled_from(kinds)), as_of - timedelta(hours=1), ends_at)


@st.composite
def _conditions(draw: DrawFn, policy: Policy, as_of: datetime) -> list[Condition]:
    """What stood after the decision before: conditions of a pool, which may have ended since."""
    codes = draw(some(("core:pool-exhausted", "core:probe-failing", "core:login-required"), most=2))
    pool = draw(st.sampled_from(tuple(policy.pools)))
    since = as_of - timedelta(hours=2)
    return [Condition(Fact(code, pool), "raised", since, *CONDITIONS[code]) for code in codes]
