"""What an answer says of a failure, whatever it is wrapped in: JSON at any nesting, JSON in a string, a stream's frames.

Only envelopes that errors are known to come in are opened, so that nobody's prompt, echoed by a client, is ever taken
for an error. Size, depth and number are bounded; what is no JSON is a text. Nothing here judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json import loads  # noqa: TID251 - reading what a stranger sent needs no form of ours, and the codec is a floor above
from typing import Any, Literal

from attrs import field, frozen

from capacity.core.resets import FIELDS

CAP = 64 * 1024
"""Bytes of a body that are looked at, and of a string that may hold JSON: the longest error seen has under 4 KiB."""

TEXT_CAP = 2_048
"""Characters of a text that are looked at: its beginning and its end, where errors stand."""

DEPTH = 8
"""Envelopes inside one another that are opened; five is the most that was seen."""

WIDTH = 16
"""Rows of a list, and frames of a stream counted from its end, that are looked at."""

SHORT = 300
"""Characters of a text that by itself, without a word that it is an error, may be one: a model may write about limits."""

Role = Literal["envelope", "code", "status", "message", "headers", "failed", "provider", "said"]
ROLES: Mapping[str, Role] = {
    **dict.fromkeys(
        (
            *("error", "errors", "err", "cause", "data", "response", "body", "responsebody", "detail", "details"),
            *("metadata", "raw", "innererror", "lasterror", "exception", "fault", "incompletedetails", "statusdetails"),
            *("ratelimitinfo", "ratelimits", "violations", "event", "params", "turn"),
        ),
        "envelope",
    ),
    **dict.fromkeys(
        ("code", "type", "reason", "name", "errorcode", "errortype", "subtype", "limitsource", "object"), "code"
    ),
    **dict.fromkeys(("status", "statuscode", "httpstatus", "httpstatuscode", "apierrorstatus"), "status"),
    **dict.fromkeys(
        ("message", "msg", "errormessage", "errordescription", "title", "description", "quotaid"), "message"
    ),
    **dict.fromkeys(("headers", "responseheaders"), "headers"),
    **dict.fromkeys(("iserror", "success", "ok"), "failed"),
    **dict.fromkeys(("providerid", "providername"), "provider"),
    **dict.fromkeys(("result",), "said"),
}
"""Name of a field, casefolded and without `_` and `-` → what stands in it."""

FAILED = frozenset({"error", "failed", "responsefailed", "turnfailed", "streamerror"})
"""Words under `type`, `object` or `status` that say that something failed."""

TELLING = frozenset({"message", "data", "cause", "responseBody"})
"""What stands beside the name of an error; a name beside anything else is of something else."""

_CODE = re.compile(r"[A-Za-z][\w.:-]{1,79}|\d{3,5}")
_STATUS = re.compile(r"[1-5]\d\d")


@frozen
class Answer:
    """What a body says.

    Attributes:
        codes: words of codes, types, reasons and names as they were written, in the order they came.
        statuses: HTTP statuses told inside it.
        messages: its texts.
        times: fields that tell a reset, by name.
        headers: headers told inside it, names lower case.
        provider: whose failure it says it is; "" = it does not say.
        failed: whether it says that something failed.
        plain: whether it is a bare text.
    """

    codes: tuple[str, ...] = ()
    statuses: tuple[int, ...] = ()
    messages: tuple[str, ...] = ()
    times: tuple[tuple[str, object], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    provider: str = ""
    failed: bool = False
    plain: bool = False


EMPTY = Answer()


@frozen
class _Found:
    """An answer in the making; the only thing here that changes."""

    codes: list[str] = field(factory=list)
    statuses: list[int] = field(factory=list)
    messages: list[str] = field(factory=list)
    said: list[str] = field(factory=list)
    times: list[tuple[str, object]] = field(factory=list)
    headers: list[tuple[str, str]] = field(factory=list)
    providers: list[str] = field(factory=list)
    failed: list[bool] = field(factory=list)

    def answer(self) -> Answer:
        """What was found; what a run said by itself counts only where the run failed."""
        failed = any(self.failed)
        return Answer(
            tuple(self.codes),
            tuple(self.statuses),
            (*self.messages, *(self.said if failed else ())),
            tuple(self.times),
            tuple(self.headers),
            self.providers[0] if self.providers else "",
            failed,
        )


def plain(word: str) -> str:
    """A name without case and separators: `rateLimit-exceeded` is `rate_limit.exceeded`."""
    return word.replace("_", "").replace("-", "").replace(".", "").replace(" ", "").casefold()


def short(text: str) -> str:
    """A text's beginning and end, where it is longer than anybody reads."""
    return text if len(text) <= TEXT_CAP else f"{text[: TEXT_CAP // 2]} {text[-TEXT_CAP // 2 :]}"


