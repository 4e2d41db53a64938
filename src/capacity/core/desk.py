"""The desk a decision is made at: what was prepared once, and what grows while seats are placed one after another.

Mutable inside one `decide`, and never seen outside it: built open, frozen once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from attrs import frozen

from capacity.core.candidates import Field, Survey, survey
from capacity.core.facts import fact
from capacity.core.moment import Moment, moment
from capacity.core.orders import Bucket, Ladder, Load, close
from capacity.core.orders import Entry as Ranked
from capacity.core.rules import Asking, Finding, Place, opening, worst
from capacity.core.sights import Sight
from capacity.values.conditions import Fact
from capacity.values.decision import RunnerUp, Table, Verdict
from capacity.values.history import Entry, History
from capacity.values.limits import Headroom
from capacity.values.models import Inventory, Missed, Model
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
        here: place of a seat → everything said against it for this need; filled as seats are looked at.
    """

    index: int
    asking: Asking
    worst: Sequence[Finding | None]
    ladder: Ladder
    here: dict[int, tuple[list[Finding], Verdict]]


@frozen(eq=False)
class Spot:
    """Where a seat is.

    Attributes:
        candidate: its candidate; None where its pool is not known.
        place: the place; None likewise.
        group: the group it belongs to; None where no adopted row makes it.
        moment: what is said of it at this moment.
        why: why the pool is not known; None where it is.
    """

    candidate: Candidate | None
    place: Place | None = None
    group: int | None = None
    moment: Sequence[Finding] = ()
    why: Fact | None = None


class Desk:
    """Everything one decision is made with."""

    def __init__(self, inventory: Inventory, headroom: Headroom, policy: Policy, history: History) -> None:
        self.policy = policy
        self.history = history
        self.survey: Survey = survey(inventory, policy)
        self.moment: Moment = moment(self.survey, headroom, history)
        self.sights: dict[str, Sight] = self.moment.sights
        self.field: Field = self.moment.field
        self.entries: dict[tuple[str, str], Entry] = {entry.key: entry for entry in history.journal.entries}
        self.load = Load()
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

    def number(self, finding: Finding | None) -> int:
        """The index of a finding's verdict among those of this decision."""
        if finding is None:
            return 0
        verdicts = self._verdicts
        return verdicts.setdefault(finding.verdict, len(verdicts))

    def answers(self, need: Need) -> Answers:
        """The table of a need, made on the first seat that has it."""
        found = self._answers.get(need)
        if found is None:
            found = self._answers[need] = self._answer(need)
        return found

    def _answer(self, need: Need) -> Answers:
        asking, decided = self.moment.answers(need)
        field = self.field
        numbers = [self.number(finding) for finding in decided]
        refused: Counter[str] = Counter()
        for finding, size in zip(decided, field.sizes, strict=True):
            if finding is not None and finding.answer == "no" and size:
                refused[finding.fact.code] += size
        index = len(self.tables)
        self.tables.append(Table(need, tuple(numbers), refused))
        return Answers(index, asking, decided, Ladder(asking, field, self.sights, decided), {})

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
            return Spot(None, why=fact("harness-unknown", seat.harness))
        answering = (pool for pool in harness.pools if self.survey.found(harness, pool, seat.model))
        pools = [seat.pool] if seat.pool else list(answering)
        if not pools and len(harness.pools) == 1:
            pools = list(harness.pools)
        if len(pools) != 1 or pools[0] not in self.sights:
            return Spot(None, why=fact("pool-unknown", seat.model))
        found = self.survey.found(harness, pools[0], seat.model)
        name = found[0].model.id if found else harness.aliases.get(seat.model, seat.model)
        return self.at(Candidate(seat.harness, pools[0], name, seat.effort), found)

    def at(self, candidate: Candidate, found: Sequence[Missed]) -> Spot:
        """A candidate as a spot, whether an adopted row makes it or not.

        Args:
            candidate: which.
            found: the models of its pool that answer to its name; the first is meant.
        """
        index = self.field.index.get(candidate)
        if index is not None:
            group = self.field.groups[index]
            return Spot(candidate, self.field.places[group], group, self.moment.said(group))
        one, listed = (found[0], True) if found else (Missed(Model(candidate.model), 0), False)
        place = self.survey.place(
            candidate.harness, candidate.pool, one, tier=None, effort=candidate.effort, listed=listed
        )
        return Spot(candidate, place, None, self.moment.of(candidate, one.model, listed=listed))

    def here(self, answers: Answers, spot: Spot) -> tuple[list[Finding], Verdict]:
        """Everything said against a seat's place for a need, and the verdict it comes to."""
        known = answers.here.get(id(spot))
        if known is None:
            fine = spot.place is None or (spot.group is not None and answers.worst[spot.group] is None)
            found = [] if fine or spot.place is None else answers.asking.against(spot.place, spot.moment)
            finding = worst(found)
            self.number(finding)
            known = answers.here[id(spot)] = (found, YES if finding is None else finding.verdict)
        return known

    def choices(self, answers: Answers) -> Iterator[Ranked]:
        """The eligible buckets for a need now, best first; caps on high-volume seats apply where they leave a choice."""
        entries = answers.ladder.ordered(self.load)
        if not self._caps(answers):
            return entries
        every = list(entries)
        return iter([entry for entry in every if not self._capped(entry[1])] or every)

    def close(self, answers: Answers, chosen: int | None) -> tuple[RunnerUp, ...]:
        """The runners-up to a candidate."""
        if self._caps(answers):
            return close(self.choices(answers), self.field, chosen)
        return answers.ladder.runners_up(self.load, self.field, chosen)

    def _caps(self, answers: Answers) -> bool:
        return answers.asking.need.high_volume and bool(self.policy.high_volume.caps)

    def _capped(self, bucket: Bucket) -> bool:
        name = bucket.sight.pool.name
        cap = self.policy.high_volume.caps.get(name)
        return cap is not None and self.often[name] >= cap

    def settle(self, candidate: Candidate, need: Need) -> None:
        """A seat was newly placed there: it counts as load for those after it."""
        self.load.add(candidate.pool, self.policy.seat_points)
        if need.high_volume:
            self.often[candidate.pool] += 1

    def openings(self, answers: Answers) -> list[datetime]:
        """When the candidates open that nothing but quota refuses, where that is known; looked up once per need."""
        found = self._openings.get(answers.index)
        if found is None:
            told = (
                opening(answers.asking.against(place, self.moment.said(group)))
                for group, place in enumerate(self.field.places)
            )
            found = self._openings[answers.index] = [at for quota, at in told if quota and at is not None]
        return found


def _trying(entry: Entry, policy: Policy, history: History) -> Iterator[str]:
    """The pool a seat was resumed on too lately for a refusal to have been seen."""
    if entry.act == "resume" and entry.candidate is not None and entry.at > history.as_of - policy.freshness:
        yield entry.candidate.pool
