"""One act for one seat, first match: leave, resume, keep of a park, restore, move or demote or park, keep.

Leave a place on proof, arrive on room, resume on room or on probation. What others did is never undone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from attrs import evolve

from capacity.core.cases import Case, left_because, observed
from capacity.core.facts import fact
from capacity.core.findings import Finding, opening, proof, worst
from capacity.core.orders import Bucket
from capacity.core.pacing import paced
from capacity.core.rules import awaited
from capacity.values.conditions import Fact
from capacity.values.decision import Act, Placement, SeatDecision
from capacity.values.seats import Candidate


def act(case: Case) -> SeatDecision:
    """The act for a seat: the first of the documented list that applies."""
    for attempt in ATTEMPTS:
        decided = attempt(case)
        if decided is not None:
            return decided
    return _keep(case, _keeping(case))


def _keep(case: Case, why: Fact) -> SeatDecision:
    return _decided(case, "keep", why, candidate=case.spot.candidate, home=case.home)


def _leave(case: Case) -> SeatDecision | None:
    why = left_because(case)
    return None if why is None else _decided(case, "leave", why, candidate=case.spot.candidate)


def _await(case: Case) -> SeatDecision | None:
    """A seat that nobody has seen since we wrote to it is where we put it, until somebody has."""
    entry = case.entry
    if entry is None or not case.unseen:
        return None
    why = case.desk.fact("parked") if entry.act == "park" else case.desk.fact("unseen", case.name)
    return _decided(case, "keep", why, candidate=entry.candidate, home=entry.home, until=entry.until)


def _resume(case: Case) -> SeatDecision | None:
    """A seat we parked: to its home on room, else where there is room, else on probation once it is due."""
    if not case.parked:
        return None
    desk, entry = case.desk, case.entry
    target = _room(case) or _probation(case)
    if target is not None:
        code = "room" if answer(case, target) == "yes" else "probation"
        if code == "probation":
            desk.probation.add(target.pool)
        home = None if _at_tier(case, target) else case.home
        return _placed(case, "resume", desk.fact(code, target.pool), target, home=home)
    until = _earliest(case)
    if entry is not None and entry.until is not None and entry.until <= desk.history.as_of < (until or entry.until):
        return _park(case, desk.fact("still-full"), until)
    return _decided(case, "keep", desk.fact("parked"), home=case.home, until=entry.until if entry else None)


def _room(case: Case) -> Candidate | None:
    home = case.home
    if home is not None and answer(case, home) == "yes":
        return home
    return _best(case, observed=True)


def _probation(case: Case) -> Candidate | None:
    """Due, and nothing can be read: one seat per pool tries, since only its owner may be able to tell."""
    desk, entry, home = case.desk, case.entry, case.home
    if entry is None or entry.until is None or entry.until > desk.history.as_of:
        return None
    if home is not None and home.pool not in desk.probation and answer(case, home) == "cannot-tell":
        return home
    for _, bucket in desk.choices(case.answers):
        target = None if bucket.sight.pool.name in desk.probation else _first(case, bucket)
        if target is not None:
            return target
    return None


def _restore(case: Case) -> SeatDecision | None:
    """A seat we put below its tier: back home on room, else to any room in its tier."""
    here, home = case.spot.candidate, case.home
    if home is None or here is None or (paced(case.entry) and home.pool == here.pool):
        return None
    target = home if here != home and answer(case, home) == "yes" else None
    if target is None and not _at_tier(case, here):
        target = _best(case, observed=True, own_tier=True)
    if target is None:
        return None
    return _placed(case, "restore", case.desk.fact("room", target.pool), target)


def _move(case: Case) -> SeatDecision | None:
    """A place that is proven wrong: elsewhere, or parked where nowhere is left that need not be waited for."""
    wrong = _wrong(case)
    if wrong is None:
        return None
    target = _best(case)
    if target is not None:
        down = rank(case, target) > _tier(case)
        home = (case.home or case.spot.candidate) if down else None
        return _placed(case, "demote" if down else "move", wrong.fact, target, home=home)
    if wrong.rule == "refusal":  # nothing else says that it is used up, so there is nothing to wait for
        return _keep(case, wrong.fact)
    if wrong.rule == "volume":  # the rule keeps such seats off; it is no reason to stop one that has nowhere to go
        return _keep(case, case.desk.fact("nowhere-better"))
    waits = awaited(case.desk.field.places, case.answers.worst)
    return _park(case, wrong.fact, _earliest(case)) if waits is None else _keep(case, waits)


ATTEMPTS: tuple[Callable[[Case], SeatDecision | None], ...] = (_leave, _await, _resume, _restore, _move)
"""What may be done with a seat, first match."""


def _keeping(case: Case) -> Fact:
    """Why a seat stays where it is: what speaks against the place without proving it wrong, or nothing does."""
    finding = worst(_here(case))
    return case.desk.fact("legitimate") if finding is None else finding.fact


def _here(case: Case) -> Sequence[Finding]:
    return case.desk.here(case.answers, case.spot)[0]


def _wrong(case: Case) -> Finding | None:
    here = case.spot.candidate
    harness = case.desk.policy.harnesses.get(case.seat.harness)
    if here is not None and harness is not None and here.pool not in harness.pools:
        return Finding("no", "allow", case.desk.fact("not-drawn-on", here.pool), proof=True)
    told = proof(_here(case))
    if told is None and here is not None and case.seat.refused is not None:
        return Finding("no", "refusal", fact("refused", here.pool, because=case.seat.refused), proof=True, quota=True)
    return told


def _best(case: Case, *, observed: bool = False, own_tier: bool = False) -> Candidate | None:
    """The first eligible candidate; observed and of its own tier where that is asked."""
    for _, bucket in case.desk.choices(case.answers):
        target = None if (observed and bucket.observed) or (own_tier and bucket.step) else _first(case, bucket)
        if target is not None:
            return target
    return None


def _first(case: Case, bucket: Bucket) -> Candidate | None:
    """The first candidate of a bucket that is to be had for a seat."""
    candidates = (case.desk.field.candidates[index] for index in bucket.first)
    return next((one for one in candidates if not case.barred(one)), None)


def answer(case: Case, candidate: Candidate) -> str:
    """The answer to one candidate; the home of a seat need not be in a tier to be returned to."""
    desk = case.desk
    if case.barred(candidate):
        return "no"
    index = desk.field.index.get(candidate)
    if index is not None:
        finding = case.answers.worst[desk.field.groups[index]]
    else:
        finding = worst(one for one in _outside(case, candidate) if one.fact.code != "core:no-tier")
    return "yes" if finding is None else finding.answer


def _outside(case: Case, candidate: Candidate) -> Sequence[Finding]:
    """The findings on a candidate that no adopted row makes."""
    desk = case.desk
    harness = desk.policy.harnesses.get(candidate.harness)
    if harness is None or candidate.pool not in harness.pools or candidate.pool not in desk.sights:
        return [Finding("no", "allow", desk.fact("not-drawn-on", candidate.pool), proof=True)]
    spot = desk.moment.at(candidate, desk.survey.found(harness, candidate.pool, candidate.model))
    return [] if spot.place is None else case.answers.asking.against(spot.place, spot.moment)


def rank(case: Case, candidate: Candidate) -> int:
    """The rank of a candidate's tier; one in no tier counts as the seat's own."""
    desk = case.desk
    index = desk.field.index.get(candidate)
    found = None if index is None else desk.field.places[desk.field.groups[index]].rank
    return _tier(case) if found is None else found


def _tier(case: Case) -> int:
    tier = case.answers.asking.tier
    return len(case.desk.policy.tiers.names) if tier is None else tier


def _at_tier(case: Case, candidate: Candidate) -> bool:
    return rank(case, candidate) <= _tier(case)


def _earliest(case: Case) -> datetime | None:
    """The earliest known opening among the seat's candidates and its own place."""
    desk = case.desk
    now = desk.history.as_of
    opens = [at for at in desk.openings(case.answers) if at > now]
    quota, at = opening(_here(case))
    if quota and at is not None and at > now:
        opens.append(at)
    return min(opens, default=None)


