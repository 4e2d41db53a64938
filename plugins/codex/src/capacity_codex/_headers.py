"""Headers of the service's answers to a model's turn: the same windows, for whoever stands in between.

One family of headers is the account's; every other one is of a limit of its own, and stays scoped.
"""

from __future__ import annotations

import re
from typing import Any

from capacity.ports import Document, Reading

from capacity_codex._purse import credits_left
from capacity_codex._told import Told
from capacity_codex._windows import SLOTS, limits, scope_of, unique
from capacity_codex._wire import word

SOURCE = "headers"

_WINDOW = re.compile(rf"x-([a-z0-9-]+?)-({'|'.join(SLOTS)})-(used-percent|window-minutes|reset-at|reset-after-seconds)")


def headed(doc: Document) -> Reading | None:
    """The reading that the headers make; None where none of them is about a window."""
    families = _families(doc)
    if not families:
        return None
    found = []
    for family, row in families.items():
        scope = scope_of(family, doc.header(f"x-{family}-limit-name"))
        found += limits(row, doc.at, scope)
    purse = {
        name: doc.header(f"x-codex-credits-{name.replace('_', '-')}")
        for name in ("has_credits", "unlimited", "balance")
    }
    beside = credits_left(purse, alone=False)
    everything = unique([*found, *([beside] if beside else [])])
    return Told(everything, word(doc.header("x-codex-plan-type"))).reading(SOURCE, doc.at)


def _families(doc: Document) -> dict[str, dict[str, Any]]:
    """Limit → its windows, as the other sources write them."""
    families: dict[str, dict[str, Any]] = {}
    for name, value in doc.headers:
        match = _WINDOW.fullmatch(name.lower())
        if match is not None:
            family, slot, member = match.groups()
            families.setdefault(family, {}).setdefault(slot, {})[member.replace("-", "_")] = value
    return families
