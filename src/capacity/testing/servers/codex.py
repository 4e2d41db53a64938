"""A server that speaks like ChatGPT's to Codex: usage of one account, and the models that it may run.

Its windows roll over by its clock. A login is an unsigned token that says itself when it ends; nothing else takes it.
"""

from __future__ import annotations

import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from capacity.ports import Clock
from capacity.testing.servers._loopback import WEB_PAGE, Answer, LoopbackServer, Request, epoch, next_after

BASE = "/backend-api"
USAGE, MODELS = f"{BASE}/wham/usage", f"{BASE}/codex/models"
ACCOUNT = "00000000-0000-4000-8000-0000000000aa"
CLAIMS = "https://api.openai.com/auth"
SLOTS = ("primary_window", "secondary_window")


@frozen
class CodexWindow:
    """One window of the account, or of one of its models.

    Attributes:
        length: how long it is.
        percent: percent used.
        resets_at: when it next resets; then it is unused, and resets again a window later.
        model: the name of the limit of one model; None = the account's.
    """

    length: timedelta
    percent: float
    resets_at: datetime
    model: str | None = None

    def at(self, now: datetime) -> CodexWindow:
        """The window as it is at an instant: rolled over where its reset has passed."""
        if now < self.resets_at:
            return self
        return evolve(self, percent=0.0, resets_at=next_after(self.resets_at, self.length, now))


@frozen
class CodexModel:
    """One row of the model list.

    Attributes:
        id: its id.
        name: its display name.
        context: tokens it takes in.
        efforts: effort words it takes.
        hidden: kept out of pickers.
    """

    id: str
    name: str
    context: int = 272_000
    efforts: tuple[str, ...] = ("low", "medium", "high")
    hidden: bool = False


