"""The names everything in a drawn world goes by, and how a part is drawn that is mostly plain.

Few names, so that chance makes them meet: two pools often list one model, two harnesses often reach one pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from capacity.values.models import Model
from capacity.values.policy import Kind, SeatMatch
from capacity.values.seats import Egress

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
