"""The policy of a drawn world, and the names everything in it goes by.

Few names, so that chance makes them meet: two pools often list one model, two harnesses often reach one pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.values.models import Model
from capacity.values.policy import (
    AccountPolicy,
    FleetPolicy,
    HarnessPolicy,
    HighVolume,
    Kind,
    Policy,
    PoolPolicy,
    Profile,
    SeatRule,
)
from capacity.values.seats import Egress
from capacity.values.tiers import TierRow, Tiers

V = TypeVar("V")

KINDS: Mapping[str, Kind] = {
    "harbour": "subscription",
    "harbour/east": "subscription",
    "orchard": "subscription",
    "well": "metered",
    "cellar": "local",
}
"""Pool → kind. An account may hold one pool or two; one of each kind is among them."""

HARNESSES = ("loom", "lathe", "kiln")
TIERS = ("first", "second", "third")
FLEETS = ("day", "night")
SEATS = ("ada", "ben", "cyd", "dot", "eve")
ROLES = (None, "writer", "checker")
EFFORTS = (None, "low", "high")
CONTEXTS = (None, 8_000, 8_192, 200_000)

MODELS = (
    Model("heron-2", "Heron 2", {"heron", "heron-2-0101"}),
    Model("heron-3", "Heron 3", {"heron"}),
    Model("finch-1", None, {"little finch"}),
    Model("wren-1"),
)
"""What can run, before a pool says how. Two of them answer to one family word."""

UNHEARD = "gone-9"
"""A model no pool lists."""


def mostly(usual: V, *others: V) -> SearchStrategy[V]:
    """The usual in three of four cases or so, else one of the others."""
    return st.sampled_from((usual, *((usual,) * (2 * len(others))), *others))


def some(values: tuple[V, ...], least: int = 0, most: int | None = None) -> SearchStrategy[list[V]]:
    """A few of them, each once."""
    return st.lists(st.sampled_from(values), min_size=least, max_size=most or len(values), unique=True)


def words_for_models() -> SearchStrategy[str]:
    """Any string a seat or row may name a model by: its id, an alias of its backend, or one nobody answers to."""
    known = sorted({name for model in MODELS for name in model.names})
    return mostly(known[0], *known[1:], "big", UNHEARD)


@st.composite
def world_policies(draw: DrawFn, as_of: datetime, pools: int) -> Policy:
    """Policies whose parts know each other: harnesses draw on its pools, rules name its tiers and profiles."""
    names = draw(some(tuple(KINDS), 1, pools))
    harnesses = draw(some(HARNESSES, 1, 2))
    return Policy(
        tiers=draw(_tiers(as_of, harnesses)),
        accounts={name: AccountPolicy(name, "fake") for name in {pool.partition("/")[0] for pool in names}},
        pools={name: draw(_pools(name)) for name in names},
        harnesses={name: draw(_harnesses(name, tuple(names))) for name in harnesses},
        fleets={name: FleetPolicy(name, "fake", draw(mostly("enforce", "shadow"))) for name in FLEETS},
        seats=tuple(draw(_rules(tuple(names)))),
        profiles={name: Profile(name, name) for name in ("none", "lan", "any")},
        high_volume=draw(_high_volumes(names)),
        seat_points=draw(mostly(5.0, 0.0, 60.0)),
    )


@st.composite
def _tiers(draw: DrawFn, as_of: datetime, harnesses: list[str]) -> Tiers:
    names = TIERS[: draw(mostly(2, 0, 1, 3))]
    if not names:
        return Tiers()
    row = st.builds(
        TierRow,
        tier=st.sampled_from(names),
        harness=st.sampled_from(harnesses),
        model=words_for_models(),
        effort=st.sampled_from(EFFORTS),
        adopted_at=st.just(as_of - timedelta(days=3)),
    )
    return Tiers(names, tuple(draw(st.lists(row, min_size=1, max_size=6, unique_by=lambda row: row.key))))


@st.composite
def _pools(draw: DrawFn, name: str) -> PoolPolicy:
    kind = KINDS[name]
    reach: Egress = draw(st.sampled_from(("none", "lan"))) if kind == "local" else "any"
    return PoolPolicy(
        name,
        name.partition("/")[0],
        kind,
        exhausted_at=draw(mostly(90.0, 80.0, 100.0)),
        money_floor=draw(mostly({}, {"USD": Decimal(5)})) if kind == "metered" else {},
        preference=draw(st.sampled_from((1, 2, 100))),
        unmeasurable=draw(mostly(False, True)),
        egress=reach,
        models=draw(mostly((), ("*",), ("heron*",))),
        prepare=draw(st.sampled_from(((), ("warm", "it")))) if kind == "local" else (),
    )


@st.composite
def _harnesses(draw: DrawFn, name: str, pools: tuple[str, ...]) -> HarnessPolicy:
    aliases = draw(mostly({}, {"big": "heron-2"}, {"big": UNHEARD}))
    return HarnessPolicy(name, tuple(draw(some(pools, 1))), aliases)


@st.composite
def _rules(draw: DrawFn, pools: tuple[str, ...]) -> list[SeatRule]:
    patterns = [("default", ""), ("name", "ada"), ("name", "night/ben"), ("glob", "*d*"), ("role", "writer")]
    return [draw(_rule(match, pattern, pools)) for match, pattern in draw(some(tuple(patterns), most=3))]


def _rule(match: str, pattern: str, pools: tuple[str, ...]) -> SearchStrategy[SeatRule]:
    ids = tuple(model.id for model in MODELS)
    return st.builds(
        SeatRule,
        match=st.just(match),
        pattern=st.just(pattern),
        tier=st.sampled_from((None, *TIERS[:2])),
        floor=st.sampled_from((None, *TIERS)),
        context=st.sampled_from(CONTEXTS),
        capabilities=mostly(None, (), ("tools",), ("image",)),
        profile=mostly(None, "none", "lan", "any"),
        effort=mostly(None, "high"),
        harnesses=mostly(None, (HARNESSES[0],)),
        pools=mostly(None, pools[:1], ()),
        models=mostly(None, ids[:1], ("heron",)),
        cadence=mostly(None, timedelta(minutes=5)),
        rise=st.sampled_from((None, True, False)),
        pinned=mostly(False, True),
        held=mostly(False, True),
    )


def _high_volumes(pools: list[str]) -> SearchStrategy[HighVolume]:
    cadence = mostly(None, timedelta(minutes=10))
    return st.builds(HighVolume, cadence, mostly({}, {pools[0]: 0}, {pools[0]: 1}))
