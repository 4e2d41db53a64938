"""What the parts of a policy need of each other. Every check gives all faults it finds.

The names are in `declared`, the bounds of figures in `bounds`, what is about leases in `lease_checks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time
from math import isfinite
from typing import Any

from capacity.codec.bounds import out_of_bounds
from capacity.codec.declared import Declared, known
from capacity.codec.draft import Place, StandIn
from capacity.codec.faults import below, joined, moved, quoted
from capacity.codec.lease_checks import LEASE_CHECKS
from capacity.errors import Fault
from capacity.values.methods import TRUST, Method, TierSourcePolicy
from capacity.values.policy import (
    AccountPolicy,
    FleetPolicy,
    HarnessPolicy,
    HighVolume,
    Pacing,
    PoolPolicy,
    SeatRule,
)
from capacity.values.tiers import TierRow

Part = tuple[Place, Any]
"""One value of a policy, and where it is written."""

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SECRET_KEY = re.compile(r"(api_?key|authorization|bearer|passw(or)?d|secret|token)$", re.IGNORECASE)
USERINFO = re.compile(r"://[^/?#\s@]*@")
NO_SECRETS = 'the policy holds no secret: say where it is, `credentials = { env = "NAME" }` or `{ file = "PATH" }`'


def checked(parts: Iterable[Part], declared: Declared) -> Iterator[Fault]:
    """Every fault of the parts of a policy that cannot be seen by looking at one key alone."""
    parts = list(parts)
    for place, value in parts:
        yield from place.moved(out_of_bounds(value))
        for checks in (CHECKS, LEASE_CHECKS):
            if type(value) in checks:
                yield from place.moved(checks[type(value)](value, declared))
    yield from _twice([(place, value) for place, value in parts if isinstance(value, TierRow)])
    yield from _inverted(
        [(place, value) for place, value in parts if isinstance(value, SeatRule)], declared.tiers or ()
    )


def _account(account: AccountPolicy, _: Declared) -> Iterator[Fault]:
    yield from _plain_name(account.name, "an account")
    yield from _reached(account)


def _source(source: TierSourcePolicy, _: Declared) -> Iterator[Fault]:
    yield from _plain_name(source.name, "a source")
    if ":" in source.name:
        yield Fault("", "the name of a source holds a :", "ids of rows are joined by it to its name; use another sign")
    yield from _reached(source)


def _reached(part: AccountPolicy | TierSourcePolicy) -> Iterator[Fault]:
    yield from moved(_unfit(part.options), "options")
    credentials = part.credentials
    if credentials is None:
        return
    if (credentials.env is None) == (credentials.file is None):
        yield Fault("credentials", "must say either env or file", "keep the one that holds the secret")
    if credentials.env is not None and not VARIABLE.fullmatch(credentials.env):
        yield Fault("credentials.env", "is no name of an environment variable", NO_SECRETS)


def _method(method: Method, _: Declared) -> Iterator[Fault]:
    yield from moved(out_of_bounds(method.vetoes), "vetoes")
    for name, weight in method.weights.items():
        if not 0 <= weight <= 1:
            yield Fault(joined("weights", name), f"{weight} is out of range", "give it from 0 to 1")
    for word, spread in method.trust.items():
        yield from known(joined("trust", word), "provenance", word, tuple(TRUST))
        if not 0 <= spread <= 10:
            yield Fault(joined("trust", word), f"{spread} is out of range", "give it from 0 to 10, in logits")


def _pool(pool: PoolPolicy, _: Declared) -> Iterator[Fault]:
    if pool.name != pool.account:
        yield from _plain_name(pool.name.removeprefix(f"{pool.account}/"), "a part")


def _harness(harness: HarnessPolicy, declared: Declared) -> Iterator[Fault]:
    if not harness.pools:
        yield Fault("pools", "a harness without a pool can run nothing", "name the pools it may draw on")
    for pool in harness.pools:
        yield from declared.pool("pools", pool)


def _fleet(fleet: FleetPolicy, _: Declared) -> Iterator[Fault]:
    yield from _plain_name(fleet.name, "a fleet")
    yield from moved(_unfit(fleet.options), "options")


def _row(row: TierRow, declared: Declared) -> Iterator[Fault]:
    yield from declared.tier("tier", row.tier)
    yield from declared.harness("harness", row.harness)


def _seat_rule(rule: SeatRule, declared: Declared) -> Iterator[Fault]:
    if not rule.pattern and rule.match != "default":
        yield Fault("", f"an empty {rule.match} matches no seat", "use [seats.default] for all seats")
    yield from declared.tier("tier", rule.tier)
    yield from declared.tier("floor", rule.floor)
    yield from declared.profile("profile", rule.profile)
    for harness in rule.harnesses or ():
        yield from declared.harness("harnesses", harness)
    for pool in rule.pools or ():
        yield from declared.pool("pools", pool)


def _high_volume(rule: HighVolume, declared: Declared) -> Iterator[Fault]:
    for pool, cap in rule.caps.items():
        yield from declared.pool(joined("caps", pool), pool)
        if cap < 0:
            yield Fault(joined("caps", pool), f"{cap} seats are less than none")


def _pacing(pacing: Pacing, _: Declared) -> Iterator[Fault]:
    for model, rung in pacing.rungs.items():
        if not 0 < rung < float("inf"):
            yield Fault(joined("rungs", model), "must be more than 0", "a rung is a burn relative to the others")


CHECKS: Mapping[type[Any], Callable[[Any, Declared], Iterator[Fault]]] = {
    AccountPolicy: _account,
    FleetPolicy: _fleet,
    HarnessPolicy: _harness,
    HighVolume: _high_volume,
    Method: _method,
    Pacing: _pacing,
    PoolPolicy: _pool,
    SeatRule: _seat_rule,
    TierRow: _row,
    TierSourcePolicy: _source,
}


def _plain_name(name: str, what: str) -> Iterator[Fault]:
    """Names are joined by `/` to the names of pools, seats and placements, so none holds one."""
    if not name.strip():
        yield Fault("", f"{what} has no name", "give it one")
    elif "/" in name:
        yield Fault("", f"the name of {what} holds a /", "names of pools and seats are joined by it; use another sign")


def _unfit(options: Any) -> Iterator[Fault]:
    """What a plugin's options may not hold: secrets, and what JSON has no word for."""
    items: Iterable[tuple[str | int, Any]] = options.items() if isinstance(options, Mapping) else enumerate(options)
    for key, value in items:
        if isinstance(value, Mapping | list):
            yield from moved(_unfit(value), joined(key))
        elif isinstance(value, str) and (SECRET_KEY.search(str(key)) or USERINFO.search(value)):
            yield Fault(joined(key), "looks like a secret", NO_SECRETS)
        elif isinstance(value, date | time) or (isinstance(value, float) and not isfinite(value)):
            yield Fault(
                joined(key), "is neither a text, a finite number, a flag, a list nor a table", "write it as text"
            )


