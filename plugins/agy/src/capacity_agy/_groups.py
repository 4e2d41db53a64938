"""Quota groups as JSON: the command line's, and those of the local and the remote service, which spell it otherwise.

The figures are in `command.data`; the text beside it in `response` is rounded and incomplete, and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from capacity.ports import Document, Limit, Reading

from capacity_agy._pools import NAMELESS, WINDOWS, Row, part_of, readings, window_of
from capacity_agy._wire import instant, objects, part, text, used, word

PRINTED, SUMMARY = "print-usage", "quota-summary"
"""Sources: the command line; a service."""

QUANTUM = 0.01
"""Points: shares are told with up to four digits."""

SPENT = re.compile(r"you have used (?:all (?:of )?)?your\b")
"""How the description of a bucket begins that has nothing left. "Used some of your" is another one."""

SERVED = re.compile(r"models within this group: *(.+)", re.IGNORECASE)
"""How the description of a group says what it serves."""


def groups(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The groups of a body; none where it holds nothing of that shape."""
    places = (("command", "data", "groups"), ("response", "groups"), ("groups",))
    found = (objects(part(body, *place)) for place in places)
    return next((rows for rows in found if any(isinstance(row.get("buckets"), list) for row in rows)), [])


def usage(doc: Document, body: Mapping[str, Any]) -> tuple[Reading, ...]:
    """The readings of a body that has groups, one for each."""
    source = PRINTED if part(body, "command") is not None else SUMMARY
    return readings(doc, source, (row for group in groups(body) for row in _rows(group, doc.at)))


def served(body: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Part → the families of models its description names; a part whose description names none is not in it."""
    told: dict[str, tuple[str, ...]] = {}
    for group in groups(body):
        name, found = _part(group), SERVED.match(text(group.get("description")) or "")
        if name is not None and found:
            told[name] = tuple(filter(None, (family.strip() for family in found[1].split(","))))
    return told


def _part(group: Mapping[str, Any]) -> str | None:
    ids = [_first(bucket, "id", "bucketId") for bucket in objects(group.get("buckets"))]
    return part_of(_first(group, "name", "displayName"), ids)


def _rows(group: Mapping[str, Any], at: datetime) -> Iterator[Row]:
    name = _part(group)
    for bucket in objects(group.get("buckets")):
        yield Row(name, _limit(bucket, at))


def _limit(bucket: Mapping[str, Any], at: datetime) -> Limit:
    title = _first(bucket, "name", "displayName")
    labels = (word(bucket.get("window")), _first(bucket, "id", "bucketId"), title)
    name = next(filter(None, map(window_of, labels)), None) or title or labels[1] or NAMELESS
    if bucket.get("disabled") is True:
        return Limit(name, blocked=False, window=WINDOWS.get(name))
    share = used(_share(bucket))
    return Limit(
        name,
        percent=share,
        quantum=QUANTUM,
        blocked=True if share is None and SPENT.match(word(bucket.get("description")) or "") else None,
        resets_at=instant(bucket.get("reset_time"), at) or instant(bucket.get("resetTime"), at),
        window=WINDOWS.get(name),
    )


def _share(bucket: Mapping[str, Any]) -> object:
    """The share that is left, in whichever of its four places. An empty place is no share: a zero may have been left out."""
    remaining = bucket.get("remaining")
    places = [bucket.get("remaining_fraction"), bucket.get("remainingFraction"), part(remaining, "remainingFraction")]
    if part(remaining, "case") == "remainingFraction":
        places.append(part(remaining, "value"))
    return next((share for share in places if share is not None), None)


def _first(row: Mapping[str, Any], *keys: str) -> str | None:
    return next(filter(None, (word(row.get(key)) for key in keys)), None)
