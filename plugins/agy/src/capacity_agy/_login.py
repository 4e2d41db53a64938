"""The login as local texts tell it: the command line's token file, and what it prints where nobody is logged in.

The file may be older than the login: where there is a keyring, that holds the living one. So an expired file is stale
and no more. It is read in its masked form as well as whole, and no token of it is copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from capacity.ports import Document, Reading, State

from capacity_agy._wire import instant, part, word

FILE = "antigravity-oauth-token"
FOLDER = ".gemini/antigravity-cli"
"""Where the command line keeps its token, under the home folder."""

PLAIN = frozenset({"auth_method", "expiry", "token_type"})
"""Keys whose texts may be seen in the masked form: what kind of login it is, and how long its token holds."""

SKEW = timedelta(minutes=2)
"""A token that ends so soon counts as ended: it must outlive the request, and clocks differ."""

TOKEN, PROMPT = "token-file", "login"
"""Sources: the file; a text."""

ADDRESS = "https://accounts.google.com/o/oauth2/"
"""How the address begins at which somebody is to log in."""

WAITING = "Waiting for authentication"
"""What the command line says last before it waits for ever."""

SAYS_SO = ("you are not logged in", "you are not signed in")
"""How a text begins that only says that nobody is logged in."""


def is_token(doc: Document, body: Mapping[str, Any]) -> bool:
    """Whether a document is the token file: it says so, or has a token of that shape."""
    token = body.get("token")
    shaped = isinstance(token, dict) and "access_token" in token and {"expiry", "refresh_token"} & token.keys()
    return bool(shaped) or (doc.asked or "").endswith(FILE)


def token(doc: Document, body: Mapping[str, Any]) -> Reading:
    """What the token file says of its login."""
    state, detail = _state(doc, body)
    return Reading("", state, TOKEN, doc.at, detail=detail)


def _state(doc: Document, body: Mapping[str, Any]) -> tuple[State, str | None]:
    if not any(word(part(body, "token", key)) for key in ("access_token", "refresh_token")):
        return "login-required", "the file holds no token: log in"
    ends_at = instant(part(body, "token", "expiry"), doc.at)
    if word(part(body, "token", "access_token")) is None or (ends_at is not None and ends_at <= doc.at + SKEW):
        return "stale-credentials", "the token in the file has ended: the command line refreshes it when it next runs"
    return "ok", None


def is_prompt(told: Sequence[str]) -> bool:
    """Whether a text asks for a login: it gives the address for it, or waits, or begins by saying that nobody is logged in."""
    first = next((line.casefold() for line in told if not line.rstrip().endswith("...")), "")
    return first.strip().startswith(SAYS_SO) or any(text in line for line in told for text in (ADDRESS, WAITING))


def prompt(doc: Document) -> Reading:
    """A text that asks for a login: the account cannot serve until somebody has logged in."""
    return Reading("", "login-required", PROMPT, doc.at, detail="nobody is logged in: log in with the command line")
