"""Whole worlds: the four inputs of a decision, told of one instant, small and rich in corner cases.

The headroom is what `assess` makes of drawn readings, so it is never a headroom that cannot be.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.core.headroom import assess
from capacity.testing.strategies._build import CORNERS, instants
from capacity.testing.strategies._names import KINDS, MODELS, UNHEARD, Parts, mostly, odd, some
from capacity.testing.strategies._past import world_histories
from capacity.testing.strategies._policy import world_policies
from capacity.values.history import History
from capacity.values.limits import Headroom, Limit, Reading, Scope, State
from capacity.values.models import Authority, Inventory, Missed, Model, PoolInventory, Residency
from capacity.values.policy import Policy

USUAL = timedelta(minutes=5)
WINDOWS: Mapping[str, timedelta] = {"5h": timedelta(hours=5), "weekly": timedelta(days=7)}
BAD: tuple[State, ...] = (
    "throttled",
    "stale-credentials",
    "login-required",
    "unsupported",
    "unreachable",
    "unrecognised",
)
AUTHORITIES: tuple[Authority | None, ...] = (*("authoritative",) * 5, "partial", "unknown", None)
SERVED: tuple[Residency | None, ...] = (None, "resident", "sleeping", "loading", "loadable", "failed", "absent")


class World(NamedTuple):
    """What `decide(*world)` takes, in its order.

    Attributes:
        inventory: what can run.
        headroom: what is left.
        policy: what the operator wants.
        history: what has been done.
    """

    inventory: Inventory
    headroom: Headroom
    policy: Policy
    history: History


@st.composite
def worlds(draw: DrawFn, *, pools: int = 3, seats: int = 4) -> World:
    """Worlds of one instant.

    Among them: local, metered and subscription pools; limits at the lines and beyond, scoped to models that answer
    and to none, fresh, stale, past their reset or never read; failed probes; listings of every authority with models
    that have gone; seats in places that are right, wrong, unknown; parks and demotions of ours, due and not due, and
    changes by others; stops; walls; seats that run very often.

    Args:
        draw: given by hypothesis.
        pools: at most so many, 1 to 5.
        seats: at most so many per fleet, 0 to 5.
    """
    as_of = draw(instants())
    policy = draw(world_policies(as_of, pools))
    listed = {name: draw(_listed(name, as_of)) for name in policy.pools}
    inventory = Inventory(as_of, {name: pool for name, pool in listed.items() if pool is not None})
    readings = [reading for name in policy.pools for reading in draw(_readings(name, as_of))]
    headroom = assess(readings, (), policy, as_of)
    return World(inventory, headroom, policy, draw(world_histories(policy, inventory, as_of, seats)))


@st.composite
def _listed(draw: DrawFn, pool: str, as_of: datetime) -> PoolInventory | None:
    authority = draw(st.sampled_from(AUTHORITIES))
    if authority is None:
        return None
    models = sorted([draw(_models(pool, model)) for model in draw(some(MODELS, 1))], key=lambda model: model.id)
    misses = draw(st.lists(st.sampled_from((1, 2, 3, 4)), max_size=2))
    missed = tuple(Missed(model, times) for model, times in zip(models[1:], misses, strict=False))
    listed = (*models[:1], *models[1 + len(missed) :])
    fresh = draw(mostly(True, False))
    return PoolInventory(pool, authority, fresh, as_of - timedelta(minutes=3), listed, missed)


ODD_MODELS: tuple[Parts, ...] = (
    {"efforts": ()},
    {"efforts": None},
    {"context": 8_192},
    {"context": 200_000},
    {"modalities": ("text",)},
    {"modalities": ("text", "image")},
    {"tools": None},
    {"tools": False},
    {"hidden": True},
)


@st.composite
def _models(draw: DrawFn, pool: str, model: Model) -> Model:
    parts = {"efforts": ("low", "high"), "tools": True, **draw(odd(ODD_MODELS))}
    residency = draw(st.sampled_from(SERVED)) if KINDS[pool] == "local" else None
    return evolve(model, pool=pool, residency=residency, **parts)


@st.composite
def _readings(draw: DrawFn, pool: str, as_of: datetime) -> list[Reading]:
    age = draw(mostly(timedelta(minutes=1), timedelta(0), timedelta(minutes=30), timedelta(hours=6), timedelta(days=9)))
    good = Reading(pool, "ok", "drawn", as_of - age, usual=USUAL, limits=tuple(draw(_limits(pool, as_of, age))))
    worse = Reading(pool, draw(st.sampled_from(BAD)), "drawn", as_of - age / 2, usual=USUAL, retry_at=as_of + USUAL)
    return draw(mostly([good], [], [worse], [good, worse]))


@st.composite
def _limits(draw: DrawFn, pool: str, as_of: datetime, age: timedelta) -> list[Limit]:
    if KINDS[pool] == "metered":
        return [Limit("balance", left={"USD": draw(_dollars())}, blocked=draw(mostly(None, True, False)))]
    if KINDS[pool] == "local":
        return [Limit("slots", left={"slots": Decimal(draw(st.integers(0, 2)))}, cap={"slots": Decimal(2)})]
    limits = [draw(_windows(name, as_of - age)) for name in draw(some(("5h", "weekly"), 1))]
    word = draw(st.sampled_from((None, "heron", "finch-1", UNHEARD, "extra-usage")))
    if word == "extra-usage":
        limits.append(Limit(word, left={"USD": draw(_dollars())}, scope=Scope("feature", word)))
    elif word is not None:
        limit = draw(_windows("weekly", as_of - age))
        limits.append(evolve(limit, name=f"weekly:{word}", scope=Scope("model", word)))
    return limits


def _windows(name: str, observed_at: datetime) -> SearchStrategy[Limit]:
    window = WINDOWS[name]
    resets = st.sampled_from((*(observed_at + window * share for share in (0.01, 0.5, 0.5, 0.99)), None))
    used = st.sampled_from((*CORNERS, 42.0, 100.0, None))
    return st.builds(
        Limit, st.just(name), used, blocked=mostly(None, True, False), resets_at=resets, window=st.just(window)
    )


def _dollars() -> SearchStrategy[Decimal]:
    return st.sampled_from(tuple(map(Decimal, ("-1.00", "0", "0.01", "5", "14.37"))))
