"""Why there is no lease, in one code: what belongs to the story of a turn, and what is not its business."""

from __future__ import annotations

from datetime import timedelta

import pytest
from attrs import evolve

from capacity.values.failures import Circuit

from .turns import NOW, at, chosen, smart

SOON = timedelta(seconds=15)


def test_a_place_that_was_not_asked_for_is_no_part_of_the_story() -> None:
    """Full or stopped, what the list leaves out is neither what stands in the way nor what the answer is about."""
    stop = Circuit("operator", "pool", "amber", "other", NOW)
    choice = chosen(smart(pools=("quartz",)), amber=20, opal=100, quartz=100, circuits=(stop,))

    assert ("refuse", "quota-spent", "quartz") == (choice.act, choice.code, choice.fact.subject)


@pytest.mark.parametrize("word", [{"tier": "samrt"}, {"floor": "wroker"}])
def test_a_tier_nobody_declared_grants_nothing(word: dict[str, str]) -> None:
    """A mistyped word asks for no competence at all, and must not be given whatever has room."""
    choice = chosen(evolve(smart(), **word), amber=0, opal=0, quartz=0)  # type: ignore[arg-type]  # words of a need

    assert ("refuse", "not-resolvable", "core:tier-unknown") == (choice.act, choice.code, choice.fact.code)
    assert choice.fact.subject in word.values()


def stopped(kind: str = "overload") -> tuple[Circuit, ...]:
    """A stop of each candidate of the lane that a failure opened just now."""
    names = ("|".join(at(model).key) for model in ("amber-large", "opal-large", "quartz-large"))
    return tuple(Circuit("refusal", "candidate", name, kind, NOW, NOW + SOON) for name in names)  # type: ignore[arg-type]  # a kind


def test_a_stop_that_is_over_soon_is_told_with_its_end() -> None:
    """Whoever is refused for seconds knows when to ask again, and that nobody promised it."""
    choice = chosen(smart(), amber=0, opal=0, quartz=0, circuits=stopped())

    assert ("refuse", "core:circuit") == (choice.act, choice.fact.code)
    assert (NOW + SOON, False) == (choice.opens_at, choice.known)


def test_a_stop_of_the_only_candidate_is_the_story_of_its_place() -> None:
    """Not what nobody could read of its pool, which would be no reason to refuse it."""
    choice = chosen(smart(), amber=None, opal=None, quartz=None, circuits=stopped("quota"))

    assert ("refuse", "quota-spent", "core:circuit") == (choice.act, choice.code, choice.fact.code)
