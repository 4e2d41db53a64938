"""One turn with everything its choice hangs on, and what to say when there is nothing for it: a wait, or a refusal.

A wait is not a refusal: what is waited for comes by itself. A code tells the whole story or says that there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from attrs import frozen

from capacity.core.desk import Answers, Desk
from capacity.core.facts import fact
from capacity.core.findings import Finding, worst
from capacity.core.flight import Spot
from capacity.core.rules import REACH, Place, allow
from capacity.core.turns import Turns
from capacity.values.conditions import Fact
from capacity.values.leases import NoLease, RefusalCode
from capacity.values.seats import Candidate, Need


@frozen(eq=False, repr=False)
class Asked:
    """One turn while its place is chosen.

    Attributes:
        need: what it asks for.
        desk: what the choice is made with.
        answers: the answers to the need.
        turns: the order of what could serve.
    """

    need: Need
    desk: Desk
    answers: Answers
    turns: Turns

    def said(self, group: int) -> list[Finding]:
        """Everything said against a group of candidates."""
        return self.answers.asking.against(self.desk.field.places[group], self.desk.moment.said(group))

    def standing(self) -> Iterator[tuple[int, Place, Finding | None]]:
        """Each group that has a candidate, its place, and what decides against it. Stops may leave others without one."""
        field = self.desk.field
        for group, (place, finding) in enumerate(zip(field.places, self.answers.worst, strict=True)):
            if field.sizes[group]:
                yield group, place, finding

    def place(self, candidate: Candidate) -> Place | None:
        """The place of a candidate; None where no adopted row makes it."""
        index = self.desk.field.index.get(candidate)
        return None if index is None else self.desk.field.places[self.desk.field.groups[index]]

    def against(self, candidate: Candidate) -> Finding | None:
        """The finding that decides a candidate; None = yes."""
        index = self.desk.field.index.get(candidate)
        if index is not None:
            return self.answers.worst[self.desk.field.groups[index]]
        return worst(self._outside(candidate))

    def serves(self, candidate: Candidate) -> str:
        """The answer to one candidate: `no`, `wait`, `cannot-tell` or `yes`; one without a free slot waits, and so does one
        whose pool is on probation while somebody else tries it.
        """
        finding = self.against(candidate)
        if finding is not None and finding.answer != "cannot-tell":
            return finding.answer
        if self.turns.trying(candidate.pool):
            return "wait"
        spot = self.spot(candidate)
        if spot is not None and self.desk.field.index[candidate] not in self.turns.free(spot):
            return "wait"
        return "yes" if finding is None else finding.answer

    def spot(self, candidate: Candidate) -> Spot | None:
        """The group of a candidate among those that no rule refuses; None where it is in none."""
        index = self.desk.field.index.get(candidate)
        group = None if index is None else self.desk.field.groups[index]
        spot = None if group is None else self.turns.able.spots.get(group)
        return None if spot is None or self.turns.tried(spot) else spot

    def _outside(self, candidate: Candidate) -> Sequence[Finding]:
        """What is said against a candidate no adopted row makes; that it is in no tier is no reason to leave it."""
        desk = self.desk
        harness = desk.policy.harnesses.get(candidate.harness)
        if harness is None or candidate.pool not in harness.pools or candidate.pool not in desk.sights:
            return [Finding("no", "allow", desk.fact("not-drawn-on", candidate.pool), proof=True)]
        spot = desk.moment.at(candidate, desk.survey.found(harness, candidate.pool, candidate.model))
        said = [] if spot.place is None else self.answers.asking.against(spot.place, spot.moment)
        return [one for one in said if one.fact.code != "core:no-tier"]


# --- waiting -----------------------------------------------------------------------------------------


@frozen(eq=False)
class Awaited:
    """Something that comes by itself.

    Attributes:
        rank: what is waited for first: 0 a slot, 1 a model, 2 a step of the fallback.
        code: what it is.
        fact: why.
        candidate: what it is about.
        opens_at: when it may be had, UTC; None = not known.
    """

    rank: int
    code: NoLease
    fact: Fact
    candidate: Candidate | None = None
    opens_at: datetime | None = None


def awaited(asked: Asked) -> list[Awaited]:
    """What a turn could wait for."""
    return [*_held(asked), *_coming(asked)]


def _held(asked: Asked) -> Iterator[Awaited]:
    """What could serve but for other turns, and but for the time."""
    turns = asked.turns
    for spot in turns.able.spots.values():
        candidate = asked.desk.field.candidates[spot.members[0]]
        if not turns.opened(spot):
            yield Awaited(2, "step-closed", fact("step-closed", turns.lane.name), None, _opens(asked, spot))
        elif turns.tried(spot):
            yield Awaited(0, "candidate-busy", fact("stop-tried", spot.head.pool), candidate)
        elif not turns.free(spot):
            yield Awaited(0, "candidate-busy", fact("slots-leased", candidate.model), candidate)


def _opens(asked: Asked, spot: Spot) -> datetime:
    after = asked.turns.lane.fallback[spot.part - 1].after
    return asked.desk.history.as_of + (after - asked.need.waited)


def _coming(asked: Asked) -> Iterator[Awaited]:
    """What a rule says has to be waited for."""
    field, asking = asked.desk.field, asked.answers.asking
    for group, place, finding in asked.standing():
        if finding is not None and finding.answer == "wait" and asking.stage(place) is not None:
            candidate = field.candidates[field.firsts[group][0]]
            prepares = finding.rule == "residency" or finding.fact.figure("kind") == "loading"
            code: NoLease = "candidate-preparing" if prepares else "candidate-busy"
            yield Awaited(1 if prepares else 0, code, finding.fact, candidate, finding.opens_at)


# --- refusing ----------------------------------------------------------------------------------------

STORIES: Mapping[RefusalCode, Callable[[Finding], bool]] = {
    "share-spent": lambda one: one.fact.code == "core:share-spent",
    "quota-spent": lambda one: one.quota,
    "login-required": lambda one: one.rule == "login",
    "too-large": lambda one: one.fact.code == "core:context-small",
    "not-resolvable": lambda one: one.rule == "allow",
}
"""Code → whether a finding belongs to its story, which it tells only where every finding does."""


def refusal(asked: Asked, found: Sequence[Finding] | None = None) -> tuple[RefusalCode, Fact]:
    """Why there is no lease, in one code, and the fact behind it.

    Args:
        asked: the turn.
        found: what decides against what it may use; None = all that is in its lane.
    """
    need, policy, asking = asked.need, asked.desk.policy, asked.answers.asking
    if need.profile is not None and need.profile not in policy.profiles:
        return "unknown-profile", fact("profile-unknown", need.profile)
    if asking.unknown is not None:
        return "not-resolvable", fact("tier-unknown", asking.unknown)
    found = _deciding(asked) if found is None else found
    for code, belongs in STORIES.items():
        if found and all(belongs(one) for one in found):
            return code, _exact(found[0].fact, need)
    inside = [one for one in found if one.rule != "egress"]
    why = _exact(inside[0].fact, need) if inside else fact("none-in-lane", asked.turns.lane.name)
    walled = need.local or (asking.reach < REACH["any"] and not asking.through)
    return "no-local-candidate" if walled else "no-candidate", why


def _exact(why: Fact, need: Need) -> Fact:
    """A fact about a prompt with the prompt's own size: verdicts are made for the largest that nothing can tell from it."""
    if why.code != "core:context-small":
        return why
    window = why.figure("window")
    return fact("context-small", why.subject, needed=need.context, window=window)


