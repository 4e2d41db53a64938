"""The desk a decision is made at: what was prepared once, and what grows while seats are placed one after another.

Mutable inside one `decide`, and never seen outside it: built open, frozen once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from attrs import frozen

from capacity.core.candidates import Field, Survey, survey
from capacity.core.circuits import LONGEST
from capacity.core.facts import fact
from capacity.core.findings import Finding, opening, worst
from capacity.core.moment import Moment, Spot, Standing, moment
from capacity.core.orders import Bucket, Ladder, Load, close
from capacity.core.orders import Entry as Ranked
from capacity.core.rules import Asking
from capacity.core.sights import Sight
from capacity.core.turns import Turns
from capacity.values.conditions import Fact
from capacity.values.decision import RunnerUp, Table, Verdict
from capacity.values.history import Entry, History
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Need

OrderName = Literal["seats", "leases"]
"""What candidates may be ranked for."""

YES = Verdict("yes")
"""The verdict nothing speaks against."""


@frozen(eq=False, repr=False)
class Answers:
    """One need in one decision.

    Attributes:
        index: of its table.
        standing: its answers at this moment.
        ladder: the eligible candidates, in order under the load so far.
    """

    index: int
    standing: Standing
    ladder: Ladder

    @property
    def asking(self) -> Asking:
        """The need, made ready."""
        return self.standing.asking

    @property
    def worst(self) -> Sequence[Finding | None]:
        """Group → the finding that decides it; None = yes."""
        return self.standing.worst


class Desk:
    """Everything one decision is made with."""

    def __init__(
        self,
        inventory: Inventory,
        headroom: Headroom,
        policy: Policy,
        history: History,
        order: OrderName = "seats",
        names: Sequence[str] = (),
    ) -> None:
        self.policy = policy
        self.history = history
        self.order = order
        self.survey: Survey = survey(inventory, policy, order, names)
        self.moment: Moment = moment(self.survey, headroom, history, order)
        self.sights: dict[str, Sight] = self.moment.sights
        self.field: Field = self.moment.field
        self.entries: dict[tuple[str, str], Entry] = {entry.key: entry for entry in history.journal.entries}
        self.refusals = [one for one in history.journal.refused if history.as_of - one.at < LONGEST]
        self.load = Load()
        for lease in history.holds.leases:
            self.load.add(lease.candidate.pool, policy.seat_points)
        self.often: dict[str, int] = {}
        self.probation = {pool for entry in history.journal.entries for pool in _trying(entry, policy, history)}
        self.tables: list[Table] = []
        self._answers: dict[Need, Answers] = {}
        self._openings: dict[int, list[datetime]] = {}
        self._verdicts: dict[Verdict, int] = {YES: 0}
        self._numbers: dict[int, int] = {}
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
        number = self._numbers.get(
            id(finding)
        )  # findings are shared and outlive the desk; an id is quicker than a hash
        if number is None:
            number = self._numbers[id(finding)] = self._verdicts.setdefault(finding.verdict, len(self._verdicts))
        return number

    def answers(self, need: Need) -> Answers:
        """The table of a need, made on the first seat that has it."""
        found = self._answers.get(need)
        if found is None:
            found = self._answers[need] = self._answer(need)
        return found

    def _answer(self, need: Need) -> Answers:
        standing = self.moment.standing(need)
        index = len(self.tables)
        self.tables.append(Table(need, self._numbered(standing), standing.refused))
        return Answers(index, standing, Ladder(standing.steps))

    def _numbered(self, standing: Standing) -> tuple[int, ...]:
        """The numbers of a need's verdicts; those of the first need are the same in every decision."""
        first = not self._numbers
        if first and standing.numbers:
            numbers, found = standing.numbers[0]
            for finding in found:
                self.number(finding)
            return numbers
        numbers = tuple([0 if finding is None else self.number(finding) for finding in standing.worst])
        if first:
            told = {id(finding): finding for finding in standing.worst if finding is not None}
            standing.numbers.append((numbers, list(told.values())))
        return numbers

    def here(self, answers: Answers, spot: Spot) -> tuple[Sequence[Finding], Verdict]:
        """Everything said against a seat's place for a need, and the verdict it comes to."""
        found = self.moment.here(answers.standing, spot)
        finding = worst(found) if found else None
        self.number(finding)
        return found, YES if finding is None else finding.verdict

    def choices(self, answers: Answers) -> Iterator[Ranked]:
        """The eligible buckets for a need now, best first; caps on high-volume seats apply where they leave a choice."""
        if self.order == "leases":
            return Turns(self, answers.standing).ordered()
        entries = answers.ladder.ordered(self.load)
        if not self._caps(answers):
            return entries
        every = list(entries)
        return iter([entry for entry in every if not self._capped(entry[1])] or every)

    def close(self, answers: Answers, chosen: int | None) -> tuple[RunnerUp, ...]:
        """The runners-up to a candidate."""
        if self.order == "leases":
            return Turns(self, answers.standing).runners_up()
        if self._caps(answers):
            return close(self.choices(answers), self.field, chosen)
        return answers.ladder.runners_up(self.load, self.field, chosen)

    def _caps(self, answers: Answers) -> bool:
        return answers.standing.asking.need.high_volume and bool(self.policy.high_volume.caps)

    def _capped(self, bucket: Bucket) -> bool:
        name = bucket.sight.pool.name
        cap = self.policy.high_volume.caps.get(name)
        return cap is not None and self.often.get(name, 0) >= cap

    def settle(self, candidate: Candidate, need: Need) -> None:
        """A seat was newly placed there: it counts as load for those after it."""
        self.load.add(candidate.pool, self.policy.seat_points)
        if need.high_volume:
            self.count_often(candidate.pool)

    def count_often(self, pool: str) -> None:
        """One more high-volume seat runs on a pool."""
        self.often[pool] = self.often.get(pool, 0) + 1

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
