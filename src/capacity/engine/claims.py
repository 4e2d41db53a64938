"""The fleets that are ours for now. Whoever has lost one writes nothing about it any more."""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Iterable
from datetime import timedelta
from types import TracebackType
from typing import Self

from capacity.ports import Claim, Store

ELSEWHERE = "another controller"
"""Who holds a fleet that was taken and given back between two looks."""


class Claims:
    """Claims on fleets, given back at the end of a `with` block.

    Args:
        store: where they are claimed.
        holder: who claims.
        life: how long a claim lives unless it is kept.
        fleets: their names; claimed in this order where it is sorted, so that two controllers never wait crosswise.
    """

    def __init__(self, store: Store, holder: str, life: timedelta, fleets: Iterable[str]) -> None:
        self._store, self._life = store, life
        self.others: dict[str, str] = {}
        self._claims: dict[str, Claim] = {}
        for name in fleets:
            claim = store.claim(_key(name), holder, 1, life)
            if claim is not None:
                self._claims[name] = claim
            else:
                self.others[name] = store.holder(_key(name)) or ELSEWHERE

    def keep(self, fleet: str) -> bool:
        """Hold on to a fleet for another life; False where it is not ours, or not any more."""
        claim = self._claims.pop(fleet, None)
        renewed = None if claim is None else self._store.renew(claim, self._life)
        if renewed is not None:
            self._claims[fleet] = renewed
        return renewed is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for claim in self._claims.values():
            self._store.release(claim)


def _key(fleet: str) -> str:
    return f"fleet:{fleet}"


def holder_name() -> str:
    """Who claims: this machine, this process, and a word nobody else has."""
    return f"{platform.node()}/{os.getpid()}/{secrets.token_hex(4)}"
