"""An answer becomes values to publish, or says whose fault it is that it does not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity.engine.answers import Login, said, told
from capacity.engine.backends import Source
from capacity.errors import Fault, FormError, TimedOut
from capacity.plugins import INVENTORIES, PROBERS, Plugin
from capacity.ports import Listing
from capacity.testing.fakes import BUDGET

from .scene import HOUR, NOON, listing, reading

LOGIN = Login("a", "print", ("a", "a/x"))
PROBE, LISTING = (
    Source("a", kind, Plugin(group, "fake", "capacity-fake", "1.2", dict), BUDGET, dict)  # type: ignore[arg-type]  # words of the engine
    for kind, group in (("probe", PROBERS), ("listing", INVENTORIES))
)


def test_readings_are_qualified_and_stamped() -> None:
    """The account goes before the part; login, cadence and instant come from the producer."""
    found = said(PROBE, (reading(part=""), reading(part="x")), LOGIN, NOON + HOUR)

    assert found.good
    assert ["a", "a/x"] == [one.pool for one in found.readings]
    assert {("print", BUDGET.usual, NOON, NOON + HOUR)} == {
        (one.account, one.usual, one.observed_at, one.published_at) for one in found.readings
    }


def test_nothing_is_seen_before_it_happens() -> None:
    """A provider whose clock is ahead does not make its figures fresh for longer."""
    found = said(PROBE, (reading(observed_at=NOON + HOUR),), LOGIN, NOON)

    assert NOON == found.readings[0].observed_at


@pytest.mark.parametrize(
    ("answer", "state", "faulty"),
    [
        (TimedOut("usage", "nothing came"), "unreachable", False),
        (FormError("usage", (Fault("", "is HTML"),)), "unrecognised", False),
        (ValueError("no JSON"), "unrecognised", False),
        (RecursionError(), "unrecognised", False),
        ((), "unrecognised", False),
        (KeyError("five_hour"), "unreachable", True),
        (None, "unreachable", True),
        ([reading()], "unreachable", True),
        ((reading(), "no reading"), "unreachable", True),
    ],
)
def test_what_went_wrong_is_told_of_every_pool(answer: Any, state: str, faulty: bool) -> None:
    """Silence is unreachable, gibberish unrecognised; what else a plugin does is its fault, and names its distribution."""
    found = said(PROBE, answer, LOGIN, NOON)

    assert not found.good
    assert [("a", state), ("a/x", state)] == [(one.pool, one.state) for one in found.readings]
    assert all(one.detail and not one.limits for one in found.readings)
    assert faulty == (found.fault is not None)
    if found.fault is not None:
        assert ("capacity-fake", "1.2", "a probe") == (
            found.fault.figure("distribution"),
            found.fault.figure("version"),
            found.fault.subject,
        )


def test_a_long_body_in_an_error_is_cut() -> None:
    """An error that quotes what it could not read does not carry it into the store."""
    found = said(PROBE, ValueError("x" * 10_000), LOGIN, NOON)

    assert len(found.readings[0].detail or "") < 300


def test_a_throttled_answer_tells_nothing_and_sets_an_instant() -> None:
    """The latest instant set by any of the readings holds."""
    answer = tuple(reading(part=part, state="throttled", retry_at=at) for part, at in (("", NOON + HOUR), ("x", None)))
    found = said(PROBE, answer, LOGIN, NOON)

    assert (False, NOON + HOUR) == (found.good, found.retry_at)


def test_one_good_pool_is_a_good_answer() -> None:
    """A source that tells of one pool and not of the other is not failing."""
    assert said(PROBE, (reading(), reading(part="x", state="unrecognised")), LOGIN, NOON).good


def test_a_missing_login_is_an_answer() -> None:
    """That nobody is logged in is known; asking more rarely would only tell later that it has changed."""
    assert said(PROBE, (reading(state="login-required"),), LOGIN, NOON).good


def test_pages_are_joined_and_qualified() -> None:
    """Two pages of one source are one listing under full pool names, with the login of the account."""
    pages = (listing("a", authority="partial"), listing("b"))
    found = said(LISTING, pages, LOGIN, NOON)

    assert [("authoritative", "print", BUDGET.usual)] == [
        (one.authority, one.account, one.usual) for one in found.listings
    ]
    assert {("a", "model-of-a"), ("a", "model-of-b")} == {
        (model.pool, model.id) for one in found.listings for model in one.models
    }


@pytest.mark.parametrize("answer", [TimedOut("models", "nothing came"), (), (evolve(listing("a"), models=()),)])
def test_a_failed_or_empty_listing_is_no_sample(answer: Any) -> None:
    """It is published, and says nothing about which models there are."""
    found = said(LISTING, answer, LOGIN, NOON)

    assert [("unknown", ())] == [(one.authority, one.models) for one in found.listings]
    assert not found.good


def test_what_others_saw_has_no_cadence() -> None:
    """Evidence nobody's budget stands behind is stamped with none."""
    found = told((reading(usual=timedelta(seconds=5)), listing("a")), LOGIN, NOON, None)

    assert (None, None) == (found.readings[0].usual, found.listings[0].usual)
    assert isinstance(found.listings[0], Listing)
