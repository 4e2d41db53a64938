"""What each pool says for itself, before any need is asked: the findings about a whole pool, and its scoped caps.

Made once per pool and shared by every candidate in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from attrs import frozen

from capacity.core import headroom as heads
from capacity.core.facts import fact
from capacity.core.rules import Finding
from capacity.values.conditions import Fact
from capacity.values.failures import Circuit
from capacity.values.history import History
from capacity.values.limits import Headroom, LimitHeadroom, PoolHeadroom
from capacity.values.policy import Policy, PoolPolicy


@frozen(eq=False)
class Sight:
    """One pool as a decision sees it.

    Attributes:
        pool: its policy.
        headroom: what is left of it.
        findings: what is said against the whole pool, in the order of the rules.
        caps: scope word → what the limits of that scope say.
        used: percent used of its fullest unscoped limit at the most; None = not observed, or not in percent.
        backend: the plugin that reads it.
    """

    pool: PoolPolicy
    headroom: PoolHeadroom
    findings: tuple[Finding, ...]
    caps: Mapping[str, tuple[Finding, ...]]
    used: float | None
    backend: str


def sights(headroom: Headroom, policy: Policy, history: History) -> dict[str, Sight]:
    """Pool → its sight, for every pool of the policy."""
    circuits = [one for one in history.holds.circuits if one.ends_at is None or one.ends_at > history.as_of]
    return {name: _sight(pool, headroom, policy, circuits) for name, pool in policy.pools.items()}


def _sight(pool: PoolPolicy, headroom: Headroom, policy: Policy, circuits: Iterable[Circuit]) -> Sight:
    known = headroom.pools.get(pool.name) or PoolHeadroom(pool.name)
    account = policy.accounts.get(pool.account)
    backend = account.plugin if account else ""
    found = [
        stop(circuit)
        for circuit in circuits
        if (circuit.subject == "pool" and circuit.name == pool.name)
        or (circuit.subject == "backend" and circuit.name == backend)
    ]
    if known.state == "login-required":
        found.append(Finding("no", "login", fact("login-required", pool.name), proof=True))
    unscoped = [limit for limit in known.limits if limit.limit.scope is None]
    stands = [(limit, heads.standing(limit, pool, known.pace)) for limit in unscoped]
    found += [full(pool, known, limit, "quota") for limit, stands_ in stands if stands_ == "full"]
    observed = _observed(known, [word for _, word in stands])
    if not (observed or pool.unmeasurable or any(word == "full" for _, word in stands)):
        found.append(Finding("cannot-tell", "headroom", _unknown(known)))
    used = _used(unscoped) if observed else None
    return Sight(pool, known, tuple(found), _caps(pool, known), used, backend)


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
        left = next((f"{amount} {unit}" for unit, amount in limit.left.items()), None)
        return fact("empty", pool.name, limit=limit.name, left=left, resets_at=limit.resets_at)
    code = "exhausted" if limit.scope is None else "capped"
    line = heads.line(pool, known.pace)
    return fact(
        code,
        pool.name,
        limit=limit.name,
        used=limit.percent,
        line=line,
        resets_at=limit.resets_at,
        refused="refused" if limit.blocked and limit.percent < line else None,
    )


def _observed(known: PoolHeadroom, stands: list[heads.Standing]) -> bool:
    if stands:
        return all(word == "open" for word in stands)
    return any(limit.evidence == "fresh" for limit in known.limits)


def _used(unscoped: list[LimitHeadroom]) -> float | None:
    highs = [limit.used.high for limit in unscoped if limit.used is not None]
    return max(highs) if highs else None


def _unknown(known: PoolHeadroom) -> Fact:
    since: datetime | None = known.observed_at
    return fact("headroom-unknown", known.pool, state=known.state or "never-read", observed_at=since)


def _caps(pool: PoolPolicy, known: PoolHeadroom) -> dict[str, tuple[Finding, ...]]:
    caps: dict[str, list[Finding]] = {}
    for one in known.limits:
        scope = one.limit.scope
        if scope is None or scope.kind != "model":
            continue
        said = caps.setdefault(scope.name, [])
        stands = heads.standing(one, pool, known.pace)
        if stands == "full":
            said.append(full(pool, known, one, "cap"))
        elif stands == "unknown" and not pool.unmeasurable:
            said.append(Finding("cannot-tell", "cap", fact("cap-unknown", pool.name, limit=one.limit.name)))
    return {word: tuple(said) for word, said in caps.items()}
