"""What one answer tells of an account, put together: limits, plan, and a sentence on what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice

from attrs import frozen
from capacity.ports import Limit, Reading

from capacity_codex._purse import USAGE_BASED, credits_left, depleted, reached_word, resets_in_hand, spending_cap
from capacity_codex._windows import limits, refusal, scope_of, unique, worst
from capacity_codex._wire import ROWS_MOST, part, word

NAMED_MOST = 5
"""So many dropped things are named in a reading's detail; the rest is counted, so that it stays one sentence."""

DEPLETED = "the workspace ran out of credits or of its cap: whoever owns it has to raise it"


@frozen
class Told:
    """What an answer says.

    Attributes:
        limits: every limit it tells, each name once.
        plan: the service's word for the plan.
        notes: what was not read and what a person has to know, in a few words each.
    """

    limits: tuple[Limit, ...]
    plan: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether a figure or a flag speaks of something a seat runs on."""
        return usable(self.limits)

    @property
    def detail(self) -> str | None:
        """One sentence on what a person has to know; None = nothing."""
        more = len(self.notes) - NAMED_MOST
        return "; ".join([*self.notes[:NAMED_MOST], *([f"{more} more"] if more > 0 else [])]) or None

    def reading(self, source: str, at: datetime) -> Reading:
        """It as a reading: `unrecognised` where it holds no figure that anything could rest on."""
        if self.usable:
            return Reading("", "ok", source, at, plan=self.plan, detail=self.detail, limits=self.limits)
        nothing = "; ".join(filter(None, ["this answer holds no figure that this version knows", self.detail]))
        return Reading("", "unrecognised", source, at, plan=self.plan, detail=nothing)


def usable(found: Iterable[Limit]) -> bool:
    """Whether a figure or a flag speaks of something a seat runs on."""
    binding = [limit for limit in found if limit.scope is None or limit.scope.kind == "model"]
    return any(limit.percent is not None or limit.blocked is not None or limit.left for limit in binding)


def snapshot(row: object, at: datetime, ident: object = None, *, refused: bool | None = None) -> tuple[Limit, ...]:
    """The limits of one snapshot, as the program and its session files write it: windows, credits, a cap.

    Args:
        row: the snapshot.
        at: when it was told.
        ident: the id it is filed under; None = its own.
        refused: what was said beside it of the whole account; None = nothing.
    """
    scope = scope_of(part(row, "limit_id") or ident, part(row, "limit_name"))
    if scope is not None:
        return unique(limits(row, at, scope, refused=was_reached(row)))
    windows = limits(row, at, refused=worst(refused, was_reached(row)))
    alone = is_alone(part(row, "plan_type"), windows)
    beside = (
        credits_left(part(row, "credits"), alone=alone),
        spending_cap(part(row, "individual_limit"), part(row, "spend_control_reached"), at, alone=alone),
        depleted(part(row, "rate_limit_reached_type")),
    )
    return unique([*windows, *(limit for limit in beside if limit is not None)])


def was_reached(row: object) -> bool | None:
    """Whether a window was reached, in the words of the answer; None = it does not say. A workspace that ran out says nothing of the windows."""
    reached = part(row, "rate_limit_reached_type")
    return True if reached_word(reached) is not None and depleted(reached) is None else None


def is_alone(plan: object, windows: Iterable[Limit]) -> bool:
    """Whether credits are the only limit: the plan says so, and no window contradicts it.

    A plan that merely told no window is no such plan: its windows are unknown.
    """
    return USAGE_BASED in (word(plan) or "") and not any(windows)


def snapshots(body: object, at: datetime) -> Told:
    """The limits of an answer of the program: one snapshot, and beside or inside it those of every limit by its id."""
    own, refused = part(body, "rate_limits"), refusal(body)
    table = part(body, "rate_limits_by_limit_id") or part(own, "rate_limits_by_limit_id")
    by_id = list(islice(table.items(), ROWS_MOST)) if isinstance(table, dict) else []
    rows = [(own, None), *((row, ident) for ident, row in by_id)]
    found = [limit for row, ident in rows for limit in snapshot(row, at, ident, refused=refused)]
    resets = resets_in_hand(part(body, "rate_limit_reset_credits"))
    notes = (DEPLETED,) if any(depleted(part(row, "rate_limit_reached_type")) for row, _ in rows) else ()
    return Told(unique([*found, *([resets] if resets else [])]), plan_of(*(row for row, _ in rows), body), notes)


def plan_of(*rows: object) -> str | None:
    """The first word for a plan."""
    return next((plan for row in rows if (plan := word(part(row, "plan_type"))) is not None), None)
