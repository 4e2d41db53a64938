"""A server that speaks like Claude's: usage as a list of limits, models in pages, turns, a login that may end.

It gives a subscription's windows, which roll over by the server's clock, and knows no model but those it is given.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from attrs import evolve, frozen

from capacity.ports import Clock
from capacity.testing.servers._loopback import WEB_PAGE, Answer, LoopbackServer, Request, next_after
from capacity.testing.servers._turns import error, turn, unified

USAGE, MODELS, MESSAGES = "/api/oauth/usage", "/v1/models", "/v1/messages"
TOKEN = "invented-token-of-the-loopback-server"  # noqa: S105 - nothing anywhere takes it but this server
API_KEY = "invented-key-of-the-loopback-server"
Kind = Literal["session", "weekly_all", "weekly_scoped"]


@frozen
class ClaudeWindow:
    """One row of the list of limits.

    Attributes:
        kind: the wire's word for it.
        percent: percent used.
        resets_at: when it next resets; then it is unused, and resets again a window later.
        model: the display name of the models it caps; None = all.
    """

    kind: Kind
    percent: float
    resets_at: datetime
    model: str | None = None

    @property
    def length(self) -> timedelta:
        """How long it is: five hours, or a week."""
        return timedelta(hours=5) if self.kind == "session" else timedelta(days=7)

    def at(self, now: datetime) -> ClaudeWindow:
        """The window as it is at an instant: rolled over where its reset has passed."""
        if now < self.resets_at:
            return self
        return evolve(self, percent=0.0, resets_at=next_after(self.resets_at, self.length, now))


@frozen
class ClaudeModel:
    """One row of the model list.

    Attributes:
        id: its id.
        name: its display name.
        context: tokens it takes in; None = an old row that does not say.
        efforts: effort words it takes; `()` = none are told.
    """

    id: str
    name: str
    context: int | None = 200_000
    efforts: tuple[str, ...] = ("low", "medium", "high")


class ClaudeServer(LoopbackServer):
    """Usage, models and turns of one login, and of an API key beside it that has no usage.

    Args:
        clock: what it takes for the present.
        models: what it lists, newest first.
        token: the login's access token.
        api_key: the key's text.

    Attributes:
        models: what it lists; put another tuple there to add or remove.
        token: what it lets in.
        api_key: what it lets in besides, for models and turns.
        expires_at: when the token ends, and only `renew` helps; None = never.
        page: models a page holds at most, whatever limit is asked for.
    """

    def __init__(
        self, clock: Clock, models: Iterable[ClaudeModel] = (), *, token: str = TOKEN, api_key: str = API_KEY
    ) -> None:
        super().__init__(clock)
        self.models = tuple(models)
        self.token = token
        self.api_key = api_key
        self.expires_at: datetime | None = None
        self.page = 1000
        self._windows: dict[tuple[Kind, str | None], ClaudeWindow] = {}

    def use(self, kind: Kind, percent: float, resets_at: datetime, *, model: str | None = None) -> None:
        """From now on, tell so much of a window as used; with a model's display name, of a cap on it alone."""
        with self._lock:
            self._windows[kind, model] = ClaudeWindow(kind, percent, resets_at, model)

    def throttle(self, times: int, retry_after: int | None = 3600) -> None:
        """Refuse the next so many questions for usage as too many; None = without saying when to come again."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        self.spoil(USAGE, error(429, "rate_limit_error", "Rate limited. Please try again later.", headers), times)

    def break_shape(self, times: int, body: bytes = WEB_PAGE) -> None:
        """Answer the next so many questions for usage with something else, and status 200."""
        self.spoil(USAGE, Answer(200, body, {"content-type": "text/html"}), times)

    def burst(self, times: int, retry_after: int = 12) -> None:
        """Refuse the next so many turns for coming too fast, while the subscription has room."""
        headers = {**unified(self._now()), "retry-after": str(retry_after)}
        message = "This request would exceed your organization's rate limit. Please try again later."
        self.spoil(MESSAGES, error(429, "rate_limit_error", message, headers), times)

    def overload(self, times: int) -> None:
        """Refuse the next so many turns for want of machines."""
        self.spoil(MESSAGES, error(529, "overloaded_error", "Overloaded"), times)

    def answer(self, request: Request) -> Answer:
        """As the service answers."""
        if request.path not in {USAGE, MODELS, MESSAGES}:
            return error(404, "not_found_error", "Not found")
        refused = self._refused(request)
        if refused is not None:
            return refused
        if request.method != ("POST" if request.path == MESSAGES else "GET"):
            return error(405, "invalid_request_error", "Method Not Allowed")
        if request.path == MESSAGES:
            windows = None if self._is_key(request) else self._now()
            return turn(request.body, self.models, windows, self.clock.now())
        return self._usage() if request.path == USAGE else self._page(request)

    def _is_key(self, request: Request) -> bool:
        """Whether the key asks, in either place: newer clients send it as a bearer."""
        return request.path != USAGE and self.api_key in {request.bearer(), request.headers.get("x-api-key")}

    def _refused(self, request: Request) -> Answer | None:
        expired = self.expires_at is not None and self.clock.now() >= self.expires_at
        if request.bearer() is None and "x-api-key" not in request.headers:
            return error(401, "authentication_error", "x-api-key header is required")
        if not self._is_key(request):
            if request.bearer() != self.token:
                return error(401, "authentication_error", "Invalid bearer token")
            if expired:
                return error(401, "authentication_error", "OAuth token has expired. Please obtain a new token.")
        if request.path == USAGE and "oauth-" not in request.headers.get("anthropic-beta", ""):
            return error(401, "authentication_error", "OAuth authentication is currently not supported.")
        if request.path != USAGE and "anthropic-version" not in request.headers:
            return error(400, "invalid_request_error", "anthropic-version: header is required")
        return None

    def _now(self) -> tuple[ClaudeWindow, ...]:
        """The windows as they are now, rolled over where their reset has passed."""
        now = self.clock.now()
        with self._lock:
            self._windows = {key: window.at(now) for key, window in self._windows.items()}
            return tuple(self._windows.values())

    def _usage(self) -> Answer:
        rows = [_row(window) for window in self._now()]
        top = {"five_hour": self._top("session"), "seven_day": self._top("weekly_all")}
        extra = dict.fromkeys(("monthly_limit", "used_credits", "utilization"))
        return Answer(200, {**top, "extra_usage": {"is_enabled": False, **extra}, "limits": rows})

    def _top(self, kind: Kind) -> dict[str, Any] | None:
        window = self._windows.get((kind, None))
        if window is None:
            return None
        return {"utilization": float(window.percent), "resets_at": _text(window.resets_at)}

    def _page(self, request: Request) -> Answer:
        after, limit = request.query.get("after_id"), request.query.get("limit", "20")
        if not limit.isdigit() or not 1 <= int(limit) <= 1000:
            return error(400, "invalid_request_error", "limit: must be between 1 and 1000")
        ids = [model.id for model in self.models]
        start = ids.index(after) + 1 if after in ids else 0
        rows = self.models[start : start + min(int(limit), self.page)]
        ends = {"first_id": rows[0].id if rows else None, "last_id": rows[-1].id if rows else None}
        more = start + len(rows) < len(ids)
        return Answer(200, {"data": [_model(model) for model in rows], "has_more": more, **ends})


def write_credentials(
    path: str | os.PathLike[str], expires_at: datetime, *, blank: bool = False, token: str = TOKEN
) -> None:
    """Write a credentials file as the harness keeps it, with tokens that are plainly invented. Mode 0600, whole.

    Args:
        path: the file; its folder is made.
        expires_at: when the access token ends, aware.
        blank: the login was wiped: the fields are there, and empty.
        token: the access token.
    """
    login = {
        "accessToken": "" if blank else token,
        "refreshToken": "" if blank else "invented-refresh-token",
        "expiresAt": 0 if blank else int(expires_at.timestamp() * 1000),
        "scopes": ["user:inference", "user:profile"],
        "subscriptionType": "max",
    }
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.new")
    new.touch(mode=0o600)
    new.write_text(json.dumps({"claudeAiOauth": login}), encoding="utf-8")
    new.replace(file)


def _row(window: ClaudeWindow) -> dict[str, Any]:
    scope = None if window.model is None else {"model": {"id": None, "display_name": window.model}, "surface": None}
    return {
        "kind": window.kind,
        "group": "session" if window.kind == "session" else "weekly",
        "percent": window.percent,
        "severity": "critical" if window.percent >= 100 else "normal",
        "resets_at": _text(window.resets_at),
        "scope": scope,
        "is_active": window.percent >= 100,
    }


def _model(model: ClaudeModel) -> dict[str, Any]:
    row = {"type": "model", "id": model.id, "display_name": model.name, "created_at": "1970-01-01T00:00:00Z"}
    if model.context is None:
        return row
    able = {"supported": True}
    efforts = {"effort": {**able, **dict.fromkeys(model.efforts, able)}} if model.efforts else {}
    return {**row, "max_input_tokens": model.context, "capabilities": {"image_input": able, **efforts}}


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")
