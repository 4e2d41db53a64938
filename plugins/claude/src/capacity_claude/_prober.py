"""The prober: one look at the login, and at most one request. It never refreshes, retries or writes anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen
from capacity import ports
from capacity.ports import Budget, Get, Key, Reading

from capacity_claude import _models, _usage
from capacity_claude._login import CONFIG_DIR, Login
from capacity_claude._wire import parsed

BASE_URL = "https://api.anthropic.com"

BETA: Mapping[str, str] = {"anthropic-beta": "oauth-2025-04-20", "Accept": "application/json"}
"""Sent with a login's token; without the first the service refuses it."""


def address(url: str) -> str:
    """The URL without a slash at its end. It may hold no user, query or fragment: what it holds is shown."""
    if not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#@]*)?", url):
        raise ValueError("base_url must be http(s)://host[:port][/path]; a token belongs under credentials")
    return url.rstrip("/")


@frozen(kw_only=True)
class UsageProber:
    """Asks the usage endpoint of one login.

    Attributes:
        login: where the login is.
        base_url: of the service.
        agent: sent as `User-Agent`; None = the host's own.
        budget: how often it may be asked.
    """

    login: Login
    base_url: str = field(converter=address)
    agent: str | None = None
    budget: Budget = _usage.BUDGET

    async def account(self) -> str:
        """The login's fingerprint, from local files.

        Raises:
            WireError: no local file says whose login it is.
        """
        return await self.login.account()

    async def probe(self) -> tuple[Reading, ...]:
        """One reading. A login that is missing, expired or not entitled is told without a request."""
        held = await self.login.held()
        if held.token is None or held.reading.state != "ok":
            return (held.reading,)
        reply = await Get(f"{self.base_url}{_usage.PATH}", headers=sent(self.agent), bearer=held.token)
        reading = _usage.usage(reply.document, parsed(reply.document))
        return (evolve(reading, plan=held.reading.plan),)


def sent(agent: str | None) -> Mapping[str, str]:
    """The headers of a request made with a login."""
    return BETA if agent is None else {**BETA, "User-Agent": agent}


def prober(
    *,
    credentials: Key | None = None,
    config_dir: str = CONFIG_DIR,
    base_url: str = BASE_URL,
    user_agent: str | None = None,
    labels: Mapping[str, Any] | None = None,
) -> ports.Prober:
    """A prober of one Claude login.

    Args:
        credentials: where the login is, if not in the harness's own file: a credentials file, or a bare token.
        config_dir: the harness's folder; may hold `~/` and `${NAME}`.
        base_url: of the service.
        user_agent: sent with each request; None = the host's own, honest one.
        labels: of the account's inventory; not needed here, and told of here too where it is at fault.

    Raises:
        ValueError: `base_url` is no address, or `labels` no table of lists of patterns.
    """
    _models.labels(labels)
    login = Login(config_dir=config_dir.rstrip("/"), credentials=credentials)
    return UsageProber(login=login, base_url=base_url, agent=user_agent)
