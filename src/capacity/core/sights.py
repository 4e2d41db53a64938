"""What each pool says for itself at this moment: the findings about the whole pool, and its scoped caps.

Made once per pool and decision, and shared by every candidate in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from attrs import frozen

from capacity.core import headroom as heads
from capacity.core.facts import fact
from capacity.core.rules import Finding, worst
from capacity.values.conditions import Fact
from capacity.values.failures import Circuit
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
    """

    pool: PoolPolicy
    headroom: PoolHeadroom
    stands: Sequence[tuple[LimitHeadroom, heads.Standing]]
    findings: Sequence[Finding]
    worst: Finding | None
    caps: Mapping[str, Sequence[Finding]]
    used: float | None


def sights(headroom: Headroom, policy: Policy, history: History) -> dict[str, Sight]:
    """Pool → its sight, for every pool of the policy."""
    now = history.as_of
    circuits = [one for one in history.holds.circuits if one.ends_at is None or one.ends_at > now]
    return {name: _sight(pool, headroom, policy, circuits) for name, pool in policy.pools.items()}


def _sight(pool: PoolPolicy, headroom: Headroom, policy: Policy, circuits: Sequence[Circuit]) -> Sight:
    known = headroom.pools.get(pool.name) or PoolHeadroom(pool.name)
    stands = [(limit, heads.standing(limit, pool, known)) for limit in known.limits]
    unscoped = [(limit, stands_) for limit, stands_ in stands if limit.limit.scope is None]
    found = [stop(one) for one in circuits if _stops(one, pool, policy)] if circuits else []
    if known.state == "login-required":
        found.append(Finding("no", "login", fact("login-required", pool.name), proof=True))
    found += [full(pool, known, limit, "quota") for limit, stands_ in unscoped if stands_ == "full"]
    words = [stands_ for _, stands_ in unscoped]
    observed = _observed(known, words)
    if not (observed or pool.unmeasurable or "full" in words):
        found.append(Finding("cannot-tell", "headroom", _unknown(known)))
    caps = _caps(pool, known, stands) if len(unscoped) < len(stands) else {}
    used = _used(unscoped) if observed else None
    return Sight(pool, known, stands, found, worst(found) if found else None, caps, used)


def _stops(circuit: Circuit, pool: PoolPolicy, policy: Policy) -> bool:
    if circuit.subject == "pool":
        return circuit.name == pool.name
    account = policy.accounts.get(pool.account)
    return circuit.subject == "backend" and account is not None and circuit.name == account.plugin


def stop(circuit: Circuit) -> Finding:
    """What a circuit says."""
    why = fact("circuit", circuit.name, origin=circuit.origin, kind=circuit.kind, until=circuit.ends_at)
    return Finding("no", "circuit", why, proof=True, quota=circuit.kind == "quota", opens_at=circuit.ends_at)


def full(pool: PoolPolicy, known: PoolHeadroom, one: LimitHeadroom, rule: str) -> Finding:
    """What a full limit says: wait where a slot frees it, else no until its reset or a payment."""
    why = fullness(pool, known, one)
    if one.limit.frees_on == "release":
        return Finding("wait", rule, why)
    return Finding("no", rule, why, proof=True, quota=True, opens_at=one.limit.resets_at)


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
