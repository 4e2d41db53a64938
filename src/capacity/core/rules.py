"""The rules a place must pass, in their documented order. Each gives a finding or nothing.

Rules of a place come first (they hold for every need), then rules of a need. A candidate's verdict is the worst finding;
where several are equally bad the first rule in `RULES` of `findings` speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen

from capacity.core.facts import fact
from capacity.core.findings import Finding, by_rule
from capacity.core.lanes import WHOLE, alone, lane_of, stage
from capacity.values.conditions import Fact
from capacity.values.decision import Answer
from capacity.values.lanes import Serving
from capacity.values.policy import Kind, Policy
from capacity.values.seats import Egress, Need

REACH: Mapping[Egress, int] = {"none": 0, "lan": 1, "any": 2}
"""How far a request leaves."""

INVALID_AFTER = 3
"""Authoritative listings in a row without a model before it counts as gone: one is a hiccup, two a coincidence."""


@frozen(eq=False, repr=False)
class Place:
    """A group of candidates no rule can tell apart.

    Attributes:
        harness: the harness.
        pool: full pool name.
        kind: of the pool.
        preference: of the pool.
        reach: how far its requests leave, as in `REACH`.
        rank: index of its tier, 0 is best; None = in no tier.
        tier: the tier's name.
        proven: name of the tier that is certain enough for a floor; None = in no tier.
        effort: the effort word.
        context: tokens per request; None = unknown.
        modalities: what it takes in; None = unknown.
        tools: whether it calls tools; None = unknown.
        names: those of its model's names that any need asks about.
        findings: what policy and inventory say against it.
        serving: what the policy says of its model.
        usable: the largest prompt it takes, in tokens; None = unknown.
    """

    harness: str
    pool: str
    kind: Kind
    preference: int
    reach: int
    rank: int | None
    tier: str | None
    proven: str | None
    effort: str | None
    context: int | None
    modalities: tuple[str, ...] | None
    tools: bool | None
    names: frozenset[str]
    findings: tuple[Finding, ...]
    serving: Serving = WHOLE
    usable: int | None = None


class Asking:
    """A need, made ready to be held against many places. What is said of it is made once."""

    def __init__(self, need: Need, policy: Policy, *, metered_exhausted: bool = False) -> None:
        self.ranks = ranks = {name: rank for rank, name in enumerate(policy.tiers.names)}
        self.need = need
        self.tier = None if need.tier is None else ranks.get(need.tier)
        self.floor = self.tier if need.floor is None else ranks.get(need.floor)
        self.floor_name = need.floor or need.tier or ""
        # Nor does a tier nobody declared let anything through: a word mistyped must not ask for anything at all.
        self.unknown = next((name for name in (need.tier, need.floor) if name is not None and name not in ranks), None)
        profile = None if need.profile is None else policy.profiles.get(need.profile)
        # A profile nobody declared lets nothing out: a wall that is missing must fail loudly, never open.
        self.reach = REACH["any"] if need.profile is None else -1 if profile is None else REACH[profile.egress]
        self.through = () if profile is None or profile.offline else profile.allow
        self.lane = lane_of(policy, need) if need.turn or need.lane else None
        self.unmeasurable = frozenset(name for name, pool in policy.pools.items() if pool.unmeasurable)
        self.models = None if need.models is None else frozenset(name.casefold() for name in need.models)
        self.metered_exhausted = metered_exhausted
        self._said: dict[tuple[object, ...], Finding] = {}

    def say(
        self, answer: Answer, rule: str, code: str, subject: str, *, proof: bool = False, **figures: str | int
    ) -> Finding:
        """The shared finding of that code, subject and figures."""
        key = (code, subject, *figures.values())
        made = self._said.get(key)
        if made is None:
            made = self._said[key] = Finding(answer, rule, fact(code, subject, **figures), proof=proof)
        return made

    def stage(self, place: Place) -> int | None:
        """Which part of the lane a place is in; None = it is in none."""
        if self.lane is None:
            return 0
        return stage(self.lane, place.harness, place.pool, place.names, place.effort)

    @property
    def names_one(self) -> bool:
        """Whether the need itself names one model alone."""
        return self.models is not None and len(self.models) == 1

    def against(self, place: Place, moment: Iterable[Finding] = ()) -> list[Finding]:
        """Everything any rule says against a place, in the documented order.

        Args:
            place: the place.
            moment: what its pool says now, and what is said now of its candidates alone.
        """
        found = [*place.findings, *(one for one in moment if one.general or one.concerns(self.need))]
        found += [said for said in (rule(self, place) for rule in NEED_RULES) if said is not None]
        if len(found) > 1:
            found.sort(key=by_rule)
        return found


def allow(asking: Asking, place: Place) -> Finding | None:
    """The need's allow-lists only ever narrow."""
    need = asking.need
    if need.harnesses is not None and place.harness not in need.harnesses:
        subject = place.harness
    elif need.pools is not None and place.pool not in need.pools:
        subject = place.pool
    elif asking.models is not None and not asking.models & place.names:
        subject = "model"
    else:
        return None
    return asking.say("no", "allow", "not-allowed", subject, proof=True)


def egress(asking: Asking, place: Place) -> Finding | None:
    """A profile is a wall: what reaches further is filtered, whatever else speaks for it."""
    if asking.need.local and place.kind != "local":
        return asking.say("no", "egress", "not-local", place.pool, proof=True)
    if place.reach <= asking.reach or place.pool in asking.through:
        return None
    return asking.say("no", "egress", "egress", place.pool, proof=True, profile=asking.need.profile or "")


