"""The credentials file as a reading: its state, the plan, and no limits.

It works on the file as it is and on its masked form alike, looks at a token only to see whether there is one, and
copies none. Nothing here, and nothing else in this plugin, ever writes or refreshes a login.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from capacity.ports import Document, Reading, State

from capacity_claude._usage import SCOPE
from capacity_claude._wire import instant, word

FILE = ".credentials.json"
SOURCE = "credentials"

PLAIN = frozenset({"expiresAt", "scopes", "subscriptionType"})
"""Keys whose texts may be seen in the masked form: how long a login holds, what it may do, what it pays for."""

SKEW = timedelta(minutes=2)
"""A token that ends so soon counts as ended: it must outlive the request, and clocks differ."""

MASKED = "***"
"""What the driver puts in place of a text it hides."""


def is_credentials(doc: Document, body: Any) -> bool:
    """Whether a document is a credentials file: it holds our login, or those of tool servers, or says that it is."""
    named = (doc.asked or "").endswith(FILE)
    return isinstance(body, dict) and (named or "claudeAiOauth" in body or "mcpOAuth" in body)


def holds_login(body: Any) -> bool:
    """Whether there is a place for our login in it at all; a file of tool servers' logins has none."""
    return isinstance(body, dict) and isinstance(body.get("claudeAiOauth"), dict)


def credentials(doc: Document, body: Any) -> Reading:
    """What a credentials file says of its login.

    A file without one is `login-required`: it is the only store this document knows of. The prober, which can see
    whether another store may hold the login, says so where that is the case.
    """
    login = body["claudeAiOauth"] if holds_login(body) else {}
    state, detail = _state(login, doc.at)
    return Reading("", state, source=SOURCE, observed_at=doc.at, plan=_plan(login), detail=detail)


def _state(login: Mapping[str, Any], at: datetime) -> tuple[State, str | None]:
    if not login:
        return "login-required", "this store holds no login: log in"
    if word(login.get("accessToken")) is None:
        return "login-required", "the token is blank: log in again"
    ends_at = instant(login.get("expiresAt"))
    ended = ends_at is not None and ends_at <= at + SKEW
    if ended and word(login.get("refreshToken")) is None:
        return "login-required", "the token has expired and nothing can refresh it: log in again"
    if _lacks_scope(login.get("scopes")):
        return "unsupported", f"this login lacks the scope {SCOPE}, so its usage can never be read; it may still serve"
    if ended:
        return "stale-credentials", "the token has expired: the program that owns it has to refresh it"
    return "ok", None


def _lacks_scope(scopes: object) -> bool:
    """Whether scopes are there, as a list or as OAuth's one text, can be read, and lack the one usage needs."""
    told = scopes.split() if isinstance(scopes, str) else scopes
    if not isinstance(told, list) or not told:
        return False
    return not {SCOPE, MASKED} & {scope for scope in told if isinstance(scope, str)}


SHORTEST = 8
"""Characters below which a text is too common to be told from a word: no login's token is as short."""


def _plan(login: Mapping[str, Any]) -> str | None:
    plan = word(login.get("subscriptionType"))
    tokens = (word(login.get(key)) or "" for key in ("accessToken", "refreshToken"))
    hidden = [MASKED, *(token for token in tokens if len(token) >= SHORTEST)]
    return None if plan is None or any(secret in plan for secret in hidden) else plan
