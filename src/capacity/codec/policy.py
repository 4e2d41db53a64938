"""The policy file: TOML → `Policy`, with the adopted set it names. All faults of both files are told at once.

A section holds a value's own keys, read by the converter like any other text; what the file tells by *where* a table
stands (an account's name, how a seat rule matches) is filled in. `policy_accounts` and `policy_leases` read the sections
with words of their own; what parts need of each other is in `policy_checks` and `lease_checks`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve

from capacity.codec import leaves, policy_accounts, policy_leases, policy_tiers
from capacity.codec.converter import converter
from capacity.codec.declared import Declared
from capacity.codec.draft import Draft, Place, Table, Tree
from capacity.codec.faults import Faulty, wrong
from capacity.codec.keys import keys_of
from capacity.codec.policy_checks import checked
from capacity.codec.text import file_bytes, toml_tree
from capacity.errors import Fault, PolicyError
from capacity.values.policy import (
    AccountPolicy,
    FleetPolicy,
    HarnessPolicy,
    HighVolume,
    Pacing,
    Policy,
    PoolPolicy,
    SeatMatch,
    SeatRule,
)

VERSION = 1
"""The version of the policy's form."""

SECTIONS = (
    "version", "freshness_s", "seat_points", "tiers", "accounts", "harnesses", "fleets", "seats", "profiles",
    "high_volume", "pacing", "lanes", "deals", "budgets", "watch", "circuits", "notify",
)  # fmt: skip  # in the order of the template

MATCHES: Mapping[str, SeatMatch] = {"names": "name", "globs": "glob", "roles": "role"}
"""Table of seat rules → how its patterns match. `default` is one rule by itself."""

Named = TypeVar("Named", AccountPolicy, FleetPolicy)


def load_policy(path: str | PathLike[str]) -> Policy:
    """The policy in a file, with the adopted set it names.

    Args:
        path: the TOML file. What it names by a relative path is looked for in the file's folder.

    Raises:
        PolicyError: the file or the adopted set cannot be read or has faults; every one of them, with its key path,
            what is wrong, and the nearest valid key or name.
    """
    policy, faults = read_policy(path)
    if faults:
        raise PolicyError(str(path), faults)
    return policy


def read_policy(path: str | PathLike[str]) -> tuple[Policy, tuple[Fault, ...]]:
    """What can be read of a policy file, and every fault it has: for whoever has more to hold against it.

    Args:
        path: as for `load_policy`.
    """
    draft = Draft()
    try:
        policy = _policy(draft, toml_tree(file_bytes(Path(path))), Path(path).parent)
    except Faulty as error:
        return Policy(), error.faults
    policy = evolve(
        policy,
        accounts={**_remaining(draft, AccountPolicy), **policy.accounts},
        fleets={**_remaining(draft, FleetPolicy), **policy.fleets},
    )
    return policy, tuple(sorted(set(draft.faults), key=lambda fault: (fault.path, fault.wrong)))


def _remaining(draft: Draft, cls: type[Named]) -> dict[str, Named]:
    """What can be read of the parts of a class, those at fault among them: plugins are asked about them all the same."""
    return {part.name: part for _, part in draft.parts if isinstance(part, cls)}


def policy_template() -> str:
    """A policy file to begin with: valid as it stands, every key shown in a comment, no model named."""
    return files("capacity.codec").joinpath("policy.toml").read_text(encoding="utf-8")


def _policy(draft: Draft, tree: Table, folder: Path) -> Policy:
    _check_version(tree)
    top = draft.table(tree, "", SECTIONS)
    adopted, tiers = policy_tiers.tiers(draft, top.get("tiers", {}), folder)
    accounts, pools = policy_accounts.accounts(draft, top.get("accounts", {}), folder)
    policy = Policy(
        tiers=tiers,
        accounts=accounts,
        pools={name: pool for name, pool in pools.items() if pool is not None},
        harnesses=draft.named(HarnessPolicy, top.get("harnesses", {}), "harnesses"),
        fleets=policy_accounts.fleets(draft, top.get("fleets", {}), folder),
        seats=tuple(_seats(draft, top.get("seats", {}))),
        profiles=policy_leases.profiles(draft, top.get("profiles", {})),
        high_volume=draft.value(HighVolume, top.get("high_volume", {}), Place("high_volume")) or HighVolume(),
        pacing=draft.value(Pacing, top.get("pacing", {}), Place("pacing")) or Pacing(),
        lanes=policy_leases.lanes(draft, top.get("lanes", {})),
        deals=policy_leases.deals(draft, top.get("deals", [])),
        budgets=policy_leases.budgets(draft, top.get("budgets", {})),
        watch=policy_leases.watch(draft, top.get("watch", {})),
        circuits=policy_leases.circuits(draft, top.get("circuits", {})),
        notify=_notify(draft, top.get("notify", {})),
        **_figures(draft, top),
    )
    declared = _declared(top, pools)
    draft.check(checked([*draft.parts, (Place(""), policy)], declared))
    return policy if adopted is None else policy_tiers.with_rows(draft, policy, adopted, folder, declared)


def _check_version(tree: Table) -> None:
    """In another version every key may mean something else, so nothing more is looked at."""
    if "version" not in tree:
        raise Faulty(Fault("version", "is missing", f"begin the file with `version = {VERSION}`"))
    version = tree["version"]
    if version != VERSION or isinstance(version, bool):
        raise Faulty(Fault("version", f"{version!r} is not known here", f"this release reads version {VERSION}"))


def _declared(top: Table, pools: Mapping[str, PoolPolicy | None]) -> Declared:
    """Every name the file declares, what is at fault included."""
    tiers = top.get("tiers", {})
    names = tiers.get("names", []) if isinstance(tiers, dict) else None
    return Declared(
        tiers=tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else None,
        pools=tuple(pools),
        harnesses=_names(top.get("harnesses")),
        profiles=_names(top.get("profiles")),
        split=[name for name in _names(top.get("accounts")) if name not in pools],
    )


def _names(tree: Tree) -> Collection[str]:
    return tuple(tree) if isinstance(tree, dict) else ()


def _figures(draft: Draft, top: Table) -> dict[str, Any]:
    """The figures at the top of the file, those that are given."""
    readers = {"freshness": leaves.span, "seat_points": leaves.number}
    keys = {name: key for name, key in keys_of(Policy).items() if name in readers and key in top}
    read = {name: draft.read(readers[name], top[key], Place(key)) for name, key in keys.items()}
    return {name: figure for name, figure in read.items() if figure is not None}


def _notify(draft: Draft, tree: Tree) -> tuple[str, ...]:
    command = draft.table(tree, "notify", ("command",)).get("command")
    return () if command is None else draft.read(_argv, command, Place("notify.command")) or ()


def _argv(tree: Tree) -> tuple[str, ...]:
    words = converter().structure(tree, tuple[str, ...])
    if not words:
        raise wrong("is empty", "name a program, or take it out")
    return words


# --- seats ----------------------------------------------------------------------------------------


def _seats(draft: Draft, tree: Tree) -> list[SeatRule]:
    table = draft.table(tree, "seats", ("default", *MATCHES))
    rules = [rule for key, match in MATCHES.items() for rule in _rules(draft, table.get(key, {}), key, match)]
    if "default" in table:
        default = draft.value(SeatRule, table["default"], Place("seats.default"), match="default", pattern="")
        rules += [] if default is None else [default]
    return rules


def _rules(draft: Draft, tree: Tree, key: str, match: SeatMatch) -> Collection[SeatRule]:
    return draft.named(SeatRule, tree, f"seats.{key}", "pattern", match=match).values()
