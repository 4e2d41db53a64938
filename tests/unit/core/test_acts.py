"""One act for one seat: each documented case, and who wins where two could apply."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from attrs import evolve

from capacity import Decision, Limit, Model, Placement, Reading, Scope, decide
from capacity.core.advance import advance
from capacity.core.sentences import sentence
from capacity.values.failures import Circuit
from capacity.values.history import Entry
from capacity.values.models import Missed
from capacity.values.policy import HarnessPolicy, HighVolume, PoolPolicy, SeatRule
from capacity.values.tiers import TierRow, Tiers

from .build import (
    LATER,
    MODELS,
    NOW,
    ROWS,
    SOON,
    TIERS,
    decided,
    full,
    headroom,
    history,
    inventory,
    parked,
    place,
    policy,
    reading,
    seat,
    windows,
)

EMPTY = reading("paid", limits=(Limit("balance", left={"USD": Decimal("-1.23")}, blocked=True),))
NOTHING = {"north": full("north"), "south": full("south"), "paid": EMPTY}


def one(decision: Decision) -> Placement:
    """The only placement."""
    (placement,) = decision.placements
    return placement


def told(placement: Placement) -> tuple[str, str]:
    """Act and code."""
    return placement.act, placement.fact.code.removeprefix("core:")


def moved(placement: Placement) -> tuple[str, str | None]:
    """Act and the model it puts the seat on."""
    return placement.act, placement.candidate.model if placement.candidate else None


# --- leave ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "changes"),
    [("pinned", {"pinned": True}), ("held", {"held": True}), ("paused", {"paused_by": "operator"})],
)
def test_what_an_operator_fixed_is_left(code: str, changes: dict[str, object]) -> None:
    """Even on an exhausted pool."""
    assert ("leave", code) == told(one(decided(seat(**changes), north=full())))


def test_a_fleet_that_may_not_be_written_to_is_left() -> None:
    """Whether it refuses or another controller holds it."""
    assert ("leave", "fleet-refuses") == told(one(decided(past=history(refuses="being edited"), north=full())))
    assert ("leave", "second-controller") == told(one(decided(past=history(held_by="other"), north=full())))


def test_a_seat_whose_pool_nobody_knows_is_left() -> None:
    """No listing answers to its model, and its harness may draw on several pools."""
    assert ("leave", "pool-unknown") == told(one(decided(seat(model="nobodys"))))
    assert ("leave", "harness-unknown") == told(one(decided(evolve(seat(), harness="stranger"))))


def entry(act: str, there: str | None, **more: object) -> Entry:
    """A journal entry of an hour ago for `ada`."""
    given = {"candidate": place(there) if there else None, "expected": place(), "outcome": "applied", **more}
    return Entry("t/main/ada", "main", "ada", act, at=NOW - timedelta(hours=1), **given)  # type: ignore[arg-type]  # a test's words


def test_a_place_somebody_changed_since_is_a_conflict() -> None:
    """We put it on one model, it runs on another: left, and told."""
    past = history(seat(model="south-mid-1"), entries=(entry("move", "paid-mid-3"),))
    decision = decided(past=past, north=full())
    assert ("leave", "conflict") == told(one(decision))
    assert "core:conflict" in {condition.fact.code for condition in decision.conditions}


def test_a_write_the_fleet_has_not_followed_yet_is_no_conflict() -> None:
    """Unverified, and still where it was: not changed by anybody."""
    past = history(seat(), entries=(entry("move", "paid-mid-3", outcome="unverified"),))
    assert "keep" == one(decided(past=past)).act


def test_a_resumed_park_is_a_conflict() -> None:
    """We parked it and it runs: somebody took it back."""
    past = history(seat(), entries=(entry("park", None),))
    assert ("leave", "conflict") == told(one(decided(past=past)))


def test_a_write_nobody_knows_the_end_of_is_left() -> None:
    """Indeterminate: never applied blindly again."""
    past = history(seat(), entries=(entry("move", "paid-mid-3", outcome="indeterminate"),))
    assert ("leave", "indeterminate") == told(one(decided(past=past, north=full())))


def test_a_park_in_our_name_that_our_journal_does_not_know_is_left() -> None:
    """Only what we parked is resumed."""
    assert ("leave", "parked-by-whom") == told(one(decided(seat(paused_by="capacity"))))


def test_what_is_expected_is_told_in_the_fleets_own_word() -> None:
    """An actuator compares words: a seat seen under an alias is expected under it, and is not in conflict with itself."""
    aliased = seat(model="mid", pool="north")
    placement = one(decided(aliased, north=full()))
    late = Entry("t/main/ada", "main", "ada", "move", "unverified", NOW, placement.candidate, placement.expected)

    assert ("move", "mid") == (placement.act, placement.expected and placement.expected.model)
    assert "leave" != one(decided(past=history(aliased, entries=(late,)))).act


# --- keep, move, demote, park -----------------------------------------------------------------


def test_a_legitimate_place_is_kept_though_a_better_ranked_one_exists() -> None:
    """Rotate on exhaustion, never on preference."""
    assert ("keep", "legitimate") == told(one(decided(seat(model="paid-mid-3"))))


def test_sideways_before_down() -> None:
    """An exhausted pool's seat goes to its own tier elsewhere, though a lower tier has more room."""
    assert ("move", "south-mid-1") == moved(one(decided(north=full())))


