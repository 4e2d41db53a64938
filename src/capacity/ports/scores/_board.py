"""A board: what becomes of the answers of a place that publishes scores. Pure, and the same for every tier source.

Only HTTP 200 with the rows in it tells scores. Whatever else comes back is a state with a reason, and never no rows
under the name of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from urllib.parse import urlsplit

from attrs import evolve, frozen

from capacity.ports.budget import Budget
from capacity.ports.contracts import SourceCard
from capacity.ports.document import DAY, Document
from capacity.ports.replies import File, Reply
from capacity.values.rankings import Excluded, KnownModel, RankingRow, Rankings, SourceStatus

DAILY = Budget(
    floor=timedelta(minutes=10),
    usual=timedelta(days=1),
    idle=timedelta(days=1),
    slowest=timedelta(days=7),
    deadline=timedelta(seconds=60),
    wait_least=timedelta(hours=1),
)
"""Scores change by the day at most, and what they change, a person adopts: asking once a day loses nothing."""

EPOCH_DIGITS = 10
"""Of an instant in seconds since 1970; with one more it lies behind the year 2286."""

GONE = (404, 410)
"""HTTP statuses that say: there is nothing at this address."""

REFUSALS: Mapping[int, tuple[SourceStatus, str]] = {
    401: ("unauthorised", "lets nobody in with what it was asked with"),
    403: ("forbidden-tier", "does not show this to who asks"),
}
"""HTTP status → what it makes of a source, and how that is said."""

Told = RankingRow | Excluded | None
"""What one row of an answer becomes; None = it cannot be read."""


@frozen(kw_only=True)
class Board:
    """What makes `Rankings` of answers.

    Attributes:
        source: the source's name.
        about: its card.
        budget: how long a refusal is heeded.
        parser: version of what reads the rows; raised when the same answer would be read differently.
    """

    source: str
    about: SourceCard
    budget: Budget = DAILY
    parser: str = "1"

    def tree(self, reply: Reply, part: str | None = None) -> object:
        """The JSON of an answer; the `Rankings` that it is instead, where it cannot hold any scores.

        Args:
            reply: the answer.
            part: which part of the whole was asked for, where an earlier answer said that there is one: `page 2`. A part
                that is missing spoils the whole.
        """
        if part is not None and reply.status in GONE:
            return self.invalid(reply.at, f"told that there is {part}, and it is missing (HTTP {reply.status})")
        refused = self.refusal(reply)
        if refused is not None:
            return refused
        try:
            tree: object = reply.document.json()
        except ValueError:
            of = f" for {part}" if part else ""
            return self.invalid(reply.at, f"answered something that is no JSON{of}, a web page perhaps")
        return tree

    def refusal(self, reply: Reply) -> Rankings | None:
        """What an answer is that holds no scores, by its status alone; None = HTTP 200.

        Returns:
            `unauthorised` (401), `rate-limited` (429, or 403 that says so), `forbidden-tier` (403), `unreachable`.
        """
        status, at, doc = reply.status, reply.at, reply.document
        if status == 200:
            return None
        if status == 429 or (status == 403 and _limited(doc)):
            until = _reset(doc) or self.budget.retry_at(doc)
            return self._nothing("rate-limited", at, f"{self.source} will not be asked so often (HTTP {status})", until)
        if status in REFUSALS:
            word, why = REFUSALS[status]
            remedy = f"; check {' and '.join(self.about.requires)}" if self.about.requires else ""
            return self._nothing(word, at, f"{self.source} {why} (HTTP {status}){remedy}")
        gone = "; has its address changed, or was it retired?" if status in GONE else ""
        return self._nothing("unreachable", at, f"{self.source} answered HTTP {status}{gone}")

    def invalid(self, at: datetime, why: str) -> Rankings:
        """An answer that came and is none.

        Args:
            at: when it came.
            why: what is wrong with it, as the end of a sentence that begins with the source's name.
        """
        return self._nothing("invalid", at, f"{self.source} {why}")

    def unconfigured(self, at: datetime, missing: str, why: str) -> Rankings:
        """Nobody was asked, because something is missing.

        Args:
            at: when.
            missing: the variable or the file.
            why: one sentence that says what to do.
        """
        return evolve(self._nothing("unconfigured", at, why), missing=(missing,))

    def told(
        self,
        answers: Sequence[Reply | File],
        rows: Iterable[Told],
        *,
        as_of: datetime | None = None,
        known: Iterable[KnownModel] = (),
        methodology: str | None = None,
    ) -> Rankings:
        """What good answers tell: `fresh`, or `cached` where every server says that nothing has changed.

        Args:
            answers: all of them, in order; at least one.
            rows: what their rows became. One that stands twice is kept once.
            as_of: when the source says its figures were true; None, and what is still to come, is when they arrived.
            known: the models its catalogue has.
            methodology: its own word for how its scores are made.

        Returns:
            `empty` where no row is a score and the catalogue has no model; `invalid` where none could even be read.
        """
        at, became = answers[-1].at, list(rows)
        good = tuple(dict.fromkeys(_dated(row, at) for row in became if isinstance(row, RankingRow)))
        catalogue, failed = tuple(known), sum(row is None for row in became)
        rankings = Rankings(
            source=self.source,
            status="cached" if all(isinstance(one, Reply) and one.unchanged for one in answers) else "fresh",
            as_of=min(as_of or at, at),
            rows=good,
            fetched_at=at,
            excluded=tuple(row for row in became if isinstance(row, Excluded)),
            told=len(became),
            failed=failed,
            known=catalogue,
            methodology=methodology,
            parser=self.parser,
            digest=_digest(answers),
            licence=self.about.licence,
            attribution=self.about.attribution,
        )
        if good or catalogue:
            return rankings
        if failed and failed == len(became):
            return self.invalid(at, f"told {failed} rows and none could be read; its shape has changed")
        return evolve(rankings, status="empty", detail=f"{self.source} told no score among {len(became)} rows")

    def _nothing(self, status: SourceStatus, at: datetime, why: str, retry_at: datetime | None = None) -> Rankings:
        return Rankings(
            self.source,
            status,
            at,
            detail=why,
            retry_at=retry_at,
            parser=self.parser,
            licence=self.about.licence,
            attribution=self.about.attribution,
        )


def _limited(doc: Document) -> bool:
    """Whether a 403 is a matter of how often, as some services spell 429."""
    return doc.header("retry-after") is not None or doc.header("x-ratelimit-remaining") == "0"


def _reset(doc: Document) -> datetime | None:
    """When a service that counts requests counts anew: seconds since 1970; None where it does not say, or says the past."""
    told = doc.header("x-ratelimit-reset") or ""
    if doc.header("retry-after") is not None or not (told.isascii() and told.isdecimal() and len(told) <= EPOCH_DIGITS):
        return None
    at = datetime.fromtimestamp(int(told), UTC)
    return min(at, doc.at + DAY) if at > doc.at else None


def _dated(row: RankingRow, at: datetime) -> RankingRow:
    """The row; without a date that is still to come, which is none, and with a flag that says so."""
    if row.measured_at is None or row.measured_at <= at:
        return row
    return evolve(row, measured_at=None, flags=(*row.flags, "future-date"))


def _digest(answers: Sequence[Reply | File]) -> str:
    """Of all bodies, each by itself, so that where one ends and the next begins makes a difference."""
    whole = sha256()
    for answer in answers:
        whole.update(sha256(answer.document.body).digest())
    return whole.hexdigest()


def address(url: str) -> str:
    """A URL that may be asked, without a slash at its end. It holds no user name and no query: what it holds is shown.

    Args:
        url: from the policy.

    Raises:
        ValueError: it is no such address; what it holds is not repeated.
    """
    parts = urlsplit(str(url))
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None or parts.query:
        raise ValueError("an address must be http(s)://host[:port][/path]; a key belongs under credentials")
    return url.rstrip("/")
