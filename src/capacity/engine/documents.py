"""The documents that only the engine writes: what was sent to a seat, what was decided, what was adopted, and marks.

Values in the words of the store's logs; `ledger` puts them there and `folds` reads them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from attrs import evolve, field, frozen

from capacity.values.decision import Outcome, Placement
from capacity.values.history import Entry
from capacity.values.limits import Reading
from capacity.values.models import Listing, Missed
from capacity.values.tiers import TierRow, TierSet


@frozen
class Written:
    """One line of the journal: a placement that is about to be sent, or what became of it.

    Attributes:
        placement: the act.
        at: when it was written, UTC.
        sent: how often it has been sent, this time included.
        outcome: what became of it; None = it is about to be sent.
    """

    placement: Placement
    at: datetime
    sent: int = 1
    outcome: Outcome | None = None

    @property
    def entry(self) -> Entry:
        """It as the history tells it; without an outcome it is indeterminate."""
        act, outcome = self.placement, self.outcome or Outcome("indeterminate")
        return Entry(
            placement=act.id,
            fleet=act.fleet,
            seat=act.seat,
            act=act.act,
            outcome=outcome.word,
            at=outcome.at or self.at,
            candidate=act.candidate,
            expected=act.expected,
            home=act.home,
            until=act.until,
            cadence=act.cadence,
            own_cadence=act.own_cadence,
            because=act.fact.code,
        )


@frozen
class Prepared:
    """A request to make a model ready, or what became of it.

    Attributes:
        pool: full name.
        model: its id, or the name it was asked for by.
        by: who does it: `program`, `plugin`, or `fleet NAME`.
        at: when it was written, UTC.
        outcome: what became of it; None = it is about to begin.
    """

    pool: str
    model: str
    by: str
    at: datetime
    outcome: Outcome | None = None


@frozen
class Kept:
    """A decision that was made, with its inputs by the digest of their text.

    Attributes:
        id: of the decision.
        as_of: the instant of its inputs, UTC.
        parts: `inventory`, `headroom`, `policy`, `history` and `decision` → sha-256, hexadecimal.
        running: pools a seat runs on after it; None = the place of some seat is not known.
        made_by: distribution → version.
    """

    id: str
    as_of: datetime
    parts: Mapping[str, str]
    running: tuple[str, ...] | None = None
    made_by: Mapping[str, str] = field(factory=dict)


@frozen
class Adopted:
    """One link in the chain of adopted tier sets.

    Attributes:
        digest: sha-256 of the rows' text.
        was: digest of the link before; None = the first.
        at: when it was entered, UTC.
        by: who adopted it.
        rows: the set.
        head: what else the tier file held, without the rows; None = not told.
    """

    digest: str
    was: str | None
    at: datetime
    by: str
    rows: tuple[TierRow, ...] = ()
    head: TierSet | None = None

    @property
    def tiers(self) -> TierSet:
        """The whole of it."""
        head = self.head or TierSet(adopted_at=self.at, adopted_by=self.by)
        return evolve(head, rows=self.rows)


@frozen
class Sample:
    """What the fold of listings keeps of one pool of an account.

    Attributes:
        account: the login's fingerprint, or the account's name.
        newest: the newest listing that is a sample, without its models.
        binding: the newest authoritative one, without its models; None = there was none.
        models: every model with the listings in a row that lacked it; at least one.
    """

    account: str | None
    newest: Listing
    binding: Listing | None
    models: tuple[Missed, ...]


@frozen
class Mark:
    """How far the logs of evidence were folded, and what came of it, so that a new process need not fold them again.

    Attributes:
        form: of the folds; a mark of another form is ignored.
        readings: sequence number of the last reading in it.
        listings: sequence number of the last listing in it.
        seen: the newest readings of each pool, which the fold of readings rests on.
        figures: pool → limit → its figures, which it rests on too; each figure as `capacity.core.epochs.Sample` has it.
        samples: what the fold of listings keeps of each account.
    """

    form: int = 1
    readings: int = 0
    listings: int = 0
    seen: tuple[Reading, ...] = ()
    figures: Mapping[str, Mapping[str, tuple[tuple[float, ...], ...]]] = field(factory=dict)
    samples: tuple[Sample, ...] = ()
