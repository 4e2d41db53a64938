"""The decisions that were made, each with everything it was made from: every part once, by the digest of its text."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

from capacity import codec
from capacity.engine.documents import Kept
from capacity.errors import StoreError
from capacity.ports import Record, Store
from capacity.values.decision import Decision
from capacity.values.history import History
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.tick import Tick

DECISIONS, BLOBS = "decisions", "blobs"

PARTS: Mapping[str, type[Any]] = {
    "inventory": Inventory,
    "headroom": Headroom,
    "policy": Policy,
    "history": History,
    "decision": Decision,
}
"""What a tick is made of, each kept by the digest of its text."""

DAY = timedelta(days=1)

V = TypeVar("V")


class Archive:
    """The kept decisions of one store.

    Args:
        store: where they are. Every method may raise its `StoreError`, and `FormError` for a record nobody can read.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def keep(self, tick: Tick, running: tuple[str, ...] | None) -> None:
        """Keep a tick: each part once by the digest of its text, and a record that names them.

        Args:
            tick: one that was decided.
            running: pools a seat runs on after it; None = not known of every seat.
        """
        if tick.decision is None:
            raise ValueError("only a tick that was decided is kept")
        id, at = tick.decision.id, tick.history.as_of
        parts = {part: self._blob(codec.dumps(getattr(tick, part)), at) for part in PARTS}
        self._store.append(DECISIONS, id, at, codec.dumps(Kept(id, at, parts, running, tick.made_by)))

    def ticks(self) -> tuple[str, ...]:
        """Ids of the decisions that are kept, oldest first."""
        return tuple(record.key for record in self._store.read(DECISIONS))

    def last(self) -> Kept | None:
        """The decision made last; None = none yet."""
        return self._kept(self._store.read(DECISIONS, last=1))

    def rebuild(self, id: str) -> Tick:
        """A kept decision with everything it was made from, equal to the tick that was kept.

        Raises:
            StoreError: no decision of that id is kept.
        """
        kept = self._kept(self._store.read(DECISIONS, key=id, last=1))
        if kept is None:
            raise StoreError(f"no decision {id!r} is kept; `Engine.ticks()` tells those that are")
        return Tick(**{part: self.part(kept, part, form) for part, form in PARTS.items()}, made_by=kept.made_by)

    def part(self, kept: Kept, part: str, form: type[V]) -> V:
        """One part of a kept decision."""
        digest = kept.parts[part]
        found = self._store.read(BLOBS, key=digest, last=1)
        if not found:
            raise StoreError(f"the {part} of decision {kept.id} ({digest}) is missing from the store")
        return codec.loads(form, zlib.decompress(found[-1].body), source=f"{part} of {kept.id}")

    def prune(self, before: datetime) -> None:
        """Forget what was decided before an instant, but never the last decision, nor what it was made from."""
        self._store.prune(DECISIONS, before, [record.seq for record in self._store.read(DECISIONS, last=1)])
        self._store.prune(BLOBS, before - DAY, self._blobs_of_last())

    # --- below ----------------------------------------------------------------------------------

    def _blob(self, body: bytes, at: datetime) -> str:
        """Keep a text by its digest. One in use is written anew each day, so that pruning by age never takes it."""
        digest = sha256(body).hexdigest()
        found = self._store.read(BLOBS, key=digest, last=1)
        if not found or at - found[-1].at >= DAY:
            self._store.append(BLOBS, digest, at, zlib.compress(body))
        return digest

    def _blobs_of_last(self) -> tuple[int, ...]:
        last = self.last()
        found = [self._store.read(BLOBS, key=digest, last=1) for digest in last.parts.values()] if last else []
        return tuple(record.seq for records in found for record in records)

    def _kept(self, records: tuple[Record, ...]) -> Kept | None:
        return codec.loads(Kept, records[-1].body, source=DECISIONS) if records else None