def _deciding(asked: Asked) -> list[Finding]:
    """What decides against each place of the lane that it may use; against all of the lane where it may use none."""
    asking, decided = asked.answers.asking, asked.standing()
    said = [(place, one) for _, place, one in decided if one and one.rule != "tier" and asking.stage(place) is not None]
    return [one for place, one in said if allow(asking, place) is None] or [one for _, one in said]


def opens(asked: Asked) -> tuple[datetime | None, bool]:
    """When the first candidate opens that nothing refuses but what ends by itself, and whether a provider told that."""
    found = [(at, known) for at, known in (_opening(asked, one[0]) for one in asked.standing()) if at is not None]
    return min(found, key=lambda one: (one[0], not one[1])) if found else (None, False)


def opening_of(asked: Asked, candidate: Candidate) -> tuple[datetime | None, bool]:
    """When a candidate opens that only what ends by itself refuses, and whether a provider told it; None = not known."""
    index = asked.desk.field.index.get(candidate)
    return (None, False) if index is None else _opening(asked, asked.desk.field.groups[index])


def _opening(asked: Asked, group: int) -> tuple[datetime | None, bool]:
    refusing = [one for one in asked.said(group) if one.answer == "no"]
    ends = [one.opens_at for one in refusing if one.opens_at is not None]
    at = max(ends) if ends and len(ends) == len(refusing) else None
    if at is None or at <= asked.desk.history.as_of:
        return None, False
    return at, all(one.known for one in refusing if one.opens_at == at)
