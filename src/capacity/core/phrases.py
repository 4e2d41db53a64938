"""What texts of a failure say, for where no structure does: whole phrases, never a single word that means other things too.

Rows are tried in their order, the most specific first. A row speaks only beside the statuses it was seen with, so that no
wording overrules a status that is plain. `needles` are looked for before the pattern is, because that is fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from capacity.values.failures import Blames, FailureKind

SOFT = frozenset({None, 400, 402, 403, 404, 409, 413, 422, 424, 429, *range(500, 600)})
"""Statuses that stand for several things, so that a text may say which; None is no status, or one of success."""

BURST = SOFT - {400, 402, 404, 422}
"""Likewise, for words about rates: where the request is at fault, they are about its parameters."""


@frozen
class Phrase:
    """One row.

    Attributes:
        name: what it says, in a few words, for the fact.
        kind: what kind of failure it is.
        needles: texts of which one must be there, casefolded.
        pattern: what must be there too; None = a needle is enough.
        beside: the statuses it speaks beside; None = any.
        blames: whose fault it is; None = what the kind blames.
        human: whether nothing but a person ends it.
    """

    name: str
    kind: FailureKind
    needles: tuple[str, ...]
    pattern: re.Pattern[str] | None = None
    beside: frozenset[int | None] | None = SOFT
    blames: Blames | None = None
    human: bool = False

    def says(self, text: str, status: int | None) -> bool:
        """Whether it is in a casefolded text that came with a status."""
        for needle in self.needles:
            if needle in text:
                break
        else:
            return False
        beside = self.beside is None or status in self.beside
        return beside and (self.pattern is None or self.pattern.search(text) is not None)


def row(
    name: str,
    kind: FailureKind,
    needles: str,
    *patterns: str,
    beside: frozenset[int | None] | None = SOFT,
    blames: Blames | None = None,
    human: bool = False,
) -> Phrase:
    """A row whose needles are divided by `|`, and of whose patterns any will do."""
    pattern = re.compile("|".join(patterns)) if patterns else None
    return Phrase(name, kind, tuple(needles.split("|")), pattern, beside, blames, human)


OURS: Sequence[Phrase] = (
    row(
        "its own storage was locked",
        "noop",
        "database is locked|database table is locked|sqlite_busy|sqlite_locked",
        beside=None,
    ),
    row(
        "its own storage was locked",
        "noop",
        "sqliteerror|failed to execute statement|database table ",
        r"sqliteerror",
        r"failed to execute statement",
        r"database table \S+ is locked",
        beside=None,
    ),
    row(
        "its own disk is full",
        "noop",
        "no space left on device|enospc",
        beside=None,
    ),
    row(
        "the request was given up",
        "noop",
        "http 499|status 499|client closed request|client disconnected",
        beside=None,
    ),
    row(
        "the request was given up",
        "noop",
        "abort",
        r"^(?:\w*error: ?)?(?:this |the )?(?:user |operation |request )?(?:was )?abort(?:ed)?(?: by (?:the )?user| the request)?\.?$",
        beside=None,
    ),
    row(
        "nobody could serve",
        "noop",
        "no provider could serve|all lightweight routing targets|usage limit reached -- ",
        beside=None,
    ),
    row(
        "nobody could serve",
        "noop",
        "no deployments available|no healthy deployment|no available account|all providers failed",
        beside=None,
    ),
    row(
        "routed elsewhere",
        "noop",
        "routed model mismatch|route unavailable",
        beside=None,
    ),
    row(
        "nothing came back",
        "noop",
        "returned no |returned an empty |empty ",
        r"returned (?:no|an empty) (?:text|output|content|completion|response)\b",
        r"^empty (?:response|completion|output)\.?$",
    ),
)
"""What is the caller's, or a gateway's between: never a provider's failure."""

WIRE: Sequence[Phrase] = (
    row(
        "nobody answered there",
        "connect",
        "econnrefused|enotfound|ehostunreach|enetunreach|connection refused|fetch failed|no route to host|name resolution|unable to connect|cannot connect|could not resolve host|name or service not known",
    ),
    row(
        "the connection broke",
        "overload",
        "socket hang up|econnreset|connection reset|premature close|broken pipe|other side closed|connection closed|stream closed|stream ended|stream disconnected",
    ),
)
"""What a client says of its connection: never evidence, since nobody knows whose words they are."""

UPSTREAM = re.compile(r"upstream (?:(?P<who>[\w./-]{1,64}) )?http (?P<status>\d{3})")
"""How a gateway tells whom it had asked, and what came of it."""

TOLD = re.compile(
    r"(?:\b(?:http|status|status code|api error|error code)[:= ]{1,2}|\berror[:=] ?"
    r"|^(?=\d{3}(?::|$| \{| (?:bad request|unauthorized|payment required|forbidden|not found|request timeout"
    r"|too many requests|internal server error|bad gateway|service unavailable|gateway timeout|status code)\b)))"
    r"([45]\d\d)(?!\d|[.,/-]\d)(?! ?(?:tokens?|requests?|seconds?|bytes|lines|ms|s)\b)"
)
"""How a text tells a status."""


def spoken(rows: Sequence[Phrase], text: str, status: int | None) -> Phrase | None:
    """The first row that a casefolded text says, beside its status."""
    for row in rows:
        if row.says(text, status):
            return row
    return None


def statuses(text: str) -> Iterator[int]:
    """The HTTP statuses that a casefolded text tells."""
    return (int(found[1]) for found in TOLD.finditer(text))
