"""Conditions the engine raises by itself, and what changed. All others are the decision's, or pass through. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime

from attrs import evolve

from capacity.core.facts import fact
from capacity.engine.documents import Written
from capacity.values.conditions import CONDITIONS, Condition, Fact
from capacity.values.decision import TOOK

NOT_APPLIED, PLUGIN, DOUBLE = "core:not-applied", "core:plugin-failing", "core:duplicate-account"
UNTOLD = "core:untold"
OF_TIERS = frozenset(f"core:{word}" for word in ("tiers-stale", "source-failing", "source-ending", "proposal-waiting"))
ENGINES = frozenset({NOT_APPLIED, PLUGIN, DOUBLE, UNTOLD, *OF_TIERS})
"""The codes an engine raises and clears; a decision carries them through."""


def restated(before: Iterable[Condition], raised: Iterable[Fact], at: datetime) -> tuple[Condition, ...]:
    """What stands once the engine's own conditions are those raised now; each keeps the instant it was first raised."""
    old = {condition.key: condition for condition in before}
    own = {(one.code, one.subject): one for one in raised}
    kept = [condition for key, condition in old.items() if key[0] not in ENGINES]
    kept += [_condition(made, old.get(key), at) for key, made in own.items()]
    return tuple(sorted(kept, key=lambda condition: condition.key))


def _condition(made: Fact, old: Condition | None, at: datetime) -> Condition:
    ends, loud = CONDITIONS[made.code]
    return Condition(made, "raised", old.since if old else at, ends, loud)


def lasting(before: Iterable[Condition], code: str, subjects: Collection[str] | None = None) -> Iterator[Fact]:
    """Facts of that code that stood before, about those subjects; None = about any."""
    return (one.fact for one in before if one.fact.code == code and (subjects is None or one.fact.subject in subjects))


def not_applied(done: Iterable[Written]) -> Iterator[Fact]:
    """The placements that did not take, for any reason but that the seat is gone or that nobody can tell."""
    for written in done:
        outcome = written.outcome
        if outcome is not None and outcome.word not in (*TOOK, "gone", "indeterminate"):
            because = outcome.detail or None
            yield fact("not-applied", "/".join(written.placement.key), outcome=outcome.word, because=because)


def retold(
    before: Iterable[Condition], codes: Collection[str], told: Iterable[Fact], at: datetime
) -> tuple[Condition, ...]:
    """What stands once everything of some of the engine's codes is told anew.

    Args:
        before: what stood.
        codes: the codes.
        told: what is so now.
        at: when, UTC.
    """
    stands = tuple(before)
    own = (one.fact for one in stands if one.fact.code in ENGINES and one.fact.code not in codes)
    return restated(stands, (*own, *told), at)


def with_untold(before: Iterable[Condition], untold: Mapping[str, str], at: datetime) -> tuple[Condition, ...]:
    """What stands once it is known which fleets could not be told what is known, and why."""
    stands = tuple(before)
    own = (one.fact for one in stands if one.fact.code in ENGINES)
    return restated(stands, (*own, *(fact("untold", name, because=why) for name, why in untold.items())), at)


def changes(before: Iterable[Condition], after: Iterable[Condition], at: datetime) -> tuple[Condition, ...]:
    """What is to be entered: conditions raised, or told anew with other figures, and those that ended."""
    old = {condition.key: condition for condition in before}
    new = {condition.key: condition for condition in after}
    told = [condition for key, condition in new.items() if old.get(key) != condition]
    ended = [evolve(condition, status="cleared", since=at) for key, condition in old.items() if key not in new]
    return tuple(sorted((*told, *ended), key=lambda condition: condition.key))


def news(before: Iterable[Condition], changed: Iterable[Condition]) -> tuple[Condition, ...]:
    """Of what changed, what somebody is told: what was raised or ended, not what only has other figures."""
    stood = {condition.key for condition in before}
    return tuple(one for one in changed if one.status == "cleared" or one.key not in stood)
