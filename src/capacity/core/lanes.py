"""Lanes: which one a turn is decided in, what is in it, and how large a prompt a place takes.

A lane orders what may serve; it never makes a place good enough. Competence is the tier's to say, and phrases may only
raise it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from capacity.values.lanes import Lane, Lanes, Phrases, Pick, Serving
from capacity.values.policy import Kind, Policy
from capacity.values.seats import Need

LOCAL_SHARE, SHARE = 0.6, 0.85
"""Share of a window that a prompt may fill where nobody tells how much the answer takes: a local server stops at its
slot's end in the middle of an answer, a provider's window is as a rule larger than it lists."""

CLASSIFIER, INHERIT = "classifier", "inherit"
"""What an agent's rule may say beside a tier."""

WHOLE = Serving()
"""What is said of a model nobody says anything of."""


def lane_of(policy: Policy, need: Need) -> Lane:
    """The lane a need is decided in: the one it names, else its profile's, else its tier's, else one without a word."""
    lanes = policy.lanes
    if need.lane == CLASSIFIER and lanes.classifier is not None:
        return lanes.classifier
    name = need.lane or (need.profile if need.profile in lanes.profiles else need.tier) or ""
    return lanes.profiles.get(name) or lanes.tiers.get(name) or Lane(name)


def stage(lane: Lane, harness: str, pool: str, names: frozenset[str], effort: str | None) -> int | None:
    """Which part of a lane a place is in: 0 the lane itself, 1 and up a step of its fallback; None = it is in none.

    Args:
        lane: the lane.
        harness: the place's harness.
        pool: its pool.
        names: the names its model answers to, those of the lane's picks among them.
        effort: its effort.
    """
    for at, picks in enumerate([lane.candidates, *(step.candidates for step in lane.fallback)]):
        if any(_meant(pick, harness, pool, names, effort) for pick in picks):
            return at
    return None if lane.candidates else 0


def _meant(pick: Pick, harness: str, pool: str, names: frozenset[str], effort: str | None) -> bool:
    return (
        pick.harness in (None, harness)
        and pick.pool in (None, pool)
        and (pick.model is None or pick.model.casefold() in names)
        and pick.effort in (None, effort)
    )


def alone(lane: Lane, at: int) -> bool:
    """Whether one pick alone makes a part of a lane, and names a model."""
    picks = lane.candidates if at == 0 else lane.fallback[at - 1].candidates
    return len(picks) == 1 and picks[0].model is not None


def asked(policy: Policy) -> Iterator[str]:
    """Every model name that lanes, deals and servings ask about, casefolded."""
    lanes = policy.lanes
    every = [*lanes.tiers.values(), *lanes.profiles.values(), *([lanes.classifier] if lanes.classifier else [])]
    for lane in every:
        yield from (pick.model.casefold() for pick in _picks(lane) if pick.model is not None)
        yield from (name.casefold() for name in lane.fit)
    yield from (deal.model.casefold() for deal in policy.deals if deal.model is not None)


def _picks(lane: Lane) -> Iterator[Pick]:
    yield from lane.candidates
    for step in lane.fallback:
        yield from step.candidates


def serving(rules: Iterable[Serving], names: frozenset[str]) -> Serving:
    """What a pool's policy says of a model: the first that names it, or every model, speaks."""
    return next((one for one in rules if one.model is None or one.model.casefold() in names), WHOLE)


def usable(window: int | None, said: Serving, kind: Kind) -> int | None:
    """The largest prompt a window takes, in tokens: what is left of it beside the answer. None = nobody can tell."""
    if window is None:
        return None
    if said.reserve is not None and said.reserve < window:
        return window - said.reserve
    share = (LOCAL_SHARE if kind == "local" else SHARE) if said.share is None else said.share
    return int(window * share)


# --- from an agent to its tier ---------------------------------------------------------------------


def tier_of(policy: Policy, agent: str, parent: str | None = None) -> str | None:
    """The tier of an agent's turns: by its exact name, else by the longest beginning that fits, else the default.

    Args:
        policy: its rules.
        agent: the agent's name.
        parent: the tier of the turn it was called in; None = it was not.

    Returns:
        A tier, `classifier`, or None where the policy has no tier at all.
    """
    lanes, names = policy.lanes, policy.tiers.names
    default = lanes.default or (names[-1] if names else None)
    said = lanes.agents.get(agent) or _by_beginning(lanes, agent)
    if said == INHERIT:
        return parent or default
    return said or default


def _by_beginning(lanes: Lanes, agent: str) -> str | None:
    fitting = [rule for rule in lanes.agents if rule.endswith("*") and agent.startswith(rule[:-1])]
    return lanes.agents[max(fitting, key=len)] if fitting else None


def settled(policy: Policy, tier: str | None, text: str = "") -> str | None:
    """The tier a turn is decided in: raised by what is asked, then by the tier's alias. Never lower than it came.

    Args:
        policy: its rules.
        tier: the tier by the agent's rule.
        text: what is asked, as the person wrote it; `""` = nobody tells.
    """
    ranks = {name: rank for rank, name in enumerate(policy.tiers.names)}
    if tier not in ranks:
        return tier
    floors = [rule.tier for rule in policy.lanes.phrases if rule.tier in ranks and occurs(rule, text)]
    raised = min([tier, *floors], key=ranks.__getitem__)
    alias = policy.lanes.aliases.get(raised, raised)
    return min([raised, alias], key=lambda name: ranks.get(name, len(ranks)))


def occurs(rule: Phrases, text: str) -> bool:
    """Whether one of a rule's phrases occurs in a text, and none of those that take it back."""
    words = " ".join(re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.casefold()))
    return any(_found(phrase, words) for phrase in rule.any) and not any(_found(phrase, words) for phrase in rule.but)


def _found(phrase: str, words: str) -> bool:
    """Whether a phrase occurs in words that stand one blank apart; `*` stands for up to three of them."""
    parts = [re.escape(word) if word != "*" else r"(?:\S+ ){0,3}" for word in phrase.casefold().split()]
    pattern = " ".join(parts).replace(r"(?:\S+ ){0,3} ", r"(?:\S+ ){0,3}")
    return bool(parts) and re.search(rf"(?:^| ){pattern}(?:$| )", words) is not None
