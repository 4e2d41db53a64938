"""An invented backend, well behaved: what the contracts are held against, and what the tests break on purpose.

`GET /usage` → `{"used": 42.0, "of": {"large": 7.0}}`; `GET /models` → `{"models": ["large-1"]}`; both want a bearer.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from attrs import field, frozen

from capacity.errors import NotFound
from capacity.ports import Budget, Document, Env, Failure, Get, Limit, Listing, Model, Pause, Reading, Scope
from capacity.testing.fakes import BUDGET

SOURCE = "sundial"


class SundialReader:
    """Bytes in, values out."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        if doc.asked is not None and not doc.asked.startswith("/usage"):
            return None
        if doc.asked is None and doc.status != 429 and not {"used", "of"} & {*self.body(doc)}:
            return None
        if doc.status == 429:
            return (Reading("", "throttled", SOURCE, doc.at, retry_at=BUDGET.retry_at(doc)),)
        limits = self.limits(doc)
        return (Reading("", "ok" if limits else "unrecognised", SOURCE, doc.at, limits=limits),)

    def limits(self, doc: Document) -> tuple[Limit, ...]:
        body = self.body(doc)
        of = body.get("of")
        rows: dict[str | None, Any] = {None: body.get("used"), **(of if isinstance(of, dict) else {})}
        return tuple(self.limit(name, used) for name, used in rows.items() if isinstance(used, int | float))

    def limit(self, name: str | None, used: float) -> Limit:
        if name is None:
            return Limit("daily", used)
        return Limit(f"daily:{name}", used, scope=Scope("model", name))

    def listing(self, doc: Document) -> Listing | None:
        if doc.asked is not None and not doc.asked.startswith("/models"):
            return None
        if doc.asked is None and "models" not in self.body(doc):
            return None
        ids = self.body(doc).get("models")
        if doc.status not in (None, 200) or not isinstance(ids, list) or not ids:
            return Listing(None, "unknown", SOURCE, doc.at)
        return Listing(None, "authoritative", SOURCE, doc.at, models=tuple(map(Model, ids)))

    def failure(self, doc: Document) -> Failure | None:
        return None

    def body(self, doc: Document) -> dict[str, Any]:
        try:
            tree = doc.json()
        except ValueError:
            return {}
        return tree if isinstance(tree, dict) else {}


@frozen
class Sundial:
    """Prober and inventory of one key."""

    reader: SundialReader = field(factory=SundialReader)
    budget: Budget = BUDGET

    async def account(self) -> str:
        await Env("SUNDIAL_KEY")
        return "one-sundial"

    async def probe(self) -> tuple[Reading, ...]:
        try:
            secret = await Env("SUNDIAL_KEY")
        except NotFound:
            now = await Pause(timedelta(0))
            return (Reading("", "login-required", SOURCE, now.at),)
        reply = await Get("https://sundial.invalid/usage", bearer=secret)
        return self.reader.readings(reply.document) or ()

    async def listings(self) -> tuple[Listing, ...]:
        reply = await Get("https://sundial.invalid/models", bearer=await Env("SUNDIAL_KEY"))
        told = self.reader.listing(reply.document)
        return (told,) if told else ()