def test_down_to_the_floor_and_no_further() -> None:
    """With its own tier used up it is demoted, keeps its home, and is below its tier; with a higher floor it parks."""
    decision = decided(**NOTHING)
    assert ("demote", "box-small-9") == moved(one(decision))
    assert place() == one(decision).home
    assert "core:below-tier" in {condition.fact.code for condition in decision.conditions}
    firm = policy(SeatRule("default", tier="good"))
    decision = decided(rules=firm, **NOTHING)
    assert ("park", "exhausted") == told(one(decision))
    assert LATER == one(decision).until


def test_above_its_tier_only_where_it_may_rise() -> None:
    """Own tier and lower gone, a tier above open: parked, unless the seat may rise."""
    closed = {"south": reading("south"), "north": full(), "paid": EMPTY}
    south = {**MODELS, "south": (Model("south-big-1"),)}
    for rise, expected in ((False, ("park", None)), (True, ("move", "south-big-1"))):
        rules = policy(SeatRule("default", tier="good", rise=rise))
        assert expected == moved(one(decided(rules=rules, stock=inventory(south), **closed)))


def test_a_park_without_a_known_opening_says_so() -> None:
    """Only a payment ends it: until is nothing, and a person is needed."""
    rules = policy(SeatRule("default", tier="good", pools=("paid",)))
    decision = decided(seat(model="paid-mid-3"), rules=rules, paid=EMPTY)
    assert ("park", "empty") == told(one(decision))
    assert one(decision).until is None
    assert any(condition.fact.code == "core:pool-empty" and condition.loud for condition in decision.conditions)


def test_the_park_ends_at_the_latest_full_window_of_the_place_that_opens_first() -> None:
    """Both windows full: the later reset; of two places the earlier one."""
    rules = policy(SeatRule("default", tier="good", pools=("north", "south")))
    both = reading("north", limits=windows(100.0, 100.0))
    assert LATER == one(decided(rules=rules, north=both, south=full("south"))).until
    short = reading("south", limits=windows(100.0, 50.0))
    assert SOON == one(decided(rules=rules, north=both, south=short)).until


def test_a_scoped_cap_moves_the_seats_on_its_model_only() -> None:
    """The pool stays in use for every other model."""
    capped = reading("north", limits=windows(20.0, 30.0, Limit("weekly:mid", 100.0, scope=Scope("model", "mid"))))
    decision = decided(seat("ada"), seat("ben", "north-big-2"), north=capped)
    assert [("move", "capped"), ("keep", "above-tier")] == [told(placement) for placement in decision.placements]


def test_a_stale_reading_moves_nobody() -> None:
    """A bound below the line proves nothing: the seat stays, and the pool attracts nobody."""
    old = reading("north", limits=windows(20.0, 89.0))
    old = evolve(old, observed_at=NOW - timedelta(hours=1))
    assert ("keep", "headroom-unknown") == told(one(decided(north=old)))


def test_a_stale_proof_is_still_proof() -> None:
    """Used only rises inside a window: what was full an hour ago is full."""
    old = evolve(full(), observed_at=NOW - timedelta(hours=1))
    assert "move" == one(decided(north=old)).act


def test_an_unknown_pool_comes_after_every_observed_one() -> None:
    """Even where it is preferred."""
    assert ("move", "paid-mid-3") == moved(one(decided(north=full(), south=None)))


def test_an_unmeasurable_pool_is_as_good_as_an_observed_one() -> None:
    """Where the operator says that nobody can read it, not knowing counts against nothing."""
    rules = policy()
    rules = evolve(rules, pools={**rules.pools, "south": evolve(rules.pools["south"], unmeasurable=True)})
    assert ("move", "south-mid-1") == moved(one(decided(rules=rules, north=full(), south=None)))


def test_a_login_that_is_gone_is_proof() -> None:
    """Login required: the seats leave."""
    bare = Reading("north", "login-required", "test", NOW)
    assert ("move", "login-required") == told(one(decided(north=bare)))


def test_a_throttled_probe_is_neither_full_nor_empty() -> None:
    """The seat stays on the good reading."""
    assert ("keep", "legitimate") == told(one(decided()))
    bare = Reading("north", "throttled", "test", NOW)
    assert ("keep", "headroom-unknown") == told(one(decided(north=bare)))


