"""What each pool says for itself at this moment: the findings about the whole pool, and its scoped caps.

Made once per pool and decision, and shared by every candidate in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from attrs import frozen

from capacity.core import headroom as heads
from capacity.core.facts import fact
from capacity.core.findings import Finding, worst
from capacity.core.judging import ends
from capacity.values.budgets import Spent
from capacity.values.conditions import Fact
from capacity.values.failures import Circuit, FailureKind
from capacity.values.history import History
from capacity.values.limits import Headroom, LimitHeadroom, PoolHeadroom
from capacity.values.policy import Policy, PoolPolicy


@frozen(eq=False, repr=False)
class Sight:
    """One pool as a decision sees it.

    Attributes:
        pool: its policy.
        headroom: what is left of it.
        stands: each of its limits, with whether it is full.
        findings: what is said against the whole pool.
        worst: the first of the worst of them; None where there is none.
        caps: scope word → what the limits of that scope say; a word whose limits are open says nothing.
        used: percent used of its fullest unscoped limit at the most; None = not observed, or not in percent.
        observed: every unscoped limit is known to be open.
        partial: what is said against it to some needs alone.
    """

    pool: PoolPolicy
    headroom: PoolHeadroom
    stands: Sequence[tuple[LimitHeadroom, heads.Standing]]
    findings: Sequence[Finding]
    worst: Finding | None
    caps: Mapping[str, Sequence[Finding]]
    used: float | None
    observed: bool = True
    partial: Sequence[Finding] = ()

    @property
    def tried(self) -> bool:
        """Whether it is on probation, so that one lease at a time tries it; where it is stopped nobody does."""
        return any(one.rule == "circuit" for one in self.findings)


def sights(headroom: Headroom, policy: Policy, history: History, circuits: Sequence[Circuit] = ()) -> dict[str, Sight]:
    """Pool → its sight, for every pool of the policy.

    Args:
        headroom: what is left.
        policy: the pools and their lines.
        history: what was spent, and the instant.
        circuits: the stops that are kept.
    """
    spent: dict[str, list[Spent]] = {}
    for one in history.spent:
        spent.setdefault(one.pool, []).append(one)
    now = history.as_of
    return {
        name: _sight(pool, headroom, policy, circuits, spent.get(name, ()), now) for name, pool in policy.pools.items()
    }


def _sight(
    pool: PoolPolicy,
    headroom: Headroom,
    policy: Policy,
    circuits: Sequence[Circuit],
    spent: Sequence[Spent],
    now: datetime,
) -> Sight:
    known = headroom.pools.get(pool.name) or PoolHeadroom(pool.name)
    stands = [(limit, heads.standing(limit, pool, known)) for limit in known.limits]
    unscoped = [(limit, stands_) for limit, stands_ in stands if limit.limit.scope is None]
    found = [stop(one, now) for one in circuits if _stops(one, pool, policy)] if circuits else []
    if known.state == "login-required":
        found.append(Finding("no", "login", fact("login-required", pool.name), proof=True))
    found += [full(pool, known, limit, "quota") for limit, stands_ in unscoped if stands_ == "full"]
    counted = list(_counted(policy, spent)) if spent else []
    found += [one for one in counted if one.general]
    words = [stands_ for _, stands_ in unscoped]
    observed = _observed(known, words)
    if not (observed or pool.unmeasurable or "full" in words):
        found.append(Finding("cannot-tell", "headroom", _unknown(known)))
    caps = _caps(pool, known, stands) if len(unscoped) < len(stands) else {}
    used = _used(unscoped) if observed else None
    partial = [one for one in counted if not one.general]
    return Sight(pool, known, stands, found, worst(found) if found else None, caps, used, observed, partial)


def _counted(policy: Policy, spent: Sequence[Spent]) -> Iterator[Finding]:
    """What our own count says against a pool: a budget that is spent, or somebody's share of one."""
    for one in spent:
        percent = one.percent
        if percent is None or percent < 100.0 or not (one.stops or one.share is not None):
            continue
        whole = one.share is None
        why = fact("spent" if whole else "share-spent", one.pool, budget=one.window, team=one.name or None)
        named = frozenset(policy.budgets[one.pool].shares) if one.pool in policy.budgets else frozenset()
        team = None if whole else one.name
        yield Finding("no", "budget", why, True, True, one.resets_at, known=True, team=team, named=named)


