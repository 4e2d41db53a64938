"""What changed in the evidence since the last look: a changed row waits, and one that jumps waits for a person.

While it waits, what it said before counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import hypot

from attrs import evolve

from capacity.values.evidence import Evidence
from capacity.values.methods import Method
from capacity.values.proposals import Docket


def compared(rows: Sequence[Evidence], docket: Docket, method: Method, as_of: datetime) -> list[Evidence]:
    """The evidence, with what changed held.

    Args:
        rows: as told now.
        docket: the last look, and what an operator let in.
        method: how long a change waits, and what is a jump.
        as_of: the present, UTC.
    """
    seen = {one.id: one for one in docket.previous.evidence} if docket.previous else {}
    return [_held(one, seen[one.id], docket, method, as_of) if one.id in seen else one for one in rows]


def _held(now: Evidence, before: Evidence, docket: Docket, method: Method, as_of: datetime) -> Evidence:
    same = now.digest == before.digest
    now = evolve(now, seen_at=before.seen_at if same else as_of)
    waits = before.use == "held" or (before.use == "quarantined" and before.why == "jump") if same else True
    if not waits or now.use != "decides" or before.logit is None or now.digest in docket.accepted:
        return now
    if _jumped(now, before, method) if not same else before.why == "jump":
        return evolve(now, use="quarantined", why="jump", logit=before.logit, logit_stderr=before.logit_stderr)
    if as_of - now.seen_at < method.hold and (same or before.use in ("decides", "held")):
        return evolve(now, use="held", why="changed", logit=before.logit, logit_stderr=before.logit_stderr)
    return now


def _jumped(now: Evidence, before: Evidence, method: Method) -> bool:
    if now.score is None or before.score is None or now.pair != before.pair or now.benchmark != before.benchmark:
        return False
    gap = abs(now.score - before.score)
    return gap > method.jump or gap > method.jump_z * hypot(now.stderr or 0, before.stderr or 0)
