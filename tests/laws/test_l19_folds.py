"""L19: fold(a + b) is fold(a) continued with b."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from capacity import Policy
from capacity.core import catalogue, headroom
from capacity.core.circuits import LONGEST_TOLD, fold, fuses
from capacity.testing.strategies import listings, readings, value
from capacity.values.failures import FailureKind, Origin, Stop, Subject
from capacity.values.limits import Reading
from capacity.values.models import Listing

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
KINDS: tuple[FailureKind, ...] = ("quota", "rate", "other")
ORIGINS: tuple[Origin, ...] = ("refusal", "refusal", "refusal", "operator", "evidence")
NAMES: dict[Subject, tuple[str, ...]] = {
    "pool": ("north", "south"),
    "candidate": ("h|north|a|", "h|north|b|", "h|south|a|"),
    "backend": ("fake",),
}


@st.composite
def stops(draw: st.DrawFn) -> Stop:
    """Stops that meet: few names, and minutes that fall together."""
    at = NOW + timedelta(minutes=draw(st.integers(0, 40)))
    subject = draw(st.sampled_from(("pool", "candidate", "candidate", "backend")))
    until = draw(st.none() | st.integers(1, 3000).map(lambda minutes: at + timedelta(minutes=minutes)))
    return Stop(
        at,
        draw(st.sampled_from(ORIGINS)),
        subject,
        draw(st.sampled_from(NAMES[subject])),
        draw(st.sampled_from(KINDS)),
        until,
        lifted=draw(st.booleans()) and draw(st.booleans()),
        known=draw(st.booleans()),
        indicts=draw(st.booleans()),
        session=draw(st.sampled_from(("", "a", "b"))),
    )


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


@given(st.lists(stops(), max_size=12), st.integers(0, 12), st.randoms(use_true_random=False), st.integers(0, 40))
def test_stops(told: list[Stop], cut: int, chance: Random, hours: int) -> None:
    """Circuits do not hang on where a fold was interrupted, on order, or on duplicates."""
    as_of = max([NOW, *(stop.at for stop in told)]) + timedelta(hours=hours)
    whole = fuses(told, as_of)
    assert fuses(told[cut:], as_of, start=fold(told[:cut])) == whole
    mixed = [*told, *told[:2]]
    chance.shuffle(mixed)
    assert fuses(mixed, as_of) == whole
    assert fold(mixed[cut:], fold(mixed[:cut])) == fold(told)


@given(st.lists(value(Stop), max_size=8), st.randoms(use_true_random=False))
def test_any_stops(told: list[Stop], chance: Random) -> None:
    """Whatever a log holds, circuits do not hang on the order in which it is told, and each has its end."""
    mixed = list(told)
    chance.shuffle(mixed)
    found = fuses(mixed, NOW)
    assert found == fuses(told, NOW)
    assert all(one.origin == "operator" or (one.ends_at and NOW < one.ends_at <= NOW + LONGEST_TOLD) for one in found)


@given(st.lists(stops(), max_size=12), st.integers(0, 40))
def test_only_what_indicts_is_evidence(told: list[Stop], hours: int) -> None:
    """No number of failures that are not the provider's fault puts a pool in quarantine, whatever their kind."""
    as_of = max([NOW, *(stop.at for stop in told)]) + timedelta(hours=hours)
    own = [stop for stop in told if stop.origin != "evidence"]
    innocent = [evolve(stop, indicts=False) for stop in own]
    assert not any(one.origin == "evidence" for one in fuses(innocent, as_of))
    for one in fuses(own, as_of):
        if one.origin == "evidence":
            against = [
                stop for stop in own if stop.indicts and not stop.lifted and stop.name.split("|")[1:2] == [one.name]
            ]
            assert len({stop.name.split("|")[2] for stop in against}) >= 2
            assert len({stop.session for stop in against} - {""}) >= 2
