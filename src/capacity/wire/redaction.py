"""What may not be shown: secrets that were opened, and what is a secret by its name.

A redaction belongs to one flow. It opens the flow's secrets, remembers them, and takes them out of everything that
comes back: a server may say a key aloud in its refusal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from attrs import evolve

from capacity.errors import WireError
from capacity.ports import Document, Exit, Line, Reply, Secret
from capacity.ports.secret import MASK, reveal

DROPPED = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie", "set-cookie2", "x-api-key"})
"""Headers that are secrets by their name: no document and no cassette has them."""

SHORTEST = 8
"""Characters a text must have to be looked for in answers. Shorter ones (`none`, `local`, `x`: what people give a
server that wants no key) are ordinary words of those answers, and nothing anybody could keep secret."""

USERINFO = re.compile(r"(?<=://)[^/?#\s@]*@")
"""User and password in a URL."""

NAMED = re.compile(
    rb'("(?:access|auth|id|refresh|session)_?token"|"api_?key"|"client_?secret"|"password")\s*:\s*'
    rb'"(?!\*\*\*(?:\.[\w-]+\.\*\*\*)?")(?:[^"\\]|\\.)+"',
    re.IGNORECASE,
)
"""A JSON member that is a secret by its name (RFC 6749 and 7591 for most of them), in either spelling, and is not masked
already."""


class Redaction:
    """The secrets of one flow: opened here and nowhere else."""

    def __init__(self) -> None:
        self._marks: list[str] = []

    def open(self, secret: str | Secret) -> str:
        """The text to put on the wire. From now on it is masked wherever it comes back."""
        if isinstance(secret, str):
            return secret
        text = reveal(secret)
        if len(text) >= SHORTEST:
            self._marks = sorted({*self._marks, *_spellings(text)}, key=len, reverse=True)
        return text

    def opened(self, secrets: Mapping[str, str | Secret]) -> dict[str, str]:
        """The texts behind a mapping: headers, or an environment."""
        return {name: self.open(value) for name, value in secrets.items()}

    def mask(self, text: str) -> str:
        """The text without opened secrets."""
        for mark in self._marks:
            text = text.replace(mark, MASK)
        return text

    def text(self, text: str) -> str:
        """The text without opened secrets, and without users and passwords in its URLs."""
        return USERINFO.sub("", self.mask(text))

    def body(self, body: bytes) -> bytes:
        """The bytes without opened secrets."""
        for mark in self._marks:
            body = body.replace(_encoded(mark), MASK.encode())
        return body

    def record(self, body: bytes) -> bytes:
        """The bytes as a cassette may have them: without what is a secret by its name, too."""
        return NAMED.sub(rb'\1:"' + MASK.encode() + b'"', self.body(body))

    def reply(self, reply: Any) -> Any:
        """A reply as the flow may see it. Files stay as they are: a flow may write back what it read."""
        match reply:
            case Reply():
                return evolve(reply, document=self._document(reply.document))
            case Exit():
                return evolve(reply, stdout=self.body(reply.stdout), stderr=self.body(reply.stderr))
            case Line():
                return evolve(reply, text=self.mask(reply.text))
            case _:
                return reply

    def fault(self, fault: WireError) -> WireError:
        """The fault, made anew: the old one's traceback and causes hold what was on the wire."""
        return type(fault)(self.text(fault.asked), self.text(fault.why))

    def _document(self, document: Document) -> Document:
        headers = tuple((name, self.mask(value)) for name, value in document.headers if name.lower() not in DROPPED)
        asked = None if document.asked is None else self.text(document.asked)
        return evolve(document, body=self.body(document.body), headers=headers, asked=asked)


def address(url: str) -> str:
    """A URL as a fault names it: no user, no password, no query."""
    return USERINFO.sub("", re.split("[?#]", url, maxsplit=1)[0])


def _spellings(text: str) -> set[str]:
    """A secret as it stands in plain text, in JSON, in a URL, in a Python message, and in one of those inside another."""
    spellings = {text}
    for _ in range(2):
        spellings |= {again for one in spellings for again in _spelled(one)}
    return spellings


def _spelled(text: str) -> set[str]:
    in_json = {json.dumps(text, ensure_ascii=only)[1:-1] for only in (True, False)}
    return in_json | {quote(_encoded(text), safe=""), repr(text)[1:-1], _encoded(text).decode("utf-8", "replace")}


def _encoded(text: str) -> bytes:
    """The bytes a text stands for. A variable's that are no UTF-8 are lone surrogates in it; JSON has others."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
