"""What a hive is asked for, as flows: how much is left, and what can be run. They await effects and do nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any

from attrs import field, frozen
from capacity.errors import NotFound, WireError
from capacity.ports import Budget, Listing, Pause, Read, Reading

from capacity_hive._headroom import BUDGET, PATH, headroom
from capacity_hive._hive import Hive, segment
from capacity_hive._models import INFERENCE, Shelf, gateway, listings, parts, shelves
from capacity_hive._models import PATH as BACKENDS
from capacity_hive._published import path_of, published


@frozen(kw_only=True)
class HeadroomProber:
    """Asks a hive how much is left of each provider it measures."""

    hive: Hive
    budget: Budget = BUDGET

    async def account(self) -> str:
        """A mark of this hive and its token.

        Raises:
            WireError: there is no token.
        """
        return (await self.hive.secret()).fingerprint(f"hive {self.hive.base_url.rstrip('/')}")

    async def probe(self) -> tuple[Reading, ...]:
        """One reading for each provider. No token, or a blank one, is `login-required` without a request."""
        try:
            await self.hive.secret()
        except NotFound as missing:
            now = await Pause(timedelta(0))
            return (Reading("", "login-required", "headroom", now.at, detail=str(missing)),)
        return headroom((await self.hive.get(PATH)).document)


@frozen(kw_only=True)
class PublishedProber:
    """Reads what was published on this machine, and asks nobody."""

    directory: str
    backends: Mapping[str, str]
    of: Mapping[str, str]
    budget: Budget = BUDGET

    async def account(self) -> str:
        """A mark of the folder."""
        return sha256(f"hive published {self.directory}".encode()).hexdigest()[:16]

    async def probe(self) -> tuple[Reading, ...]:
        """One reading for each backend; one that is not there was never published, and nothing is known of it."""
        return tuple([await self._reading(backend, account) for backend, account in sorted(self.backends.items())])

    async def _reading(self, backend: str, account: str) -> Reading:
        part = self.of.get(backend, backend)
        try:
            file = await Read(path_of(self.directory, backend, account))
        except WireError as error:
            now = await Pause(timedelta(0))
            return Reading(part, "unreachable", "published", now.at, detail=str(error))
        return published(file.document, part)


@frozen(kw_only=True)
class ModelSource:
    """Asks a hive what its backends can run."""

    hive: Hive
    providers: Mapping[str, Sequence[str]] = field()
    budget: Budget = BUDGET

    @providers.validator
    def _is_a_table(self, _: object, table: Any) -> None:
        lists = table.values() if isinstance(table, Mapping) else [None]
        if any(isinstance(told, str) or not isinstance(told, Sequence) for told in lists):
            raise ValueError('providers must be a table of lists, like { anthropic = ["claude"] }')

    async def listings(self) -> tuple[Listing, ...]:
        """One listing for each part; gateways are asked by themselves, since only then they say how whole it is.

        Raises:
            WireError: there is no token, or no answer.
        """
        reply = await self.hive.get(BACKENDS)
        told = [await self._whole(shelf) for shelf in shelves(reply.document) or ()]
        found = tuple(listings(told, reply.at, parts(self.providers)))
        return found or (Listing(None, "unknown", "backends", reply.at),)

    async def _whole(self, shelf: Shelf) -> Shelf:
        """A gateway as it tells itself; as the list has it where it does not."""
        if not shelf.inference:
            return shelf
        try:
            return gateway((await self.hive.get(INFERENCE + segment(shelf.backend))).document) or shelf
        except WireError:
            return shelf
