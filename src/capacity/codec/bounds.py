"""The bounds of the policy's figures, in tables: what is a share or a percentage, what is nothing at nought or below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from capacity.codec.keys import keys_of
from capacity.errors import Fault
from capacity.values.failures import Hold
from capacity.values.lanes import BudgetWindow, Circuits, Deal, Lanes, PoolBudget, Serving, Step, Watch
from capacity.values.methods import Method, Vetoes
from capacity.values.policy import HighVolume, Pacing, Policy, PoolPolicy, SeatRule

BOUNDS: Mapping[type[Any], Mapping[str, tuple[float, float]]] = {
    Deal: {"multiplier": (0, 1)},
    Lanes: {"roomy": (0, 1)},
    Method: {
        **dict.fromkeys(("cut_alpha", "shrink", "flag_failed", "drop_failed", "stderr_floor", "stderr_slip"), (0, 1)),
        **dict.fromkeys(("runner", "jump", "drift", "step_sd"), (0, 100)),
        **dict.fromkeys(("margin", "cut_gap", "move_z", "confirm_z", "warn_z", "quarantine_z", "jump_z"), (0, 10)),
        "certainty": (0.5, 1),
        "confirmations": (1, 100),
        "fit_cells": (1, 10_000),
    },
    Pacing: {"band": (0, 1), "reserve": (0, 100), "share": (0, 100), "slowest": (0.01, 1), "fastest": (1, 100)},
    Policy: {"seat_points": (0, 100)},
    PoolBudget: {"reserve": (0, 1)},
    PoolPolicy: {"exhausted_at": (0, 100), "exhausted_at_paced": (0, 100), "uncontrolled": (0, 1)},
    Serving: {"share": (0, 1)},
    Vetoes: {"moves": (0, 1), "certainty": (0, 1), "trials": (0, 1_000_000), "refreshes": (1, 100)},
    Watch: {"share": (0, 1)},
}
"""What is a percentage or a share, with both ends."""

POSITIVE: Mapping[type[Any], tuple[str, ...]] = {
    BudgetWindow: ("length", "ceiling"),
    Circuits: ("models", "sessions", "within", "quarantine"),
    Deal: ("multiplier",),
    HighVolume: ("cadence",),
    Lanes: ("points_tokens", "step_tokens"),
    Method: (
        "tau_model",
        "tau_harness",
        "tau_pair",
        "tau_benchmark",
        "tau_error",
        "max_age",
        "dormant_after",
        "provisional_for",
        "stale_after",
        "proposal_life",
    ),
    Pacing: ("tick",),
    Policy: ("freshness",),
    SeatRule: ("cadence", "context"),
    Serving: ("slots", "each", "context", "base_context", "share"),
    Watch: ("span", "rewrites", "fresh", "prompt", "share"),
}
"""What is nothing at nought and below."""

LEAST: Mapping[type[Any], tuple[str, ...]] = {
    Circuits: ("settle",),
    Hold: ("span",),
    Lanes: ("cache_life",),
    Serving: ("reserve", "least"),
    Step: ("after",),
    Watch: ("rest",),
}
"""What may be nought, and is nothing below."""


def out_of_bounds(value: Any) -> Iterator[Fault]:
    """The figures of a part of a policy that cannot be, each by its key."""
    cls, keys = type(value), keys_of(type(value))
    for name, (low, high) in BOUNDS.get(cls, {}).items():
        figure = getattr(value, name)
        if figure is not None and not low <= figure <= high:
            yield Fault(keys[name], f"{figure} is out of range", f"give it from {low} to {high}")
    for name in POSITIVE.get(cls, ()):
        figure = getattr(value, name)
        if figure is not None and not figure > type(figure)(0):
            yield Fault(keys[name], "must be more than 0")
    for name in LEAST.get(cls, ()):
        figure = getattr(value, name)
        if figure is not None and figure < type(figure)(0):
            yield Fault(keys[name], "must not be less than 0")
