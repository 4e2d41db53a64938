"""The policy file's sections about leases: profiles, lanes, deals, budgets, the watch, and what failures open.

What the file tells in words of its own becomes the value's: `local_share = "off"` is no share, `watch = false` no watch,
`start = "22:00"` a span since midnight, a whole number an amount, a hold the rest of what its kind usually does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from capacity.codec import leaves
from capacity.codec.converter import converter
from capacity.codec.draft import Draft, Place, Tree
from capacity.codec.faults import below, joined, quoted, shown, wrong
from capacity.codec.keys import keys_of
from capacity.errors import Fault
from capacity.values.failures import HOLDS, FailureKind, Hold
from capacity.values.lanes import (
    BudgetWindow,
    Circuits,
    Deal,
    Lane,
    Lanes,
    Phrases,
    Pick,
    PoolBudget,
    Step,
    Watch,
)
from capacity.values.policy import Profile

Reader = Callable[[Tree, str], Any]
"""Reads what stands at a path."""

OFF = "off"
CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
DEAL_KEYS = tuple({"start_s": "start", "end_s": "end"}.get(key, key) for key in keys_of(Deal).values())
"""The keys of a deal in the file, where a time of day is told as one."""


def profiles(draft: Draft, tree: Tree) -> dict[str, Profile]:
    """The walls by name. What is offline reaches the house at the furthest, unless the file says less."""
    tables = draft.table(tree, "profiles")
    return draft.named(Profile, {name: _walled(inner) for name, inner in tables.items()}, "profiles")


def _walled(tree: Tree) -> Tree:
    return {"egress": "lan", **tree} if isinstance(tree, dict) and tree.get("offline") is True else tree


def _with(tree: Tree, path: str, **readers: Reader) -> Tree:
    """A table in which some keys are read by readers of their own; what is none is left to whoever reads the whole."""
    if not isinstance(tree, dict):
        return tree
    return {**tree, **{key: read(tree[key], below(path, key)) for key, read in readers.items() if key in tree}}


# --- lanes ----------------------------------------------------------------------------------------


def lanes(draft: Draft, tree: Tree) -> Lanes:
    """Which lane a turn is decided in, and the lanes."""
    one = partial(_lane, draft)
    table = _with(
        tree,
        "lanes",
        tiers=partial(_lanes, draft),
        profiles=partial(_lanes, draft),
        classifier=partial(one, name="classifier"),
        phrases=partial(draft.listed, Phrases),
    )
    return draft.value(Lanes, table, Place("lanes")) or Lanes()


def _lanes(draft: Draft, tree: Tree, path: str) -> dict[str, Lane]:
    read = {
        name: _lane(draft, inner, below(path, joined(name)), name) for name, inner in draft.table(tree, path).items()
    }
    return {name: lane for name, lane in read.items() if lane is not None}


def _lane(draft: Draft, tree: Tree, path: str, name: str) -> Lane | None:
    table = _with(
        tree,
        path,
        candidates=partial(_picks, draft),
        fallback=partial(_steps, draft),
        local_share=lambda inner, at: draft.read(_local_share, inner, Place(at)),
    )
    return draft.value(Lane, table, Place(path), name=name)


def _picks(draft: Draft, tree: Tree, path: str) -> list[Pick]:
    """Patterns over candidates. One that says nothing would mean every place there is, which nobody asks for by an oversight."""
    empty = [index for index, inner in enumerate(tree) if inner == {}] if isinstance(tree, list) else []
    said = "give a harness, a pool, a model or an effort"
    draft.faults += [Fault(f"{path}[{index}]", "names no candidate", said) for index in empty]
    return draft.listed(Pick, tree, path)


def _steps(draft: Draft, tree: Tree, path: str) -> list[Step]:
    """The steps of a fallback; each keeps its own delay, whatever becomes of the others."""
    tables = draft.read(leaves.items, tree, Place(path)) or []
    picks = partial(_picks, draft)
    steps = [_with(inner, f"{path}[{index}]", candidates=picks) for index, inner in enumerate(tables)]
    return draft.listed(Step, steps, path)


def _local_share(tree: Tree) -> float | None:
    if tree == OFF:
        return None
    share = 0.0 if isinstance(tree, str) else leaves.number(tree)
    if not 0 < share < 1:
        told = quoted(tree) if isinstance(tree, str) else share
        raise wrong(f"{told} is no share of the leases", f'give it above 0 and below 1, or "{OFF}"')
    return share


# --- deals and budgets ----------------------------------------------------------------------------


def deals(draft: Draft, tree: Tree) -> tuple[Deal, ...]:
    """When pools are cheaper."""
    tables = draft.read(leaves.items, tree, Place("deals")) or []
    read = [_deal(draft, inner, joined("deals", index)) for index, inner in enumerate(tables)]
    return tuple(draft.listed(Deal, read, "deals"))


def _deal(draft: Draft, tree: Tree, path: str) -> Tree:
    """The table of a deal, its times of day as spans."""
    if not isinstance(tree, dict):
        return tree
    table = draft.table(tree, path, DEAL_KEYS)
    told = {key: table.pop(key) for key in ("start", "end") if key in table}
    clocks = {f"{key}_s": draft.read(_clock, at, Place(below(path, key))) for key, at in told.items()}
    return {**table, **clocks}


def _clock(tree: Tree) -> float:
    """Seconds from midnight to a time of day."""
    found = CLOCK.fullmatch(leaves.text(tree))
    if found is None:
        raise wrong(f"{shown(tree)} is no time of day", 'write it like "22:30"')
    return timedelta(hours=int(found[1]), minutes=int(found[2])).total_seconds()


def budgets(draft: Draft, tree: Tree) -> dict[str, PoolBudget]:
    """What pools may be used for by our own count."""
    read = {pool: _budget(draft, inner, pool) for pool, inner in draft.table(tree, "budgets").items()}
    return {pool: budget for pool, budget in read.items() if budget is not None}


def _budget(draft: Draft, tree: Tree, pool: str) -> PoolBudget | None:
    path = joined("budgets", pool)
    table = _with(tree, path, windows=partial(_windows, draft))
    return draft.value(PoolBudget, table, Place(path), pool=pool)


def _windows(draft: Draft, tree: Tree, path: str) -> list[BudgetWindow]:
    return draft.listed(BudgetWindow, [*map(_exact, tree)] if isinstance(tree, list) else tree, path)


def _exact(tree: Tree) -> Tree:
    """A window whose ceiling may be a whole number: that is exact, as a text is."""
    ceiling = tree.get("ceiling") if isinstance(tree, dict) else None
    whole = isinstance(ceiling, int) and not isinstance(ceiling, bool)
    return {**tree, "ceiling": str(ceiling)} if whole else tree


# --- watch and circuits ---------------------------------------------------------------------------


def watch(draft: Draft, tree: Tree) -> Watch | None:
    """When a looping session is stopped; None where the file says `watch = false`."""
    return None if tree is False else draft.value(Watch, tree, Place("watch")) or Watch()


def circuits(draft: Draft, tree: Tree) -> Circuits:
    """How failures open circuits."""
    table = _with(tree, "circuits", holds=partial(_holds, draft))
    return draft.value(Circuits, table, Place("circuits")) or Circuits()


def _holds(draft: Draft, tree: Tree, path: str) -> Mapping[FailureKind, Hold]:
    """Every kind's hold; what the file does not say of one is as usual."""
    said = draft.table(tree, path, HOLDS)
    read = {kind: _hold(draft, said[kind], below(path, kind), usual) for kind, usual in HOLDS.items() if kind in said}
    return {**HOLDS, **{kind: hold for kind, hold in read.items() if hold is not None}}


def _hold(draft: Draft, tree: Tree, path: str, usual: Hold) -> Hold | None:
    rest = converter().unstructure(usual)
    if isinstance(tree, dict) and tree.get("blames") == "none":
        rest["span_s"] = None
    return draft.value(Hold, {**rest, **draft.table(tree, path)}, Place(path))
