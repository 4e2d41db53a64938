"""Folding readings, and when a limit is full."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from capacity import Limit, Policy, Reading, Scope
from capacity.core.headroom import assess, standing
from capacity.values.limits import Interval, LimitHeadroom, PoolHeadroom
from capacity.values.policy import PoolPolicy

from .build import LATER, NOW, SOON, policy, reading, windows

D = Decimal


def at(line: float, **floor: str) -> PoolPolicy:
    """A pool with that line and those money floors."""
    floors = {unit: D(amount) for unit, amount in floor.items()}
    return PoolPolicy("p", "p", "metered", exhausted_at=line, money_floor=floors)


@pytest.mark.parametrize(
    ("expected", "limit", "pool"),
    [
        ("open", Limit("weekly", 67.0), at(100)),
        ("full", Limit("weekly", 95.0), at(90)),
        ("full", Limit("5h", 95.0, blocked=False), at(90)),
        ("open", Limit("weekly", 100.0, blocked=False), at(100)),
        ("full", Limit("weekly", 12.0, blocked=True), at(100)),
        ("full", Limit("weekly", 99.6), at(100)),
        ("open", Limit("weekly", 99.6, quantum=0.1), at(100)),
        ("open", Limit("balance", left={"USD": D("14.37")}, blocked=False), at(90)),
        ("full", Limit("balance", left={"USD": D("-1.23")}, blocked=True), at(90)),
        ("full", Limit("balance", left={"USD": D("-1.23")}), at(90)),
        ("open", Limit("balance", left={"USD": D("0.00")}, blocked=False), at(90)),
        ("full", Limit("balance", left={"USD": D(3)}, blocked=False), at(90, USD="5")),
        ("open", Limit("balance", left={"CNY": D(0), "USD": D(10)}), at(90)),
        ("full", Limit("balance", left={"USD": D("3.5")}, blocked=True), at(90)),
        ("open", Limit("monthly", 8.0, left={"credits": D("9412.5")}), at(90)),
        ("open", Limit("slots", left={"slots": D(1)}), at(90)),
        ("full", Limit("slots", left={"slots": D(0)}), at(90)),
        ("unknown", Limit("weekly"), at(90)),
        ("open", Limit("service", blocked=False), at(90)),
    ],
)
def test_when_a_limit_is_full(expected: str, limit: Limit, pool: PoolPolicy) -> None:
    """The provider's refusal, then the line, then the amounts; nothing told is unknown."""
    percent = limit.percent
    used = None if percent is None else Interval(percent, percent)
    assert expected == standing(LimitHeadroom(limit, "fresh", used), pool)


def test_the_paced_line_holds_while_pacing_lands_the_pool() -> None:
    """At 95 % a pool is full at its line of 90, and open under the paced line of 100."""
    known = LimitHeadroom(Limit("weekly", 95.0), "fresh", Interval(95.0, 95.0))
    assert "full" == standing(known, at(90), PoolHeadroom("p", pace="learning"))
    assert "open" == standing(known, at(90), PoolHeadroom("p", pace="on-pace", paced=True))


def test_a_figure_ages_into_a_bound_and_then_into_nothing() -> None:
    """Fresh it is exact, stale it is the least that is used, past its reset it says nothing."""
    for age, evidence, low, high in (
        (timedelta(minutes=9), "fresh", 20.0, 20.0),
        (timedelta(minutes=10), "stale", 20.0, 100.0),
    ):
        told = Reading("north", "ok", "test", NOW - age, usual=timedelta(minutes=5), limits=windows())
        (short, _) = assess([told], (), policy(), NOW).pools["north"].limits
        assert (evidence, Interval(low, high)) == (short.evidence, short.used)
    (short, week) = assess([reading("north")], (), policy(), SOON).pools["north"].limits
    assert ("void", Interval(0.0, 100.0)) == (short.evidence, short.used)
    assert "stale" == week.evidence


def test_a_window_without_a_reset_is_void_once_it_must_have_ended() -> None:
    """A five-hour window read six hours ago has ended, whoever says when."""
    told = Reading("north", "ok", "test", NOW, limits=(Limit("5h", 50.0, window=timedelta(hours=5)),))
    (short,) = assess([told], (), policy(), NOW + timedelta(hours=6)).pools["north"].limits
    assert "void" == short.evidence


def test_free_slots_are_known_only_while_fresh() -> None:
    """What a request frees is no lower bound: an old count of slots says nothing."""
    told = Reading(
        "box", "ok", "test", NOW, usual=timedelta(seconds=15), limits=(Limit("slots", left={"slots": D(0)}),)
    )
    (slots,) = assess([told], (), policy(), NOW + timedelta(minutes=5)).pools["box"].limits
    assert "void" == slots.evidence


def test_a_failed_probe_never_replaces_a_good_reading() -> None:
    """The limits stay those of the last good reading; state and detail are those of the newest."""
    bad = Reading("north", "throttled", "test", NOW, detail="asked too often", retry_at=SOON)
    known = assess([bad, reading("north")], (), policy(), NOW).pools["north"]
    assert ("throttled", "asked too often", SOON) == (known.state, known.detail, known.retry_at)
    assert ["5h", "weekly"] == [one.limit.name for one in known.limits]
    assert reading("north").observed_at == known.observed_at


def test_a_pool_is_exhausted_by_its_own_limits_only() -> None:
    """A scoped limit at 100 % leaves the pool's word alone; an unscoped one at its line makes it exhausted."""
    scoped = Limit("weekly:big", 100.0, resets_at=LATER, scope=Scope("model", "big"))
    known = assess([reading("north", limits=windows(20.0, 30.0, scoped))], (), policy(), NOW)
    assert "learning" == known.pools["north"].pace
    known = assess([reading("north", limits=windows(90.0, 30.0))], (), policy(), NOW)
    assert "exhausted" == known.pools["north"].pace


def test_pools_of_the_policy_and_of_the_readings_are_all_told() -> None:
    """A pool nobody read is in the headroom, unknown; a part the policy does not list is there too."""
    known = assess([Reading("stranger/part", "ok", "test", NOW)], (), policy(), NOW)
    assert {"north", "south", "paid", "box", "stranger/part"} == set(known.pools)
    assert known.pools["north"].state is None


def test_nothing_known_is_nothing_told() -> None:
    """Without readings and without a policy there is no pool."""
    assert {} == assess([], (), Policy(), NOW).pools
