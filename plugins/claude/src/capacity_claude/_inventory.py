"""The inventory: every page of the model list, asked with the login's token."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from attrs import field, frozen
from capacity.ports import Budget, Get, InventorySource, Key, Listing, Reply

from capacity_claude import _models
from capacity_claude._login import CONFIG_DIR, Login
from capacity_claude._prober import BASE_URL, address, sent
from capacity_claude._wire import parsed

VERSION: Mapping[str, str] = {"anthropic-version": "2023-06-01"}
"""The version of the service's interface whose pages are read here."""

ROWS = 1000
"""Models of one page: the most the service gives."""

PAGES = 20
"""Pages that are followed. A list that has more ends as a partial one."""

BUDGET = Budget(
    floor=timedelta(minutes=10),
    usual=timedelta(hours=1),
    idle=timedelta(hours=1),
    deadline=timedelta(seconds=30),
    slowest=timedelta(hours=6),
)
"""Lists change by the week. An hour between samples keeps a name that three of them lack in doubt for three hours."""


@frozen(kw_only=True)
class ModelInventory:
    """Asks the service which models it knows.

    Attributes:
        login: where the login is.
        base_url: of the service.
        agent: sent as `User-Agent`; None = the host's own.
        labels: word of a cap → patterns of the ids it is about.
        budget: how often it may be asked.
    """

    login: Login
    base_url: str = field(converter=address)
    agent: str | None = None
    labels: _models.Labels = field(factory=dict, converter=_models.labels)
    budget: Budget = BUDGET

    async def listings(self) -> tuple[Listing, ...]:
        """One listing per page; one of authority `unknown` where there is no token or the list was refused."""
        held = await self.login.held()
        if held.token is None:
            return (Listing(None, "unknown", source=_models.SOURCE, observed_at=held.reading.observed_at),)
        pages: list[Listing] = []
        query: str | None = f"limit={ROWS}"
        while query is not None and len(pages) < PAGES:
            url = f"{self.base_url}{_models.PATH}?{query}"
            reply: Reply = await Get(url, headers={**sent(self.agent), **VERSION}, bearer=held.token)
            body = parsed(reply.document)
            pages.append(_models.labelled(_models.listing(reply.document, body), self.labels))
            after = _models.next_page(body)
            query = None if after is None else f"limit={ROWS}&after_id={after}"
        return tuple(pages)


def inventory(
    *,
    credentials: Key | None = None,
    config_dir: str = CONFIG_DIR,
    base_url: str = BASE_URL,
    user_agent: str | None = None,
    labels: Mapping[str, Any] | None = None,
) -> InventorySource:
    """The model list of one Claude login.

    Args:
        credentials: where the login is, if not in the harness's own file: a credentials file, or a bare token.
        config_dir: the harness's folder; may hold `~/` and `${NAME}`.
        base_url: of the service.
        user_agent: sent with each request; None = the host's own, honest one.
        labels: word of a cap that no name of a model tells → patterns of the ids it is about.

    Raises:
        ValueError: `base_url` is no address, or `labels` no table of lists of patterns.
    """
    login = Login(config_dir=config_dir.rstrip("/"), credentials=credentials)
    return ModelInventory(login=login, base_url=base_url, agent=user_agent, labels=labels)
