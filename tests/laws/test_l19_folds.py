"""L19: fold(a + b) is fold(a) continued with b."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from capacity import Policy
from capacity.core import catalogue, headroom
from capacity.core.circuits import fuses
from capacity.testing.strategies import listings, readings, value
from capacity.values.failures import Stop
from capacity.values.limits import Reading
from capacity.values.models import Listing

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)


@given(st.lists(readings(), max_size=8), st.integers(0, 8), st.randoms(use_true_random=False))
def test_readings(told: list[Reading], cut: int, chance: Random) -> None:
    """Headroom does not hang on where a fold was interrupted, on order, or on duplicates."""
    start = headroom.fold(told[:cut])
    whole = headroom.assess(told, (), Policy(), NOW)
    assert headroom.assess(told[cut:], (), Policy(), NOW, start=start) == whole
    mixed = [*told, *told[:2]]
    chance.shuffle(mixed)
    assert headroom.assess(mixed, (), Policy(), NOW) == whole


@given(st.lists(listings(), max_size=8), st.integers(0, 8))
def test_listings(told: list[Listing], cut: int) -> None:
    """The inventory does not hang on where a fold was interrupted."""
    told = sorted(told, key=lambda one: (one.observed_at, one.source, repr(one)))
    start = catalogue.fold(told[:cut])
    assert catalogue.catalogue(told[cut:], NOW, start=start) == catalogue.catalogue(told, NOW)


@given(st.lists(value(Stop), max_size=8), st.randoms(use_true_random=False))
def test_stops(told: list[Stop], chance: Random) -> None:
    """Circuits do not hang on the order in which stops are told."""
    mixed = list(told)
    chance.shuffle(mixed)
    assert fuses(mixed, NOW) == fuses(told, NOW)
