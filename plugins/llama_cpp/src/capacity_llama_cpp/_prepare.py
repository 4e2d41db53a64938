"""Loading a model because somebody asked for it by name: the one file here that changes anything at a server.

A router answers at once that it loads and loads afterwards, so the list is looked at until the model is there. Where the
router holds all it may and one of those still loads, nothing is asked of it: some builds then evict the one that loads.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from attrs import frozen
from capacity.errors import WireError
from capacity.ports import Outcome, Pause, Secret, Send

from capacity_llama_cpp._flows import LIST_TIME, Server
from capacity_llama_cpp._listing import names
from capacity_llama_cpp._reader import loading
from capacity_llama_cpp._shapes import Answer, Row, Rows, answer, mapping, props, rows

LOOK_AGAIN = timedelta(seconds=1)
"""Between two looks at a model that loads. The smallest ones take half a second, most take minutes."""

LOOKS = 300
"""After as many it is left loading: five minutes. Whoever runs the flow may end it sooner."""

LONGEST_WORDS = 120
"""Characters of a server's own words that are repeated."""

SERVING = frozenset({"resident", "sleeping"})
HELD = frozenset({"resident", "sleeping", "loading", None})
"""Residencies of what a router counts as held; one nobody knows may be."""


@frozen(kw_only=True)
class Loader(Server):
    """Loads models of one router."""

    async def prepare(self, model: str) -> Outcome:
        """Load a model and wait until it is there. A server without a router has but the one it was started with."""
        secret = await self._key()
        listed = await self._models(secret)
        told = rows(listed)
        if told is None:
            return _unlisted(listed)
        row = find(told.rows, model)
        if row is None or not row.routed:
            return _unrouted(told, row, model)
        if row.residency in SERVING:
            return Outcome("unchanged", "it sleeps, and wakes for a request" if row.residency == "sleeping" else "")
        if row.residency == "absent":
            return Outcome("rejected", f"{row.id} is still being downloaded")
        if row.residency == "loading":
            return await self._awaited(row, told, secret, asked=False)
        return await self._in_the_way(row, told, secret) or await self._loaded(row, told, secret)

    async def _in_the_way(self, row: Row, told: Rows, secret: Secret | None) -> Outcome | None:
        """Why nothing may be loaded now: the router holds all it may, and one of those is still loading."""
        others = [one for one in told.rows if one.id != row.id and one.residency in HELD]
        busy = [one.id for one in others if one.residency == "loading"]
        if not busy:
            return None
        known = props(await self._ask("/props", secret, LIST_TIME))
        most = known.instances if known is not None else None
        if not most or len(others) < most:
            return None
        return Outcome("conflict", f"{', '.join(busy)} is still loading, and the router holds {most} at most")

    async def _loaded(self, row: Row, told: Rows, secret: Secret | None) -> Outcome:
        request = Send("POST", url=f"{self.base_url}/models/load", body={"model": row.id}, bearer=secret)
        refused = _refused(row, answer((await request).document))
        return refused or await self._awaited(row, told, secret, asked=True)

    async def _awaited(self, row: Row, before: Rows, secret: Secret | None, *, asked: bool) -> Outcome:
        """Look until the model is there, or is not going to be. A look that fails says nothing: loading keeps it busy."""
        last: Row | None = row
        try:
            for _ in range(LOOKS):
                await Pause(LOOK_AGAIN)
                told = await self._look(secret)
                last = find(told.rows, row.id) if told else last
                ended = _ended(row, last, before, told, asked=asked) if told else None
                if ended is not None:
                    return ended
        except WireError:  # the host's time is up; the router goes on
            pass
        if last is not None and last.residency is None:
            return Outcome("unverified", f"the router says {last.status!r} of it, which is not known here")
        return Outcome("applied-not-running", "it is still loading")

    async def _look(self, secret: Secret | None) -> Rows | None:
        try:
            return rows(await self._models(secret))
        except WireError:
            return None


def find(known: Iterable[Row], model: str) -> Row | None:
    """The row of a model: the one of that very id, else the only one that answers to the name."""
    known = list(known)
    named = [row for row in known if model.casefold() in {name.casefold() for name in names(row)}]
    exact = [row for row in known if row.id == model]
    return exact[0] if exact else named[0] if len(named) == 1 else None


def _ended(row: Row, now: Row | None, before: Rows, told: Rows, *, asked: bool) -> Outcome | None:
    """What the list says became of it; None = it is not over yet."""
    if now is None:
        return Outcome("conflict", f"the router lists {row.id} no more")
    if now.residency in SERVING:
        return Outcome("applied", _gave_way(before, told) if asked else "it was loading already")
    if now.residency == "failed":
        return Outcome("rejected", f"the router could not load {row.id}; its log tells why")
    if now.residency in {"loading", None}:
        return None
    return Outcome("conflict", f"{row.id} was unloaded again while it loaded")


def _gave_way(before: Rows, told: Rows) -> str:
    """Who was held before and is not any more."""
    held = {row.id for row in told.rows if row.residency in HELD}
    gone = sorted(row.id for row in before.rows if row.residency in SERVING and row.id not in held)
    return f"{', '.join(gone)} gave way to it" if gone else ""


def _unlisted(listed: Answer) -> Outcome:
    """Why there is no list of models."""
    if loading(listed):
        return Outcome("conflict", "the server is still loading the model it was started with")
    if listed.doc.status in {401, 403}:
        return Outcome("unauthorised", "the server wants a valid API key")
    return Outcome("rejected", f"the server answered HTTP {listed.doc.status} without a list of models")


def _unrouted(told: Rows, row: Row | None, model: str) -> Outcome:
    """What is to be said where no router has such a model."""
    if any(one.routed for one in told.rows):
        return Outcome("rejected", f"the router lists no model {model!r}, or several that answer to it")
    if row is not None and row.residency == "resident":
        return Outcome("unchanged")
    return Outcome("rejected", "the server is no router: it has but the model it was started with")


def _refused(row: Row, given: Answer) -> Outcome | None:
    """Why the router does not load; None where it does, or does already."""
    told = mapping(mapping(given.tree).get("error")).get("message")
    words = told[:LONGEST_WORDS] if isinstance(told, str) and told.isprintable() else ""
    if given.good or "already running" in words:
        return None
    if given.doc.status in {401, 403}:
        return Outcome("unauthorised", "the server wants a valid API key")
    said = f"HTTP {given.doc.status}" + (f", {words!r}" if words else "")
    return Outcome("rejected", f"the router does not load {row.id}: {said}")