def _park(case: Case, why: Fact, until: datetime | None) -> SeatDecision:
    parked = _decided(case, "park", why, home=case.home or case.spot.candidate, until=until)
    if case.own_cadence is None:
        return parked
    kept = evolve(parked.placement, cadence=case.seat.cadence, own_cadence=case.own_cadence)  # for when it comes back
    return evolve(parked, placement=kept)


def _placed(case: Case, what: Act, why: Fact, target: Candidate, *, home: Candidate | None = None) -> SeatDecision:
    decided = _decided(case, what, why, candidate=target, home=home)
    case.desk.settle(target, case.asked.need)
    return evolve(decided, placement=evolve(decided.placement, cadence=case.own_cadence))


def _decided(
    case: Case, what: Act, why: Fact, *, candidate: Candidate | None = None, home: Candidate | None = None,
    until: datetime | None = None,
) -> SeatDecision:  # fmt: skip  # a placement has as many parts
    desk, seat = case.desk, case.seat
    sight = desk.sights.get(candidate.pool) if candidate is not None else None
    placement = Placement(
        f"{case.tick}/{seat.fleet}/{seat.name}", seat.fleet, seat.name, what, why, candidate,
        observed(case), home, until, None, sight.pool.egress if sight else None,
    )  # fmt: skip  # in the order of the class
    verdict = None if case.spot.place is None else desk.here(case.answers, case.spot)[1]
    chosen = None if candidate is None else desk.field.index.get(candidate)
    close = desk.close(case.answers, chosen)
    return SeatDecision(placement, case.answers.index, case.asked.origins, verdict, close)
