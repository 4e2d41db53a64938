"""A server that speaks like DeepSeek's: a balance in decimal strings, a list of models without details, and turns.

A turn that waits for its place says so with comments in its stream, and no header tells how much is left of anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from capacity.ports import Clock
from capacity.testing.servers._loopback import WEB_PAGE, Answer, LoopbackServer, Request

BALANCE, MODELS, TURNS = "/user/balance", "/models", "/chat/completions"
KEY = "invented-key-of-the-loopback-server"


class DeepSeekServer(LoopbackServer):
    """Balance, models and turns of one key.

    Args:
        clock: what it takes for the present.
        models: the ids it lists.
        key: what it lets in.

    Attributes:
        models: the ids it lists; put another tuple there to add or remove.
        key: what it lets in.
        balance: currency → what is left; may be negative.
        available: whether it says that it serves; None = where any currency has something left.
    """

    def __init__(self, clock: Clock, models: Iterable[str] = (), *, key: str = KEY) -> None:
        super().__init__(clock)
        self.models = tuple(models)
        self.key = key
        self.balance: Mapping[str, Decimal] = {"USD": Decimal("10.00")}
        self.available: bool | None = None

    def throttle(self, times: int, retry_after: int | None = None) -> None:
        """Refuse the next so many questions for the balance as too many; it seldom says when to come again."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        self.spoil(BALANCE, _error(429, "rate_limit_error", "Rate limit reached", headers), times)

    def break_shape(self, times: int, body: bytes = WEB_PAGE) -> None:
        """Answer the next so many questions for the balance with something else, and status 200."""
        self.spoil(BALANCE, Answer(200, body, {"content-type": "text/html"}), times)

    def crowd(self, times: int) -> None:
        """Refuse the next so many turns because too many run at once; nothing says when there is room."""
        message = "Rate limit reached: too many concurrent requests for this account"
        for path in (TURNS, f"/v1{TURNS}"):
            self.spoil(path, _error(429, "rate_limit_error", message), times)

    def answer(self, request: Request) -> Answer:
        """As the service answers."""
        path = request.path.removeprefix("/v1")
        if request.bearer() != self.key:
            return _error(401, "authentication_error", "Authentication Fails (no such user)")
        if request.method != ("POST" if path == TURNS else "GET"):
            return _error(405, "invalid_request_error", "Method Not Allowed")
        if request.path == BALANCE:
            return self._balance()
        if path == TURNS:
            return self._turn(_parsed(request.body))
        if path == MODELS:
            rows = [{"id": model, "object": "model", "owned_by": "deepseek"} for model in self.models]
            return Answer(200, {"object": "list", "data": rows})
        return _error(404, "invalid_request_error", "Not Found")

    def _serves(self) -> bool:
        if self.available is not None:
            return self.available
        return any(amount > 0 for amount in self.balance.values())

    def _turn(self, body: dict[str, Any]) -> Answer:
        if not isinstance(body.get("messages"), list):
            return _error(422, "invalid_request_error", "Failed to deserialize the JSON body: missing field `messages`")
        if body.get("model") not in self.models:
            return _error(400, "invalid_request_error", "Model Not Exist")
        if not self._serves():
            return _error(402, "unknown_error", "Insufficient Balance")
        return _streamed(body["model"]) if body.get("stream") else Answer(200, _whole(body["model"]))

    def _balance(self) -> Answer:
        available = self._serves()
        rows = [
            {
                "currency": currency,
                "total_balance": f"{amount:.2f}",
                "granted_balance": "0.00",
                "topped_up_balance": f"{amount:.2f}",
            }
            for currency, amount in self.balance.items()
        ]
        return Answer(200, {"is_available": available, "balance_infos": rows})


def _whole(model: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Invented."}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}
    return {**_head(model, "chat.completion"), "choices": [{**choice, "logprobs": None}], "usage": usage}


def _streamed(model: str) -> Answer:
    """A turn in pieces; comments before the first say that it waits."""
    deltas: tuple[dict[str, str], ...] = ({"role": "assistant", "content": ""}, {"content": "Invented."}, {})
    ends = (None, None, "stop")
    lines = [": keep-alive", ": keep-alive"]
    for delta, end in zip(deltas, ends, strict=True):
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        lines.append("data: " + json.dumps({**_head(model, "chat.completion.chunk"), "choices": [choice]}))
    text = "\n\n".join([*lines, "data: [DONE]", ""])
    return Answer(200, text.encode(), {"content-type": "text/event-stream; charset=utf-8"})


def _head(model: str, kind: str) -> dict[str, Any]:
    return {"id": "00000000-0000-4000-8000-000000000001", "object": kind, "created": 0, "model": model}


def _parsed(sent: bytes) -> dict[str, Any]:
    try:
        body = json.loads(sent)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    error = {"message": message, "type": kind, "param": None, "code": "invalid_request_error"}
    return Answer(status, {"error": error}, headers or {})