def test_a_missing_model_is_refused_at_once_and_left_after_three_samples() -> None:
    """One miss keeps the seats there and others away; three are proof."""
    north = {"north": (Model("north-big-2"),)}
    for misses, expected in ((1, ("keep", "model-missing")), (3, ("move", "model-invalid"))):
        stock = inventory(north, north=(Missed(Model("north-mid-2"), misses),))
        assert expected == told(one(decided(stock=stock)))


def test_waiting_is_not_refusing() -> None:
    """Where the only alternative is still loading, the seat stays where it is."""
    loading = {"box": (Model("box-small-9", residency="loading"),)}
    assert ("keep", "alternative-waits") == told(one(decided(stock=inventory(loading), **NOTHING)))


def test_what_somebody_has_to_load_is_named() -> None:
    """Where nothing comes by itself the sentence holds the command; where something does, nobody need do anything."""
    rules = policy()
    box = evolve(rules.pools["box"], prepare=True)
    rows = (*ROWS, TierRow("fair", "cli", "box-small-8"))
    rules = evolve(rules, pools={**rules.pools, "box": box}, tiers=Tiers(TIERS, rows))
    for other, expected in (("failed", "alternative-preparable"), ("loading", "alternative-waits")):
        box_lists = (Model("box-small-9", residency="loadable"), Model("box-small-8", residency=other))  # type: ignore[arg-type]  # words of the value
        placement = one(decided(rules=rules, stock=inventory({"box": box_lists}), **NOTHING))
        assert ("keep", expected) == told(placement)
        assert ("`capacity models prepare box box-small-8`" in sentence(placement.fact)) is (other == "failed")


def test_each_newly_placed_seat_counts_as_load() -> None:
    """Seats of an exhausted pool spread over two equal pools instead of all taking the first."""
    rules = policy(SeatRule("default", tier="good", pools=("south", "west")))
    west = PoolPolicy("west", "south", "subscription", preference=1)
    tiers = evolve(rules.tiers, rows=(*ROWS, evolve(ROWS[3], model="west-mid-1")))
    rules = evolve(rules, pools={**rules.pools, "west": west}, tiers=tiers)
    rules = evolve(rules, harnesses={"cli": HarnessPolicy("cli", ("north", "south", "west"))})
    stock = inventory({"west": (Model("west-mid-1"),)})
    alike = {name: evolve(reading("south"), pool=name) for name in ("south", "west")}
    seats = [seat(name) for name in ("ada", "ben", "cyd", "dot")]
    decision = decided(*seats, rules=rules, stock=stock, north=full(), **alike)
    assert ["south", "west", "south", "west"] == [
        placement.candidate.pool if placement.candidate else None for placement in decision.placements
    ]


def test_a_wall_that_nobody_declared_lets_nothing_out() -> None:
    """A profile the policy does not know fails loudly: nowhere is allowed."""
    for profile, expected in (("private", ("demote", "box-small-9")), ("typo", ("park", None))):
        rules = policy(SeatRule("default", tier="good", floor="fair", profile=profile))
        assert expected == moved(one(decided(rules=rules)))


def test_a_high_volume_seat_stays_off_subscriptions_until_its_metered_pool_is_spent() -> None:
    """Moved to the metered pool; kept on the subscription once that is empty."""
    often = seat(cadence=timedelta(minutes=1))
    assert ("move", "paid-mid-3") == moved(one(decided(often)))
    assert "keep" == one(decided(often, paid=EMPTY)).act


def test_a_cap_on_high_volume_seats_is_waived_before_a_park() -> None:
    """The capped pool is passed over while there is another, and taken when there is none."""
    capped = policy(high_volume=HighVolume(timedelta(minutes=5), {"south": 0}))
    often = seat(cadence=timedelta(minutes=1))
    assert ("demote", "box-small-9") == moved(one(decided(often, rules=capped, north=full(), paid=EMPTY)))
    only = evolve(capped, seats=(SeatRule("default", tier="good"),))
    assert ("move", "south-mid-1") == moved(one(decided(often, rules=only, north=full(), paid=EMPTY)))


def test_an_operators_stop_moves_the_seats_away() -> None:
    """A pool, a backend or one candidate."""
    for subject, name in (("pool", "north"), ("backend", "north"), ("candidate", "cli|north|north-mid-2|")):
        circuit = Circuit("operator", subject, name, "other", NOW - timedelta(hours=1))  # type: ignore[arg-type]  # from a table
        assert ("move", "circuit") == told(one(decided(past=history(circuits=(circuit,)))))


