"""The policy file's accounts with their pools, and its fleets: what is reached, and by which plugin.

Parts of an account inherit what the account says of pools; paths are looked for in the file's folder.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TypeVar

from attrs import evolve

from capacity.codec.draft import Draft, Place, Table, Tree
from capacity.codec.faults import joined
from capacity.codec.keys import keys_of
from capacity.errors import Fault
from capacity.values.lanes import Serving
from capacity.values.methods import TierSourcePolicy
from capacity.values.policy import AccountPolicy, FleetPolicy, PoolPolicy

OF_ACCOUNT = frozenset(keys_of(AccountPolicy).values()) - {"name"}
OF_POOL = frozenset(keys_of(PoolPolicy).values()) - {"name", "account"}
"""The keys of an account's table that say how the account is reached, and those that say how its pools may be used."""

Held = TypeVar("Held", AccountPolicy, TierSourcePolicy)
Found = TypeVar("Found", FleetPolicy, TierSourcePolicy)


def accounts(draft: Draft, tree: Tree, folder: Path) -> tuple[dict[str, AccountPolicy], dict[str, PoolPolicy | None]]:
    """Accounts, and pools by their full name: the account itself, or each of its parts. None = at fault."""
    made: dict[str, AccountPolicy] = {}
    pools: dict[str, PoolPolicy | None] = {}
    for name, inner in draft.table(tree, "accounts").items():
        path = joined("accounts", name)
        table = draft.table(inner, path, {*OF_ACCOUNT, *OF_POOL, "pools"})
        account = draft.value(AccountPolicy, _only(table, OF_ACCOUNT), Place(path), name=name)
        if account is not None:
            made[name] = with_file(account, folder)
        pools |= _pools(draft, name, table, path)
    return made, pools


def _only(table: Table, keys: Collection[str]) -> Table:
    return {key: inner for key, inner in table.items() if key in keys}


def with_file(part: Held, folder: Path) -> Held:
    """It with the file of its secret as it is found from anywhere."""
    credentials = part.credentials
    if credentials is None or credentials.file is None:
        return part
    return evolve(part, credentials=evolve(credentials, file=_found_from(folder, credentials.file)))


def _pools(draft: Draft, account: str, table: Table, path: str) -> dict[str, PoolPolicy | None]:
    """The pools of one account. Parts inherit what the account says of pools."""
    shared = _pool_keys(draft, _only(table, OF_POOL), path)
    if "pools" not in table:
        return {account: _pool(draft, account, account, shared, Place(path))}
    parts = draft.table(table["pools"], f"{path}.pools")
    if not parts:
        draft.faults.append(Fault(f"{path}.pools", "names no part", "name one, or take the key out"))
    made = {}
    for part, inner in parts.items():
        where = joined("accounts", account, "pools", part)
        own = _pool_keys(draft, draft.table(inner, where, OF_POOL), where)
        place = Place(where, {key: path for key in shared if key not in own})
        made[f"{account}/{part}"] = _pool(draft, f"{account}/{part}", account, {**shared, **own}, place)
    return made


def _pool_keys(draft: Draft, table: Table, path: str) -> Table:
    """What a table says of pools, with what its models can serve read."""
    if "serving" not in table:
        return table
    return {**table, "serving": draft.listed(Serving, table["serving"], f"{path}.serving")}


def _pool(draft: Draft, name: str, account: str, table: Table, place: Place) -> PoolPolicy | None:
    """One pool. A request to a server of one's own leaves the machine, but not the house."""
    egress = {"egress": "lan"} if table.get("kind") == "local" else {}
    return draft.value(PoolPolicy, {**egress, **table}, place, name=name, account=account)


def fleets(draft: Draft, tree: Tree, folder: Path) -> dict[str, FleetPolicy]:
    """The fleets by name."""
    made = draft.named(FleetPolicy, tree, "fleets")
    return {name: with_path(fleet, folder) for name, fleet in made.items()}


def with_path(part: Found, folder: Path) -> Found:
    """It with the path among its options as it is found from anywhere."""
    path = part.options.get("path")
    return evolve(part, options={**part.options, "path": _found_from(folder, path)}) if isinstance(path, str) else part


def _found_from(folder: Path, path: str) -> str:
    """A path as it is looked for from anywhere. What begins with `~` or `$` is opened where it is used."""
    return path if path.startswith(("~", "$")) else str((folder / path).absolute())
