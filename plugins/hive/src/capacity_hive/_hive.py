"""One hive and how it is spoken to: where it is, which secret opens it, how long it may take. Nothing is asked in here.

Exactly one credential goes with a request: a session's cookie beside the internal header would scope the request down
to what the session may do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, get_args
from urllib.parse import quote, urlsplit

from attrs import field, frozen
from capacity.errors import NotFound
from capacity.ports import Env, Get, Key, Read, Reply, Secret, Send, key

Auth = Literal["internal", "cookie", "bearer"]

BASE_URL = "http://127.0.0.1:3002"
"""Where a hive's dashboard API listens inside its own pod."""

READ, STATUS, MUTATE = timedelta(seconds=60), timedelta(seconds=90), timedelta(seconds=150)
"""What the operators' own scripts allow. A status of 3 MB took 26 s through a pod; a change restarts its agent while the
caller waits."""

LONGEST_WHY = 200
"""Characters of a hive's own words that are repeated: a sentence, never a page."""

_TOKENS = re.compile(r"(?i:bearer)\s+\S+|\b(?:sk-|gh[a-z]_)\S+")


@frozen(kw_only=True)
class Hive:
    """A hive.

    Attributes:
        base_url: where it is.
        credentials: where its secret is; None = the policy names none.
        auth: how the secret is sent: in the header `X-Hive-Internal`, as the whole `Cookie` header, or as a bearer.
        patience: what one change may take.
    """

    base_url: str = field()
    credentials: Key | None
    auth: Auth = field(default="internal")
    patience: timedelta = MUTATE

    @base_url.validator
    def _is_an_address(self, _: object, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None or parts.query:
            raise ValueError("base_url must be http(s)://host[:port][/path]; a token belongs under credentials")

    @auth.validator
    def _is_a_way(self, _: object, word: str) -> None:
        if word not in get_args(Auth):
            raise ValueError(f"auth must be one of {', '.join(get_args(Auth))}, not {word!r}")

    async def secret(self) -> Secret:
        """The secret.

        Raises:
            NotFound: the policy names none, it is not there, or it is blank.
        """
        if self.credentials is None:
            raise NotFound("credentials", "the policy names no token for this hive; name one")
        secret = await key(self.credentials)
        if not secret:
            raise NotFound("credentials", "the token is blank; put a valid one where the policy says it is")
        return secret

    async def get(self, path: str, timeout: timedelta = READ) -> Reply:
        """Ask.

        Raises:
            WireError: there is no secret, or no answer.
        """
        secret = await self.secret()
        return await Get(self._url(path), headers=self._headers(secret), bearer=self._bearer(secret), timeout=timeout)

    async def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Reply:
        """Change something; never repeated.

        Raises:
            WireError: there is no secret, or no answer.
        """
        secret = await self.secret()
        return await Send(
            method,
            url=self._url(path),
            body=body,
            headers=self._headers(secret),
            bearer=self._bearer(secret),
            timeout=self.patience,
        )

    def _url(self, path: str) -> str:
        return self.base_url.rstrip("/") + path

    def _headers(self, secret: Secret) -> dict[str, str | Secret]:
        names = {"internal": "X-Hive-Internal", "cookie": "Cookie"}
        return {names[self.auth]: secret} if self.auth in names else {}

    def _bearer(self, secret: Secret) -> Secret | None:
        return secret if self.auth == "bearer" else None


def segment(name: str) -> str:
    """A name as one segment of a path."""
    return quote(name, safe="")


def reference(table: Mapping[str, str] | None) -> Key | None:
    """A reference to a secret, as a fleet's options write it: `{ env = NAME }` or `{ file = PATH }`.

    Raises:
        ValueError: it is neither.
    """
    if table is None:
        return None
    match table:
        case {"env": str(name), **rest} if name and not rest:
            return Env(name)
        case {"file": str(path), **rest} if path and not rest:
            return Read(path, secret=True)
    raise ValueError("credentials must be { env = NAME } or { file = PATH }; the token itself stands in neither")


def told(reply: Reply) -> dict[str, Any]:
    """The table an answer holds; an empty one where it holds something else."""
    try:
        body = reply.document.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def why(reply: Reply) -> str:
    """What a hive said of a refusal, in one line, without what looks like a token."""
    words = told(reply).get("error")
    text = " ".join(words.split()) if isinstance(words, str) else "no reason given"
    return f"HTTP {reply.status}: {_TOKENS.sub('***', text)[:LONGEST_WHY]}"
