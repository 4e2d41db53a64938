"""Scores a person wrote down: JSON, TOML or CSV → `Rankings`, strictly, with every fault told at once.

The keys of a row are those of a row in the `rankings` form. JSON and TOML have them in `rows`, beside what holds for all of
them; in CSV each column is a key, and an empty cell is a key that is left out.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from io import StringIO
from math import inf
from typing import Any, Literal, get_args

from capacity.codec import leaves
from capacity.codec.converter import FORM
from capacity.codec.draft import Draft, Place, Table
from capacity.codec.faults import Faulty, joined, nearest, wrong
from capacity.codec.keys import hints_of
from capacity.codec.text import decoded, json_tree, toml_tree
from capacity.errors import Fault, FormError
from capacity.values.rankings import KnownModel, RankingRow, Rankings

Kind = Literal["csv", "json", "toml"]

HEAD = ("as_of", "attribution", "known", "licence", "methodology", "rows")
"""What such a file may say."""

SPANS: Mapping[str, tuple[float, float]] = {
    "percent": (0.0, 100.0),
    "fraction": (0.0, 1.0),
    "elo": (-inf, inf),
    "index": (-inf, inf),
}
"""Scale → the least and the greatest score."""

_NUMERAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


def read_scores(body: bytes | str, kind: Kind, *, source: str, at: datetime) -> Rankings:
    """The rankings a text tells.

    Args:
        body: the text, UTF-8.
        kind: how it is written.
        source: what it is called in an error: its file.
        at: when it was read, UTC.

    Returns:
        `fresh` rankings whose `source` is `file`. Where the text does not say since when its figures are true, it is the
        day of the newest row, else when it was read.

    Raises:
        FormError: it is no such text; every fault it has.
    """
    sheet = Draft()
    try:
        found = _drafted(sheet, _TREES[kind](body), at)
    except Faulty as error:
        raise FormError(source, error.faults) from None
    if found is None or sheet.faults:
        raise FormError(source, tuple(sheet.faults))
    return found


def _drafted(sheet: Draft, tree: Any, at: datetime) -> Rankings | None:
    table = sheet.table(tree, "", HEAD)
    rows = _listed(sheet, table, "rows", RankingRow, harness=None)
    known = _listed(sheet, table, "known", KnownModel)
    newest = max((row.measured_at for row in rows if row.measured_at is not None), default=at)
    sheet.check(
        fault for place, part in sheet.parts if isinstance(part, RankingRow) for fault in place.moved(_amiss(part))
    )
    sheet.check(_twice(rows))
    head = {"as_of": min(newest, at), **table}
    return sheet.value(Rankings, head, Place(""), form=FORM, source="file", status="fresh", rows=rows, known=known)


def _listed(sheet: Draft, table: Table, key: str, cls: type[Any], **unsaid: None) -> list[Any]:
    """The good members of a list; the others are faults. What is left out may be as unknown as what is null."""
    listed = sheet.read(leaves.items, table.pop(key, []), Place(key)) or []
    made: list[Any] = []
    for index, inner in enumerate(listed):
        place = Place(joined(key, index))
        table = sheet.table(inner, place.path)
        if isinstance(inner, dict):
            made.append(sheet.value(cls, {**unsaid, **table}, place))
    return [one for one in made if one is not None]


def _amiss(row: RankingRow) -> Iterator[Fault]:
    """What is wrong with a row that can be read."""
    low, high = SPANS.get(row.scale, (-inf, inf))
    if row.scale not in SPANS:
        yield Fault("scale", f"{row.scale!r} is not among its words", nearest(row.scale, SPANS))
    if not low <= row.score <= high:
        yield Fault("score", f"{row.score:g} is out of range", f"a {row.scale} is from {low:g} to {high:g}")
    if row.n is not None and row.n < 1:
        yield Fault("n", f"{row.n} trials are none", "leave it out where it is not known")
    if row.stderr is not None and row.stderr < 0:
        yield Fault("stderr", f"{row.stderr:g} is below nought", "leave it out where it is not known")
    if row.stderr is not None and row.stderr_kind is None:
        yield Fault("stderr_kind", "is missing", "say how the standard error was made: binomial, between-runs, …")
    if row.cost_usd is not None and row.cost_usd <= 0:
        yield Fault("cost_usd", f"{row.cost_usd} is no price", "leave it out where it is not known")


def _twice(rows: list[RankingRow]) -> Iterator[Fault]:
    """Rows that could not be told apart."""
    ids = Counter(row.id for row in rows if row.id is not None)
    yield from (
        Fault("rows", f"the id {id!r} stands {times} times", "give each row its own")
        for id, times in ids.items()
        if times > 1
    )
    same = len(rows) - len(set(rows))
    if same:
        yield Fault("rows", f"{same} of them stand there twice, alike in everything", "take one of each out")


def _csv_tree(body: bytes | str) -> Table:
    """The rows of a CSV text.

    Raises:
        Faulty: it is none; one fault, with its line.
    """
    lines = csv.DictReader(StringIO(decoded(body), newline=""), strict=True)
    try:
        rows = list(lines)
    except csv.Error as error:
        raise wrong(f"is no CSV: {error} at line {lines.reader.line_num}") from None
    surplus = next((number for number, row in enumerate(rows) if None in row), None)
    if surplus is not None:
        raise wrong(f"rows[{surplus}] has more cells than there are columns", "quote a cell that holds a comma")
    return {"rows": [{key: _cell(key, cell) for key, cell in row.items() if cell and cell.strip()} for row in rows]}


def _cell(key: str, cell: str) -> Any:
    """A cell as JSON would have it: a number where the key wants one, words where it wants several, else a text."""
    hint = hints_of(RankingRow).get(key, str)
    kinds = {hint, *get_args(hint)}
    if kinds & {int, float} and _NUMERAL.fullmatch(cell.strip()):
        return float(cell) if "." in cell or int not in kinds else int(cell)
    return cell.split() if Ellipsis in kinds else cell.strip()


_TREES: Mapping[Kind, Any] = {"csv": _csv_tree, "json": json_tree, "toml": toml_tree}
