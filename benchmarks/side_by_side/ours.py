"""`choose` as a broker calls it: readings, stops and counters kept from one turn to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from benchmarks.side_by_side.deployment import DEPLOYMENT, is_local, pool_of
from benchmarks.side_by_side.generate import Event, Situation
from capacity import History, Inventory, Limit, Model, Need, Policy, Reading, Scope, assess, classify
from capacity.core.choose import choose
from capacity.core.circuits import fuses, stops_for
from capacity.core.headroom import fold
from capacity.values.budgets import Spent
from capacity.values.failures import Stop
from capacity.values.history import Holds
from capacity.values.lanes import Lane, Lanes, Pick, Serving, Step
from capacity.values.leases import Lease
from capacity.values.models import PoolInventory
from capacity.values.policy import AccountPolicy, HarnessPolicy, PoolPolicy, Profile
from capacity.values.seats import Candidate
from capacity.values.tiers import TierRow, Tiers

START = datetime(2026, 9, 18, 12, tzinfo=UTC)
WEEK = timedelta(days=7)
LENGTHS: Mapping[str, timedelta] = {"5h": timedelta(hours=5), "weekly": WEEK}
USUAL = timedelta(minutes=5)


def instant(at: int) -> datetime:
    """A second of a situation."""
    return START + timedelta(seconds=at)


def candidate(model: str) -> Candidate:
    """The one place of a model."""
    return Candidate("cli", pool_of(model), model)


# --- the deployment, in our words -------------------------------------------------------------------


def policy() -> Policy:
    """The policy. A pool is full at 100 percent, as the peer has it."""
    names = (*DEPLOYMENT["pools"], "box")
    pools = {name: PoolPolicy(name, name, "subscription", exhausted_at=100.0) for name in names if name != "box"}
    pools["box"] = PoolPolicy("box", "box", "local", egress="lan", serving=tuple(_servings()))
    lanes = {name: _lane(name, said) for name, said in DEPLOYMENT["lanes"].items()}
    tiers = {name: lane for name, lane in lanes.items() if DEPLOYMENT["lanes"][name].get("tier")}
    return Policy(
        tiers=Tiers(tuple(tiers), tuple(TierRow(next(iter(tiers)), "cli", model) for model in DEPLOYMENT["models"])),
        accounts={name: AccountPolicy(name, name) for name in names},
        pools=pools,
        harnesses={"cli": HarnessPolicy("cli", names)},
        profiles={name: _profile(name) for name in lanes.keys() - tiers.keys()},
        lanes=Lanes(tiers=tiers, profiles={name: lane for name, lane in lanes.items() if name not in tiers}),
    )


def _servings() -> Iterator[Serving]:
    for name, said in DEPLOYMENT["models"].items():
        if is_local(name):
            yield Serving(
                name,
                said["slots"],
                said["each"],
                said["window"],
                reserve=said.get("reserve"),
                least=said.get("least", 0),
            )


def _lane(name: str, said: Mapping[str, Any]) -> Lane:
    first, *rest = [tuple(Pick(model=model) for model in part) for part in said["parts"]]
    share = 1 / said["local_share"] if "local_share" in said else None
    return Lane(name, first, tuple(map(Step, rest)), share)


def _profile(name: str) -> Profile:
    said = DEPLOYMENT["lanes"][name]
    egress = "lan" if said.get("wall") else "any"
    return Profile(name, egress, tuple(said.get("allow", ())), offline=said.get("offline", False))  # type: ignore[arg-type]  # both are words of the list


# --- one situation -------------------------------------------------------------------------------------


class Ours:
    """What is kept through one situation."""

    def __init__(self, rules: Policy) -> None:
        self.policy = rules
        self.seen: dict[str, Any] = {}
        self.stops: list[Stop] = []
        self.spent: tuple[Spent, ...] = ()
        self.leases: tuple[Lease, ...] = ()
        self.resident: list[str] = []
        self.granted = Counter[str]()

    def learn(self, event: Event) -> None:
        """Take in what happened."""
        now = instant(event["at"])
        if "read" in event or "unread" in event:
            self.seen = fold([self._reading(event, now)], self.seen)
        elif "spent" in event:
            spent = Decimal(str(event["percent"]))
            count = Spent(event["spent"], "weekly", "tokens", spent, now - WEEK / 2, now + WEEK / 2, Decimal(100))
            self.spent = (*self.spent, count)
        elif "leases" in event:
            self.leases = tuple(_leases(event["leases"], now))
        elif "resident" in event:
            self.resident = event["resident"]
        elif "stop" in event:
            self.stops.append(_stop(event, now))

    def _reading(self, event: Event, now: datetime) -> Reading:
        if "unread" in event:
            return Reading(event["unread"], "unreachable", "page", now, usual=USUAL)
        return Reading(event["read"], "ok", "page", now, usual=USUAL, limits=tuple(map(_limit, event["windows"])))

    def blames(self, event: Event) -> str:
        """Whom a failure is blamed on. What it opens is kept."""
        said, now, place = event["failure"], instant(event["at"]), candidate(event["failed"])
        failure = classify(
            at=now,
            body=f'{{"error":{{"code":"{said["code"]}","message":"{said["message"]}"}}}}' if said["status"] else "",
            status=said["status"],
            text="" if said["status"] else f"{said['code']}: {said['message']}",
            transport=said["transport"] or None,
        )
        headroom = assess((), (), self.policy, now, start=self.seen)
        self.stops += stops_for(failure, place, at=now, session="one", headroom=headroom, policy=self.policy)
        return failure.blames

    def pick(self, event: Event) -> str | None:
        """What is chosen for one turn; None = nothing now. The turn is over before the next one asks."""
        now, tier = instant(event["at"]), DEPLOYMENT["lanes"][event["ask"]].get("tier")
        need = Need(
            tier=event["ask"] if tier else None,
            profile=None if tier else event["ask"],
            context=event["size"],
            turn=True,
            local=event["local"],
        )
        headroom = assess((), (), self.policy, now, start=self.seen)
        holds = Holds(fuses(self.stops, now, self.policy.circuits), self.leases)
        history = History(now, holds=holds, spent=self.spent, granted=self.granted)
        choice = choose(need, self._inventory(now), headroom, self.policy, history)
        self.granted.update(choice.draws)
        return None if choice.candidate is None else choice.candidate.model

    def _inventory(self, now: datetime) -> Inventory:
        listed: dict[str, list[Model]] = {}
        for name, said in DEPLOYMENT["models"].items():
            residency = None if not is_local(name) else "resident" if name in self.resident else "loadable"
            listed.setdefault(pool_of(name), []).append(Model(name, context=said["window"], residency=residency))  # type: ignore[arg-type]  # both are words of the list
        return Inventory(
            now, {pool: PoolInventory(pool, "authoritative", True, now, tuple(found)) for pool, found in listed.items()}
        )


def _limit(told: tuple[str, float, int]) -> Limit:
    name, percent, ends = told
    word, _, scope = name.partition(":")
    bound = Scope("model", scope) if scope else None
    return Limit(name, percent, resets_at=instant(ends), window=LENGTHS[word], scope=bound)


def _leases(counts: Mapping[str, int], now: datetime) -> Iterator[Lease]:
    for model, count in counts.items():
        for at in range(count):
            name = f"{model} {at}"
            yield Lease(name, name, candidate(model), "lane", "any", name, 0, 1, now - timedelta(seconds=9), now + WEEK)


def _stop(event: Event, now: datetime) -> Stop:
    name, until = event["stop"], None if event["until"] is None else instant(event["until"])
    if name in DEPLOYMENT["pools"]:
        return Stop(now, "operator", "pool", name, until=until)
    return Stop(now, "operator", "candidate", "|".join(candidate(name).key), until=until)


def answers(situation: Situation, rules: Policy) -> Iterator[str | None]:
    """Whom each failure was blamed on, and what was picked for each turn, in order."""
    kept = Ours(rules)
    for event in situation["events"]:
        kept.learn(event)
        if "failed" in event:
            yield kept.blames(event)
        if "ask" in event:
            yield from (kept.pick(event) for _ in range(event["times"]))
