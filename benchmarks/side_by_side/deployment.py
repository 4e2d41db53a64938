"""What both are set up with: pools, models and lanes, in a form of neither. Every name is invented."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HOUR, DAY = 3_600, 86_400

DEPLOYMENT: Mapping[str, Any] = {
    "pools": {"amber": "scoped", "opal": "paired", "quartz": "plain", "topaz": "scoped", "beryl": "paired"},
    "models": {
        "amber-large": {"pool": "amber", "window": 200_000},
        "amber-small": {"pool": "amber", "window": 200_000},
        "opal-large": {"pool": "opal", "window": 200_000},
        "opal-small": {"pool": "opal", "window": 200_000},
        "quartz-large": {"pool": "quartz", "window": 200_000},
        "topaz-large": {"pool": "topaz", "window": 200_000},
        "topaz-small": {"pool": "topaz", "window": 200_000},
        "beryl-small": {"pool": "beryl", "window": 200_000},
        "nine": {"pool": "box", "window": 32_768, "slots": 3, "each": 4},
        "big": {"pool": "box", "window": 131_072, "slots": 1, "each": 1, "reserve": 24_576, "least": 8_000},
    },
    "lanes": {
        "smart": {"tier": True, "parts": [["amber-large", "opal-large", "quartz-large", "topaz-large"]]},
        "build": {"tier": True, "parts": [["amber-small", "amber-large", "opal-small", "beryl-small"]]},
        "worker": {
            "tier": True,
            "parts": [["amber-small", "opal-small", "topaz-small", "beryl-small", "nine"]],
            "local_share": 4,
        },
        "review": {"tier": True, "parts": [["topaz-small"], ["beryl-small"], ["nine"]]},
        "amber-first": {"parts": [["amber-large"], ["opal-large"]]},
        "opal-first": {"parts": [["opal-large"], ["quartz-large"]]},
        "quartz-first": {"parts": [["quartz-large"], ["topaz-large"]]},
        "private": {"parts": [["nine"], ["opal-small"], ["big"]], "wall": True},
        "offline": {"parts": [["big"], ["nine"], ["beryl-small"]], "wall": True, "offline": True},
        "memory": {"parts": [["big"], ["opal-large"]], "wall": True, "allow": ["opal"]},
    },
}
"""Pools by the form of their usage page (see the README), models with their windows, and lanes with their parts: the lane
itself, then each step of its fallback. A lane is a tier's, or else a profile's; `local_share` is one lease in so many."""


def pool_of(model: str) -> str:
    """The pool of a model."""
    return str(DEPLOYMENT["models"][model]["pool"])


def is_local(model: str) -> bool:
    """Whether a model is our own."""
    return pool_of(model) == "box"