def _stops(circuit: Circuit, pool: PoolPolicy, policy: Policy) -> bool:
    if circuit.subject == "pool":
        return circuit.name == pool.name
    account = policy.accounts.get(pool.account)
    return circuit.subject == "backend" and account is not None and circuit.name == account.plugin


def stop(circuit: Circuit, as_of: datetime) -> Finding:
    """What a circuit says: wait where it is about to be free, try it on probation, else no.

    Only what lasts makes a seat leave: a burst is over before the seat has settled elsewhere.
    """
    kind, until = circuit.kind, circuit.ends_at
    if circuit.waits:
        return Finding("wait", "circuit", fact("stop-waits", circuit.name, kind=kind, until=until), opens_at=until)
    if circuit.probation_at is not None and circuit.probation_at <= as_of:
        return Finding("cannot-tell", "circuit", fact("stop-tried", circuit.name))
    why = fact("circuit", circuit.name, origin=circuit.origin, kind=kind, **ends(circuit))
    lasts = circuit.origin in ("operator", "evidence") or kind in LASTING or (kind, circuit.subject) == ("auth", "pool")
    opens_at = circuit.probation_at or until
    return Finding(
        "no", "circuit", why, lasts, kind in QUOTA, opens_at, known=circuit.known, above=circuit.above
    )  # fmt: skip  # the fields of one value


LASTING: frozenset[FailureKind] = frozenset({"quota", "lapsed", "balance", "model", "entitlement", "context-tier"})
"""Kinds of failure that last longer than a seat can wait. A login that somebody has to renew is seen for itself."""

QUOTA: frozenset[FailureKind] = frozenset({"quota", "balance"})
"""Kinds of failure that mean that something is used up."""


def full(pool: PoolPolicy, known: PoolHeadroom, one: LimitHeadroom, rule: str) -> Finding:
    """What a full limit says: wait where a slot frees it, else no until its reset or a payment."""
    why = fullness(pool, known, one)
    if one.limit.frees_on == "release":
        return Finding("wait", rule, why)
    at = one.limit.resets_at
    return Finding("no", rule, why, proof=True, quota=True, opens_at=at, known=at is not None)


def fullness(pool: PoolPolicy, known: PoolHeadroom, one: LimitHeadroom) -> Fact:
    """The fact that a limit is full, with the figures that make it so."""
    limit = one.limit
    if limit.frees_on == "release":
        return fact("slots-busy", pool.name, limit=limit.name)
    if limit.percent is None:
        left = ", ".join(f"{amount} {unit}" for unit, amount in limit.left.items()) or None
        return fact("empty", pool.name, limit=limit.name, left=left, resets_at=limit.resets_at)
    line = heads.line(pool, known)
    return fact(
        "exhausted" if limit.scope is None else "capped",
        pool.name,
        limit=limit.name,
        used=limit.percent,
        line=line,
        resets_at=limit.resets_at,
        refused="refused" if limit.blocked and limit.percent < line else None,
    )


def _observed(known: PoolHeadroom, words: Sequence[heads.Standing]) -> bool:
    if words:
        return words.count("open") == len(words)
    return any(limit.evidence == "fresh" for limit in known.limits)


def _used(unscoped: Sequence[tuple[LimitHeadroom, heads.Standing]]) -> float | None:
    return max((limit.used.high for limit, _ in unscoped if limit.used is not None), default=None)


def _unknown(known: PoolHeadroom) -> Fact:
    since: datetime | None = known.observed_at
    return fact("headroom-unknown", known.pool, state=known.state or "never-read", observed_at=since)


def _caps(
    pool: PoolPolicy, known: PoolHeadroom, stands: Sequence[tuple[LimitHeadroom, heads.Standing]]
) -> dict[str, Sequence[Finding]]:
    caps: dict[str, list[Finding]] = {}
    for one, stands_ in stands:
        scope = one.limit.scope
        if scope is None or scope.kind != "model":
            continue
        said = caps.setdefault(scope.name, [])
        if stands_ == "full":
            said.append(full(pool, known, one, "cap"))
        elif stands_ == "unknown" and not pool.unmeasurable:
            said.append(Finding("cannot-tell", "cap", fact("cap-unknown", pool.name, limit=one.limit.name)))
    return dict(caps)
