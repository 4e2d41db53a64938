"""A secret that cannot be shown by accident. Only the wire opens it, to put it on the wire.

It has no text: not in repr, str, format, pickle, JSON or a traceback. It can be asked whether it is blank, and for a
part of the JSON it holds, which is a secret again, for what a token openly says of itself, and for a fingerprint that
tells two of them apart.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any, NoReturn, final

MASK = "***"
"""What stands where a secret stood."""

SHORTEST = 8
"""Characters below which a text is too common to be told from a word: no login's token is as short."""


@final
class Secret:
    """A text nobody may read but the wire.

    Args:
        text: the secret; blank is a secret too (`bool(secret)` is False).
    """

    __slots__ = ("_text",)
    _text: str

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", text)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("a secret does not change")

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return MASK

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a secret is not pickled, copied or sent to another process")

    def __bool__(self) -> bool:
        return bool(self._text.strip())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(("Secret", self._text))

    def part(self, *path: str) -> Secret | None:
        """The text at that path of the JSON it holds, as a secret; None where there is none.

        Raises nothing: what is no JSON, or has no text there, has no such part.
        """
        try:
            value: Any = json.loads(self._text)
            for key in path:
                value = value[key]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            return None
        return Secret(value) if isinstance(value, str) else None

    def claim(self, *path: str) -> str | int | float | None:
        """What a signed token (JWT) says of itself at that path; None where it is none, or says nothing there.

        This is the part of a token that anybody who is shown it may read: when it ends, for whom it was made. Without
        the rest it opens nothing.
        """
        value: Any = _claims(self._text)
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, str | int | float) and not isinstance(value, bool) else None

    def fingerprint(self, purpose: str) -> str:
        """16 hexadecimal digits that tell this secret from others and lead no way back.

        White space at the ends does not count, so a variable and a file with a newline agree.

        Args:
            purpose: what the fingerprint is for (`deepseek-key`); another purpose gives another fingerprint.
        """
        text = f"{purpose}\0{self._text.strip()}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def reveal(secret: Secret) -> str:
    """The text. Called by the wire alone, at the last moment; a test keeps every other caller out."""
    return secret._text  # noqa: SLF001  # this function is the one door


def masked(body: bytes, plain: frozenset[str] = frozenset()) -> bytes:
    """A JSON text with every string masked but blank ones and those under a key in `plain`; `b""` for anything else.

    Shape, numbers, flags and blanks stay, so a reader can tell what a credentials file is without holding one. Of a
    signed token what it says under such a key stays too, unsigned.
    """
    try:
        value = json.loads(body)
        hidden = {text.casefold() for text in _texts(value, plain) if len(text) >= SHORTEST}
        return json.dumps(_mask(value, plain, hidden)).encode()
    except (ValueError, RecursionError):
        return b""


def _texts(value: Any, plain: frozenset[str]) -> Iterator[str]:
    """Every text that is to be masked."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from () if key in plain else _texts(inner, plain)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, plain)
    elif isinstance(value, str):
        yield value


def _mask(value: Any, plain: frozenset[str], hidden: set[str], *, shown: bool = False) -> Any:
    """The value with every text masked, but a shown one that is none of the hidden ones over again."""
    if isinstance(value, dict):
        return {key: _mask(inner, plain, hidden, shown=shown or key in plain) for key, inner in value.items()}
    if isinstance(value, list):
        return [_mask(inner, plain, hidden, shown=shown) for inner in value]
    if (
        not isinstance(value, str)
        or not value.strip()
        or (shown and not any(text in value.casefold() for text in hidden))
    ):
        return value
    return _unsigned(value, plain, hidden)


def _claims(token: str) -> Any:
    """What a signed token says of itself; None where it is none."""
    try:
        middle = token.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (ValueError, IndexError, RecursionError):
        return None


def _unsigned(text: str, plain: frozenset[str], hidden: set[str]) -> str:
    """The mask of a text; of a signed token with what it says under a key in `plain`."""
    told = _plainly(_claims(text), plain)
    if not told:
        return MASK
    said = json.dumps(_mask(told, plain, hidden)).encode()
    return f"{MASK}.{base64.urlsafe_b64encode(said).decode().rstrip('=')}.{MASK}"


def _plainly(claims: Any, plain: frozenset[str]) -> dict[str, Any]:
    """What stands under a key in `plain`, at whatever depth, and nothing else."""
    told: dict[str, Any] = {}
    for key, inner in claims.items() if isinstance(claims, dict) else ():
        deeper = _plainly(inner, plain)
        if deeper or (key in plain and not isinstance(inner, dict | list)):
            told[key] = deeper or inner
    return told
