"""The one typed layer over the store: values become documents here, and documents values.

| log | key | document | kept |
|---|---|---|---|
| `readings` | pool, and its state unless `ok` | `Reading` | retention, and the newest of each key |
| `listings` | account, and its authority unless `authoritative` | `Listing` | likewise |
| `stops` | subject, name, kind and origin | `Stop` | likewise |
| `journal` | `<fleet>/<seat>`, and the outcome unless it counts, or `sent` | `Written` | likewise |
| `levels` | pool | `Level` | likewise |
| `preparations` | pool | `Prepared` | likewise |
| `conditions` | code and subject | `Condition` | likewise |
| `decisions` | id | `Kept` | retention, and the newest |
| `blobs` | sha-256 of the text | the text of one part of a tick, deflated | retention and a day |

What is known of tiers has logs of its own: see `dossier`.

So the last good reading, the last word on a seat and a standing condition outlive any retention. Documents at a key:
`seed`, `turn`, `mark` (how far the evidence was folded), `asked <source>` (`Asked`). A blank joins the parts of a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from random import SystemRandom
from typing import TypeVar

from attrs import evolve

from capacity import codec
from capacity.core.catalogue import catalogue
from capacity.core.catalogue import fold as fold_listings
from capacity.core.circuits import Known as Stopped
from capacity.core.circuits import fold as fold_stops
from capacity.core.circuits import fuses
from capacity.core.epochs import Course, seconds
from capacity.core.headroom import Seen, assess, tuning
from capacity.core.headroom import fold as fold_readings
from capacity.core.judging import changed
from capacity.core.rates import Exposure
from capacity.core.tracks import tracks
from capacity.engine.archive import Archive
from capacity.engine.cadence import Asked
from capacity.engine.documents import Mark, Prepared, Written
from capacity.engine.dossier import Dossier
from capacity.engine.folds import (
    COUNTS,
    Fold,
    Standing,
    Told,
    figures,
    leveled,
    resting,
    sampled,
    standing,
    told,
    unmarked,
    unsampled,
)
from capacity.engine.leasing import Leasing
from capacity.engine.spending import Spending
from capacity.errors import FormError
from capacity.ports import Listing, Reading, Store
from capacity.values.conditions import Condition
from capacity.values.failures import Circuit, Stop
from capacity.values.history import Journal, Level
from capacity.values.lanes import Circuits
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.tiers import Tiers, TierSet

READINGS, LISTINGS, STOPS, JOURNAL, LEVELS = "readings", "listings", "stops", "journal", "levels"
CONDITIONS, PREPARATIONS, DECISIONS, BLOBS = "conditions", "preparations", "decisions", "blobs"
KEYED = (READINGS, LISTINGS, STOPS, JOURNAL, LEVELS, PREPARATIONS, CONDITIONS)
"""The logs of which the newest record of each key is never pruned."""

FORM = 3
"""Of the mark. Raised when a fold of evidence changes what it keeps."""

MARKED = 64
"""New records after which the mark is written anew: it holds a week of figures, and folding so few costs 5 ms."""

V = TypeVar("V")


class Ledger:
    """What was published, decided and done, in values.

    Args:
        store: where the documents are. Every method may raise its `StoreError`, and `FormError` for a record nobody
            can read.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.archive = Archive(store)
        self.dossier = Dossier(store)
        self.leasing, self.spending = Leasing(store), Spending(store)
        mark = self._mark()[0]
        self._readings = Fold(store, READINGS, Reading, fold_readings, unmarked(mark.seen, mark.figures), mark.readings)
        self._listings = Fold(store, LISTINGS, Listing, fold_listings, unsampled(mark.samples), mark.listings)
        self._stops = Fold(store, STOPS, Stop, fold_stops, Stopped())
        self._levels = Fold[Level, tuple[Level, ...]](store, LEVELS, Level, leveled, ())
        self._journal = Fold(store, JOURNAL, Written, told, Told({}, {}))
        self._conditions = Fold[Condition, Standing](store, CONDITIONS, Condition, standing, {})

    def now(self) -> datetime:
        """The store's clock, UTC."""
        return self.store.now()

    def transaction(self, *, durable: bool = False) -> AbstractContextManager[None]:
        """All or nothing; `durable` survives a power cut once it has ended."""
        return self.store.transaction(durable=durable)

    # --- evidence -------------------------------------------------------------------------------

    def publish(self, reading: Reading) -> None:
        """Put a reading beside those before it; it replaces none."""
        self._append(READINGS, _key(reading.pool, reading.state, "ok"), reading.observed_at, reading)

    def publish_listing(self, account: str, listing: Listing) -> None:
        """Put a listing of an account beside those before it."""
        self._append(LISTINGS, _key(account, listing.authority, "authoritative"), listing.observed_at, listing)

    def seen(self) -> Mapping[str, Seen]:
        """Pool → the readings its present rests on."""
        return self._readings.present()

    def headroom(self, policy: Policy, as_of: datetime) -> Headroom:
        """Every reading of the policy's accounts, folded. An account that was taken out of the policy is no pool any more."""
        seen = {pool: one for pool, one in self.seen().items() if _of(policy, pool)}
        return assess((), self._levels.present(), policy, as_of, start=seen)

    def courses(self, policy: Policy, as_of: datetime) -> Mapping[str, Sequence[Course]]:
        """Pool → the epochs of its limits, of the policy's accounts."""
        now = seconds(as_of)
        seen = {pool: one for pool, one in self.seen().items() if _of(policy, pool)}
        found = {pool: tracks(one.samples, Exposure((), now), now, tuning(policy, pool)) for pool, one in seen.items()}
        return {pool: [track.course for track in told] for pool, told in found.items()}

    def inventory(self, policy: Policy, as_of: datetime) -> Inventory:
        """Every listing of the policy's accounts, folded. Of two logins that had one name the newer listing speaks."""
        known = sorted(self._listings.present().items(), key=lambda item: item[1].newest.observed_at)
        found = catalogue((), as_of, start=dict(known))
        return evolve(found, pools={pool: shelf for pool, shelf in found.pools.items() if _of(policy, pool)})

    def stop(self, *stops: Stop) -> None:
        """Put stops, or liftings of them."""
        for stop in stops:
            self._append(STOPS, f"{stop.subject} {stop.name} {stop.kind} {stop.origin}", stop.at, stop)

    def circuits(self, as_of: datetime, rules: Circuits | None = None) -> tuple[Circuit, ...]:
        """Every stop, folded by what a policy says of circuits; None = by the defaults."""
        return fuses((), as_of, rules, start=self._stops.present())

    def changed(self) -> Mapping[str, datetime]:
        """Pool → when a failure last told something of it that a reading would tell better."""
        return changed(stops[-1] for stops in self._stops.present().stops.values())

    def asked(self, source: str) -> Asked:
        """What is remembered of a source."""
        body = self.store.get(f"asked {source}")
        return Asked() if body is None else codec.loads(Asked, body, source=f"asked {source}")

    def remember(self, source: str, asked: Asked) -> None:
        """Remember it. The caller holds the source's claim, or a transaction that read it."""
        key = f"asked {source}"
        self.store.swap(key, codec.dumps(asked), self.store.get(key))

    # --- the journal ----------------------------------------------------------------------------

    def write(self, written: Written) -> None:
        """Put a line into the journal."""
        word = "sent" if written.outcome is None else written.outcome.word
        seat = "/".join(written.placement.key)
        self._append(JOURNAL, seat if word in COUNTS else f"{seat} {word}", written.at, written)

    def journal(self) -> Journal:
        """Our last placement of each seat; one without an outcome counts, as indeterminate."""
        present = self._journal.present()
        entries = {**present.entries, **{one.placement.key: one.entry for one in present.sent.values()}}
        levels = {level.pool: level for level in sorted(self._levels.present(), key=lambda one: one.at)}
        return Journal(tuple(entries.values()), levels, tuple(present.refused.values()))

    def prepared(self, prepared: Prepared) -> None:
        """Note a model that is made ready, or what became of it."""
        self._append(PREPARATIONS, prepared.pool, prepared.at, prepared)

    def command(self, levels: Iterable[Level]) -> None:
        """Put the levels that are commanded from now on."""
        for level in levels:
            self._append(LEVELS, level.pool, level.at, level)

    def unsettled(self) -> tuple[Written, ...]:
        """The intents that have no outcome, sorted by placement."""
        sent = self._journal.present().sent
        return tuple(sent[id] for id in sorted(sent))

    # --- conditions -----------------------------------------------------------------------------

    def conditions(self) -> tuple[Condition, ...]:
        """Those that stand, sorted by (code, subject)."""
        present = self._conditions.present()
        return tuple(present[key] for key in sorted(present))

    def note(self, conditions: Iterable[Condition]) -> None:
        """Enter conditions that were raised, have changed, or ended."""
        for condition in conditions:
            self._append(CONDITIONS, " ".join(condition.key), condition.since, condition)

    # --- settings of the store itself -----------------------------------------------------------

    def turn(self, *, take: bool) -> int:
        """How many decisions were begun before; `take` begins one, so that no two ever have the same number."""
        while True:
            body = self.store.get("turn")
            turn = int(body or b"0")
            if not take or self.store.swap("turn", str(turn + 1).encode(), body):
                return turn

    def seed(self) -> int:
        """What chance is drawn from: drawn once, by whoever needs it first, and the same for everybody after."""
        body = self.store.get("seed")
        if body is None:
            self.store.swap("seed", str(SystemRandom().getrandbits(32)).encode(), None)
            body = self.store.get("seed")
        return int(body or b"0")

    def adopt(self, tiers: Tiers, by: str = "operator") -> bool:
        """Enter the adopted set in its chain unless it is the last link; whether it was entered."""
        if tiers.file is None:
            return False
        last = self.dossier.chain(tiers.file)[-1:]
        head = last[0].tiers if last else TierSet()
        return self.dossier.link(tiers.file, evolve(head, rows=tiers.rows, stale_at=tiers.stale_at), by)

    def mark(self) -> None:
        """Note how far the evidence is folded, so that the next process starts there."""
        seen, known = self._readings.present(), self._listings.present()
        noted, body = self._mark()
        fresh = self._readings.since - noted.readings + self._listings.since - noted.listings
        if fresh >= MARKED or noted == Mark():
            mark = Mark(FORM, self._readings.since, self._listings.since, resting(seen), figures(seen), sampled(known))
            self.store.swap("mark", codec.dumps(mark), body)

    def prune(self, before: datetime) -> None:
        """Forget what was told before an instant, but never what a condition, circuit or journal entry still needs."""
        for log in KEYED:
            newest = (self.store.read(log, key=key, last=1) for key in self.store.keys(log))
            self.store.prune(log, before, [record.seq for records in newest for record in records])
        self.archive.prune(before)
        self.dossier.prune(before, self.now())

    # --- below ----------------------------------------------------------------------------------

    def _append(self, log: str, key: str, at: datetime, value: object) -> None:
        self.store.append(log, key, at, codec.dumps(value))

    def _mark(self) -> tuple[Mark, bytes | None]:
        body = self.store.get("mark")
        try:
            mark = Mark() if body is None else codec.loads(Mark, body, source="mark")
        except FormError:  # of another release: the logs themselves are the truth
            return Mark(), body
        return (mark if mark.form == FORM else Mark()), body


def _of(policy: Policy, pool: str) -> bool:
    return pool in policy.pools or pool.partition("/")[0] in policy.accounts


def _key(name: str, word: str, usual: str) -> str:
    """A key that keeps what is good apart from what is not, so that neither is ever the other's newest."""
    return name if word == usual else f"{name} {word}"
