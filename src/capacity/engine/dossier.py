"""What is known of tiers: scores as they were told, proposals, what became of them, and the chain of adopted sets.

| log | key | document | kept |
|---|---|---|---|
| `rankings` | source, and its status where the answer told no other rows | `Rankings`, deflated | retention, and the newest of each key |
| `proposals` | id | `Proposal`, deflated | retention, those that wait, and those that were adopted |
| `rulings` | id of a proposal, or of an adopted set | `Ruled` | for ever |
| `aliases` | what is named, and the name | `Alias` | retention, and the newest of each key |
| `accepted` | digest of a row | `Accepted` | for ever |
| `adoptions` | the tier file | `Adopted` | for ever |

So what a source told last outlives any failure. At the key `proposed` is the proposal that was computed last, deflated,
whether or not it was worth opening; at `looked` the little of it that tells whether anything is new.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import TypeVar

from attrs import evolve, frozen

from capacity import codec
from capacity.engine.documents import Adopted
from capacity.engine.folds import Fold
from capacity.errors import Fault, FormError, NoSuch
from capacity.ports import Rankings, Store
from capacity.values.evidence import Alias
from capacity.values.proposals import Diff, Proposal, Ruling, State
from capacity.values.rankings import ANSWERED
from capacity.values.tiers import TierSet

RANKINGS, PROPOSALS, RULINGS, ALIASES, ACCEPTED, ADOPTIONS = (
    "rankings", "proposals", "rulings", "aliases", "accepted", "adoptions",
)  # fmt: skip  # one line of six names
PROPOSED, LOOKED = "proposed", "looked"

V = TypeVar("V")


@frozen
class Ruled:
    """What a proposal has come to, or what was done to the adopted set without one.

    Attributes:
        proposal: id of the proposal; of the adopted set where there was none.
        state: `pending` where it was opened.
        at: when, UTC.
        content: digest of its content; None = of no proposal.
        expires_at: when it is void, UTC; None = of no proposal.
        ruling: by whom; None = nobody was asked.
    """

    proposal: str
    state: State
    at: datetime
    content: str | None = None
    expires_at: datetime | None = None
    ruling: Ruling | None = None

    def as_of(self, at: datetime) -> Ruled:
        """It at an instant: what nobody answered in its time is expired."""
        over = self.state == "pending" and self.expires_at is not None and self.expires_at <= at
        return evolve(self, state="expired") if over else self


@frozen
class Accepted:
    """A row that an operator let in although it was quarantined or held.

    Attributes:
        digest: of what the row says.
        row: its id.
        by: who let it in.
        at: when, UTC.
    """

    digest: str
    row: str
    by: str
    at: datetime


@frozen
class Heard:
    """What a source was heard to say.

    Attributes:
        good: the newest answer with rows of its own; None = never one.
        latest: the newest answer of any kind; without rows where it told no other ones.
        good_at: when rows were last told or confirmed, UTC; None = never.
    """

    good: Rankings | None = None
    latest: Rankings | None = None
    good_at: datetime | None = None


class Dossier:
    """Everything about tiers that one store holds.

    Args:
        store: where it is. Every method may raise its `StoreError`, and `FormError` for a record nobody can read.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rulings = Fold[Ruled, Mapping[str, Ruled]](store, RULINGS, Ruled, _latest, {})
        self._aliases = Fold[Alias, tuple[Alias, ...]](store, ALIASES, Alias, _gathered, ())
        self._accepted = Fold[Accepted, tuple[Accepted, ...]](store, ACCEPTED, Accepted, _gathered, ())
        self._heard: dict[str, tuple[int, Heard]] = {}

    # --- what sources told ----------------------------------------------------------------------

    def publish(self, told: Rankings) -> None:
        """Put an answer beside those before it. One that tells no other rows than are known is put without them."""
        known = self.heard(told.source).good
        at = told.asked_at or told.as_of
        if told.status in ANSWERED and (known is None or _content(told) != _content(known)):
            self._append(RANKINGS, told.source, at, told)
        else:
            self._append(RANKINGS, f"{told.source} {told.status}", at, evolve(told, rows=(), known=(), excluded=()))

    def heard(self, source: str) -> Heard:
        """What a source was heard to say; each record is read once."""
        seq, heard = self._heard.get(source, (0, Heard()))
        keys = [key for key in self._store.keys(RANKINGS) if key == source or key.rpartition(" ")[0] == source]
        last = sorted(
            (one for key in keys for one in self._store.read(RANKINGS, key=key, last=1)), key=lambda one: one.seq
        )
        for record in (one for one in last if one.seq > seq):
            told = _inflated(Rankings, record.body, f"{RANKINGS} {record.seq}")
            good = told if record.key == source else heard.good
            heard = Heard(good, told, record.at if told.status in ANSWERED else heard.good_at)
            seq = record.seq
        self._heard[source] = seq, heard
        return heard

    # --- what was proposed ----------------------------------------------------------------------

    def computed(self) -> Proposal | None:
        """The proposal that was computed last, whatever became of it."""
        body = self._store.get(PROPOSED)
        try:
            return None if body is None else _inflated(Proposal, body, PROPOSED)
        except FormError:  # of another release: it is computed anew
            return None

    def looked(self) -> Proposal | None:
        """Of the proposal that was computed last, what tells whether anything is new: it is read in a moment."""
        body = self._store.get(LOOKED)
        try:
            return None if body is None else codec.loads(Proposal, body, source=LOOKED)
        except FormError:  # likewise
            return None

    def compute(self, proposal: Proposal) -> None:
        """Note the proposal that was computed last."""
        held = tuple(row for row in proposal.evidence if row.use == "held")
        thin = evolve(proposal, evidence=held, estimates=(), sources=(), impact=(), unresolved=(), diff=Diff())
        with self._store.transaction():
            self._store.swap(PROPOSED, _deflated(proposal), self._store.get(PROPOSED))
            self._store.swap(LOOKED, codec.dumps(thin), self._store.get(LOOKED))

    def open(self, proposal: Proposal) -> None:
        """Put a proposal that waits for an answer; those that waited before it are superseded."""
        self.withdraw("superseded", proposal.created_at)
        self._append(PROPOSALS, proposal.id, proposal.created_at, proposal)
        self.rule(Ruled(proposal.id, "pending", proposal.created_at, proposal.content, proposal.expires_at))

    def withdraw(self, state: State, at: datetime, but: str = "") -> None:
        """Let no proposal wait any more. First in a transaction: what is undone must not have been folded.

        Args:
            state: what they have come to.
            at: when, UTC.
            but: id of one that goes on waiting.
        """
        for one in self.pending(at):
            if one.proposal != but:
                self.rule(evolve(one, state=state, at=at))

    def rule(self, ruled: Ruled) -> None:
        """Enter what became of a proposal."""
        self._store.append(RULINGS, ruled.proposal, ruled.at, codec.dumps(ruled))

    def rulings(self, as_of: datetime) -> Mapping[str, Ruled]:
        """Id → what it has come to, oldest first."""
        return {id: ruled.as_of(as_of) for id, ruled in self._rulings.present().items()}

    def pending(self, as_of: datetime) -> tuple[Ruled, ...]:
        """The proposals that wait for an answer, oldest first; as a rule one or none."""
        return tuple(one for one in self.rulings(as_of).values() if one.state == "pending")

    def rejected(self) -> tuple[str, ...]:
        """Contents of the proposals that were rejected, sorted."""
        found = self._rulings.present().values()
        return tuple(sorted({one.content for one in found if one.state == "rejected" and one.content is not None}))

    def proposal(self, id: str, as_of: datetime) -> Proposal:
        """A proposal with what became of it.

        Raises:
            NoSuch: there is none of that id, or it is too old to be kept; the message lists those there are.
        """
        found = self._store.read(PROPOSALS, key=id, last=1)
        if not found:
            raise NoSuch(f"no proposal {id!r} is kept. Proposals: {', '.join(self._store.keys(PROPOSALS)) or 'none'}")
        ruled = self.rulings(as_of)[id]
        return evolve(_inflated(Proposal, found[-1].body, id), state=ruled.state, ruling=ruled.ruling)

    # --- what operators said --------------------------------------------------------------------

    def aliases(self) -> tuple[Alias, ...]:
        """What operators said that names mean, oldest first."""
        return self._aliases.present()

    def resolve(self, alias: Alias) -> None:
        """Enter what a name means."""
        self._store.append(ALIASES, f"{alias.named} {alias.name}", alias.at, codec.dumps(alias))

    def accepted(self) -> tuple[Accepted, ...]:
        """The rows that operators let in, oldest first."""
        return self._accepted.present()

    def accept(self, accepted: Accepted) -> None:
        """Let a row in."""
        self._store.append(ACCEPTED, accepted.digest, accepted.at, codec.dumps(accepted))

    # --- what was adopted -----------------------------------------------------------------------

    def chain(self, file: str) -> tuple[Adopted, ...]:
        """The adopted sets of a tier file, oldest first."""
        return tuple(codec.loads(Adopted, one.body, source=ADOPTIONS) for one in self._store.read(ADOPTIONS, key=file))

    def link(self, file: str, tiers: TierSet, by: str, *, again: bool = False) -> bool:
        """Enter an adopted set in the chain of its file unless it is the last link; whether it was entered.

        Args:
            file: the tier file, as the policy names it.
            tiers: the set.
            by: who adopted it.
            again: enter it also where the last link has the same rows: something else of it has changed.
        """
        digest, at = sha256(codec.dumps(tiers.rows)).hexdigest(), self._store.now()
        with self._store.transaction():
            last = self.chain(file)[-1:]
            was = last[0].digest if last else None
            if was == digest and not again:
                return False
            made = Adopted(digest, was, at, by, tiers.rows, evolve(tiers, rows=()))
            self._store.append(ADOPTIONS, file, at, codec.dumps(made))
        return True

    # --- its end --------------------------------------------------------------------------------

    def prune(self, before: datetime, as_of: datetime) -> None:
        """Forget the answers and proposals of before an instant, but none that is still in use."""
        for log in (RANKINGS, ALIASES):
            newest = (self._store.read(log, key=key, last=1) for key in self._store.keys(log))
            self._store.prune(log, before, [record.seq for records in newest for record in records])
        rulings = self.rulings(as_of)
        used = [id for id in self._store.keys(PROPOSALS) if rulings[id].state in ("pending", "adopted")]
        kept = (self._store.read(PROPOSALS, key=id, last=1) for id in used)
        self._store.prune(PROPOSALS, before, [record.seq for records in kept for record in records])

    def _append(self, log: str, key: str, at: datetime, value: object) -> None:
        self._store.append(log, key, at, _deflated(value))


def _latest(new: Iterable[Ruled], before: Mapping[str, Ruled]) -> Mapping[str, Ruled]:
    """The step of the rulings: the newest of each."""
    return {**before, **{one.proposal: one for one in new}}


def _gathered(new: Iterable[V], before: tuple[V, ...]) -> tuple[V, ...]:
    """The step of a log that is told whole: everything, in order."""
    return (*before, *new)


def _content(told: Rankings) -> object:
    """What an answer tells, whenever it does."""
    return told.rows, told.known, told.excluded, told.methodology, told.parser


def _deflated(value: object) -> bytes:
    return zlib.compress(codec.dumps(value))


def _inflated(form: type[V], body: bytes, source: str) -> V:
    try:
        return codec.loads(form, zlib.decompress(body), source=source)
    except zlib.error as error:
        raise FormError(source, (Fault("", f"is damaged: {error}"),)) from None
