"""What a hive's answers to a change mean, as outcomes. Pure. What nobody can be sure of is never called done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from capacity.ports import Candidate, Outcome, Placement, Reply, Seat

from capacity_hive._hive import told, why
from capacity_hive._status import SUFFIXED, TAILED, suffix

OURS = "capacity"
"""Who paused a seat that was parked by us."""

WRITES = frozenset({"resume", "restore", "demote", "move", "adjust", "park"})
DONE = ("unchanged", "applied", "applied-not-running", "unverified")
"""The outcomes after which a step counts as taken, the one that says most last."""


def judge(seat: Seat | None, placement: Placement) -> Outcome | None:
    """Why a placement must not or need not be sent; None = it is to be sent.

    What a person or another program did to the seat since it was decided about comes before what we wanted.
    """
    if placement.act not in WRITES:
        return Outcome("rejected", f"`{placement.act}` changes nothing and is not applied")
    if seat is None:
        return Outcome("gone", f"the hive has no agent {placement.seat} any more")
    if seat.pinned or seat.held or seat.paused_by not in (None, OURS):
        return Outcome("conflict", f"{seat.name} was pinned, held or paused by somebody else since")
    if _stands(seat, placement):
        return Outcome("unchanged")
    if placement.expected is not None and not at(seat, placement.expected):
        return Outcome("conflict", f"{seat.name} runs {shown(seat)}, not {shown(placement.expected)}")
    return None


def _stands(seat: Seat, placement: Placement) -> bool:
    """Whether a seat is as it is asked to be."""
    if placement.act == "park":
        return seat.paused_by == OURS
    there = placement.candidate is None or at(seat, placement.candidate)
    return there and seat.paused_by is None and placement.cadence in (None, seat.cadence)


def at(seat: Seat, there: Candidate) -> bool:
    """Whether a seat is in a place; the effort that a model's own name carries is told by the name alone."""
    implied = suffix(there.model) if there.harness == SUFFIXED else None
    effort = None if there.effort == implied else there.effort
    return (seat.harness, seat.model, seat.effort) == (there.harness, there.model, effort)


def shown(where: Seat | Candidate) -> str:
    """A place as a person reads it."""
    return f"{where.harness} with {where.model}" + (f" at {where.effort}" if where.effort else "")


def body_of(there: Candidate, here: Seat) -> dict[str, str] | Outcome:
    """What is sent to put an agent there: backend and model together, and the effort where it is another."""
    effort = there.effort
    if there.harness == SUFFIXED:
        implied = suffix(there.model)
        if implied and effort not in (None, implied):
            words = (
                f"{there.model} runs at {implied} and at nothing else, and {effort} was asked for; mend its tier row"
            )
            return Outcome("rejected", words, permanent=True)
        effort = implied or effort
    if there.harness == TAILED and effort:
        return {"backend": there.harness, "model": f"{there.model}:{effort}"}
    told_of = {"reasoning_effort": effort or ""} if effort or here.effort else {}
    return {"backend": there.harness, "model": there.model, **told_of}


def placed(reply: Reply) -> Outcome:
    """The answer to a change of place."""
    answer = told(reply)
    if reply.status != 200:
        return refused(reply)
    if "error" in answer or not str(answer.get("status") or "").startswith("updated"):
        return Outcome("indeterminate", f"the hive's answer does not tell what it did ({why(reply)})", reply.at)
    if answer.get("applied") is not True or answer.get("ok") is False:
        return Outcome("unverified", "the hive saved it, and does not say that it applied it", reply.at)
    if answer.get("restart_error"):
        return Outcome("applied-not-running", "the hive applied it, and the agent did not come up again", reply.at)
    return Outcome("applied" if answer.get("restarted") is True else "unchanged", at=reply.at)


def refused(reply: Reply) -> Outcome:
    """Any answer but 200. A page where an answer should be, or a fault of the server, tells nothing of what was done."""
    words = why(reply)
    if reply.status in {401, 403}:
        return Outcome("unauthorised", f"the hive lets us change nothing ({words}); see its token and `auth`", reply.at)
    if not told(reply) or reply.status not in range(400, 500):
        return Outcome("indeterminate", f"the hive answered without saying what it did ({words})", reply.at)
    if reply.status == 404:
        return Outcome("gone", f"the hive knows no such agent ({words})", reply.at)
    return Outcome("rejected", f"the hive refused it ({words})", reply.at, permanent=reply.status == 400)


def flipped(reply: Reply) -> bool | Outcome:
    """The answer to a pause or a resume: whether it changed anything, or what became of it instead."""
    changed: Any = told(reply).get("changed")
    if reply.status != 200:
        return refused(reply)
    if isinstance(changed, bool):
        return changed
    return Outcome(
        "indeterminate", f"the hive's answer does not tell whether it changed anything ({why(reply)})", reply.at
    )


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Several steps as one: the first that was not taken, else the one that says most."""
    steps = tuple(outcomes)
    failed = next((one for one in steps if one.word not in DONE), None)
    return failed or max(steps, key=lambda one: DONE.index(one.word), default=Outcome("unchanged"))
