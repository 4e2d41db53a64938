"""The adopted file: TOML ↔ `TierSet`. A person may write its rows by hand; whatever else it holds is written by us."""

from __future__ import annotations

import json
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

from attrs import evolve, fields

from capacity.codec import leaves
from capacity.codec.converter import FORM
from capacity.codec.draft import Draft, Place, Table
from capacity.codec.faults import Faulty, joined
from capacity.codec.keys import keys_of
from capacity.codec.text import file_bytes, toml_tree
from capacity.errors import FormError
from capacity.values.tiers import TierRow, TierSet

HEAD = "# The adopted tiers. `capacity tiers` writes this file; rows may be changed by hand.\n"


def load_tier_set(path: str | PathLike[str]) -> TierSet:
    """The adopted set a file holds.

    Args:
        path: the TOML file.

    Raises:
        FormError: it cannot be read, or is no adopted set; every fault it has.
    """
    try:
        body = file_bytes(Path(path))
    except Faulty as error:
        raise FormError(str(path), error.faults) from None
    return loads_tier_set(body, source=str(path))


def loads_tier_set(body: bytes, *, source: str) -> TierSet:
    """The adopted set a text tells.

    Args:
        body: the TOML text, UTF-8.
        source: what it is called in an error: its file.

    Raises:
        FormError: it is no adopted set; every fault it has.
    """
    try:
        return _read(toml_tree(body), source)
    except Faulty as error:
        raise FormError(source, error.faults) from None


def _read(tree: Table, source: str) -> TierSet:
    sheet = Draft()
    found = drafted(sheet, tree)
    if sheet.faults:
        raise FormError(source, tuple(sheet.faults))
    return found


def drafted(sheet: Draft, tree: Table) -> TierSet:
    """What can be read of an adopted set; its rows are parts of the draft, and so are its faults.

    Args:
        sheet: the draft.
        tree: the whole file.
    """
    table = sheet.table(tree, "", keys_of(TierSet).values())
    listed = sheet.read(leaves.items, table.pop("rows", []), Place("rows")) or []
    rows = [sheet.value(TierRow, row, Place(joined("rows", index))) for index, row in enumerate(listed)]
    return sheet.value(TierSet, table, Place(""), form=FORM, rows=[row for row in rows if row is not None]) or TierSet()


def tier_set_text(adopted: TierSet) -> str:
    """The text of the adopted file that holds a set. What is as it is by default is left out.

    Args:
        adopted: the set.
    """
    head = _lines(evolve(adopted, rows=()))
    return HEAD + head + "".join(f"\n[[rows]]\n{_lines(row)}" for row in adopted.rows)


def _lines(value: Any) -> str:
    """One line for each key that differs from its default, in the order of the class."""
    keys = keys_of(type(value))
    default = {one.name: one.default for one in fields(type(value))}
    told = {keys[name]: getattr(value, name) for name in keys if getattr(value, name) != default[name]}
    return "".join(f"{key} = {_word(inner)}\n" for key, inner in told.items() if inner != ())


def _word(value: str | float | datetime | tuple[Any, ...]) -> str:
    match value:
        case datetime():
            return leaves.from_instant(value)
        case tuple():
            return f"[{', '.join(_word(inner) for inner in value)}]"
        case str():
            # JSON leaves one control character alone that TOML does not take; half a surrogate pair is no text at all.
            quoted = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
            return quoted.encode("utf-8", "replace").decode()
        case _:
            return json.dumps(leaves.from_number(value))
