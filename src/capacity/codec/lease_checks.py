"""What the policy's parts about leases need of each other. Every check gives all faults it finds, by the file's keys.

Aliases lead upwards only, so none can lead back; what is offline has no exception; shares of one window are shares of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from math import isfinite
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from capacity.codec.declared import Declared, known
from capacity.codec.faults import joined, nearest, quoted
from capacity.errors import Fault
from capacity.values.failures import Hold
from capacity.values.lanes import METERS, TOKENS, BudgetWindow, Deal, Lane, Lanes, Phrases, Pick, PoolBudget, Step
from capacity.values.policy import PoolPolicy, Profile

RULES = ("inherit", "classifier")
"""What an agent's rule may say in place of a tier."""


def _profile(profile: Profile, declared: Declared) -> Iterator[Fault]:
    for pool in profile.allow:
        yield from declared.pool("allow", pool)
    if profile.offline and profile.allow:
        yield Fault("allow", "lets an offline profile out", "take it out, or take offline out")
    if profile.offline and profile.egress == "any":
        yield Fault("egress", 'is "any" and the profile is offline', 'say "lan" or "none", or take offline out')


def _lanes(lanes: Lanes, declared: Declared) -> Iterator[Fault]:
    yield from declared.tier("default", lanes.default)
    for tier in lanes.tiers:
        yield from declared.tier(joined("tiers", tier), tier)
    for profile in lanes.profiles:
        yield from declared.profile(joined("profiles", profile), profile)
    for agent, tier in lanes.agents.items():
        yield from _agent(joined("agents", agent), agent)
        yield from declared.tier(joined("agents", agent), tier, RULES)
    for low, high in lanes.aliases.items():
        yield from _alias(joined("aliases", low), low, high, declared)


def _agent(path: str, agent: str) -> Iterator[Fault]:
    if not agent.strip():
        yield Fault(path, "is the rule of an agent without a name", "name it; `*` stands for every agent")
    elif "*" in agent[:-1]:
        yield Fault(path, "holds a * that is not its end", "write the beginning of a name and one `*`")


def _alias(path: str, low: str, high: str, declared: Declared) -> Iterator[Fault]:
    told = [*declared.tier(path, low), *declared.tier(path, high)]
    yield from told
    tiers = declared.tiers
    if not told and tiers is not None and tiers.index(high) >= tiers.index(low):
        yield Fault(
            path,
            f"{quoted(high)} is no higher tier than {quoted(low)}",
            f"an alias only leads upwards; tiers are named best first: {', '.join(tiers)}",
        )


def _lane(lane: Lane, declared: Declared) -> Iterator[Fault]:
    for pool, weight in lane.weights.items():
        yield from declared.pool(joined("weights", pool), pool)
        yield from _above_nothing(joined("weights", pool), weight)
    for model, fit in lane.fit.items():
        yield from _above_nothing(joined("fit", model), fit)


def _above_nothing(path: str, figure: float) -> Iterator[Fault]:
    if not (figure > 0 and isfinite(figure)):
        yield Fault(path, f"{figure} is no weight", "give a number above 0")


def _step(step: Step, _: Declared) -> Iterator[Fault]:
    if not step.candidates:
        yield Fault("candidates", "a step without a candidate can serve nothing", "name some, or take the step out")


def _pick(pick: Pick, declared: Declared) -> Iterator[Fault]:
    yield from declared.harness("harness", pick.harness)
    yield from declared.pool("pool", pick.pool)


def _phrases(phrases: Phrases, declared: Declared) -> Iterator[Fault]:
    yield from declared.tier("tier", phrases.tier)
    if not phrases.any:
        yield Fault("any", "a rule without a phrase raises nothing", "give one, or take the rule out")
    for key, all_ in (("any", phrases.any), ("but", phrases.but)):
        for index, phrase in enumerate(all_):
            if not phrase.replace("*", " ").strip():
                yield Fault(joined(key, index), "holds no word, so it would occur in everything", "write some words")


