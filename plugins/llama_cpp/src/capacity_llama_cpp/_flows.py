"""What is asked of a llama.cpp server, as flows. They only read: nothing is loaded, woken or kept awake by asking.

A router loads a model it is asked about unless told not to, so every such question ends in `autoload=false`. Asking for
`/slots` wakes a sleeping model and restarts its idle clock; `/props` and `/metrics` do not (measured on build 11434), so
`/metrics` comes first where the server offers it, and a model that dozes off when idle is never asked for its slots.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from urllib.parse import urlsplit

from attrs import evolve, field, frozen
from capacity.errors import NotFound, WireError
from capacity.ports import Budget, Get, Key, Listing, Pause, Reading, Secret, key

from capacity_llama_cpp._listing import listing
from capacity_llama_cpp._reader import BUDGET
from capacity_llama_cpp._server import SOURCE, Look, server
from capacity_llama_cpp._shapes import Answer, Props, Row, answer, props, rows

BASE_URL = "http://127.0.0.1:8080"
"""Where llama-server listens unless it is told otherwise."""

LIST_TIME = BUDGET.deadline / 2
LOOK_TIME = BUDGET.deadline / 6
"""So that the list and a few models that do not answer fit into the deadline."""


def address(url: str) -> str:
    """The URL without what it may end in. It may hold no user name and no query: what it holds is shown."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None or parts.query:
        raise ValueError("base_url must be http(s)://host[:port][/path]; a key belongs under credentials")
    return url.rstrip("/").removesuffix("/v1")


@frozen(kw_only=True)
class Server:
    """One server and the key it may want."""

    credentials: Key | None
    base_url: str = field(converter=address)
    budget: Budget = BUDGET

    async def _key(self) -> Secret | None:
        """The key; None where none is named. `NotFound` says that the one named is missing or blank."""
        if self.credentials is None:
            return None
        secret = await key(self.credentials)
        if not secret:
            raise NotFound("credentials", "the key is blank; put a valid one where the policy says it is, or name none")
        return secret

    async def _ask(self, path: str, secret: Secret | None, time: timedelta = LOOK_TIME) -> Answer:
        return answer((await Get(self.base_url + path, bearer=secret, timeout=time)).document)

    async def _models(self, secret: Secret | None) -> Answer:
        """The list of models; a server that only knows the OpenAI path is asked there."""
        given = await self._ask("/models", secret, LIST_TIME)
        return await self._ask("/v1/models", secret, LIST_TIME) if given.doc.status == 404 else given


@frozen(kw_only=True)
class SlotProber(Server):
    """Asks one server for the slots of its resident models."""

    async def account(self) -> str:
        """A mark of the address: one server is one account."""
        return hashlib.sha256(f"llama-cpp\0{self.base_url.casefold()}".encode()).hexdigest()[:16]

    async def probe(self) -> tuple[Reading, ...]:
        """Whether it serves, and the slots of each resident model. A key that is named and missing is `login-required`."""
        try:
            secret = await self._key()
        except NotFound as missing:
            now = await Pause(timedelta(0))
            return (Reading("", "login-required", SOURCE, now.at, detail=str(missing)),)
        listed = await self._models(secret)
        told = rows(listed)
        resident = [row for row in told.rows if row.residency == "resident"] if told else []
        return (server(listed, [await self._look(row, secret) for row in resident]),)

    async def _look(self, row: Row, secret: Secret | None) -> Look:
        """What one resident model says of its slots; no answer means that it is busy, not that it is gone."""
        look = Look(row)
        try:
            look = evolve(look, props=props(await self._ask("/props" + row.query, secret)))
            path = _where(row, look.props or Props())
            return evolve(look, slots=await self._ask(path + row.query, secret)) if path else look
        except WireError:
            return evolve(look, silent=True)


def _where(row: Row, known: Props) -> str | None:
    """Where a model may be asked for its slots without disturbing it; None = nowhere."""
    if known.metrics and known.slots:
        return "/metrics"
    return None if known.sleeping or row.dozes else "/slots"


@frozen(kw_only=True)
class ModelSource(Server):
    """Asks one server for its models."""

    async def listings(self) -> tuple[Listing, ...]:
        """The models with their residency; any other answer is a listing that knows nothing.

        Raises:
            NotFound: a key is named, and missing or blank.
        """
        secret = await self._key()
        listed = await self._models(secret)
        told = rows(listed)
        if told is None:
            return (Listing(None, "unknown", "models", listed.doc.at),)
        known = {row.id: await self._props(row, secret) for row in told.rows if row.residency == "resident"}
        return (listing(listed.doc.at, told, known),)

    async def _props(self, row: Row, secret: Secret | None) -> Props:
        """What a resident model tells of itself; nothing where it does not answer."""
        try:
            return props(await self._ask("/props" + row.query, secret)) or Props()
        except WireError:
            return Props()
