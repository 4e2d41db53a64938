"""The rules a place must pass, in their documented order. Each gives a finding or nothing.

Rules of a place come first (they hold for every need and are looked at once), then rules of a need. A candidate's
verdict is the worst finding; where several are equally bad the first rule in `RULES` speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from attrs import frozen

from capacity.core.facts import fact
from capacity.values.conditions import Fact
from capacity.values.decision import Answer
from capacity.values.policy import Kind, Policy
from capacity.values.seats import Egress, Need

RULES = (
    "model", "effort", "circuit", "login", "quota", "cap", "residency", "headroom",
    "allow", "egress", "tier", "capability", "context", "volume",
)  # fmt: skip  # the documented order, read as two rows: of a place, of a need

BADNESS: Mapping[Answer, int] = {"no": 0, "wait": 1, "cannot-tell": 2, "yes": 3}
"""Worst first."""

REACH: Mapping[Egress, int] = {"none": 0, "lan": 1, "any": 2}
"""How far a request leaves."""

INVALID_AFTER = 3
"""Authoritative listings in a row without a model before it counts as gone: one is a hiccup, two a coincidence."""


@frozen
class Finding:
    """What one rule says against a place.

    Attributes:
        answer: `no`, `wait` or `cannot-tell`.
        rule: which rule.
        fact: why.
        proof: good enough to make a seat leave the place, not only to keep others from arriving.
        quota: only quota stands in the way; it ends at `opens_at`.
        opens_at: when it ends, UTC; None = not known, or somebody has to act.
    """

    answer: Answer
    rule: str
    fact: Fact
    proof: bool = False
    quota: bool = False
    opens_at: datetime | None = None


@frozen(eq=False)
class Place:
    """A group of candidates no rule can tell apart.

    Attributes:
        harness: the harness.
        pool: full pool name.
        kind: of the pool.
        reach: how far its requests leave, as in `REACH`.
        rank: index of its tier, 0 is best; None = in no tier.
        tier: the tier's name.
        effort: the effort word.
        context: tokens per request; None = unknown.
        modalities: what it takes in; None = unknown.
        tools: whether it calls tools; None = unknown.
        names: those of its model's names that any need asks about.
        findings: what the rules of a place say against it, in the order of `RULES`.
    """

    harness: str
    pool: str
    kind: Kind
    reach: int
    rank: int | None
    tier: str | None
    effort: str | None
    context: int | None
    modalities: tuple[str, ...] | None
    tools: bool | None
    names: frozenset[str]
    findings: tuple[Finding, ...]


class Asking:
    """A need, made ready to be held against many places. Facts about the need are made once."""

    def __init__(self, need: Need, policy: Policy) -> None:
        ranks = {name: rank for rank, name in enumerate(policy.tiers.names)}
        self.need = need
        self.tier = None if need.tier is None else ranks.get(need.tier)
        self.floor = self.tier if need.floor is None else ranks.get(need.floor)
        self.floor_name = need.floor or need.tier or ""
        profile = None if need.profile is None else policy.profiles.get(need.profile)
        # A profile nobody declared lets nothing out: a wall that is missing must fail loudly, never open.
        self.reach = REACH["any"] if need.profile is None else -1 if profile is None else REACH[profile.egress]
        self.models = None if need.models is None else frozenset(name.casefold() for name in need.models)
        self.metered_exhausted = False
        self._facts: dict[tuple[object, ...], Fact] = {}

    def fact(self, code: str, subject: str, **figures: str | int) -> Fact:
        """The shared fact of that code, subject and figures."""
        key = (code, subject, *figures.values())
        made = self._facts.get(key)
        if made is None:
            made = self._facts[key] = fact(code, subject, **figures)
        return made


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
    return Finding("no", "allow", asking.fact("not-allowed", subject), proof=True)


def egress(asking: Asking, place: Place) -> Finding | None:
    """A profile is a wall: what reaches further is filtered, whatever else speaks for it."""
    if place.reach <= asking.reach:
        return None
    return Finding("no", "egress", asking.fact("egress", place.pool, profile=asking.need.profile or ""), proof=True)


def tier(asking: Asking, place: Place) -> Finding | None:
    """Never below the floor; above the tier only where the need may rise; never in no tier at all."""
    rank, need = place.rank, asking.need
    if need.effort is not None and place.effort != need.effort:
        return Finding("no", "tier", asking.fact("other-effort", place.effort or "", needed=need.effort), proof=True)
    if rank is None:
        return Finding("no", "tier", asking.fact("no-tier", place.pool))
    if asking.floor is not None and rank > asking.floor:
        below = asking.fact("below-floor", place.tier or "", floor=asking.floor_name)
        return Finding("no", "tier", below, proof=True)
    if asking.tier is not None and rank < asking.tier and not need.rise:
        return Finding("no", "tier", asking.fact("above-tier", place.tier or "", tier=need.tier or ""))
    return None


def capability(asking: Asking, place: Place) -> Finding | None:
    """Every capability asked for; one that is not told cannot be told."""
    unsure = None
    for word in asking.need.capabilities:
        has = place.tools if word == "tools" else None if place.modalities is None else word in place.modalities
        if has is False:
            return Finding("no", "capability", asking.fact("lacks", word), proof=True)
        if has is None and unsure is None:
            unsure = Finding("cannot-tell", "capability", asking.fact("capability-unknown", word))
    return unsure


def context(asking: Asking, place: Place) -> Finding | None:
    """The window must hold what one request needs."""
    needed = asking.need.context
    if needed is None:
        return None
    if place.context is None:
        return Finding("cannot-tell", "context", asking.fact("context-unknown", "", needed=needed))
    if place.context >= needed:
        return None
    return Finding("no", "context", asking.fact("context-small", "", needed=needed, window=place.context), proof=True)


def volume(asking: Asking, place: Place) -> Finding | None:
    """A seat that runs very often stays off subscriptions unless its metered pools are positively exhausted."""
    if not asking.need.high_volume or place.kind != "subscription" or asking.metered_exhausted:
        return None
    return Finding("no", "volume", asking.fact("high-volume", place.pool), proof=True)


NEED_RULES: tuple[Callable[[Asking, Place], Finding | None], ...] = (allow, egress, tier, capability, context, volume)
"""The rules of a need, in the documented order."""


def findings(asking: Asking, place: Place) -> list[Finding]:
    """Everything any rule says against a place for a need, in the documented order."""
    found = list(place.findings)
    for rule in NEED_RULES:
        finding = rule(asking, place)
        if finding is not None:
            found.append(finding)
    return found


def worst(found: Iterable[Finding]) -> Finding | None:
    """The first of the worst findings; None where there is none."""
    chosen: Finding | None = None
    for finding in found:
        if chosen is None or BADNESS[finding.answer] < BADNESS[chosen.answer]:
            chosen = finding
    return chosen


def proof(found: Iterable[Finding]) -> Finding | None:
    """The first finding that is good enough to leave the place; None where there is none."""
    return next((finding for finding in found if finding.proof and finding.answer == "no"), None)


def opening(found: Iterable[Finding]) -> tuple[bool, datetime | None]:
    """Whether nothing but quota refuses a place, and when it opens: the latest end of all that is full.

    The instant is None where one of them ends by nobody knows when (a payment, a guess).
    """
    refusing = [finding for finding in found if finding.answer == "no"]
    if not refusing or not all(finding.quota for finding in refusing):
        return False, None
    instants = [finding.opens_at for finding in refusing]
    known = [instant for instant in instants if instant is not None]
    return True, max(known) if len(known) == len(instants) else None
