"""The policy of a drawn world, and the names everything in it goes by.

Few names, so that chance makes them meet: two pools often list one model, two harnesses often reach one pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

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
    SeatMatch,
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
PROFILES: tuple[Egress, ...] = ("none", "lan", "any")
MATCHES: tuple[tuple[SeatMatch, str], ...] = (
    ("default", ""),
    ("name", "ada"),
    ("name", "night/ben"),
    ("glob", "*d*"),
    ("role", "writer"),
)

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


def nearly(usual: V, *others: V) -> SearchStrategy[V]:
    """The usual in nine of ten cases or so: for what stops a seat from being decided about at all."""
    return st.sampled_from((usual, *((usual,) * (9 * len(others) - 1)), *others))


def some(values: tuple[V, ...], least: int = 0, most: int | None = None) -> SearchStrategy[list[V]]:
    """A few of them, each once."""
    return st.lists(st.sampled_from(values), min_size=least, max_size=most or len(values), unique=True)


MODEL_WORDS = (*sorted({name for model in MODELS for name in model.names}), "big", UNHEARD)
"""Every string a seat or a row may name a model by: ids, names its backend uses, an alias, and one nobody answers to."""

Parts = Mapping[str, Any]
"""Attributes that make a value unlike the plain one."""


@st.composite
def odd(draw: DrawFn, parts: tuple[Parts, ...], most: int = 2) -> dict[str, Any]:
    """A few oddities joined, often none: one draw each, where drawing every attribute would cost a draw for each."""
    joined: dict[str, Any] = {}
    for one in draw(st.lists(st.sampled_from(parts), max_size=most)):
        joined.update(one)
    return joined


@st.composite
def world_policies(draw: DrawFn, as_of: datetime, pools: int) -> Policy:
    """Policies whose parts know each other: harnesses draw on its pools, rules name its tiers and profiles."""
    names = draw(some(tuple(KINDS), 1, pools))
    harnesses = draw(some(HARNESSES, 1, 2))
    tiers = draw(_tiers(as_of, harnesses))
    return Policy(
        tiers=tiers,
        accounts={name: AccountPolicy(name, "fake") for name in {pool.partition("/")[0] for pool in names}},
        pools={name: draw(_pools(name)) for name in names},
        harnesses={name: draw(_harnesses(name, tuple(names))) for name in harnesses},
        fleets={name: FleetPolicy(name, "fake", draw(mostly("enforce", "shadow"))) for name in FLEETS},
        seats=tuple(draw(_rules(tiers.names, names))),
        profiles={name: Profile(name, name) for name in PROFILES},
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
        model=st.sampled_from(MODEL_WORDS),
        effort=st.sampled_from(EFFORTS),
        adopted_at=st.just(as_of - timedelta(days=3)),
    )
    return Tiers(names, tuple(draw(st.lists(row, min_size=1, max_size=6, unique_by=lambda row: row.key))))


ODD_POOLS: tuple[Parts, ...] = (
    {"exhausted_at": 80.0},
    {"exhausted_at": 100.0},
    {"money_floor": {"USD": Decimal(5)}},
    {"preference": 1},
    {"preference": 2},
    {"unmeasurable": True},
    {"models": ("*",)},
    {"models": ("heron*",)},
)
ODD_LOCAL_POOLS: tuple[Parts, ...] = (*ODD_POOLS, {"egress": "lan"}, {"prepare": ("warm", "it")}, {"prepare": True})


@st.composite
def _pools(draw: DrawFn, name: str) -> PoolPolicy:
    kind = KINDS[name]
    local = kind == "local"
    parts = draw(odd(ODD_LOCAL_POOLS if local else ODD_POOLS))
    return PoolPolicy(name, name.partition("/")[0], kind, **{"egress": "none" if local else "any", **parts})


def _harnesses(name: str, pools: tuple[str, ...]) -> SearchStrategy[HarnessPolicy]:
    aliases = mostly({}, {"big": "heron-2"}, {"big": UNHEARD})
    return st.builds(HarnessPolicy, st.just(name), some(pools, 1).map(tuple), aliases)


ODD_RULES: tuple[Parts, ...] = (
    *({"tier": tier} for tier in TIERS),
    *({"floor": tier} for tier in TIERS),
    {"context": 8_000},
    {"context": 200_000},
    {"capabilities": ()},
    {"capabilities": ("tools",)},
    {"capabilities": ("image",)},
    *({"profile": profile} for profile in PROFILES),
    {"effort": "high"},
    {"harnesses": (HARNESSES[0],)},
    {"pools": ()},
    {"models": ("heron",)},
    {"cadence": timedelta(minutes=5)},
    {"rise": True},
    {"rise": False},
    {"pinned": True},
    {"held": True},
)


def _rules(tiers: tuple[str, ...], pools: list[str]) -> SearchStrategy[list[SeatRule]]:
    """At most three rules; none names a tier or a pool the policy has not."""
    known = tuple(part for part in ODD_RULES if {*part.values()} <= {*tiers} or not part.keys() & {"tier", "floor"})
    rule = st.builds(
        lambda matched, parts: SeatRule(*matched, **parts),
        st.sampled_from(MATCHES),
        odd((*known, {"pools": tuple(pools[:1])}), most=4),
    )
    return st.lists(rule, max_size=3, unique_by=lambda rule: rule.key)


def _high_volumes(pools: list[str]) -> SearchStrategy[HighVolume]:
    caps: tuple[dict[str, int], ...] = ({}, {pools[0]: 0}, {pools[0]: 1})
    return mostly(HighVolume(), *(HighVolume(timedelta(minutes=10), cap) for cap in caps))
