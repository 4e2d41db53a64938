"""The watch: a session that reads its whole prompt anew, again and again, is stopped. Volume alone never stops anybody.

A turn whose cache nobody told of is no evidence: where no provider says what it held, every turn looks like a rewrite.
Local places cost nobody's quota and are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from capacity.core.facts import fact
from capacity.values.conditions import Fact
from capacity.values.lanes import Watch
from capacity.values.leases import Settled, Usage
from capacity.values.policy import Policy


def looping(
    settled: Iterable[Settled], policy: Policy, as_of: datetime, *, stopped_at: datetime | None = None
) -> Fact | None:
    """Why a session has to stop; None where it may go on.

    Args:
        settled: ends of its leases, in any order.
        policy: what a loop is; without a watch nothing is.
        as_of: the present, UTC.
        stopped_at: when it was last stopped, UTC. What was before is not held against it again, and while it rests it is
            not stopped again.
    """
    watch = policy.watch
    if watch is None or (stopped_at is not None and as_of < stopped_at + watch.rest):
        return None
    since = as_of - watch.span if stopped_at is None else max(stopped_at, as_of - watch.span)
    turns = [one for one in settled if since < one.at <= as_of and not _is_local(one.candidate.pool, policy)]
    rewrites = [fresh for fresh in (_rewritten(one.usage, watch) for one in turns) if fresh]
    if len(rewrites) < watch.rewrites or sum(rewrites) < watch.fresh:
        return None
    return fact("looping", turns[0].session, rewrites=len(rewrites), fresh=sum(rewrites))


def _is_local(name: str, policy: Policy) -> bool:
    pool = policy.pools.get(name)
    return pool is not None and pool.kind == "local"


def _rewritten(usage: Usage, watch: Watch) -> int:
    """Tokens a turn read anew where it rewrote its prompt; 0 where it did not, or nobody can tell."""
    if usage.cache_read is None:
        return 0
    fresh = sum(int(one.value) for one in (usage.input, usage.cache_write) if one is not None)
    prompt = fresh + int(usage.cache_read.value)
    return fresh if fresh >= watch.prompt and fresh >= watch.share * prompt else 0
