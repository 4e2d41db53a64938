"""The desk a decision is made at: what was prepared once, and what grows while seats are placed one after another.

Mutable inside one `decide`, and never seen outside it: folds are built open and frozen once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from attrs import frozen

from capacity.core.candidates import Field, Surveyor
from capacity.core.facts import fact
from capacity.core.needs import Resolver
from capacity.core.orders import Bucket, Ladder, Rank
from capacity.core.rules import Asking, Finding, Place, findings, opening, worst
from capacity.core.sights import Sight
from capacity.values.conditions import Fact
from capacity.values.decision import Table, Verdict
from capacity.values.history import Entry, History
from capacity.values.models import Missed, Model
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Need, Seat

YES = Verdict("yes")
"""The verdict nothing speaks against."""


@frozen(eq=False)
class Answers:
    """One need, answered.

    Attributes:
        index: of its table.
        asking: the need, made ready.
        worst: group → the finding that decides it; None = yes.
        ladder: the eligible candidates, in order.
    """

    index: int
    asking: Asking
    worst: Sequence[Finding | None]
    ladder: Ladder


@frozen(eq=False)
class Spot:
    """Where a seat is.

    Attributes:
        candidate: its candidate; None where its pool is not known.
        place: the place; None likewise.
        why: why the pool is not known; None where it is.
    """

    candidate: Candidate | None
    place: Place | None
    why: Fact | None = None


class Desk:
    """Everything one decision is made with."""

    def __init__(
        self, policy: Policy, history: History, sights: dict[str, Sight], surveyor: Surveyor, field: Field
    ) -> None:
        self.policy = policy
        self.history = history
        self.sights = sights
        self.surveyor = surveyor
        self.field = field
        self.resolver = Resolver(policy)
        self.entries: dict[tuple[str, str], Entry] = {entry.key: entry for entry in history.journal.entries}
        self.load: dict[str, float] = {}
        self.often: Counter[str] = Counter()
        self.probation = {pool for entry in history.journal.entries for pool in _trying(entry, policy, history)}
        self.tables: list[Table] = []
        self._answers: dict[Need, Answers] = {}
        self._openings: dict[int, list[datetime]] = {}
        self._spots: dict[tuple[str, str, str | None, str | None], Spot] = {}
        self._verdicts: dict[Verdict, int] = {YES: 0}
        self._facts: dict[tuple[str, str], Fact] = {}

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The distinct verdicts given so far; the first is yes."""
        return tuple(self._verdicts)

    def fact(self, code: str, subject: str = "") -> Fact:
        """The shared fact of that code and subject."""
        key = (code, subject)
        made = self._facts.get(key)
        if made is None:
            made = self._facts[key] = fact(code, subject)
        return made

    def verdict(self, finding: Finding | None) -> Verdict:
        """A finding as a verdict of this decision."""
        if finding is None:
            return YES
        made = Verdict(finding.answer, finding.rule, finding.fact)
        self._verdicts.setdefault(made, len(self._verdicts))
        return made

    def answers(self, need: Need) -> Answers:
        """The table of a need, made on the first seat that has it."""
        found = self._answers.get(need)
        if found is None:
            found = self._answers[need] = self._answer(need)
        return found

    def _answer(self, need: Need) -> Answers:
        asking = Asking(need, self.policy)
        if need.high_volume:
            asking.metered_exhausted = metered_exhausted(asking, self.field)
        decided = [worst(findings(asking, place)) for place in self.field.places]
        refused: Counter[str] = Counter()
        row = []
        for group, finding in enumerate(decided):
            row.append(self._verdicts[self.verdict(finding)])
            if finding is not None and finding.answer == "no":
                refused[finding.fact.code] += self.field.sizes[group]
        index = len(self.tables)
        self.tables.append(Table(need, tuple(row), refused))
        return Answers(index, asking, decided, Ladder(asking, self.field, self.sights, decided))

    def spot(self, seat: Seat) -> Spot:
        """Where a seat is: what its fleet says, else the one pool whose inventory answers to its model."""
        key = (seat.harness, seat.model, seat.effort, seat.pool)
        found = self._spots.get(key)
        if found is None:
            found = self._spots[key] = self._spot(seat)
        return found

    def _spot(self, seat: Seat) -> Spot:
        harness = self.policy.harnesses.get(seat.harness)
        if harness is None:
            return Spot(None, None, fact("harness-unknown", seat.harness))
        answering = (pool for pool in harness.pools if self.surveyor.found(harness, pool, seat.model))
        pools = [seat.pool] if seat.pool else list(answering)
        if not pools and len(harness.pools) == 1:
            pools = list(harness.pools)
        if len(pools) != 1 or pools[0] not in self.sights:
            return Spot(None, None, fact("pool-unknown", seat.model))
        pool = pools[0]
        found = self.surveyor.found(harness, pool, seat.model)
        name = harness.aliases.get(seat.model, seat.model)
        one = found[0] if found else Missed(Model(name), 0)
        candidate = Candidate(seat.harness, pool, one.model.id, seat.effort)
        return Spot(candidate, self.place(candidate, one, listed=bool(found)))

    def place(self, candidate: Candidate, one: Missed, *, listed: bool) -> Place:
        """The place of a candidate, in the adopted rows or not."""
        index = self.field.index.get(candidate)
        if index is not None:
            return self.field.places[self.field.groups[index]]
        traits = self.surveyor.traits(candidate.pool, one, listed=listed)
        key = "|".join(candidate.key)
        return self.surveyor.place(candidate.harness, candidate.pool, None, candidate.effort, traits, key)

    def choices(self, answers: Answers, *, observed: bool = False, own_tier: bool = False) -> list[tuple[Rank, Bucket]]:
        """The eligible buckets for a need now, best first; caps on high-volume seats apply where they leave a choice."""
        entries = answers.ladder.ordered(self.load)
        if answers.asking.need.high_volume and self.policy.high_volume.caps:
            entries = [entry for entry in entries if not self._capped(entry[1])] or entries
        if observed:
            entries = [entry for entry in entries if not entry[1].observed]
        if own_tier:
            entries = [entry for entry in entries if entry[1].step == 0]
        return entries

    def _capped(self, bucket: Bucket) -> bool:
        name = bucket.sight.pool.name
        cap = self.policy.high_volume.caps.get(name)
        return cap is not None and self.often[name] >= cap

    def settle(self, candidate: Candidate, need: Need) -> None:
        """A seat was newly placed there: it counts as load for those after it."""
        self.load[candidate.pool] = self.load.get(candidate.pool, 0.0) + self.policy.seat_points
        if need.high_volume:
            self.often[candidate.pool] += 1

    def openings(self, answers: Answers) -> list[datetime]:
        """When the candidates open that nothing but quota refuses, where that is known; looked up once per need."""
        found = self._openings.get(answers.index)
        if found is None:
            told = (opening(findings(answers.asking, place)) for place in self.field.places)
            found = self._openings[answers.index] = [at for quota, at in told if quota and at is not None]
        return found


def _trying(entry: Entry, policy: Policy, history: History) -> Iterator[str]:
    """The pool a seat was resumed on too lately for a refusal to have been seen."""
    if entry.act == "resume" and entry.candidate is not None and entry.at > history.as_of - policy.freshness:
        yield entry.candidate.pool


def metered_exhausted(asking: Asking, field: Field) -> bool:
    """Whether the metered places of a need are full, every one, and there is one."""
    refusals = [
        [finding for finding in findings(asking, place) if finding.answer == "no"]
        for place in field.places
        if place.kind == "metered"
    ]
    able = [refusing for refusing in refusals if all(finding.quota for finding in refusing)]
    return bool(able) and all(able)
