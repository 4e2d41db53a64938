"""From a wanted level to the one that is commanded: clipped to the reach, and slewed; and where that leads."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp, log
from typing import Literal

from attrs import frozen

from capacity.core.tuning import Tuning
from capacity.values.history import Entry
from capacity.values.limits import LimitHeadroom

Direction = Literal["down", "up"]

OVER, UNDER, OWN = "core:over-pace", "core:under-pace", "core:own-pace"
"""The facts a seat is lowered for, raised for, and given back its own pace for."""

LEAST = 0.01
"""A reach that begins at 0 begins at this share of its top instead: a fleet that stands still teaches nothing."""


NOTHING = 1e-6
"""A change of the level that is none."""


@frozen
class Reach:
    """The lowest and the highest level the seats of a pool can be commanded to.

    Attributes:
        low: everybody on the cheapest rung at the slowest cadence.
        high: everybody on the dearest and fastest they may have.
    """

    low: float
    high: float

    def clip(self, level: float) -> float:
        """The level, inside the reach."""
        return min(max(level, self.low, LEAST * self.high), self.high)

    def beyond(self, wanted: float | None, band: float) -> Direction | None:
        """The side on which a wanted level lies outside the reach, by more than the band; None where it does not."""
        if wanted is None:
            return None
        if wanted < self.low / (1 + band):
            return "down"
        return "up" if wanted > self.high * (1 + band) else None


def target(wanted: float | None, level: float, reach: Reach, tuning: Tuning, *, jump: bool) -> float | None:
    """The level to command next; None = hold.

    Args:
        wanted: the level that lands the pool, unclipped; None = hold.
        level: in force.
        reach: of the seats.
        tuning: the controller's figures.
        jump: go there at once, since a window has just begun.
    """
    if wanted is None:
        return None
    goal = reach.clip(wanted)
    if goal <= 0:
        return None
    if level <= 0:
        return reach.clip(reach.low / 2)
    ratio = wanted / level
    if ratio > 0 and abs(log(ratio)) < log(1 + tuning.band):
        return None
    off = log(goal / level)
    if abs(off) < NOTHING:
        return None
    step = min(max(tuning.gain * off, -log(tuning.slew_down)), log(tuning.slew_up))
    near = abs(off) < log(1 + tuning.band)  # the last step to an end of the reach is taken whole
    return goal if jump or near else reach.clip(level * exp(step))


def saturated(
    pace: str, wanted: float | None, level: float, *, least: bool, most: bool, known: bool = True
) -> tuple[Direction, Literal["uncontrolled", "reach"]] | None:
    """Whether a pool that is over or under has no lever left, and why: others alone empty it, or the reach ends.

    Args:
        pace: the pool's word, up to `over` and `under`.
        wanted: the level that lands it.
        level: in force. Where less than that is wanted, a quiet night is not taken for quota that will be destroyed.
        least: whether nothing is left to lower.
        most: whether nothing is left to raise.
        known: whether somebody told what others spend; what is only assumed is no ground to blame them.
    """
    if known and pace == "over" and wanted is not None and wanted < 0:
        return "down", "uncontrolled"
    if pace == "over" and least:
        return "down", "reach"
    quiet = wanted is not None and wanted < level
    return ("up", "reach") if pace == "under" and most and not quiet else None


def paced(entry: Entry | None) -> bool:
    """Whether our last write to a seat was a pacing move that lowered it, so that pacing alone takes it back."""
    return entry is not None and entry.home is not None and entry.because in (OVER, UNDER, OWN)


# --- where it leads -----------------------------------------------------------------------------


@frozen
class Landing:
    """Where a limit ends at the rate it is spent at.

    Attributes:
        empty_at: when it runs out, UTC; None = not before its reset.
        early: how long before its reset that is; None likewise.
        unspent: percent points that are left at its reset; 0 where it runs out before.
    """

    empty_at: datetime | None
    early: timedelta | None
    unspent: float


def landing(one: LimitHeadroom, as_of: datetime) -> Landing | None:
    """Where a limit ends if nothing changes; None where its rate or its reset is not known."""
    resets_at = one.limit.resets_at
    if one.rate is None or one.used is None or resets_at is None or resets_at <= as_of:
        return None
    left, hours = max(100.0 - one.used.low, 0.0), (resets_at - as_of) / timedelta(hours=1)
    unspent = left - one.rate.middle * hours
    if unspent >= 0:
        return Landing(None, None, unspent)
    empty_at = as_of + timedelta(hours=left / one.rate.middle)
    return Landing(empty_at, resets_at - empty_at, 0.0)
