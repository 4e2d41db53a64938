"""Why there is no lease, in one code: what belongs to the story of a turn, and what is not its business."""

from __future__ import annotations

import pytest
from attrs import evolve

from capacity.values.failures import Circuit

from .turns import NOW, chosen, smart


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
