"""A server that speaks like DeepSeek's: a balance in decimal strings, and a list of models without details."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from capacity.ports import Clock
from capacity.testing.servers._loopback import WEB_PAGE, Answer, LoopbackServer, Request

BALANCE, MODELS = "/user/balance", "/models"
KEY = "invented-key-of-the-loopback-server"


class DeepSeekServer(LoopbackServer):
    """Balance and models of one key.

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

    def answer(self, request: Request) -> Answer:
        """As the service answers."""
        if request.bearer() != self.key:
            return _error(401, "authentication_error", "Authentication Fails (no such user)")
        if request.method != "GET":
            return _error(405, "invalid_request_error", "Method Not Allowed")
        if request.path == BALANCE:
            return self._balance()
        if request.path in {MODELS, f"/v1{MODELS}"}:
            rows = [{"id": model, "object": "model", "owned_by": "deepseek"} for model in self.models]
            return Answer(200, {"object": "list", "data": rows})
        return _error(404, "invalid_request_error", "Not Found")

    def _balance(self) -> Answer:
        available = self.available
        if available is None:
            available = any(amount > 0 for amount in self.balance.values())
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


def _error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    error = {"message": message, "type": kind, "param": None, "code": "invalid_request_error"}
    return Answer(status, {"error": error}, headers or {})
