"""What DeepSeek's bodies say, as values. Pure: bytes in, readings and listings out.

An amount that cannot be read is left out and named, never taken as zero. Currencies are never added: any one pays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, final

from capacity.ports import Authority, Budget, Document, Failure, Limit, Listing, Model, Reading, State

from capacity_deepseek._failures import failure

BUDGET = Budget(floor=timedelta(seconds=60), usual=timedelta(seconds=300), idle=timedelta(seconds=600))
"""DeepSeek publishes no limit for these endpoints, and money moves slowly. The floor is for a balance near its end, where a
minute matters. A refusal names no wait today; a proxy before it may."""

BALANCE_PATH = "/user/balance"
MODELS_PATH = "/models"

_AMOUNT = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,12})?")
_CURRENCY = re.compile(r"[A-Z]{3}")  # ISO 4217
_STATES: Mapping[int, State] = {401: "login-required", 429: "throttled"}
_WORDS: Mapping[int, str] = {
    401: "DeepSeek refused the key (HTTP 401); put a valid one where the policy says it is",
    429: "DeepSeek will not be asked so often (HTTP 429)",
}


@final
class DeepSeekReader:
    """Reads `/user/balance` and `/models`. An error body is taken only where it answers the balance."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        """The balance, as the one reading of the one pool; None = not about a balance."""
        if _answers(doc, BALANCE_PATH) or (_good(doc) and "balance_infos" in _mapping(doc)):
            return (balance(doc),)
        return None

    def listing(self, doc: Document) -> Listing | None:
        """The models. A body is ours where it answers `/models`, or where a row says that DeepSeek owns it."""
        rows = _mapping(doc).get("data") if _good(doc) else None
        if not isinstance(rows, list):
            return None
        told = [row for row in rows if isinstance(row, dict)]
        if not (_answers(doc, MODELS_PATH) or any(row.get("owned_by") == "deepseek" for row in told)):
            return None
        ids = [row["id"] for row in told if isinstance(row.get("id"), str) and row["id"].strip()]
        return Listing(None, _authority(ids, rows), "models", doc.at, models=tuple(map(Model, dict.fromkeys(ids))))

    def failure(self, doc: Document) -> Failure | None:
        """A refusal of a turn; None for what answers the balance, and for what DeepSeek never says."""
        return None if _answers(doc, BALANCE_PATH) else failure(doc)


def balance(doc: Document) -> Reading:
    """What an answer of the balance endpoint says, whatever it is."""
    if not _good(doc):
        return _refusal(doc)
    body = _mapping(doc)
    left, faults = _amounts(body.get("balance_infos"))
    available = body.get("is_available")
    blocked = not available if isinstance(available, bool) else None
    if blocked is None and faults and not any(amount > 0 for amount in left.values()):
        left = {}  # the currency nobody could read may be the one that pays
    if blocked is None and not left:
        detail = "DeepSeek's balance tells neither an amount nor whether it suffices; its shape has changed"
        return Reading("", "unrecognised", "balance", doc.at, detail=detail)
    limit = Limit("balance", blocked=blocked, left=left)
    return Reading("", "ok", "balance", doc.at, detail="; ".join(faults) or None, limits=(limit,))


def _refusal(doc: Document) -> Reading:
    status = doc.status or 0
    state = _STATES.get(status, "unreachable")
    detail = _WORDS.get(status, f"DeepSeek's balance endpoint answered HTTP {status}")
    retry_at = BUDGET.retry_at(doc) if state == "throttled" else None
    return Reading("", state, "balance", doc.at, detail=detail, retry_at=retry_at)


def _amounts(rows: Any) -> tuple[dict[str, Decimal], list[str]]:
    """Currency → amount, and what could not be read. A currency told twice in two ways is not read either."""
    if not isinstance(rows, list):
        return {}, ["balance_infos is no list"]
    told: dict[str, set[Decimal | None]] = {}
    for row in rows:
        told.setdefault(_currency(row), set()).add(_amount(row))
    alone = {currency: amounts.pop() for currency, amounts in told.items() if currency and len(amounts) == 1}
    left = {currency: amount for currency, amount in alone.items() if amount is not None}
    lost = sorted(currency or "a row without a currency" for currency in told if currency not in left)
    return left, [f"no amount could be read for {', '.join(lost)}"] if lost else []


def _currency(row: Any) -> str:
    word = row.get("currency") if isinstance(row, dict) else None
    word = word.strip().upper() if isinstance(word, str) else ""
    return word if _CURRENCY.fullmatch(word) else ""


def _amount(row: Any) -> Decimal | None:
    """The total as a decimal; numbers are taken as the strings they should have been."""
    value = row.get("total_balance") if isinstance(row, dict) else None
    text = str(value).strip() if isinstance(value, str | int | float) else ""
    return Decimal(text) if _AMOUNT.fullmatch(text) else None


def _authority(ids: list[str], rows: list[Any]) -> Authority:
    """An empty answer is no sample; a list with a row nobody could read knows only part of it."""
    if not ids:
        return "unknown"
    return "authoritative" if len(ids) == len(rows) else "partial"


def _good(doc: Document) -> bool:
    return doc.status in {None, 200}


def _answers(doc: Document, path: str) -> bool:
    return (doc.asked or "").partition("?")[0].endswith(path)


def _mapping(doc: Document) -> dict[str, Any]:
    """The body where it is a JSON object, else an empty one."""
    try:
        body = doc.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