def lane(asking: Asking, place: Place) -> Finding | None:
    """Only what is in the lane; what is known to be loaded, where it is local; and what puts another model out only where
    the lane means it alone.
    """
    if asking.lane is None:
        return None
    at = asking.stage(place)
    if at is None:
        return asking.say("no", "lane", "not-in-lane", asking.lane.name, proof=True)
    if _might_be_loaded(asking, place):
        return asking.say("no", "lane", "not-known-loaded", place.pool)
    unloaded = any(finding.rule == "residency" and finding.answer == "wait" for finding in place.findings)
    if place.serving.evicts and unloaded and not (alone(asking.lane, at) or asking.names_one):
        return asking.say("no", "lane", "evicts", place.pool)
    return None


def _might_be_loaded(asking: Asking, place: Place) -> bool:
    """Whether nobody can tell what a local pool has loaded, although it is one that can be asked."""
    if place.kind != "local" or place.pool in asking.unmeasurable:
        return False
    return any(one.answer == "cannot-tell" and one.rule in LOADED for one in place.findings)


def tier(asking: Asking, place: Place) -> Finding | None:
    """Never below the floor, by what is certain; above the tier only where the need may rise; never in no tier at all."""
    rank, need = place.rank, asking.need
    if asking.unknown is not None:
        return asking.say("no", "tier", "tier-unknown", asking.unknown)
    if need.effort is not None and place.effort != need.effort:
        return asking.say("no", "tier", "other-effort", place.effort or "", proof=True, demanded=need.effort)
    if rank is None:
        return asking.say("no", "tier", "no-tier", place.pool)
    if asking.floor is not None and rank > asking.floor:
        return asking.say("no", "tier", "below-floor", place.tier or "", proof=True, floor=asking.floor_name)
    if asking.floor is not None and not _reaches(asking, place.proven, asking.floor):
        told = {"proven": place.proven or "nothing", "floor": asking.floor_name}
        return asking.say("no", "tier", "floor-unproven", place.tier or "", proof=True, **told)
    named = asking.lane is not None and bool(asking.lane.candidates)  # what a lane names may stand above its tier
    if asking.tier is not None and rank < asking.tier and not (need.rise or named):
        return asking.say("no", "tier", "above-tier", place.tier or "", tier=need.tier or "")
    return None


def _reaches(asking: Asking, tier: str | None, floor: int) -> bool:
    rank = None if tier is None else asking.ranks.get(tier)
    return rank is not None and rank <= floor


def capability(asking: Asking, place: Place) -> Finding | None:
    """Every capability asked for; one that is not told cannot be told."""
    unsure = None
    for word in asking.need.capabilities:
        has = place.tools if word == "tools" else None if place.modalities is None else word in place.modalities
        if has is False:
            return asking.say("no", "capability", "lacks", word, proof=True)
        if has is None and unsure is None:
            unsure = asking.say("cannot-tell", "capability", "capability-unknown", word)
    return unsure


def context(asking: Asking, place: Place) -> Finding | None:
    """The window must hold what one request needs."""
    needed = asking.need.context
    if asking.need.turn:
        return _prompt(asking, place, needed)
    if needed is None:
        return None
    if place.context is None:
        return asking.say("cannot-tell", "context", "context-unknown", "", needed=needed)
    if place.context >= needed:
        return None
    return asking.say("no", "context", "context-small", "", proof=True, needed=needed, window=place.context)


def _prompt(asking: Asking, place: Place, size: int | None) -> Finding | None:
    """A prompt of known size must leave room for its answer; one of unknown size goes to no local place."""
    local = place.kind == "local"
    if size is None:
        return asking.say("no", "context", "size-unknown", place.pool) if local or place.serving.least else None
    if size < place.serving.least:
        return asking.say("no", "context", "prompt-small", "", proof=True, needed=size, least=place.serving.least)
    if place.usable is None:
        return asking.say("cannot-tell", "context", "context-unknown", "", needed=size) if local else None
    if size <= place.usable:
        return None
    return asking.say("no", "context", "context-small", "", proof=True, needed=size, window=place.usable)


def volume(asking: Asking, place: Place) -> Finding | None:
    """A seat that runs very often stays off subscriptions unless its metered pools are positively exhausted."""
    if not asking.need.high_volume or place.kind != "subscription" or asking.metered_exhausted:
        return None
    return asking.say("no", "volume", "high-volume", place.pool, proof=True)


LOADED = frozenset({"model", "residency"})
"""The rules that tell whether a local model is there and loaded."""

NEED_RULES: tuple[Callable[[Asking, Place], Finding | None], ...] = (
    allow,
    egress,
    lane,
    tier,
    capability,
    context,
    volume,
)
"""The rules of a need, in the documented order."""


def awaited(places: Sequence[Place], decisive: Sequence[Finding | None]) -> Fact | None:
    """What a seat with nowhere else to go waits for: what comes by itself, before what somebody has to load.

    Args:
        places: group → its place.
        decisive: group → the finding that decides it.

    Returns:
        None where nothing is to be waited for.
    """
    waiting = [(place, one.fact) for place, one in zip(places, decisive, strict=True) if one and one.answer == "wait"]
    if not waiting or any(why.code != "core:preparable" for _, why in waiting):
        return fact("alternative-waits") if waiting else None
    _, first = min(waiting, key=lambda one: (one[0].rank or 0, one[0].preference, one[0].pool, one[1].subject))
    return fact("alternative-preparable", first.subject, pool=first.figure("pool"))
