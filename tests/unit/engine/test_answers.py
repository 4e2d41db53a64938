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
from capacity.ports import Listing, Model
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


def test_what_names_no_part_speaks_of_every_pool_of_a_divided_account() -> None:
    """An account of parts is no pool itself, so what is said of the account is said of each of them."""
    divided = Login("a", "print", ("a/x", "a/y"))
    found = said(PROBE, (reading(part="", state="login-required"), reading(part="y")), divided, NOON)

    assert [("a/x", "login-required"), ("a/y", "login-required"), ("a/y", "ok")] == [
        (one.pool, one.state) for one in found.readings
    ]


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


def listed(login: Login, *models: Model) -> Listing:
    """What is published of an authoritative list."""
    (found,) = said(LISTING, (evolve(listing(""), models=models),), login, NOON).listings
    return found


def test_models_without_a_part_are_where_the_policy_says() -> None:
    """Where a list names no part, globs over names do, in any case; one that several take is in each of them."""
    globs = {"a/x": ("SMALL-*",), "a/y": ("*-2", "big model"), "a/z": ()}
    found = listed(
        Login("a", "print", ("a/x", "a/y", "a/z"), serves=globs),
        Model("small-1"), Model("small-2"), Model("b", names=frozenset({"Big Model"})), Model("told", pool="z"),
    )  # fmt: skip  # the login, then its models

    assert "authoritative" == found.authority
    assert [("a/x", "small-1"), ("a/x", "small-2"), ("a/y", "b"), ("a/y", "small-2"), ("a/z", "told")] == [
        (model.pool, model.id) for model in found.models
    ]


def test_a_list_with_a_model_of_no_known_part_is_not_the_whole() -> None:
    """Any part may serve it, so no part may be said to lack a model; it stays under the account, for all to see."""
    found = listed(Login("a", "print", ("a/x",), serves={"a/x": ("small-*",)}), Model("small-1"), Model("odd"))

    assert ("partial", ["a", "a/x"]) == (found.authority, [model.pool for model in found.models])


def test_globs_do_not_move_the_models_of_an_account_that_is_a_pool() -> None:
    """They say what a pool serves where no list can; this one can."""
    found = listed(evolve(LOGIN, serves={"a": ("nothing",), "a/x": ("*",)}), Model("m"))

    assert ("authoritative", ["a"]) == (found.authority, [model.pool for model in found.models])


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
