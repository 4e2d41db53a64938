"""A backend as a stranger would write it, against the public names only.

Read by mypy, never run. It fails where a port, an effect or a factory stops fitting, and where a wrong plugin
begins to fit: each `type: ignore` below is an error mypy has to find, since unused ones are reported.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import assert_type

from attrs import frozen

from capacity.errors import NotFound
from capacity.ports import (
    Budget,
    Document,
    Effect,
    Env,
    Exit,
    Failure,
    File,
    Flow,
    Get,
    InventorySource,
    Key,
    Limit,
    Listing,
    Model,
    Outcome,
    Pause,
    Preparer,
    Prober,
    Pulse,
    Read,
    Reader,
    Reading,
    Reply,
    Run,
    Scope,
    Secret,
    Send,
    key,
)


class TarnReader:
    """Bytes in, values out."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """One balance, in one currency, and a cap on one model."""
        body = doc.json()
        if not isinstance(body, dict) or "pebbles" not in body:
            return None
        balance = Limit("balance", left={"pebbles": Decimal(str(body["pebbles"]))})
        capped = Limit("weekly:large", percent=12.5, scope=Scope("model", "large"))
        return (Reading("", "ok", source="tarn-balance", observed_at=doc.at, limits=(balance, capped)),)

    def listing(self, doc: Document) -> Listing | None:
        """Every model of the key."""
        body = doc.json()
        models = tuple(Model(id=str(row)) for row in body.get("models", ()))
        return Listing(None, "authoritative", source="tarn-models", observed_at=doc.at, models=models)

    def failure(self, doc: Document) -> Failure | None:
        """Nothing is classified yet."""
        return None


@frozen(kw_only=True)
class Tarn:
    """Prober and inventory of one key: configuration in, effects out."""

    base_url: str
    key: Key
    budget: Budget = Budget(
        floor=timedelta(minutes=1),
        usual=timedelta(minutes=5),
        idle=timedelta(minutes=20),
        deadline=timedelta(seconds=5),
    )

    async def account(self) -> str:
        """Which login it is, from what lies here."""
        try:
            file = await Read("~/.tarn/login.json", secret=True)
        except NotFound:
            return "nobody"
        assert_type(file, File)
        return file.digest

    async def probe(self) -> tuple[Reading, ...]:
        """Ask once."""
        reply = await self._get("balance")
        return TarnReader().readings(reply.document) or ()

    async def listings(self) -> tuple[Listing, ...]:
        """Ask once."""
        listing = TarnReader().listing((await self._get("models")).document)
        return () if listing is None else (listing,)

    async def prepare(self, model: str) -> Outcome:
        """Load once."""
        reply = await Send("POST", url=f"{self.base_url}/load", body={"model": model}, bearer=await key(self.key))
        assert_type(reply, Reply)
        return Outcome("applied", at=reply.at)

    async def _get(self, path: str) -> Reply:
        secret = await key(self.key)
        assert_type(secret, Secret)
        return await Get(f"{self.base_url}/{path}", bearer=secret)


def reader() -> Reader:
    """What the entry point in `capacity.readers` names."""
    return TarnReader()


def prober(*, base_url: str, key: Key) -> Prober:
    """What the entry point in `capacity.probers` names."""
    return Tarn(base_url=base_url, key=key)


def inventory(*, base_url: str, key: Key) -> InventorySource:
    """What the entry point in `capacity.inventories` names."""
    return Tarn(base_url=base_url, key=key)


def preparer(*, base_url: str, key: Key) -> Preparer:
    """What the entry point in `capacity.preparers` names."""
    return Tarn(base_url=base_url, key=key)


async def every_effect_is_typed() -> None:
    """The reply of an effect is known where it is awaited."""
    assert_type(await Get("http://127.0.0.1/"), Reply)
    assert_type(await Run(("tarn", "usage")), Exit)
    assert_type(await Env("TARN_KEY"), Secret)
    assert_type(await Pause(timedelta(seconds=1)), Pulse)


effect: Effect[Reply] = Get("http://127.0.0.1/")
flow: Flow[tuple[Reading, ...]] = Tarn(base_url="http://127.0.0.1", key=Env("TARN_KEY")).probe()


class Mistaken:
    """A prober that asks for a seat, and a reader that makes up a number."""

    budget: str = "often"

    async def account(self) -> str:
        """Fits."""
        return "tarn"

    async def probe(self, seat: str) -> tuple[Reading, ...]:
        """Does not fit: a probe cannot depend on who would use it."""
        return ()

    def readings(self, doc: Document) -> float:
        """Does not fit either."""
        return 0.0


wrong_prober: Prober = Mistaken()  # type: ignore[assignment]  # a probe takes no seat, a budget is no text
wrong_reader: Reader = Mistaken()  # type: ignore[assignment]  # a reader gives readings, and has all three methods
wrong_preparer: Preparer = TarnReader()  # type: ignore[assignment]  # it prepares nothing
wrong_source: InventorySource = TarnReader()  # type: ignore[assignment]  # it has no listings and no budget
wrong_amount = Limit("balance", left={"pebbles": 14.37})  # type: ignore[dict-item]  # money is never a float
shown: str = Secret("x")  # type: ignore[assignment]  # a secret is no text
