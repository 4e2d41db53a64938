"""Conditions of the engine's own stand until what raised them is over; of what changed, only news is told."""

from __future__ import annotations

from attrs import evolve

from capacity.engine.documents import Written
from capacity.engine.standing import changes, lasting, news, not_applied, restated
from capacity.ports import Outcome, Placement
from capacity.values.conditions import Condition, Fact, Figure

from .scene import HOUR, NOON

FULL = Condition(Fact("core:pool-exhausted", "a"), "raised", NOON, "reset")
DOUBLE = Condition(Fact("core:duplicate-account", "b"), "raised", NOON, "operator", loud=True)
FOREIGN = Condition(Fact("hive:asleep", "s1"), "raised", NOON, "morning")
LATER = NOON + HOUR


def test_own_conditions_are_those_raised_now() -> None:
    """What is raised again keeps its instant, what is not is gone, and what is not the engine's is untouched."""
    failing = Fact("core:plugin-failing", "a probe")

    assert (evolve(DOUBLE), Condition(failing, "raised", LATER, "operator", loud=True), FULL, FOREIGN) == restated(
        [FULL, DOUBLE, FOREIGN], [DOUBLE.fact, failing], LATER
    )
    assert (FULL, FOREIGN) == restated([FULL, DOUBLE, FOREIGN], [], LATER)


def test_what_nothing_new_is_known_of_lasts() -> None:
    """Facts of a code are found again by subject, or all of them."""
    other = evolve(DOUBLE, fact=Fact("core:duplicate-account", "c"))

    assert [DOUBLE.fact] == list(lasting([FULL, DOUBLE, other], "core:duplicate-account", {"b"}))
    assert [DOUBLE.fact, other.fact] == list(lasting([FULL, DOUBLE, other], "core:duplicate-account"))


def test_only_what_somebody_has_to_look_at_is_not_applied() -> None:
    """What took, what is gone and what nobody can tell raises nothing here."""
    act = Placement("t/f/s1", "f", "s1", "move", Fact("core:room"))
    words = ("applied", "unchanged", "gone", "indeterminate", "rejected", "conflict", "unauthorised")
    found = [
        fact.figure("outcome") for word in words for fact in not_applied([Written(act, NOON, outcome=Outcome(word))])
    ]

    assert ["rejected", "conflict", "unauthorised"] == found


def test_changes_and_news() -> None:
    """Raised and ended is news; other figures are entered, and told to nobody."""
    fuller = evolve(FULL, fact=evolve(FULL.fact, figures=(Figure("used", 99.0, "percent"),)))
    ended = evolve(DOUBLE, status="cleared", since=LATER)
    before, after = [FULL, DOUBLE], [fuller, FOREIGN]

    assert (ended, fuller, FOREIGN) == changes(before, after, LATER)
    assert (ended, FOREIGN) == news(before, changes(before, after, LATER))
    assert () == changes(before, before, LATER)
