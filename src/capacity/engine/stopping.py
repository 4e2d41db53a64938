"""What failures and an operator's word do to the circuits, and who is told of it. Each is entered as it is told."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager, nullcontext

from capacity.core.circuits import BARS, pool_of, rearmed, stops_for
from capacity.core.conditions import stopped
from capacity.engine.ledger import Ledger
from capacity.engine.operator import known
from capacity.engine.tick import Works, enter, tell
from capacity.ports import Candidate, Failure
from capacity.values.conditions import CONDITIONS, Condition
from capacity.values.failures import Circuit, Stop
from capacity.values.policy import Policy

ALL = "all"
"""Names every circuit there is, where no pool has that name."""


def failed(
    works: Works, failure: Failure, candidate: Candidate, *, session: str = "", context: int | None = None
) -> tuple[Stop, ...]:
    """Enter what a failure opens, and raise what that means.

    Args:
        works: where it is entered; its policy gives the holds, the lines and the base windows.
        failure: classified with the holds of the policy.
        candidate: where it happened.
        session: whose turn it was; `""` = nobody can tell, and then it is no evidence against a whole pool.
        context: tokens of the request that failed; None = not known.

    Returns:
        The stops that were entered; `()` where the failure blames nobody.

    Raises:
        PolicyError: the policy knows no such harness or pool.
    """
    ledger, policy = works.ledger, works.policy
    known(policy.harnesses, "harnesses", candidate.harness)
    known(policy.pools, "pools", candidate.pool)
    at = ledger.now()
    headroom = ledger.headroom(policy, at)
    opened = stops_for(failure, candidate, at=at, session=session, headroom=headroom, policy=policy, context=context)
    with ledger.transaction():
        ledger.stop(*opened)
    alarm(works, opened)
    return opened


def alarm(works: Works, opened: Collection[Stop], lock: AbstractContextManager[object] | None = None) -> None:
    """Raise what new stops mean to an operator, and have it told at once: the next decision may be long in coming.

    What stood already is not told again.

    Args:
        works: where it is entered, and what tells it.
        opened: the stops that were just entered.
        lock: held while it is entered, and no longer: the operator's command may take its time.
    """
    ledger, keys = works.ledger, {_key(stop) for stop in opened if not stop.lifted}
    keys |= {("pool", pool_of(stop), "other", "evidence") for stop in opened if stop.indicts}
    if not keys:
        return
    with lock or nullcontext():
        before, at = ledger.conditions(), ledger.now()
        circuits = [one for one in ledger.circuits(at, works.policy.circuits) if one.key in keys]
        known = {condition.key for condition in before}
        found = (Condition(made, "raised", at, *CONDITIONS[made.code]) for made in stopped(circuits))
        raised = tuple(condition for condition in found if condition.key not in known)
        if raised:
            enter(works, (*before, *raised), at)
    if raised:
        tell(works, before, (*before, *raised), at, None)


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


def _key(stop: Stop) -> tuple[str, str | None, str, str]:
    return stop.subject, stop.name, stop.kind, stop.origin


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
