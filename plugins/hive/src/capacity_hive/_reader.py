"""What recorded answers of a hive say. Pure: bytes in, readings, listings and failures out."""

from __future__ import annotations

from typing import final

from capacity.ports import Document, Failure, Listing, Model, Reading

from capacity_hive._headroom import PATH, headroom, table
from capacity_hive._models import PROVIDERS, Shelf, gateway, listings, parts, shelves
from capacity_hive._published import published
from capacity_hive._status import limits
from capacity_hive._wire import rows


@final
class HiveReader:
    """Reads headroom, published readings, model lists, and what a heartbeat says of a provider's refusal."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """One reading for each provider of a headroom, or the one that was published; None = neither."""
        asked = (doc.asked or "").partition("?")[0]
        if asked.endswith(PATH):
            return headroom(doc)
        if asked.endswith(".reading.json"):
            return (published(doc),)
        body = table(doc) if doc.status in (None, 200) else {}
        if any("pct_remaining" in row and "provider" in row for row in rows(body.get("providers"))):
            return headroom(doc)
        if body.get("state") in ("available", "unknown") and isinstance(body.get("limits"), list):
            return (published(doc),)
        return None

    def listing(self, doc: Document) -> Listing | None:
        """The models of all backends of one list, each in its part; as whole as the least of them."""
        one = gateway(doc)
        told = (one,) if one else shelves(doc)
        return None if told is None or not any(shelf.models for shelf in told) else _whole(told, doc)

    def failure(self, doc: Document) -> Failure | None:
        """A provider's refusal, of the agents that are named, or of all where that is said; None = none is told."""
        _, wide, named = limits(table(doc))
        return Failure.of("quota", blames="pool" if wide else "candidate") if wide or named else None


def _whole(told: tuple[Shelf, ...], doc: Document) -> Listing:
    pages = tuple(listings(told, doc.at, parts(PROVIDERS)))
    whole = {page.authority for page in pages} == {"authoritative"}
    models: tuple[Model, ...] = tuple(model for page in pages for model in page.models)
    return Listing(None, "authoritative" if whole else "partial", "backends", doc.at, models=models)
