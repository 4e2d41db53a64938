"""Lanes, budgets and deals: what the policy says of leases. Competence orders tiers; cost never ranks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.failures import HOLDS, FailureKind, Hold


@frozen
class Pick:
    """A pattern over candidates: every part that is given must match.

    Attributes:
        harness: the harness.
        pool: full pool name.
        model: any name the model answers to.
        effort: the effort word.
    """

    harness: str | None = None
    pool: str | None = None
    model: str | None = None
    effort: str | None = None


@frozen
class Step:
    """One group of an ordered fallback. Its candidates compete together once nothing before it can serve.

    Attributes:
        candidates: what is in it.
        after: how long a turn has to have waited before it opens.
    """

    candidates: tuple[Pick, ...] = ()
    after: timedelta = timedelta(0)


@frozen
class Lane:
    """The ordered candidates of a tier or a profile, and what to do when they cannot serve.

    Attributes:
        name: of the tier or profile.
        candidates: what is in it; `()` = the adopted rows of the tier, or whatever the profile lets through.
        fallback: the steps after it, in order.
        local_share: share of the leases that go to local pools while both local and others can serve, above 0 and
            below 1; None = off: local pools serve where no other can.
        weights: pool → its weight, above 0; the highest of those that tie comes first. 1 where nothing is said.
        fit: model name → how well it fits this lane, above 0; decides among one pool's candidates only.
    """

    name: str
    candidates: tuple[Pick, ...] = ()
    fallback: tuple[Step, ...] = ()
    local_share: float | None = None
    weights: Mapping[str, float] = field(factory=dict, converter=_check.by_key)
    fit: Mapping[str, float] = field(factory=dict, converter=_check.by_key)


@frozen
class Phrases:
    """A rule that raises the tier of a turn by what is asked. It never lowers one.

    Attributes:
        tier: the least tier of a turn that one of the phrases occurs in.
        any: phrases of whole words, case ignored; `*` stands for up to three words.
        but: phrases that take it back.
    """

    tier: str
    any: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


@frozen
class Lanes:
    """Which lane a turn is decided in, and the lanes.

    Attributes:
        tiers: tier → its lane, where something is to be said of it.
        profiles: profile → a lane of its own; a profile that is not named uses its tier's.
        default: tier of an agent that no rule names; None = the lowest.
        agents: agent, or the beginning of its name and a `*` → a tier, `inherit` (its parent's) or `classifier`.
        aliases: tier → a higher tier that serves in its place.
        classifier: the lane of turns that only sort others; None = they are turns like any other.
        phrases: rules over what is asked.
        points_tokens: tokens worth reading anew for one point of headroom, where a session is displaced or returns.
        step_tokens: tokens worth reading anew for one tier.
        cache_life: how long a provider keeps the prompt of a turn, as far as nobody tells.
        roomy: share of a window above which a turn prefers a roomier one.
    """

    tiers: Mapping[str, Lane] = field(factory=dict, converter=_check.by_key)
    profiles: Mapping[str, Lane] = field(factory=dict, converter=_check.by_key)
    default: str | None = None
    agents: Mapping[str, str] = field(factory=dict, converter=_check.by_key)
    aliases: Mapping[str, str] = field(factory=dict, converter=_check.by_key)
    classifier: Lane | None = None
    phrases: tuple[Phrases, ...] = ()
    points_tokens: int = 20_000
    step_tokens: int = 200_000
    cache_life: timedelta = timedelta(minutes=5)
    roomy: float = 0.6


@frozen
class Serving:
    """What one model of a pool can serve at once, where its listing does not tell, or tells it wrong.

    Attributes:
        model: any name the model answers to; None = every model of the pool.
        slots: leases at once over all candidates that run it; None = as its pool's reading tells, else no bound.
        each: leases at once of one candidate; None = no bound of its own.
        context: tokens a request may have; it wins over the listing. None = as listed.
        base_context: tokens its plan pays for without a long-context extra; None = not known.
        reserve: tokens kept free for the answer; None = not told, and `share` applies.
        share: share of the window a prompt may fill where no reserve is told; None = 0.6 where the pool is local,
            else 0.85.
        least: tokens under which a prompt is not taken; 0 = any.
        device: the device it is loaded on; models of one device are loaded one at a time.
        evicts: loading it puts another model out, so it is only loaded where lane or need names it alone.
    """

    model: str | None = None
    slots: int | None = None
    each: int | None = None
    context: int | None = None
    base_context: int | None = None
    reserve: int | None = None
    share: float | None = None
    least: int = 0
    device: str | None = None
    evicts: bool = False


@frozen
class Deal:
    """A time at which a pool is cheaper. It breaks ties and weighs spend; it opens and closes nothing.

    Attributes:
        pool: full pool name.
        model: any name of the model it is for; None = every model of the pool.
        multiplier: what spend counts, above 0 and up to 1.
        start: time of day at which it begins, as the span since midnight; None = all day.
        end: time of day at which it ends; before `start` it ends the next day.
        zone: the zone of that day.
        since: from when on, UTC; None = always.
        until: until when, UTC; None = for ever.
    """

    pool: str
    multiplier: float
    model: str | None = None
    start: timedelta | None = None
    end: timedelta | None = None
    zone: str = "UTC"
    since: datetime | None = field(default=None, converter=_check.utc_or_none)
    until: datetime | None = field(default=None, converter=_check.utc_or_none)


METERS = ("requests", "tokens")
"""What a window of our own ledger counts, where it does not count money."""

TOKENS: Mapping[str, float] = {"input": 1.0, "output": 1.0, "cache_read": 0.1, "cache_write": 1.0}
"""Kind of token → what one counts where the policy says nothing else. A token read from a cache is charged a tenth of one
read anew by the providers that publish both, and by the meters of subscriptions as far as anybody measured them."""


@frozen
class BudgetWindow:
    """One window of our own ledger.

    Attributes:
        name: its name (`5h`, `weekly`, `monthly`, or any).
        length: how long it is.
        meter: what is counted: `requests`, `tokens` (weighted), or a unit of money.
        ceiling: how much there is of it; None = not known until it is learned.
        anchor: an instant at which one began, UTC; None = it begins with the first spend.
        stops: once it is spent nothing more is granted; else it only ranks.
    """

    name: str
    length: timedelta
    meter: str = "tokens"
    ceiling: Decimal | None = None
    anchor: datetime | None = field(default=None, converter=_check.utc_or_none)
    stops: bool = False


@frozen
class PoolBudget:
    """What one pool may be used for, by our own count.

    Attributes:
        pool: full pool name.
        windows: the windows that are counted.
        weights: `input`, `output`, `cache_read`, `cache_write` → what a token of it counts; a kind not named counts
            1, but `cache_read` 0.1.
        shares: team, agent or task → share of each window that is its own, 0 to 1.
        reserve: share of each window that nobody but the named ones may use.
    """

    pool: str
    windows: tuple[BudgetWindow, ...] = ()
    weights: Mapping[str, float] = field(factory=dict, converter=_check.by_key)
    shares: Mapping[str, float] = field(factory=dict, converter=_check.by_key)
    reserve: float = 0.0


@frozen
class Watch:
    """When a session that rewrites its whole prompt again and again is stopped.

    Attributes:
        span: the time that is looked at.
        rewrites: full rewrites in it, at the least.
        fresh: tokens they read anew together, at the least.
        prompt: tokens a rewrite reads anew, at the least.
        share: share of its prompt that a rewrite reads anew, at the least.
        rest: how long a stopped session is left alone afterwards.
    """

    span: timedelta = timedelta(minutes=5)
    rewrites: int = 4
    fresh: int = 1_500_000
    prompt: int = 100_000
    share: float = 0.5
    rest: timedelta = timedelta(minutes=15)


@frozen
class Circuits:
    """How failures open circuits.

    Attributes:
        holds: kind → what it blames and for how long.
        settle: how long a refusal stands against a reading that says otherwise: a usage page lags behind its gate.
        models: different models that must fail before a pool is quarantined.
        sessions: different sessions that must.
        within: the time they must do it in.
        quarantine: how long a quarantined pool is left alone before one lease at a time tries it.
    """

    holds: Mapping[FailureKind, Hold] = field(factory=lambda: dict(HOLDS), converter=_check.by_key)
    settle: timedelta = timedelta(minutes=15)
    models: int = 2
    sessions: int = 2
    within: timedelta = timedelta(minutes=15)
    quarantine: timedelta = timedelta(minutes=30)