def _pool(pool: PoolPolicy, _: Declared) -> Iterator[Fault]:
    """The first table that names a model speaks for it, so one that comes too late never does."""
    spoken: set[str | None] = set()
    for index, serving in enumerate(pool.serving):
        model = serving.model and serving.model.casefold()
        if None in spoken or model in spoken:
            yield Fault(
                joined("serving", index), "never counts: one before it speaks for its model", "change their order"
            )
        spoken.add(model)


def _deal(deal: Deal, declared: Declared) -> Iterator[Fault]:
    yield from declared.pool("pool", deal.pool)
    if (deal.start is None) != (deal.end is None):
        yield Fault(
            "end" if deal.end is None else "start", "is missing", "give both times of day, or neither for all day"
        )
    elif deal.start is not None and deal.start == deal.end:
        yield Fault("end", "is when it starts", "leave both out for all day")
    if deal.since is not None and deal.until is not None and deal.until <= deal.since:
        yield Fault("until", "is not after since", "exchange them")
    if not _is_zone(deal.zone):
        yield Fault("zone", f"there is no zone {quoted(deal.zone)}", nearest(deal.zone, available_timezones()))


def _is_zone(name: str) -> bool:
    """Whether it can be told what time it is there. UTC can, also on a host without a table of zones."""
    if name == "UTC":
        return True
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # nobody knows it; it is a folder of zones; it is no path at all
        return False
    return True


def _budget(budget: PoolBudget, declared: Declared) -> Iterator[Fault]:
    yield from declared.pool("", budget.pool)
    if not budget.windows:
        yield Fault("windows", "a budget without a window counts nothing", "give one, or take the budget out")
    names = [window.name for window in budget.windows]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Fault(
                joined("windows", index, "name"), f"{quoted(name)} stands there twice", "give each its own name"
            )
    for kind, weight in budget.weights.items():
        yield from known(joined("weights", kind), "kind of token", kind, TOKENS)
        if not (weight >= 0 and isfinite(weight)):
            yield Fault(joined("weights", kind), f"{weight} is no weight", "give a number from 0 up")
    yield from _shares(budget)


def _shares(budget: PoolBudget) -> Iterator[Fault]:
    for name, share in budget.shares.items():
        if not 0 < share <= 1:
            yield Fault(joined("shares", name), f"{share} is no share", "give it above 0 and up to 1")
    whole = sum(budget.shares.values())
    if whole > 1 + 1e-9:  # a tenth ten times is a little more than one, in floats
        yield Fault("shares", f"add up to {whole:.4g}", "there is one whole of each window to share")
    if budget.reserve and not budget.shares:
        yield Fault("reserve", "is kept for nobody", "name whom it is for under shares")


def _window(window: BudgetWindow, _: Declared) -> Iterator[Fault]:
    if not window.name.strip():
        yield Fault("name", "is blank", "name the window")
    near = get_close_matches(window.meter.casefold(), METERS, n=1, cutoff=0.75)
    if window.meter not in METERS and (near or not window.meter.strip()):
        remedy = f"did you mean {quoted(near[0])}?" if near else "`requests`, `tokens`, or a unit of money"
        yield Fault("meter", f"{quoted(window.meter)} is nothing that is counted", remedy)


def _hold(hold: Hold, _: Declared) -> Iterator[Fault]:
    if hold.blames != "none" and hold.span is None:
        yield Fault("span_s", "is missing", 'say for how long, or blames = "none"')


LEASE_CHECKS: Mapping[type[Any], Callable[[Any, Declared], Iterator[Fault]]] = {
    BudgetWindow: _window,
    Deal: _deal,
    Hold: _hold,
    Lane: _lane,
    Lanes: _lanes,
    Phrases: _phrases,
    Pick: _pick,
    PoolBudget: _budget,
    PoolPolicy: _pool,
    Profile: _profile,
    Step: _step,
}
"""Class → what its values need."""
