"""What failures, turns that went well, and an operator's word do to the circuits. Each is entered as it is told."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from capacity.core.circuits import pool_of, rearmed, stops_for, success
from capacity.engine.ledger import Ledger
from capacity.engine.operator import BARS, known
from capacity.ports import Candidate, Failure
from capacity.values.failures import Circuit, Stop
from capacity.values.policy import Policy

ALL = "all"
"""Names every circuit there is, where no pool has that name."""


def failed(
    ledger: Ledger,
    policy: Policy,
    failure: Failure,
    candidate: Candidate,
    *,
    session: str = "",
    context: int | None = None,
) -> tuple[Stop, ...]:
    """Enter what a failure opens.

    Args:
        ledger: where it is entered.
        policy: gives the holds, the lines and the base windows.
        failure: classified with the holds of the policy.
        candidate: where it happened.
        session: whose turn it was; `""` = nobody can tell, and then it is no evidence against a whole pool.
        context: tokens of the request that failed; None = not known.

    Returns:
        The stops that were entered; `()` where the failure blames nobody.

    Raises:
        PolicyError: the policy knows no such harness or pool.
    """
    known(policy.harnesses, "harnesses", candidate.harness)
    known(policy.pools, "pools", candidate.pool)
    at = ledger.now()
    headroom = ledger.headroom(policy, at)
    opened = stops_for(failure, candidate, at=at, session=session, headroom=headroom, policy=policy, context=context)
    with ledger.transaction():
        ledger.stop(*opened)
    return opened


def succeeded(ledger: Ledger, policy: Policy, candidate: Candidate, began_at: datetime) -> tuple[Stop, ...]:
    """Enter what a turn that went through takes back: a quarantine that was on probation when it began.

    Args:
        ledger: where it is entered.
        policy: gives the rules of circuits.
        candidate: where it ran.
        began_at: when it was granted, aware.
    """
    at = ledger.now()
    taken = success(ledger.circuits(at, policy.circuits), candidate, began_at=began_at, at=at)
    with ledger.transaction():
        ledger.stop(*taken)
    return taken


def rearm(ledger: Ledger, policy: Policy, name: str) -> tuple[Stop, ...]:
    """Enter that circuits are taken back which failures opened. An operator's stop stays: it is lifted by name.

    Args:
        ledger: where it is entered.
        policy: knows the pools.
        name: a pool, with every candidate of it; a backend, with every pool of it; a candidate
            (`harness|pool|model|effort`); or `all`.

    Raises:
        PolicyError: the policy knows nothing of that name.
    """
    at = ledger.now()
    circuits = ledger.circuits(at, policy.circuits)
    if name.count("|") == BARS:
        known(policy.pools, "pools", name.split("|")[1])
        taken = rearmed((one for one in circuits if one.name == name), (), at)
    else:
        pools = _pools(policy, name)
        taken = rearmed(_of(circuits, pools), pools, at)
    with ledger.transaction():
        ledger.stop(*taken)
    return taken


def _pools(policy: Policy, name: str) -> frozenset[str]:
    """The pools a name means: one, those of a backend, or every one."""
    if name in policy.pools:
        return frozenset({name})
    if name == ALL:
        return frozenset(policy.pools)
    plugins = {account.plugin for account in policy.accounts.values()}
    known({*policy.pools, *plugins, ALL}, "pools", name)
    return frozenset(pool.name for pool in policy.pools.values() if policy.accounts[pool.account].plugin == name)


def _of(circuits: Iterable[Circuit], pools: frozenset[str]) -> Iterable[Circuit]:
    return (one for one in circuits if pool_of(one) in pools)