def test_a_seat_on_an_adopted_model_that_no_listing_shows_is_kept_for_that() -> None:
    """Its row gives it a tier; what nobody can tell is whether its pool still lists it."""
    stock = inventory({"north": (Model("north-big-2"),)})
    stock = evolve(stock, pools={name: evolve(pool, fresh=name != "north") for name, pool in stock.pools.items()})
    assert ("keep", "model-unlisted") == told(one(decided(seat(pool="north"), stock=stock)))


# --- resume and restore -----------------------------------------------------------------------


def test_a_parked_seat_comes_home_on_room() -> None:
    """Before its time where there is room: home first."""
    where, past = parked(until=LATER)
    placement = one(decided(past=history(where, entries=(past,))))
    assert (("resume", "north-mid-2"), None) == (moved(placement), placement.home)


def test_a_parked_seat_stays_while_nothing_has_room() -> None:
    """Its end is kept."""
    where, past = parked(until=LATER)
    rules = policy(SeatRule("default", tier="good"))
    placement = one(decided(past=history(where, entries=(past,)), rules=rules, **NOTHING))
    assert (("keep", "parked"), LATER) == (told(placement), placement.until)


def test_a_park_that_is_due_tries_one_seat_per_pool() -> None:
    """Nothing can be read: one goes on probation, the others wait for what it finds."""
    names = ("ada", "ben", "cyd")
    pairs = [parked(name, until=NOW) for name in names]
    rules = policy(SeatRule("default", tier="good", pools=("north",)))
    blind = Reading("north", "stale-credentials", "test", NOW)
    past = history(*(where for where, _ in pairs), entries=tuple(old for _, old in pairs))
    decision = decided(past=past, rules=rules, north=blind)
    assert [("resume", "probation"), ("keep", "parked"), ("keep", "parked")] == [told(p) for p in decision.placements]


def test_a_probation_is_given_time_before_the_next() -> None:
    """A seat resumed a minute ago is still trying; one resumed an hour ago has told nothing."""
    where, past = parked("ben", until=NOW)
    rules = policy(SeatRule("default", tier="good", pools=("north",)))
    for age, expected in ((timedelta(minutes=1), "keep"), (timedelta(hours=1), "resume")):
        tried = Entry("t/main/ada", "main", "ada", "resume", "applied", NOW - age, place(), place())
        decision = decided(
            past=history(seat("ada"), where, entries=(tried, past)),
            rules=rules,
            north=Reading("north", "stale-credentials", "test", NOW),
        )
        assert expected == decision.placements[1].act


def test_a_due_park_whose_place_is_still_full_gets_a_new_end() -> None:
    """The provider told a later reset since."""
    where, past = parked(until=NOW - timedelta(minutes=1))
    rules = policy(SeatRule("default", tier="good", pools=("north",)))
    placement = one(decided(past=history(where, entries=(past,)), rules=rules, north=full()))
    assert (("park", "still-full"), LATER) == (told(placement), placement.until)


def test_a_demoted_seat_goes_home_when_its_reason_ends() -> None:
    """Restored to where it was, on room only."""
    low = seat(model="box-small-9", pool="box")
    past = entry("demote", "box-small-9", home=place())
    placement = one(decided(past=history(low, entries=(past,))))
    assert (("restore", "north-mid-2"), None) == (moved(placement), placement.home)
    kept = one(decided(past=history(low, entries=(past,)), **NOTHING))
    assert (("keep", "below-tier"), place()) == ((kept.act, "below-tier"), kept.home)


def test_a_demoted_seat_may_find_its_tier_elsewhere() -> None:
    """Home is still full, but its tier has room in another pool."""
    low = seat(model="box-small-9", pool="box")
    past = entry("demote", "box-small-9", home=place())
    assert ("restore", "south-mid-1") == moved(one(decided(past=history(low, entries=(past,)), north=full())))


def test_what_an_operator_put_below_its_tier_stays_there() -> None:
    """Only what we demoted is restored."""
    assert "keep" == one(decided(seat(model="box-small-9"))).act


def test_three_days_parked_with_an_expired_token_and_all_come_back() -> None:
    """One on probation; its harness refreshes the token, a reading comes, and the rest follow on room."""
    pairs = [parked(name, until=NOW) for name in ("ada", "ben", "cyd")]
    rules = policy(SeatRule("default", tier="good", pools=("north",)))
    past = history(*(where for where, _ in pairs), entries=tuple(old for _, old in pairs))
    expired = headroom(rules, north=Reading("north", "stale-credentials", "test", NOW))
    past = advance(past, decide(inventory(), expired, rules, past))
    assert 1 == sum(one.paused_by is None for one in past.fleets[0].seats)
    past = advance(past, decide(inventory(), headroom(rules), rules, past))
    assert all(one.paused_by is None for one in past.fleets[0].seats)
