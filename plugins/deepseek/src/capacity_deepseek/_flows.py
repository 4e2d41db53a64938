"""What is asked of DeepSeek, as flows: the balance and the models of one key. They await effects and do nothing else.

Without a key nothing is asked at all.
"""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

from attrs import field, frozen
from capacity.errors import NotFound
from capacity.ports import Budget, Get, Key, Listing, Pause, Reading, Secret, key

from capacity_deepseek._reader import BALANCE_PATH, BUDGET, MODELS_PATH, DeepSeekReader, balance

BASE_URL = "https://api.deepseek.com"
"""Where DeepSeek's own documentation puts the API."""


def address(url: str) -> str:
    """The URL without what it may end in. It may hold no user name and no query: what it holds is shown."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None or parts.query:
        raise ValueError("base_url must be http(s)://host[:port][/path]; a key belongs under credentials")
    return url.rstrip("/").removesuffix("/v1")


@frozen(kw_only=True)
class _Account:
    """One key and where it is used."""

    credentials: Key | None
    base_url: str = field(converter=address)
    budget: Budget = BUDGET

    async def _key(self) -> Secret:
        """The key; `NotFound` says that there is none, or a blank one."""
        if self.credentials is None:
            raise NotFound("credentials", "the policy names no key for this account; name one")
        secret = await key(self.credentials)
        if not secret:
            raise NotFound("credentials", "the key is blank; put a valid one where the policy says it is")
        return secret


@frozen(kw_only=True)
class BalanceProber(_Account):
    """Asks for the balance of one key."""

    async def account(self) -> str:
        """A mark of the key: one key is one account, wherever it is kept.

        Raises:
            NotFound: there is no key, or a blank one.
        """
        return (await self._key()).fingerprint("deepseek")

    async def probe(self) -> tuple[Reading, ...]:
        """The balance. No key, or a blank one, is `login-required` without a request."""
        try:
            secret = await self._key()
        except NotFound as missing:
            now = await Pause(timedelta(0))
            return (Reading("", "login-required", "balance", now.at, detail=str(missing)),)
        reply = await Get(self.base_url + BALANCE_PATH, bearer=secret)
        return (balance(reply.document),)


@frozen(kw_only=True)
class ModelSource(_Account):
    """Asks for the models of one key."""

    async def listings(self) -> tuple[Listing, ...]:
        """The models; any other answer is a listing that knows nothing.

        Raises:
            NotFound: there is no key, or a blank one.
        """
        reply = await Get(self.base_url + MODELS_PATH, bearer=await self._key())
        told = DeepSeekReader().listing(reply.document)
        return (told or Listing(None, "unknown", "models", reply.at),)
