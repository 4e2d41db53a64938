"""The login of one account, as local files tell it: a token to ask with, the state it is in, and whose it is.

Files are read and never written. A token stays inside its `Secret` from the file to the wire.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256

from attrs import evolve, frozen
from capacity.errors import NotFound
from capacity.ports import Env, File, Key, List, Pause, Read, Reading, Secret

from capacity_claude import _credentials
from capacity_claude._wire import parsed, word

CONFIG_DIR = "${CLAUDE_CONFIG_DIR:-~/.claude}"
"""Where the harness keeps its files, by the harness's own rule."""

KEYCHAINS = "~/Library/Keychains/*"
"""Where a Mac keeps keychains. The harness prefers them to a file there, and reading one may ask the user."""

IDS = ("accountUuid", "organizationUuid")
"""What tells one login from another, the first at least: neither changes when a token is refreshed, and neither is a secret."""

DIGITS = 16
"""Hexadecimal digits of a fingerprint: 64 bits."""


@frozen
class Held:
    """What was found.

    Attributes:
        reading: the state of the login; `ok` = usage can be asked for.
        token: what to ask with; None = there is none that would be accepted.
    """

    reading: Reading
    token: Secret | None = None


@frozen(kw_only=True)
class Login:
    """Where a login is.

    Attributes:
        config_dir: the harness's folder; may hold `~/` and `${NAME}`.
        credentials: where the operator says the login is instead: a credentials file, or a bare token.
    """

    config_dir: str = CONFIG_DIR
    credentials: Key | None = None

    async def held(self) -> Held:
        """The token, if there is one worth asking with."""
        if isinstance(self.credentials, Env):
            return await self._in_environment(self.credentials)
        source = self.credentials or Read(f"{self.config_dir}/{_credentials.FILE}")
        try:
            file = await evolve(source, secret=True, plain=_credentials.PLAIN)
        except NotFound:
            return await self._nowhere(f"there is no {source.path}")
        return await self._in_file(file)

    async def _in_environment(self, variable: Env) -> Held:
        try:
            token = await variable
        except NotFound:
            return await self._nowhere(f"{variable.name} is not set")
        return _bare(token, (await Pause(timedelta(0))).at, f"{variable.name} is blank")

    async def _in_file(self, file: File) -> Held:
        body = parsed(file.document)
        if body is None:
            return self._no_json(file)
        if not _credentials.holds_login(body):
            return await self._nowhere(f"{file.path} holds no login")
        reading = _credentials.credentials(file.document, body)
        token = file.secret.part("claudeAiOauth", "accessToken") if file.secret else None
        return Held(reading, token if reading.state in {"ok", "unsupported"} else None)

    def _no_json(self, file: File) -> Held:
        """A file the operator names may be a bare token; the harness's own is JSON, or being written just now."""
        if self.credentials or not file.secret:
            return _bare(file.secret or Secret(""), file.at, f"{file.path} is empty")
        torn = f"{file.path} is no JSON"
        return Held(Reading("", "unrecognised", source=_credentials.SOURCE, observed_at=file.at, detail=torn))

    async def _nowhere(self, why: str) -> Held:
        """No login where it should be: it is missing, unless a store we do not open may hold it."""
        if self.credentials is not None:
            return _missing(why, (await Pause(timedelta(0))).at)
        found = await List(KEYCHAINS, most=1)
        if not found.paths:
            return _missing(why, found.at)
        detail = f"{why}, and a keychain is not opened: declare `credentials`"
        return Held(Reading("", "unsupported", source=_credentials.SOURCE, observed_at=found.at, detail=detail))

    async def account(self) -> str:
        """The login's fingerprint: short, stable over refreshes, equal for two homes of one login.

        A bare token, which nobody refreshes, is told by a mark of itself.

        Raises:
            WireError: there is no login, or no local file says whose it is.
        """
        bare = await self._bare() if self.credentials else None
        if bare:
            return bare.fingerprint("claude-token")
        for path in self._profiles():
            try:
                file = await Read(path, secret=True, plain=frozenset(IDS))
            except NotFound:
                continue
            found = _fingerprint(file)
            if found is not None:
                return found
        raise NotFound("account", "no local file says which login this is")

    async def _bare(self) -> Secret | None:
        """The declared token, where it is a bare one and no credentials file."""
        if not isinstance(self.credentials, Read):
            return await self.credentials if self.credentials else None
        file = await evolve(self.credentials, secret=True)
        return None if file.body else file.secret

    def _profiles(self) -> tuple[str, ...]:
        """Where the harness may keep its profile: beside its default folder, inside one it was given."""
        if isinstance(self.credentials, Env):
            return ()
        folder = self.credentials.path.rpartition("/")[0] if self.credentials else self.config_dir
        return f"{folder}.json", f"{folder}/.claude.json"


def _bare(token: Secret, at: datetime, blank: str) -> Held:
    return Held(Reading("", "ok", source=_credentials.SOURCE, observed_at=at), token) if token else _missing(blank, at)


def _missing(why: str, at: datetime) -> Held:
    detail = f"{why}: log in"
    return Held(Reading("", "login-required", source=_credentials.SOURCE, observed_at=at, detail=detail))


def _fingerprint(file: File) -> str | None:
    body = parsed(file.document)
    profile = body.get("oauthAccount") if isinstance(body, dict) else None
    ids = [word(profile.get(key)) or "" for key in IDS] if isinstance(profile, dict) else [""]
    return sha256("+".join(ids).encode()).hexdigest()[:DIGITS] if ids[0] else None
