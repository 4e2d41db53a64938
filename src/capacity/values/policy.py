"""The policy: everything an operator decides. No default names a model, a tier, a provider or a price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.lanes import Circuits, Deal, Lanes, PoolBudget, Serving, Watch
from capacity.values.methods import Credentials as Credentials
from capacity.values.seats import Egress
from capacity.values.tiers import Tiers

Kind = Literal["subscription", "metered", "local"]
Mode = Literal["shadow", "enforce"]
SeatMatch = Literal["name", "glob", "role", "default"]
PacingMode = Literal["off", "level", "notch"]
Lever = Literal["cadence", "rung"]


@frozen
class AccountPolicy:
    """One login, key or device, and the plugin that reads it.

    Attributes:
        name: the account's name; its whole pool has the same name.
        plugin: the backend's name in the plugin registry.
        credentials: where its secret lives; None = the plugin's own default place.
        options: what the plugin's factory is given, as written.
    """

    name: str
    plugin: str
    credentials: Credentials | None = None
    options: Mapping[str, Any] = field(factory=dict, converter=_check.by_key)


@frozen
class PoolPolicy:
    """How one pool may be used.

    Attributes:
        name: full name, `<account>` or `<account>/<part>`.
        account: the account it belongs to.
        kind: `subscription` (windows that reset), `metered` (money per use), `local` (our own slots).
        exhausted_at: percent used at which it is full while unpaced.
        exhausted_at_paced: percent used at which it is full while pacing lands it.
        money_floor: unit → least that must stay; a unit not named has the floor 0.
        preference: place in the order of preference; 1 comes before 2.
        unmeasurable: nobody can read it; not knowing then counts against nothing.
        egress: how far a request leaves: `none` (this machine), `lan`, `any`.
        models: globs over model names that say what it serves where no listing can; `()` = not said.
        prepare: what loads a model on request: True = the backend's own plugin, else a fleet's actuator that can; an
            argv is run by the host, `{model}` in it replaced by the model's id; `()` = nothing is declared.
        uncontrolled: share of the burn nobody here controls, 0 to 1; None = not declared.
        serving: what its models can serve at once; the first that names a model speaks for it.
    """

    name: str
    account: str
    kind: Kind
    exhausted_at: float = 90.0
    exhausted_at_paced: float = 100.0
    money_floor: Mapping[str, Decimal] = field(factory=dict, converter=_check.amounts)
    preference: int = 100
    unmeasurable: bool = False
    egress: Egress = "any"
    models: tuple[str, ...] = ()
    prepare: tuple[str, ...] | bool = field(default=(), converter=_check.words_or_true)
    uncontrolled: float | None = None
    serving: tuple[Serving, ...] = ()


@frozen
class HarnessPolicy:
    """A program that runs agents.

    Attributes:
        name: the harness's name.
        pools: full names of the pools it may draw on, sorted.
        aliases: a bare word it accepts → the model name it stands for.
    """

    name: str
    pools: tuple[str, ...] = field(default=(), converter=_check.ordered)
    aliases: Mapping[str, str] = field(factory=dict, converter=_check.by_key)


@frozen
class FleetPolicy:
    """A fleet and the actuator that writes to it.

    Attributes:
        name: the fleet's name.
        actuator: the actuator's name in the plugin registry.
        mode: `shadow` decides and applies nothing; `enforce` applies.
        options: what the actuator's factory is given, as written.
    """

    name: str
    actuator: str
    mode: Mode = "shadow"
    options: Mapping[str, Any] = field(factory=dict, converter=_check.by_key)


@frozen
class SeatRule:
    """What the policy says of the seats one pattern matches. A part left None is said by a less specific rule.

    Attributes:
        match: how the pattern is read; the most specific wins: `name`, the longest `glob`, `role`, `default`.
        pattern: a seat's name (`seat` or `fleet/seat`), a glob over either, a role, or `""` for the default.
        tier: where the seat belongs.
        floor: the least it may run on.
        context: tokens one request must hold.
        capabilities: required capabilities.
        profile: egress profile.
        effort: effort it must run at.
        harnesses: allow-list that narrows.
        pools: allow-list that narrows.
        models: allow-list that narrows.
        cadence: how often it starts a turn, where the fleet does not tell.
        rise: may be placed above its tier.
        pinned: an operator fixed its place (flags of all matching rules are joined).
        held: an operator holds it.
    """

    match: SeatMatch
    pattern: str = ""
    tier: str | None = None
    floor: str | None = None
    context: int | None = None
    capabilities: tuple[str, ...] | None = field(default=None, converter=_check.ordered_or_none)
    profile: str | None = None
    effort: str | None = None
    harnesses: tuple[str, ...] | None = field(default=None, converter=_check.ordered_or_none)
    pools: tuple[str, ...] | None = field(default=None, converter=_check.ordered_or_none)
    models: tuple[str, ...] | None = field(default=None, converter=_check.ordered_or_none)
    cadence: timedelta | None = None
    rise: bool | None = None
    pinned: bool = False
    held: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """(match, pattern)."""
        return self.match, self.pattern


def _by_match(rules: Iterable[SeatRule]) -> tuple[SeatRule, ...]:
    """Rules in the order of their keys."""
    return tuple(sorted(rules, key=lambda rule: rule.key))


@frozen
class HighVolume:
    """Seats that run so often that they would drain a subscription.

    Attributes:
        cadence: a seat at or under it is a high-volume seat; None = there are none.
        caps: pool name → how many such seats it takes; a pool not named takes any number.
    """

    cadence: timedelta | None = None
    caps: Mapping[str, int] = field(factory=dict, converter=_check.by_key)


@frozen
class Profile:
    """A wall for what leaves.

    Attributes:
        name: the profile's name.
        egress: the furthest a candidate of it may reach.
        allow: pools it may reach all the same.
        offline: nothing of it ever leaves the machine or its network; `allow` may not say otherwise.
        manual: a session keeps the place it picked; that is checked and counted, and never changed.
    """

    name: str
    egress: Egress = "any"
    allow: tuple[str, ...] = field(default=(), converter=_check.ordered)
    offline: bool = False
    manual: bool = False


@frozen
class Pacing:
    """How pools are paced.

    Attributes:
        mode: `off`, `level` (re-solved level) or `notch` (one seat, one rung a tick).
        band: half-width of the band round 1.0 in which nothing moves, a share of the burn ratio. 0.15 cost least
            rung changes in simulation.
        reserve: points kept back at the reset, scaled by √(time left ÷ window).
        share: what others spend, as a share of what we do, where a pool declares nothing; 0 and up.
        tick: the rhythm the controller is tuned for.
        rungs: model name → burn relative to the other rungs, no unit. A model that is not named is no rung.
        levers: what may be moved; in `notch` mode only rungs are, in `level` mode worth decides which comes first.
        slowest: the slowest a seat may be commanded to turn, as a share of its own pace.
        fastest: the fastest, likewise.
    """

    mode: PacingMode = "level"
    band: float = 0.15
    reserve: float = 1.0
    share: float = 0.15
    tick: timedelta = timedelta(minutes=20)
    rungs: Mapping[str, float] = field(factory=dict, converter=_check.by_key)
    levers: tuple[Lever, ...] = field(default=("cadence", "rung"), converter=_check.ordered)
    slowest: float = 0.25
    fastest: float = 2.0


@frozen
class Policy:
    """Everything an operator decides, with the adopted set the policy names.

    Attributes:
        tiers: the ladder and the rows adopted into it.
        accounts: name → account.
        pools: full name → pool.
        harnesses: name → harness.
        fleets: name → fleet.
        seats: the seat rules, sorted by (match, pattern).
        profiles: name → profile.
        high_volume: the rule for seats that run very often.
        pacing: pacing settings.
        freshness: usual cadence assumed for a reading nobody stamped. Default 1200 s, the rhythm of a slow probe.
        seat_points: percent points a newly placed seat counts as load on its pool. Default 5.
        lanes: how leases are chosen.
        deals: when a pool is cheaper.
        budgets: pool → what it may be used for by our own count.
        watch: when a looping session is stopped; None = never.
        circuits: how failures open circuits.
        notify: argv run when a condition changes; `()` = none.
        version: of the policy's form.
    """

    tiers: Tiers = field(factory=Tiers)
    accounts: Mapping[str, AccountPolicy] = field(factory=dict, converter=_check.by_key)
    pools: Mapping[str, PoolPolicy] = field(factory=dict, converter=_check.by_key)
    harnesses: Mapping[str, HarnessPolicy] = field(factory=dict, converter=_check.by_key)
    fleets: Mapping[str, FleetPolicy] = field(factory=dict, converter=_check.by_key)
    seats: tuple[SeatRule, ...] = field(default=(), converter=_by_match)
    profiles: Mapping[str, Profile] = field(factory=dict, converter=_check.by_key)
    high_volume: HighVolume = field(factory=HighVolume)
    pacing: Pacing = field(factory=Pacing)
    freshness: timedelta = timedelta(seconds=1200)
    seat_points: float = 5.0
    lanes: Lanes = field(factory=Lanes)
    deals: tuple[Deal, ...] = ()
    budgets: Mapping[str, PoolBudget] = field(factory=dict, converter=_check.by_key)
    watch: Watch | None = field(factory=Watch)
    circuits: Circuits = field(factory=Circuits)
    notify: tuple[str, ...] = ()
    version: int = 1

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What was derived from this policy and may be used again. No part of the value: not compared, not written."""
        return {}
