"""Failures whose blame nobody can doubt, with the reason: `none`, the one `candidate`, or its whole `pool`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.side_by_side.deployment import HOUR


class Failed(NamedTuple):
    """A failure as a client saw it.

    Attributes:
        blames: whose fault it is.
        why: the reason.
        status: HTTP status; None = no answer came.
        code: the structured code; `""` = none.
        message: the message.
        lasts: seconds until a reset that the message tells; 0 = it tells none.
        transport: `unreached`, `broken` or `aborted` where no answer came.
    """

    blames: str
    why: str
    status: int | None
    code: str
    message: str
    lasts: int = 0
    transport: str = ""


FAILURES: Sequence[Failed] = (
    Failed("pool", "the account's quota is spent", 429, "insufficient_quota", "You exceeded your current quota."),
    Failed("pool", "a plan's window is spent", 429, "", "Weekly usage limit reached. Resets in 3 hours.", 3 * HOUR),
    Failed("pool", "money is used up", 402, "insufficient_balance", "Payment required: insufficient balance."),
    Failed("pool", "nobody listens there", None, "ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:9", 0, "unreached"),
    Failed("candidate", "a burst", 429, "rate_limit_exceeded", "Rate limit reached, please try again in 20s."),
    Failed("candidate", "too many at once", 429, "", "Too many requests"),
    Failed("candidate", "a moment's overload", 529, "overloaded_error", "Overloaded"),
    Failed("candidate", "a moment's overload", 503, "", "Service unavailable"),
    Failed("candidate", "this model is not there", 404, "model_not_found", "The model does not exist."),
    Failed("candidate", "a token to be renewed", 401, "token_expired", "Token expired."),
    Failed("candidate", "one bad stream", None, "ECONNRESET", "socket hang up", 0, "broken"),
    Failed("candidate", "a fault of one answer", 500, "", "Internal server error"),
    Failed("none", "the prompt is too long", 400, "context_length_exceeded", "Maximum context length exceeded."),
    Failed("none", "the request is too large", 413, "request_too_large", "Request exceeds the maximum size."),
    Failed("none", "the request is malformed", 400, "invalid_request_error", "tool_use without tool_result"),
    Failed("none", "a field is missing", 400, "invalid_request_error", "The field 'billing address' is missing."),
    Failed("none", "a field is missing", 400, "", "usage: limit is a required parameter"),
    Failed("none", "a request of ours at odds with itself", 400, "", "concurrent modification of the conversation"),
    Failed("none", "what is asked is not allowed", 400, "content_policy_violation", "Blocked by the content filter."),
    Failed("none", "we gave it up", 499, "", "Client closed request"),
    Failed("none", "we gave it up", None, "AbortError", "aborted", 0, "aborted"),
    Failed("none", "our own store is busy", None, "SQLITE_BUSY", "database is locked"),
)
"""The failures, grouped by blame."""
