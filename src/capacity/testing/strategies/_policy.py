"""The policy of a drawn world."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.testing.strategies._lanes import world_budgets, world_deals, world_lanes
from capacity.testing.strategies._names import (
    EFFORTS,
    FLEETS,
    HARNESSES,
    KINDS,
    MATCHES,
    MODEL_WORDS,
    PROFILES,
    TIERS,
    UNHEARD,
    Parts,
    mostly,
    nearly,
    odd,
    some,
)
from capacity.values.lanes import Serving
from capacity.values.policy import (
    AccountPolicy,
    FleetPolicy,
    HarnessPolicy,
    HighVolume,
    Policy,
    PoolPolicy,
    Profile,
    SeatRule,
)
from capacity.values.seats import Egress
from capacity.values.tiers import TierRow, Tiers

ODD_PROFILES: Mapping[Egress, tuple[Parts, ...]] = {
    "none": ({"offline": True}, {"allow": ("well",)}),
    "lan": ({"offline": True}, {"allow": ("well",)}),
    "any": ({"manual": True},),
}
"""What a wall may be besides: `well` is the pool that is paid for each use, where the policy has it."""


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
        profiles={name: Profile(name, name, **draw(nearly({}, *ODD_PROFILES[name]))) for name in PROFILES},
        high_volume=draw(_high_volumes(names)),
        seat_points=draw(mostly(5.0, 0.0, 60.0)),
        lanes=draw(world_lanes(tiers.names, names, harnesses)),
        deals=draw(world_deals(names)),
        budgets=draw(world_budgets(names)),
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
        proven=nearly(None, TIERS[0], TIERS[-1]),
        expires_at=nearly(None, as_of, as_of + timedelta(days=1)),
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
    {"serving": (Serving("heron", base_context=8_192, share=0.5),)},
)
ODD_LOCAL_POOLS: tuple[Parts, ...] = (
    *ODD_POOLS,
    {"egress": "lan"},
    {"prepare": ("warm", "it")},
    {"prepare": True},
    {"serving": (Serving(slots=1),)},
    {"serving": (Serving("heron-2", slots=2, each=1, least=100), Serving(context=8_192, reserve=1_000))},
    {"serving": (Serving("finch-1", device="first", evicts=True), Serving(device="first"))},
)


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