class CodexServer(LoopbackServer):
    """Usage and models of one account.

    Args:
        clock: what it takes for the present.
        models: what it lists, in the order of their rank.
        account: whom it lets in.

    Attributes:
        models: what it lists; put another tuple there to add or remove.
        account: whom it lets in.
        plan: the service's word for the plan.
        credits: credits in hand, as the service writes them; None = none.
        refuses: it refuses, whatever the windows say. A full window of the account makes it refuse too.
    """

    def __init__(self, clock: Clock, models: Iterable[CodexModel] = (), *, account: str = ACCOUNT) -> None:
        super().__init__(clock)
        self.models = tuple(models)
        self.account = account
        self.plan = "plus"
        self.credits: str | None = None
        self.refuses = False
        self._windows: dict[tuple[timedelta, str | None], CodexWindow] = {}

    @property
    def base_url(self) -> str:
        """What the plugin calls the service's address."""
        return f"{self.url}{BASE}"

    def use(self, length: timedelta, percent: float, resets_at: datetime, *, model: str | None = None) -> None:
        """From now on, tell so much of a window as used; with a model's name, of that model's own limit."""
        with self._lock:
            self._windows[length, model] = CodexWindow(length, percent, resets_at, model)

    def throttle(self, times: int, retry_after: int | None = 60) -> None:
        """Refuse the next so many questions for usage as too many; None = without saying when to come again."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        self.spoil(USAGE, Answer(429, {"detail": "Too Many Requests"}, headers), times)

    def break_shape(self, times: int, body: bytes = WEB_PAGE, status: int = 200) -> None:
        """Answer the next so many questions for usage with something else."""
        self.spoil(USAGE, Answer(status, body, {"content-type": "text/html"}), times)

    def answer(self, request: Request) -> Answer:
        """As the service answers."""
        if request.path not in {USAGE, MODELS}:
            return Answer(404, {"detail": "Not Found"})
        if request.method != "GET":
            return Answer(405, {"detail": "Method Not Allowed"})
        refused = self._refused(request)
        if refused is not None:
            return refused
        return Answer(200, self._usage() if request.path == USAGE else {"models": self._rows()})

    def _refused(self, request: Request) -> Answer | None:
        claims = _claims(request.bearer() or "")
        if claims.get(CLAIMS, {}).get("chatgpt_account_id") != self.account:
            return _unauthorized("Could not parse your authentication token. Please try signing in again.", "invalid")
        if claims.get("exp", 0) <= epoch(self.clock.now()):
            return _unauthorized("Provided authentication token is expired.", "token_expired")
        return None

    def _usage(self) -> dict[str, Any]:
        now = self.clock.now()
        windows = [window.at(now) for _, window in sorted(self._windows.items(), key=lambda item: item[0][0])]
        names = dict.fromkeys(window.model for window in windows if window.model is not None)
        rows = [_limit(name, [one for one in windows if one.model == name], now) for name in names]
        return {
            "user_id": "user-invented",
            "account_id": self.account,
            "email": "person@example.invalid",
            "plan_type": self.plan,
            "rate_limit": _windows([one for one in windows if one.model is None], now, refuses=self.refuses),
            "code_review_rate_limit": None,
            "additional_rate_limits": rows or None,
            "credits": {
                "has_credits": self.credits is not None,
                "unlimited": False,
                "overage_limit_reached": False,
                "balance": self.credits or "0",
            },
            "spend_control": {"reached": False, "individual_limit": None},
            "rate_limit_reached_type": None,
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [_model(model, rank) for rank, model in enumerate(self.models)]


def access_token(expires_at: datetime, *, account: str = ACCOUNT, plan: str = "plus") -> str:
    """A token that is plainly invented: unsigned, and it says itself whose it is, for which plan, and when it ends."""
    whose = {"chatgpt_account_id": account, "chatgpt_plan_type": plan, "chatgpt_user_id": "user-invented"}
    claims = {"exp": epoch(expires_at), "email": "person@example.invalid", CLAIMS: whose}
    return ".".join(_part(part) for part in ({"alg": "none", "typ": "JWT"}, claims, "unsigned"))


def write_codex_home(
    folder: str | os.PathLike[str],
    expires_at: datetime,
    *,
    base_url: str | None = None,
    account: str = ACCOUNT,
    plan: str = "plus",
) -> None:
    """Write a folder of the program: a login with invented tokens, mode 0600, and settings that name the server.

    Args:
        folder: where; it is made.
        expires_at: when the access token ends, aware.
        base_url: the server's, so that the real program asks it and nobody else; None = no settings are written.
        account: whose login it is.
        plan: the plan it was made for.
    """
    home, token = Path(folder), access_token(expires_at, account=account, plan=plan)
    home.mkdir(parents=True, exist_ok=True)
    tokens = {"id_token": token, "access_token": token, "refresh_token": "invented-refresh", "account_id": account}
    login = {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": expires_at.isoformat()}
    new = home / "auth.json.new"
    new.touch(mode=0o600)
    new.write_text(json.dumps(login), encoding="utf-8")
    new.replace(home / "auth.json")
    if base_url is not None:
        (home / "config.toml").write_text(_settings(base_url), encoding="utf-8")


def _settings(base_url: str) -> str:
    return (
        f'chatgpt_base_url = "{base_url}/"\n'
        f'openai_base_url = "{base_url}/codex"\n'
        "check_for_update_on_startup = false\n"
        "[analytics]\nenabled = false\n"
    )


def _limit(name: str, windows: list[CodexWindow], now: datetime) -> dict[str, Any]:
    return {"limit_name": name, "metered_feature": "codex_invented", "rate_limit": _windows(windows, now)}


def _windows(windows: list[CodexWindow], now: datetime, *, refuses: bool = False) -> dict[str, Any] | None:
    if not windows:
        return None
    refuses = refuses or any(window.percent >= 100 for window in windows)
    told = dict(zip(SLOTS, (_window(window, now) for window in windows), strict=False))
    return {"allowed": not refuses, "limit_reached": refuses, **dict.fromkeys(SLOTS), **told}


def _window(window: CodexWindow, now: datetime) -> dict[str, Any]:
    return {
        "used_percent": int(window.percent),
        "limit_window_seconds": int(window.length.total_seconds()),
        "reset_after_seconds": int((window.resets_at - now).total_seconds()),
        "reset_at": epoch(window.resets_at),
    }


def _model(model: CodexModel, rank: int) -> dict[str, Any]:
    return {
        "slug": model.id,
        "display_name": model.name,
        "description": model.name,
        "default_reasoning_level": model.efforts[0] if model.efforts else None,
        "supported_reasoning_levels": [{"effort": effort, "description": effort} for effort in model.efforts],
        "shell_type": "shell_command",
        "visibility": "hide" if model.hidden else "list",
        "supported_in_api": True,
        "priority": rank,
        "upgrade": None,
        "context_window": model.context,
        "input_modalities": ["text", "image"],
        **RUNNING,
    }


RUNNING: Mapping[str, Any] = {
    "base_instructions": "",
    "supports_reasoning_summaries": True,
    "support_verbosity": False,
    "default_verbosity": None,
    "apply_patch_tool_type": None,
    "truncation_policy": {"mode": "bytes", "limit": 10_000},
    "supports_parallel_tool_calls": False,
    "experimental_supported_tools": [],
}
"""What the real program wants to be told of a model before it takes a list, and what nothing here rests on."""


def _unauthorized(message: str, code: str) -> Answer:
    return Answer(401, {"error": {"message": message, "type": None, "param": None, "code": code}, "status": 401})


def _part(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _claims(token: str) -> dict[str, Any]:
    """What a token says of itself; nothing where it is none."""
    try:
        middle = token.split(".")[1]
        claims = json.loads(urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}
