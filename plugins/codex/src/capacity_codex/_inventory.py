"""The inventory: the program's catalogue, page by page, and its cache of what this account was told.

A catalogue is no entitlement. Only a fresh cache, written by the version that runs, may say what does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from attrs import evolve, field, frozen
from capacity.errors import NotFound, WireError
from capacity.ports import Budget, File, InventorySource, Key, Listing, Pause, Read

from capacity_codex import _models
from capacity_codex._login import CODEX_HOME, Home
from capacity_codex._prober import BASE_URL, COMMAND, address, folder
from capacity_codex._talk import Talk, argv, begun
from capacity_codex._wire import instant, parsed, part, text

ROWS = 100
"""Models of one page."""

PAGES = 20
"""Pages that are followed."""

BUDGET = Budget(
    floor=timedelta(minutes=10),
    usual=timedelta(hours=1),
    idle=timedelta(hours=1),
    deadline=timedelta(seconds=20),
    slowest=timedelta(hours=6),
)
"""Catalogues change with releases, accounts by the week. A cache older than an hour is no fresh one."""

_VERSION = re.compile(r"[^/\s]+/([0-9]\S*)")


@frozen(kw_only=True)
class ModelInventory:
    """Asks the program which models it knows.

    Attributes:
        home: the program's folder.
        command: the program.
        base_url: of the service; it is not asked for models.
        budget: how often it may be asked.
    """

    home: Home
    command: tuple[str, ...]
    base_url: str = field(converter=address)
    budget: Budget = BUDGET

    async def listings(self) -> tuple[Listing, ...]:
        """The cache where it may speak for the account, else one listing per page of the catalogue, else the cache."""
        try:
            talk, hello = await begun(self.command, self.home)
            pages, version = await _pages(talk), _version(hello.frame)
        except WireError:
            pages, version = (), None
        cached = await self._cached(version)
        if cached is not None and (cached.authority == "authoritative" or not pages):
            return (cached,)
        at = (await Pause(timedelta(0))).at
        return pages or (Listing(None, "unknown", _models.CATALOGUE, at),)

    async def _cached(self, version: str | None) -> Listing | None:
        """The cache, with the authority it has; None where there is none that holds a model."""
        try:
            file = await Read(f"{self.home.path}/{_models.CACHE_FILE}")
        except WireError:
            return None
        body = parsed(file.document)
        found = _models.listing(file.document, body)
        if found is None or not found.models:
            return None
        return evolve(found, authority="authoritative") if self._speaks(file, body, found, version) else found

    def _speaks(self, file: File, body: Any, found: Listing, version: str | None) -> bool:
        """Whether the cache is whole, fresh, and of the version that runs."""
        whole = instant(part(body, "fetched_at"), file.at) is not None and len(found.models) == len(body["models"])
        same = version is not None and text(part(body, "client_version")) == version
        return whole and same and file.at - found.observed_at < self.budget.usual


async def _pages(talk: Talk) -> tuple[Listing, ...]:
    """Every page of the catalogue.

    Raises:
        WireError: the server does not answer, or not with a page.
    """
    pages: list[Listing] = []
    cursor: str | None = ""
    while cursor is not None and len(pages) < PAGES:
        asked = {"limit": ROWS, "includeHidden": True} | ({"cursor": cursor} if cursor else {})
        answer = await talk.ask(_models.LIST, asked)
        found = _models.page(answer.frame, answer.at)
        if found is None:
            raise NotFound(_models.LIST, "the program's server gave no page of models")
        pages.append(found)
        cursor = _models.next_page(answer.frame)
    return tuple(pages)


def _version(frame: dict[str, Any]) -> str | None:
    """The version that runs, as it tells it at the beginning; None where it does not."""
    match = _VERSION.match(text(part(frame.get("result"), "user_agent")) or "")
    return match[1] if match else None


def inventory(
    *,
    credentials: Key | None = None,
    codex_home: str = CODEX_HOME,
    command: str | Iterable[str] = COMMAND,
    base_url: str = BASE_URL,
    user_agent: str | None = None,  # noqa: ARG001  # an account's options go to its prober and its inventory alike
    plan: str | None = None,  # noqa: ARG001  # likewise
) -> InventorySource:
    """The models of one Codex login.

    Args:
        credentials: none; the login is in the program's own folder.
        codex_home: the program's folder; may hold `~/` and `${NAME}`.
        command: the program, or a list of it and its first arguments.
        base_url: as for `prober`; the service is not asked for models.
        user_agent: as for `prober`; nothing is sent.
        plan: as for `prober`; it changes no list.

    Raises:
        ValueError: `credentials` are given, `base_url` is no address, or `command` is blank.
    """
    return ModelInventory(home=folder(codex_home, credentials), command=argv(command), base_url=base_url)
