"""The logs of leases, in values: what was granted, what it used, and the choices worth keeping.

| log | key | document | kept |
|---|---|---|---|
| `leases` | session | `Entered` | `leases_kept` |
| `settled` | session | `Reply` | retention |
| `choices` | session | `Choice` | `choices_kept` |

The document `leases` is how far the log of leases was folded, and what came of it: so a new process need not fold what
others did, and the log may be short.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from attrs import field, frozen

from capacity import codec
from capacity.core.leases import Book, Entered, fold, number_of, resting, session_of
from capacity.engine import lines
from capacity.engine.folds import Fold
from capacity.engine.settings import Settings
from capacity.errors import FormError, NoSuch
from capacity.ports import Store
from capacity.values.choice import Choice
from capacity.values.conditions import Fact
from capacity.values.failures import Stop
from capacity.values.leases import Lease, NoLease, Settled
from capacity.values.seats import Candidate

LEASES, SETTLED, CHOICES = "leases", "settled", "choices"
MARK, MARKED_AT = "leases", "leases since"

FORM = 1
"""Of the mark. Raised when the fold of leases changes what it keeps."""

MARKED = 2_048
"""New lines after which the mark is written anew: folding so many takes a new process 40 ms."""

REPEATED = timedelta(minutes=1)
"""A wait that says what the one before it said is kept once in that time: whoever waits asks again and again."""

SAID = 1024
"""Sessions whose last word is remembered, so that the log need not be asked for it."""

LATE = 64
"""Settlements of a session that are looked through first for one that is told again, and for a loop."""


Word = tuple[NoLease | None, str, Candidate | None]
"""What a choice says: its code, why, and what it is about."""


@frozen
class Reply:
    """The end of a lease, and what follows from it. The first one stands; whoever tells the end again is given it.

    Attributes:
        settled: the end itself.
        stops: the stops that its failure put.
        until: when its place may be had again, UTC; None = now, or nobody knows.
        known: whether a provider told that instant.
        retry: whether asking for another lease at once is worth while.
        looping: why its session has to stop; None where it may go on.
    """

    settled: Settled
    stops: tuple[Stop, ...] = ()
    until: datetime | None = None
    known: bool = False
    retry: bool = True
    looping: Fact | None = None


@frozen
class Marked:
    """How far the log of leases was folded, and what came of it.

    Attributes:
        form: of the fold; a mark of another form is ignored.
        since: number of the last line in it.
        book: what came of it.
    """

    form: int = FORM
    since: int = 0
    book: Book = field(factory=Book)


class Leasing:
    """What was leased, in values. Not thread-safe; whoever writes holds a transaction.

    Args:
        store: where the logs are. Every method may raise its `StoreError`, and `FormError` for a record nobody can read.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._said: dict[str, tuple[datetime, Word]] = {}
        mark = self._mark()
        self._marked = mark.since
        self._leases = Fold(store, LEASES, Entered, fold, mark.book, mark.since, lines.read)

    def book(self) -> Book:
        """What is leased now."""
        return self._leases.present()

    def leases(self, as_of: datetime) -> tuple[Lease, ...]:
        """The leases in flight at an instant, offered or claimed, sorted by id."""
        found = (lease for lease in self.book().open.values() if lease.expires_at > as_of)
        return tuple(sorted(found, key=lambda lease: lease.id))

    # --- what is written ------------------------------------------------------------------------

    def enter(self, line: Entered) -> None:
        """Put a line into the log of leases."""
        self._store.append(LEASES, session_of(line.lease), line.at, lines.written(line))

    def put(self, reply: Reply) -> None:
        """Put the end of a lease."""
        self._store.append(SETTLED, reply.settled.session, reply.settled.at, codec.dumps(reply))

    def keep(self, session: str, choice: Choice, at: datetime) -> None:
        """Keep a choice, unless it says again what was said a moment ago: a session that waits asks often."""
        word = (choice.code, choice.fact.code, choice.about)
        if choice.candidate is None and self._is_repeated(session, word, at):
            return
        self._store.append(CHOICES, session, at, codec.dumps(choice))
        if len(self._said) >= SAID:
            self._said.clear()
        self._said[session] = at, word

    def _is_repeated(self, session: str, word: Word, at: datetime) -> bool:
        said = self._said.get(session)
        if said is None:
            found = self._store.read(CHOICES, key=session, last=1)
            if not found:
                return False
            last = codec.loads(Choice, found[-1].body, source=f"{CHOICES} {found[-1].seq}")
            said = self._said[session] = found[-1].at, (last.code, last.fact.code, last.about)
        return timedelta(0) <= at - said[0] < REPEATED and said[1] == word

    # --- what is looked up ----------------------------------------------------------------------

    def lease(self, id: str) -> Lease:
        """A lease by its id, ended or not, as it was last known.

        Raises:
            NoSuch: there is none of that id, or it ended so long ago that it is forgotten.
        """
        session = session_of(id)
        known = self.book().find(id)
        for record in () if known is not None or not number_of(id) else self._store.read(LEASES, key=session):
            line = lines.read(record.body, f"{LEASES} {record.seq}")
            known = line.granted if line.lease == id and line.granted is not None else known
        if known is None:
            raise NoSuch(f"no lease {id!r} is known; one that has ended is forgotten after a while")
        return known

    def reply(self, id: str) -> Reply | None:
        """What was said at the end of a lease; None = it has not ended, or is not known."""
        session = session_of(id)
        return next(
            (one for last in (LATE, None) for one in self.replies(session, last) if one.settled.lease == id), None
        )

    def replies(self, session: str, last: int | None = None) -> Iterator[Reply]:
        """The ends of a session's leases, newest first; with `last`, only so many."""
        for record in reversed(self._store.read(SETTLED, key=session, last=last)):
            yield codec.loads(Reply, record.body, source=f"{SETTLED} {record.seq}")

    def choices(self, session: str, last: int | None = None) -> tuple[Choice, ...]:
        """The choices kept for a session, oldest first."""
        found = self._store.read(CHOICES, key=session, last=last)
        return tuple(codec.loads(Choice, one.body, source=f"{CHOICES} {one.seq}") for one in found)

    def sessions(self) -> tuple[str, ...]:
        """The sessions of which a choice is kept, sorted."""
        return self._store.keys(CHOICES)

    # --- how long it is kept --------------------------------------------------------------------

    @property
    def is_long(self) -> bool:
        """Whether so much was added that a new mark is worth while, and nobody wrote one meanwhile."""
        if self._leases.since - self._marked < MARKED:
            return False
        self._marked = self._since()
        return self._leases.since - self._marked >= MARKED

    def tidy(self, as_of: datetime, settings: Settings) -> None:
        """Write the mark anew, and forget what is too old; nothing that is open, and nothing the mark does not hold."""
        book, since = self.book(), self._leases.since
        body = codec.dumps(Marked(FORM, since, resting(book, as_of)))
        with self._store.transaction():
            if since > self._since():
                self._store.swap(MARK, body, self._store.get(MARK))
                self._store.swap(MARKED_AT, str(since).encode(), self._store.get(MARKED_AT))
            self._marked = self._since()
        newer = [record.seq for record in self._store.read(LEASES, since=self._marked)]
        self._store.prune(LEASES, as_of - settings.leases_kept, newer)
        self._store.prune(CHOICES, as_of - settings.choices_kept)
        self._store.prune(SETTLED, as_of - settings.retention)

    def _since(self) -> int:
        return int(self._store.get(MARKED_AT) or b"0")

    def _mark(self) -> Marked:
        body = self._store.get(MARK)
        try:
            mark = Marked() if body is None else codec.loads(Marked, body, source=MARK)
        except FormError:  # of another release: the log itself is the truth, as far as it reaches
            return Marked()
        return mark if mark.form == FORM else Marked()
