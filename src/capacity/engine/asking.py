"""Which accounts are asked for a lease: those it waits for, and those that are asked beside it while it goes on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from capacity.engine.warm import Warm
from capacity.values.choice import Choice
from capacity.values.policy import Policy, PoolPolicy, Profile


class Asking:
    """Knows what is due under one policy.

    Args:
        policy: what the operator wants.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._local = [pool for pool in policy.pools.values() if pool.kind == "local"]

    def before(self, choice: Choice, warm: Warm, now: datetime, asked: Collection[str]) -> dict[str, bool]:
        """The accounts to ask before a choice is carried out, each with whether the floor alone holds it back.

        That of a pool it would leave the network for, and of the session's home; where only quota is in the way, every
        one that might have room by now. What stays within the network waits for nobody.

        Args:
            choice: what would be carried out.
            warm: what it was decided on.
            now: the instant, aware.
            asked: accounts that were waited for already.
        """
        return _due((pool for pool in self._reaching(choice) if pool.account not in asked), warm, now)

    def beside(self, warm: Warm, now: datetime) -> dict[str, bool]:
        """The accounts of our own servers that are due: what is loaded there changes within minutes.

        Args:
            warm: what was decided on.
            now: the instant, aware.
        """
        return _due(self._local, warm, now)

    def _reaching(self, choice: Choice) -> Iterable[PoolPolicy]:
        pools = self._policy.pools
        if choice.candidate is not None:
            meant = (pools.get(one.pool) for one in (choice.candidate, choice.home) if one is not None)
            return [pool for pool in meant if pool is not None and pool.egress == "any"]
        profile = self._policy.profiles.get(choice.table.need.profile or "", Profile(""))
        if choice.code != "quota-spent" or choice.table.need.local or profile.offline:
            return ()
        within = profile.egress == "any"
        return [one for one in pools.values() if one.egress == "any" and (within or one.name in profile.allow)]


def _due(pools: Iterable[PoolPolicy], warm: Warm, now: datetime) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for pool in pools:
        if warm.is_due(pool.name, pool.account, now):
            found[pool.account] = warm.has_reset(pool.name, now) or found.get(pool.account, False)
    return found