def answer(body: bytes | str) -> Answer:
    """What a body says.

    Args:
        body: JSON, the frames of a stream, lines of JSON, or a text; never raises, whatever it is.
    """
    if not body:
        return EMPTY
    text = body if isinstance(body, str) else body[-CAP:].decode("utf-8", "replace")
    text = text[-CAP:].strip()
    values = list(_values(text))
    if not values:
        return Answer(messages=(short(text),), plain=True) if text else EMPTY
    found = _Found()
    for value in values:
        _walk(value, found, DEPTH)
    return found.answer()


def _values(text: str) -> Iterator[Any]:
    """The JSON values in a text: the whole, or one a line or frame, the last ones."""
    if text[:1] in ("{", "["):
        whole = _parsed(text)
        if whole is not None:
            yield whole
            return
    lines = (line.removeprefix("data:").strip() for line in text.splitlines()[-4 * WIDTH :])
    frames = [value for line in lines if line[:1] == "{" and (value := _parsed(line)) is not None]
    yield from frames[-WIDTH:]


def _parsed(text: str) -> Any:
    """A text as JSON; None where it is none, or too much."""
    if len(text) > CAP:
        return None
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _walk(value: Any, found: _Found, depth: int) -> None:
    """What one value says, its own fields before those of what is in it."""
    if depth == 0:
        return
    if isinstance(value, list):
        for row in value[:WIDTH]:
            if isinstance(row, dict):
                _walk(row, found, depth - 1)
        return
    inner = []
    for key, told in value.items() if isinstance(value, dict) else ():
        name = key if key in ROLES else plain(key)
        role = ROLES.get(name)
        if role == "envelope":
            inner.append((name, told))
        elif role is not None and (name != "name" or not TELLING.isdisjoint(value)):
            _TAKE[role](name, told, found)
        if name in FIELDS and isinstance(told, int | float | str):
            found.times.append((name, told))
    for name, told in inner:
        _open(name, told, found, depth)


def _open(name: str, told: Any, found: _Found, depth: int) -> None:
    """An envelope: what is in it, or the text that stands in its place."""
    if name in ("error", "err", "errors", "exception", "fault") and told:
        found.failed.append(told not in ("", "null", "None"))
    if isinstance(told, str):
        if _CODE.fullmatch(told):
            found.codes.append(told)
        _text(told, found, depth)
    elif isinstance(told, dict | list):
        _walk(told, found, depth - 1)


def _text(told: str, found: _Found, depth: int = DEPTH // 2) -> None:
    """A string: JSON in it, or a message."""
    begin = told.find("{")
    value = _parsed(told[begin : told.rfind("}") + 1]) if begin >= 0 else None
    if isinstance(value, dict):
        _walk(value, found, min(depth, DEPTH // 2) - 1)
        told = told[:begin]
    if told:
        found.messages.append(short(told))


def _code(name: str, told: Any, found: _Found) -> None:
    """A code: a word, or a number that is a status."""
    if isinstance(told, int):
        _status(name, told, found)
    elif isinstance(told, str):
        if _STATUS.fullmatch(told):
            found.statuses.append(int(told))
        elif _CODE.fullmatch(told):
            found.codes.append(told)
            found.failed.append(name in ("type", "object") and plain(told) in FAILED)
        elif name != "type":
            _text(told, found)


def _status(name: str, told: Any, found: _Found) -> None:
    if isinstance(told, bool):
        return
    if isinstance(told, int):
        if 100 <= told <= 599:
            found.statuses.append(told)
            found.failed.append(told >= 400)
    elif isinstance(told, str):
        _code(name, told, found)
        found.failed.append(plain(told) in FAILED)


def _message(_: str, told: Any, found: _Found) -> None:
    if isinstance(told, str) and told:
        _text(told, found)


def _headers(_: str, told: Any, found: _Found) -> None:
    for name, value in told.items() if isinstance(told, dict) else ():
        if isinstance(value, str | int):
            found.headers.append((name.casefold(), str(value)))


def _failed(name: str, told: Any, found: _Found) -> None:
    found.failed.append(told is (name == "iserror"))


def _provider(_: str, told: Any, found: _Found) -> None:
    if isinstance(told, str):
        found.providers.append(told)


def _said(_: str, told: Any, found: _Found) -> None:
    if isinstance(told, str):
        found.said.append(short(told))


_TAKE: Mapping[Role, Any] = {
    "code": _code,
    "status": _status,
    "message": _message,
    "headers": _headers,
    "failed": _failed,
    "provider": _provider,
    "said": _said,
}
