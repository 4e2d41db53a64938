"""The published reading that hives share: `<dir>/<key>.reading.json`, one for each backend and account. Read and written.

What could not be measured is `unknown` and carries no window, whatever was known before: whoever admits work by it holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from hashlib import sha256
from math import floor
from typing import Any

from attrs import evolve, frozen
from capacity.errors import NotFound
from capacity.ports import Document, Limit, Outcome, Pause, Read, Reading, Replace, Snapshot, State

from capacity_hive._headroom import CAUSES, table
from capacity_hive._windows import limits
from capacity_hive._wire import instant, text

DIRECTORY = "${HIVE_CONTRIBUTOR_QUOTA_POOL_DIR:-${XDG_CONFIG_HOME:-~/.config}/hive/contributor-quota}"
"""Where a hive looks."""

SOURCE = "published"

WORDS: Mapping[State, str] = {
    "login-required": "no_credentials",
    "stale-credentials": "no_credentials",
    "throttled": "rate_limited",
    "unrecognised": "unrecognized_schema",
}
"""State → a hive's cause; any other is a probe that failed."""

KINDS: tuple[tuple[timedelta, str], ...] = (
    (timedelta(hours=1), "session"),
    (timedelta(hours=6), "five_hour"),
    (timedelta(days=2), "daily"),
    (timedelta(days=14), "weekly"),
)
"""The longest window of each of a hive's kinds."""


def key(backend: str, account: str = "") -> str:
    """The name of a file, as a hive makes it."""
    return sha256(f"{backend.strip().lower()}\0{account.strip()}".encode()).hexdigest()[:16]


def path_of(directory: str, backend: str, account: str = "") -> str:
    """Where the reading of a backend's account lies."""
    return f"{directory.rstrip('/')}/{key(backend, account)}.reading.json"


def published(doc: Document, part: str = "") -> Reading:
    """A published reading; one that is torn, or in no form, is unknown."""
    body = table(doc)
    blank = Reading(part, "unrecognised", SOURCE, doc.at, detail="the published reading is torn, or in another form")
    if body.get("state") not in ("available", "unknown"):
        return blank
    if body["state"] == "unknown":
        cause = text(body.get("cause")) or ""
        words = f"its publisher could not measure it ({cause.replace('_', ' ') or 'no cause given'})"
        return evolve(blank, state=CAUSES.get(cause, "unreachable"), detail=words)
    try:
        found, at = limits(body.get("limits")), instant(body.get("captured_at"))
    except ValueError as error:
        return evolve(blank, detail=str(error))
    if not found:
        return evolve(blank, detail="no window of the published reading tells what is left")
    detail = None if at else "its publisher does not say when it measured"
    return evolve(blank, state="ok", observed_at=min(at or doc.at, doc.at), detail=detail, limits=found)


@frozen(kw_only=True)
class Publisher:
    """Writes what is left of accounts where hives look for it.

    Attributes:
        accounts: account of the policy → a hive's word for its backend, or `<backend>/<account>`.
        directory: where.
    """

    accounts: Mapping[str, str]
    directory: str = DIRECTORY

    async def publish(self, snapshot: Snapshot) -> Outcome:
        """Every account, each replaced whole. What a file says already is not written again.

        Raises:
            WireError: a file may not be read or written.
        """
        lost = []
        for account, word in sorted(self.accounts.items()):
            backend, _, of = word.partition("/")
            if not await self._replace(path_of(self.directory, backend, of), content(snapshot, account)):
                lost.append(account)
        at = (await Pause(timedelta(0))).at
        if lost:
            return Outcome("conflict", f"somebody else publishes {', '.join(lost)} at the same moment", at)
        return Outcome("applied", at=at)

    async def _replace(self, path: str, body: bytes) -> bool:
        try:
            was = (await Read(path)).digest
        except NotFound:
            was = None
        return was == sha256(body).hexdigest() or (await Replace(path, body, was)).done


def content(snapshot: Snapshot, account: str) -> bytes:
    """What is published of an account: its unscoped windows that are fresh, and the conditions of its pools."""
    pools = [pool for pool in snapshot.pools if pool.pool.partition("/")[0] == account]
    rows = [row for pool in pools for row in _rows(pool.pool.partition("/")[2], pool.limits)]
    measured = [pool.observed_at for pool in pools if pool.observed_at is not None]
    told: dict[str, Any] = {"state": "available" if rows else "unknown", "limits": rows}
    if rows and measured:
        told["captured_at"] = f"{min(measured):%Y-%m-%dT%H:%M:%SZ}"
    if not rows:
        failing = next((pool.state for pool in pools if pool.state not in (None, "ok")), None)
        told["cause"] = WORDS.get(failing, "probe_failed") if failing else "probe_failed"
    names = {pool.pool for pool in pools}
    stand = (one for one in snapshot.conditions if one.fact.subject.partition(" ")[0] in names)
    told["conditions"] = sorted({one.fact.code for one in stand})
    return (json.dumps(told, sort_keys=True) + "\n").encode()


def _rows(part: str, known: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for one in known:
        limit: Limit = one.limit
        if limit.scope is None and one.evidence == "fresh" and limit.percent is not None:
            name = f"{part}-{limit.name}" if part else limit.name
            left = max(0, floor(100.0 - limit.percent))
            row = {"id": name, "kind": _kind(limit), "pct_remaining": 0 if limit.blocked else left}
            yield row | _reset(limit)


def _reset(limit: Limit) -> dict[str, Any]:
    at = limit.resets_at
    if at is None:
        return {}
    return {"reset_epoch": int(at.timestamp() * 1000), "resets_at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}


def _kind(limit: Limit) -> str:
    """A hive's word for a window: from its length, else the limit's own name."""
    if limit.window is None:
        return limit.name
    kind = next((word for longest, word in KINDS if limit.window <= longest), None)
    return kind or f"window_{int(limit.window.total_seconds() // 60)}m"