def _twice(rows: list[Part]) -> Iterator[Fault]:
    """Adopted rows of one (harness, model, effort): nobody could say which counts."""
    first: dict[Any, str] = {}
    for place, row in rows:
        if isinstance(row.harness, StandIn) or isinstance(row.model, StandIn):
            continue
        if row.key in first:
            yield Fault(
                place.path, f"tells of the same harness, model and effort as {first[row.key]}", "keep one of them"
            )
        first.setdefault(row.key, place.path)


def _inverted(rules: list[Part], tiers: tuple[str, ...]) -> Iterator[Fault]:
    """Floors above the tier they belong to, where no third rule can come between."""
    ranks = {name: rank for rank, name in reversed(list(enumerate(tiers)))}  # one named twice has its first rank
    default = next((rule for _, rule in rules if rule.match == "default"), None)
    for place, rule in rules:
        others = [other for _, other in rules if other not in (rule, default)]
        tier, floor = (_given(rule, default, others, part) for part in ("tier", "floor"))
        own = rule.floor is not None or rule.tier is not None
        if own and tier is not None and floor is not None and ranks.get(floor, len(ranks)) < ranks.get(tier, 0):
            yield Fault(
                below(place.path, "floor" if rule.floor else "tier"),
                f"the floor {quoted(floor)} is above the tier {quoted(tier)}",
                f"tiers are named best first: {', '.join(tiers)}",
            )


def _given(rule: SeatRule, default: SeatRule | None, others: list[SeatRule], part: str) -> str | None:
    """What a seat of that rule gets for one part of its need; None for nothing, and where that hangs on the seat."""
    own: str | None = getattr(rule, part)
    if own is not None or default is None or any(getattr(other, part) is not None for other in others):
        return own
    given: str | None = getattr(default, part)
    return given
