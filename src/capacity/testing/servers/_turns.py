"""A turn of a model at Claude's: a message, the headers that tell how much of each window is used, and its refusals.

What it says is invented; how it says it is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from capacity.testing.servers._loopback import Answer, epoch

if TYPE_CHECKING:
    from capacity.testing.servers.claude import ClaudeModel, ClaudeWindow

PREFIX = "anthropic-ratelimit-"
SHORT: Mapping[str, tuple[str, str]] = {
    "session": ("5h", "five_hour"),
    "weekly_all": ("7d", "seven_day"),
    "weekly_scoped": ("7d_oi", "seven_day_overage_included"),
}
"""Kind of a window → how headers shorten it, and the claim that names it."""

REFUSED = "This request would exceed your account's rate limit. Please try again later."
CAPS: Mapping[str, int] = {"requests": 4000, "input-tokens": 400_000, "output-tokens": 100_000}
"""An API key's caps in a minute; invented."""

MINUTE = timedelta(minutes=1)


def turn(sent: bytes, models: Iterable[ClaudeModel], windows: Iterable[ClaudeWindow] | None, now: datetime) -> Answer:
    """The answer to a request for a message.

    Args:
        sent: its body.
        models: those there are.
        windows: of the subscription that asks; None = an API key does.
        now: the present.
    """
    body = _parsed(sent)
    for part in ("model", "max_tokens", "messages"):
        if part not in body:
            return error(400, "invalid_request_error", f"{part}: Field required")
    model = next((one for one in models if one.id == body["model"]), None)
    if model is None:
        return error(404, "not_found_error", f"model: {body['model']}")
    binding = [one for one in windows or () if one.model is None or one.model.casefold() in model.name.casefold()]
    headers = _key(now) if windows is None else unified(binding)
    full = [one for one in binding if one.percent >= 100]
    if not full:
        return Answer(200, _message(model.id, len(sent)), {**headers, "request-id": "req_invented"})
    wait = max(one.resets_at for one in full) - now
    return error(429, "rate_limit_error", REFUSED, {**headers, "retry-after": str(int(wait.total_seconds()))})


def unified(windows: Iterable[ClaudeWindow]) -> dict[str, str]:
    """The headers of a subscription's windows: a share, a word and a reset for each, and which of them binds."""
    told: dict[str, str] = {}
    fullest = sorted(windows, key=lambda one: (one.percent, one.resets_at))
    for one in fullest:
        short, claim = SHORT[one.kind]
        status = "rejected" if one.percent >= 100 else "allowed"
        told |= {f"{short}-status": status, f"{short}-reset": str(epoch(one.resets_at))}
        told[f"{short}-utilization"] = f"{one.percent / 100:.2f}"
        told |= {"status": status, "representative-claim": claim, "reset": told[f"{short}-reset"]}
    off = {"overage-status": "rejected", "overage-disabled-reason": "out_of_credits"}
    return {f"{PREFIX}unified-{name}": value for name, value in {"status": "allowed", **told, **off}.items()}


def error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    """An error as the service words it."""
    return Answer(status, {"type": "error", "error": {"type": kind, "message": message}}, headers or {})


def _key(now: datetime) -> dict[str, str]:
    full_at = (now + MINUTE).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    parts = {cap: {"limit": most, "remaining": most - 1, "reset": full_at} for cap, most in CAPS.items()}
    return {f"{PREFIX}{cap}-{part}": str(value) for cap, told in parts.items() for part, value in told.items()}


def _message(model: str, size: int) -> dict[str, Any]:
    return {
        "id": "msg_invented",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": "Invented."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1 + size // 4, "output_tokens": 3},
    }


def _parsed(sent: bytes) -> dict[str, Any]:
    try:
        body = json.loads(sent)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
