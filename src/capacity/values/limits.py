"""Limits, readings and headroom: how much of what is used, and how surely that is known.

Percentages are percent **used**, 0 and up; over 100 happens; None is unknown and never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from attrs import field, frozen

from capacity.values import _check

State = Literal["ok", "throttled", "stale-credentials", "login-required", "unsupported", "unreachable", "unrecognised"]
Pace = Literal["learning", "under", "on-pace", "over", "exhausted", "saturated", "unknown"]
Evidence = Literal["fresh", "stale", "void"]
Why = Literal["evidence", "stale", "window-over", "unconfirmed-drop", "no-deadline", "not-started", "sliding"]
"""Why a limit is still `learning`."""


@frozen
class Scope:
    """What a limit binds inside its pool.

    Attributes:
        kind: `model` (the models answering to a name) or `feature` (nothing a seat runs on).
        name: the word the provider uses, casefolded.
    """

    kind: Literal["model", "feature"]
    name: str = field(converter=_check.folded)


@frozen
class Limit:
    """One named cap as a source told it. The three kinds of evidence may each be missing.

    Attributes:
        name: `5h`, `daily`, `weekly`, `monthly` by the window's length, else the provider's word; `:<scope>` behind it.
        percent: percent used, 0 and up; None = not told, or not on a percent scale.
        quantum: the step the percent is told in, in points (1.0 = whole percents).
        blocked: the provider's own word: True refuses, False serves, None silent.
        left: what is left, unit → decimal (`USD`, `credits`, `slots`); of several units any one pays.
        cap: the size of the whole, unit → decimal.
        resets_at: when it next resets, UTC; None = never by itself, or not told.
        window: how long the window is; None = no window, or not told.
        scope: what it binds; None = every model of the pool.
    """

    name: str
    percent: float | None = field(default=None, validator=_check.share)
    quantum: float = field(default=1.0, validator=_check.share)
    blocked: bool | None = None
    left: Mapping[str, Decimal] = field(factory=dict, converter=_check.amounts)
    cap: Mapping[str, Decimal] = field(factory=dict, converter=_check.amounts)
    resets_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    window: timedelta | None = None
    scope: Scope | None = None

    @property
    def frees_on(self) -> Literal["reset", "release", "payment"]:
        """What ends it when it is full: its reset, the release of a slot, or money."""
        if "slots" in self.left or "slots" in self.cap:
            return "release"
        return "payment" if self.resets_at is None and self.percent is None else "reset"


def _by_name(limits: Iterable[Limit]) -> tuple[Limit, ...]:
    """Limits in the order of their names."""
    return tuple(sorted(limits, key=lambda limit: limit.name))


@frozen
class Reading:
    """What one pool's limits were seen to be.

    Attributes:
        pool: the part the reader knows (`""`, `gemini`); engine and command put the account before it.
        state: `ok` carries a quota verdict; `throttled` speaks of the probe only; see the glossary for the others.
        source: which wire told it (`oauth-usage`, `balance`).
        observed_at: when it was true, UTC.
        account: the login's fingerprint, None where nobody could tell.
        published_at: when the store took it, UTC; None = never stored.
        plan: the provider's word for the plan.
        detail: one sentence on what was wrong or dropped; never holds a secret.
        retry_at: not before this instant may the source be asked again.
        usual: the usual cadence of its source's budget, which was asked and told all it knows; None = made by hand or by
            `observe`, and perhaps only a part.
        limits: sorted by name.
    """

    pool: str
    state: State
    source: str
    observed_at: datetime = field(converter=_check.utc)
    account: str | None = None
    published_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    plan: str | None = None
    detail: str | None = None
    retry_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    usual: timedelta | None = None
    limits: tuple[Limit, ...] = field(default=(), converter=_by_name)


@frozen
class Interval:
    """A figure known only within bounds, both included. An unbounded end is `inf`.

    Attributes:
        low: the least it can be.
        high: the most it can be.
    """

    low: float
    high: float

    def __attrs_post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"low {self.low!r} must not be above high {self.high!r}")


@frozen
class Estimate:
    """A figure with its likeliest value and the bounds it is proven to lie in. An unbounded one is `inf`.

    Attributes:
        low: the least it can be.
        middle: what it is most likely.
        high: the most it can be.
    """

    low: float
    middle: float
    high: float

    def __attrs_post_init__(self) -> None:
        if not self.low <= self.middle <= self.high:
            raise ValueError(f"low {self.low!r}, middle {self.middle!r} and high {self.high!r} must not fall")


@frozen
class LimitHeadroom:
    """One limit as known at an instant.

    Attributes:
        limit: what was last told of it.
        evidence: `fresh` (younger than twice its source's usual cadence), `stale` (older, inside its window:
            use only rises, so the figure is a lower bound), `void` (past its reset: the figure says nothing).
        used: percent used as [low, high]; None where the limit is not on a percent scale.
        rate: observed spend at the level in force, percent per hour; None = not assessed.
        allowed_rate: what is left ÷ time to reset, percent per hour; None = no reset, or not assessed.
        pressure: rate ÷ allowed rate, no unit; None = not assessed.
        pace: the limit's own word; None = it cannot be paced.
        why: why that word is `learning`; None where it is not.
        observed_at: when what is known of it was true, UTC: of several sources each tells its own; None = not told.
    """

    limit: Limit
    evidence: Evidence
    used: Interval | None = None
    rate: Estimate | None = None
    allowed_rate: Estimate | None = None
    pressure: Estimate | None = None
    pace: Pace | None = None
    why: Why | None = None
    observed_at: datetime | None = field(default=None, converter=_check.utc_or_none)

    @property
    def left(self) -> Interval | None:
        """Percent left, the complement of `used`; negative where more than the whole was used."""
        return None if self.used is None else Interval(100.0 - self.used.high, 100.0 - self.used.low)


def _known_by_name(limits: Iterable[LimitHeadroom]) -> tuple[LimitHeadroom, ...]:
    """Limits as known, in the order of their names."""
    return tuple(sorted(limits, key=lambda one: one.limit.name))


@frozen
class PoolHeadroom:
    """What is left of one pool.

    Attributes:
        pool: full name, `<account>` or `<account>/<part>`.
        state: the newest reading's state; None = never read.
        pace: the pool's word.
        observed_at: when the newest *good* reading was true, UTC; None = there is none.
        source: which wire told that reading.
        detail: what the newest reading says went wrong.
        retry_at: not before this may its source be asked, UTC.
        plan: the provider's word for the plan.
        limits: sorted by name.
        binding: name of the unscoped limit with the worst pressure; None = not assessed.
        pressure: the worst over the unscoped limits; None = not assessed.
        paced: the policy paces it and its burn is known, so that the paced line is in force.
        wanted: the level that would land the pool empty at its reset, unclipped, in the unit of the levels it was
            assessed with; under 0 what others spend alone empties it. Where no level was recorded, a multiple of
            the level in force. None = hold.
        jump: a window has just begun, or must have: go to `wanted` at once.
    """

    pool: str
    state: State | None = None
    pace: Pace = "unknown"
    observed_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    source: str | None = None
    detail: str | None = None
    retry_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    plan: str | None = None
    limits: tuple[LimitHeadroom, ...] = field(default=(), converter=_known_by_name)
    binding: str | None = None
    pressure: Estimate | None = None
    paced: bool = False
    wanted: float | None = None
    jump: bool = False


@frozen
class Headroom:
    """What is left of every pool, as known at one instant.

    Attributes:
        as_of: the instant, UTC.
        pools: pool name → its headroom, sorted by name.
    """

    as_of: datetime = field(converter=_check.utc)
    pools: Mapping[str, PoolHeadroom] = field(factory=dict, converter=_check.by_key)
