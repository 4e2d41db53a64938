"""The login of one account, as local files tell it: the state it is in, a token to ask with, and whose it is.

Files are read and never written, and no token is refreshed: a refresh token works once, and belongs to the program.
"""

from __future__ import annotations

import tomllib
from datetime import datetime, timedelta
from typing import Any

from attrs import frozen
from capacity.errors import NotFound, WireError
from capacity.ports import Document, File, List, Pause, Read, Reading, Secret, State

from capacity_codex._wire import instant, parsed, part, word

CODEX_HOME = "${CODEX_HOME:-~/.codex}"
"""Where the program keeps its files, by the program's own rule."""

FILE = "auth.json"
SOURCE = "auth"

PLAIN = frozenset({"account_id", "auth_mode", "chatgpt_plan_type", "chatgpt_user_id", "exp"})
"""Keys whose values may be seen in the masked form: whose login it is, for which plan, until when. None of them opens
anything."""

CLAIMS = "https://api.openai.com/auth"
"""Where a token says whose it is and for which plan."""

KEYRINGS = frozenset({"keyring", "auto"})
"""What the program's settings call a store that is not opened here."""

SKEW = timedelta(minutes=2)
"""A token that ends so soon counts as ended: it must outlive the request, and clocks differ."""


@frozen
class Held:
    """What was found.

    Attributes:
        reading: the state of the login; `ok` = usage can be asked for.
        sure: whether that state is the last word; not where another store may hold the login, or the program may
            refresh it.
        tokens: the whole file; None = there is none.
        plan: the plan the login was made for; None = not told.
    """

    reading: Reading
    sure: bool = True
    tokens: Secret | None = None
    plan: str | None = None

    @property
    def bearer(self) -> Secret | None:
        """What to ask with; None = nothing that would be accepted."""
        return self.tokens.part("tokens", "access_token") if self.tokens and self.reading.state == "ok" else None

    @property
    def account(self) -> Secret | None:
        """The id that a request names its account by."""
        return self.tokens.part("tokens", "account_id") if self.tokens else None


def is_login(doc: Document, body: Any) -> bool:
    """Whether a document is the program's file of its login."""
    named = (doc.asked or "").endswith(f"/{FILE}")
    return isinstance(body, dict) and (named or {"OPENAI_API_KEY", "tokens"} <= body.keys())


def login(doc: Document, body: Any, tokens: Secret) -> Reading:
    """What the file says of its login: a state, a plan, and no limits.

    Args:
        doc: the file, as it is or masked.
        body: its JSON.
        tokens: the file as it is.
    """
    state, detail = _state(body, tokens, doc.at)
    return Reading("", state, SOURCE, doc.at, plan=word(claim(tokens, "chatgpt_plan_type")), detail=detail)


def claim(tokens: Secret, name: str) -> object:
    """What the login's tokens say under a name; the one that is sent is believed before the one that is not."""
    both = (tokens.part("tokens", which) for which in ("access_token", "id_token"))
    told = (token.claim(CLAIMS, name) for token in both if token is not None)
    return next((value for value in told if value is not None), None)


def _state(body: Any, tokens: Secret, at: datetime) -> tuple[State, str | None]:
    access, refresh = (tokens.part("tokens", which) for which in ("access_token", "refresh_token"))
    if _is_key(body, tokens):
        return "unsupported", "this login is an API key, which has no windows; it may still serve"
    if not access:
        return "login-required", f"{FILE} holds no token: log in"
    ends_at = instant(access.claim("exp"), at)
    if ends_at is None or ends_at > at + SKEW:
        return "ok", None
    if not refresh:
        return "login-required", "the token has expired and nothing can refresh it: log in again"
    return "stale-credentials", "the token has expired: the program that owns it has to refresh it"


def _is_key(body: Any, tokens: Secret) -> bool:
    has_key = bool(tokens.part("OPENAI_API_KEY"))
    return has_key and (word(part(body, "auth_mode")) == "apikey" or not tokens.part("tokens", "access_token"))


@frozen(kw_only=True)
class Home:
    """The folder in which the program keeps its files.

    Attributes:
        path: may hold `~/` and `${NAME}`.
    """

    path: str = CODEX_HOME

    async def held(self) -> Held:
        """The login in it."""
        try:
            file = await self._file()
        except NotFound:
            return await self._nowhere()
        body = parsed(file.document)
        if body is None or file.secret is None:
            torn = f"{self.path}/{FILE} is no JSON"
            return Held(Reading("", "unrecognised", SOURCE, file.at, detail=torn), sure=False)
        reading = login(file.document, body, file.secret)
        sure = reading.state in {"login-required", "unsupported"}
        return Held(reading, sure, file.secret, reading.plan)

    async def account(self) -> str:
        """The login's fingerprint: equal for two folders of one login, and stable over refreshes.

        An account may be a workspace of many; the user in it is part of the mark where a token names one.

        Raises:
            WireError: there is no login, or the file does not say whose it is.
        """
        file = await self._file()
        tokens = file.secret or Secret("")
        account, api_key = tokens.part("tokens", "account_id"), tokens.part("OPENAI_API_KEY")
        if account:
            return account.fingerprint(f"codex-login {claim(tokens, 'chatgpt_user_id') or ''}")
        if api_key:
            return api_key.fingerprint("openai-key")
        raise NotFound(f"{self.path}/{FILE}", "it does not say which login this is: log in")

    async def folder(self) -> str:
        """The folder's whole path, as a child has to be told it.

        Raises:
            NotFound: there is none, or it is empty.
        """
        found = await List(f"{self.path}/*.*", most=1)
        if not found.paths:
            raise NotFound(self.path, "there is no such folder, or nothing in it: log in there")
        return found.paths[0].rpartition("/")[0]

    async def _file(self) -> File:
        return await Read(f"{self.path}/{FILE}", secret=True, plain=PLAIN)

    async def _nowhere(self) -> Held:
        """No file: the login is missing, unless the program keeps it in a keyring."""
        at = (await Pause(timedelta(0))).at
        if await self._has_keyring():
            detail = f"there is no {self.path}/{FILE}, and a keyring is not opened: only the program can be asked"
            return Held(Reading("", "unsupported", SOURCE, at, detail=detail), sure=False)
        missing = f"there is no {self.path}/{FILE}: log in"
        return Held(Reading("", "login-required", SOURCE, at, detail=missing), sure=False)

    async def _has_keyring(self) -> bool:
        try:
            settings = tomllib.loads((await Read(f"{self.path}/config.toml")).document.text)
        except (WireError, ValueError):
            return False
        return settings.get("cli_auth_credentials_store") in KEYRINGS
