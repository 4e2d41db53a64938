"""Folding stops into circuits."""

from __future__ import annotations

from datetime import timedelta

from attrs import evolve

from capacity.core.circuits import LONGEST, fuses
from capacity.values.failures import Stop

from .build import NOW

STOP = Stop(NOW, "operator", "pool", "north")
LOGIN = Stop(NOW, "reading", "pool", "north", "auth")


def test_an_operators_stop_ends_by_word_only() -> None:
    """It stands after a year, and is lifted by a lifting."""
    (standing,) = fuses([STOP], NOW + timedelta(days=365))
    assert standing.ends_at is None
    assert () == fuses([evolve(STOP, lifted=True, at=NOW + LONGEST), STOP], NOW + 2 * LONGEST)


def test_every_other_circuit_has_a_longest_life() -> None:
    """Login evidence that nobody takes back heals after a day."""
    assert fuses([LOGIN], NOW + LONGEST - timedelta(seconds=1))
    assert () == fuses([LOGIN], NOW + LONGEST)


def test_an_end_that_comes_earlier_is_kept() -> None:
    """A stop until an instant ends there."""
    until = NOW + timedelta(minutes=5)
    assert () == fuses([evolve(LOGIN, until=until)], until)


def test_a_lifting_takes_back_its_own_kind_only() -> None:
    """The operator's word does not lift what a reading said."""
    assert 1 == len(fuses([LOGIN, evolve(STOP, lifted=True)], NOW))


def test_what_has_not_begun_does_not_stand() -> None:
    """A stop of tomorrow stops nothing today."""
    assert () == fuses([STOP], NOW - timedelta(days=1))
