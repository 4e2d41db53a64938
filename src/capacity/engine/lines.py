"""The lines about leases as text, quickly: every process reads what all of them write, hundreds in a second.

What is written is the text form of the line without what has its default, and `codec.loads` reads it too. What is read here
is what that gives; a text that is anything else is left to it, for it says what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from capacity import codec
from capacity.core.leases import Entered
from capacity.values.leases import Lease
from capacity.values.seats import Candidate

Tree = Mapping[str, Any]

_at = datetime.fromisoformat


def written(line: Entered) -> bytes:
    """The text of a line."""
    tree: dict[str, Any] = {"doing": line.doing, "lease": line.lease, "at": line.at.isoformat()}
    if line.granted is not None:
        tree["granted"] = _lease_tree(line.granted)
    for name in ("ending", "prompt"):
        if (value := getattr(line, name)) is not None:
            tree[name] = value
    for name in ("until", "rests_until"):
        if (instant := getattr(line, name)) is not None:
            tree[name] = instant.isoformat()
    if line.draws:
        tree["draws"] = line.draws
    return json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")


def _lease_tree(lease: Lease) -> Tree:
    tree: dict[str, Any] = {
        "form": 1, "id": lease.id, "session": lease.session, "candidate": _place(lease.candidate), "lane": lease.lane,
        "egress": lease.egress, "key": lease.key, "slot": lease.slot, "generation": lease.generation,
        "offered_at": lease.offered_at.isoformat(), "expires_at": lease.expires_at.isoformat(),
        "claimed": lease.claimed, "decision": lease.decision,
    }  # fmt: skip  # the fields of one value
    if lease.home is not None:
        tree["home"] = _place(lease.home)
    if lease.returns_at is not None:
        tree["returns_at"] = lease.returns_at.isoformat()
    if lease.context is not None:
        tree["context"] = lease.context
    if lease.team:
        tree["team"] = lease.team
    return tree


def _place(candidate: Candidate) -> tuple[str, str, str, str | None]:
    return candidate.harness, candidate.pool, candidate.model, candidate.effort


def read(body: bytes, source: str) -> Entered:
    """The line a text tells.

    Raises:
        FormError: it tells none.
    """
    try:
        return _line(json.loads(body))
    except (KeyError, TypeError, ValueError, AttributeError):
        return codec.loads(Entered, body, source=source)


def _line(tree: Tree) -> Entered:
    get = tree.get
    granted, until, rests = get("granted"), get("until"), get("rests_until")
    return Entered(
        tree["doing"],
        tree["lease"],
        _at(tree["at"]),
        None if granted is None else _lease(granted),
        None if until is None else _at(until),
        get("ending"),
        tuple(get("draws", ())),
        get("prompt"),
        None if rests is None else _at(rests),
    )


def _lease(tree: Tree) -> Lease:
    get = tree.get
    home, returns = get("home"), get("returns_at")
    return Lease(
        tree["id"], tree["session"], Candidate(*tree["candidate"]), tree["lane"], tree["egress"], tree["key"],
        tree["slot"], tree["generation"], _at(tree["offered_at"]), _at(tree["expires_at"]), tree["claimed"],
        None if home is None else Candidate(*home), None if returns is None else _at(returns), get("context"),
        get("team", ""), tree["decision"],
    )  # fmt: skip  # the fields of one value
