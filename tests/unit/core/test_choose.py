"""The choice for one turn: where headroom is, in turns where it is level, and never through a wall."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from attrs import evolve

from capacity import History, Limit, Scope
from capacity.core.choose import choose
from capacity.values.choice import Choice
from capacity.values.failures import Circuit
from capacity.values.lanes import Deal, Lane, Lanes
from capacity.values.policy import PoolPolicy
from tests.unit.core.turns import (
    LANES,
    NOW,
    at,
    burst,
    chosen,
    headroom,
    inventory,
    lease,
    pick,
    policy,
    profiled,
    smart,
    spent,
    week,
    worker,
)

HOURS = timedelta(hours=1)


def model(choice: Choice) -> str | None:
    """The model that was chosen."""
    return None if choice.candidate is None else choice.candidate.model


def codes(choice: Choice) -> list[str]:
    """The codes of what decided."""
    return [one.code.removeprefix("core:") for one in choice.reasons]


# --- how much is left ------------------------------------------------------------------------------


def test_the_most_headroom_is_spent_first() -> None:
    """The pool with the most left takes the turn; one nobody could read counts as the mean of those that were read."""
    choice = chosen(smart(), amber=32, opal=18, quartz=None, ledger=(spent("quartz", 2.75),))
    assert model(choice) == "opal-large"
    assert choice.use["quartz"] == 25.0


def test_an_unread_pool_keeps_its_own_figure_where_that_is_higher() -> None:
    """What we counted ourselves says more than the mean of the others."""
    choice = chosen(smart(), amber=32, opal=18, quartz=None, ledger=(spent("quartz", 90),))
    assert model(choice) == "opal-large"
    assert choice.use["quartz"] == 90.0


def test_the_mean_counts_every_pool_that_was_read() -> None:
    """A stop on one pool changes nothing about what another is taken for."""
    stop = Circuit("operator", "pool", "opal", "other", NOW)
    open_, stopped = (
        chosen(smart(), amber=80, opal=10, quartz=None, circuits=stops).use["quartz"] for stops in ((), (stop,))
    )
    assert open_ == 45.0
    assert stopped == max(45.0, 80.0)  # never better than the best that may serve


def test_an_unread_pool_shares_a_tie_and_never_leads() -> None:
    """It takes its turn with the best that was read, and only where it is level with it."""
    picked = Counter(
        model(chosen(smart(), amber=30, opal=30, quartz=None, granted={"smart pools": n})) for n in range(9)
    )
    assert picked == {"amber-large": 3, "opal-large": 3, "quartz-large": 3}
    assert model(chosen(smart(), amber=10, opal=50, quartz=None)) == "amber-large"


def test_where_nothing_was_read_the_choice_says_so() -> None:
    """The pools take turns, and the reason tells that it is done blind."""
    choice = chosen(smart(), amber=None, opal=None, quartz=None)
    assert choice.candidate is not None
    assert "nothing-observed" in codes(choice)


@pytest.mark.parametrize(("turn", "first"), [(0, "amber-large"), (1, "opal-large"), (2, "amber-large")])
def test_level_pools_take_turns(turn: int, first: str) -> None:
    """Within two points nothing is told apart."""
    choice = chosen(smart(), amber=20, opal=21, quartz=60, granted={"smart pools": turn})
    assert model(choice) == first
    assert choice.tied == ("amber", "opal")
    assert choice.draws == ("smart pools",)


def test_more_than_two_points_are_a_difference() -> None:
    """A turn that is due does not pass by more headroom."""
    assert model(chosen(smart(), amber=20, opal=22.5, quartz=60, granted={"smart pools": 1})) == "amber-large"


@pytest.mark.parametrize(
    ("percent", "left", "first"),
    [(60, 3 * HOURS, "opal-large"), (41, 2.3 * HOURS, "amber-large"), (95, 0.1 * HOURS, "opal-large")],
)
def test_a_burst_binds_before_it_is_full(percent: float, left: timedelta, first: str) -> None:
    """A short window counts once it is spent faster than it passes, or is nearly full."""
    assert model(chosen(smart(), amber=(burst(percent, left), week(5)), opal=18, quartz=60)) == first


def test_a_short_month_does_not_hide_a_full_week() -> None:
    """The fullest of the long windows counts, not the longest."""
    month = Limit("monthly", 10, resets_at=NOW + timedelta(days=20), window=timedelta(days=30))
    choice = chosen(smart(), amber=(week(80), month), opal=50, quartz=70)
    assert choice.use["amber"] == 80.0
    assert model(choice) == "opal-large"


def test_a_scoped_cap_takes_its_model_alone() -> None:
    """The pool counts by what binds all of it, and the capped model is not granted."""
    cap = week(100, scope=Scope("model", "amber-large"))
    capped = chosen(smart(), amber=(evolve(cap, name="weekly:amber-large"), week(13)), opal=50, quartz=50)
    assert capped.use["amber"] == 13.0
    assert model(capped) in ("opal-large", "quartz-large")
    other = chosen(
        worker(),
        amber=(evolve(cap, name="weekly:amber-large"), week(13)),
        opal=50,
        quartz=50,
        granted={"worker local": 1},
    )
    assert model(other) == "amber-small"


def test_a_reading_past_its_reset_steers_nothing() -> None:
    """A window that is over has no figure, and its pool counts as unread."""
    over = Limit("weekly", 99, resets_at=NOW - timedelta(minutes=1), window=timedelta(days=7))
    choice = chosen(smart(), amber=(over,), opal=30, quartz=60)
    assert choice.use["amber"] == 45.0
    assert model(choice) == "opal-large"


def test_what_is_full_for_a_week_stays_full_when_a_burst_ends() -> None:
    """Of two windows that were full one is over: the pool opens with the other, and is not chosen before."""
    over = (burst(100, -timedelta(seconds=30)), week(100))
    assert model(chosen(smart(), amber=over, opal=80, quartz=70)) == "quartz-large"
    refused = chosen(smart(), amber=over, opal=over, quartz=over)
    assert (refused.act, refused.code, refused.opens_at) == ("refuse", "quota-spent", NOW + timedelta(days=3))


def test_leases_in_flight_count_against_the_headroom() -> None:
    """Each counts as so many points of its pool."""
    busy = tuple(lease("amber-large", "amber", f"s{n}") for n in range(3))
    choice = chosen(smart(), amber=20, opal=30, quartz=60, leases=busy)
    assert choice.use["amber"] == 35.0
    assert model(choice) == "opal-large"


# --- turns and shares ------------------------------------------------------------------------------


@pytest.mark.parametrize(("tied", "each"), [(2, 450), (4, 225)])
def test_the_local_share_and_the_pools_turns_do_not_touch(tied: int, each: int) -> None:
    """A quarter goes to the box, and the level pools share the rest evenly, whatever the share."""
    pools = ("amber", "opal", "topaz", "beryl")[:tied]
    lane = Lane("worker", pick("nine", *(f"{name}-small" for name in pools)), local_share=0.25)
    rules, granted, found = policy(Lanes(tiers={"worker": lane})), Counter[str](), Counter[str]()
    for _ in range(1200):
        choice = chosen(worker(), rules, granted=granted, **dict.fromkeys(pools, 20.0))
        granted.update(choice.draws)
        assert choice.candidate is not None
        found[choice.candidate.pool] += 1
    assert found == {"box": 300, **dict.fromkeys(pools, each)}


@pytest.mark.parametrize(("drawn", "local"), [(0, True), (1, False), (2, False), (3, False), (4, True)])
def test_a_share_is_spread_evenly(drawn: int, local: bool) -> None:
    """One in four is the first of every four."""
    choice = chosen(worker(), amber=20, opal=20, granted={"worker local": drawn})
    assert (choice.candidate is not None and choice.candidate.pool == "box") is local


def test_a_share_that_is_off_sends_nothing_home_that_others_can_serve() -> None:
    """Local pools serve where no other can."""
    lanes = evolve(LANES, tiers={**LANES.tiers, "worker": Lane("worker", pick("nine", "opal-small"))})
    assert model(chosen(worker(), policy(lanes), opal=20)) == "opal-small"
    assert model(chosen(worker(), policy(lanes), opal=100)) == "nine"


def test_a_seed_says_who_begins() -> None:
    """Two stores with different seeds do not begin with the same pool."""
    first = {model(chosen(smart(), amber=20, opal=20, quartz=60, seed=seed)) for seed in range(2)}
    assert first == {"amber-large", "opal-large"}


def test_weight_decides_between_level_pools_only() -> None:
    """A preferred pool comes first where headroom is level, and not where it is not."""
    lanes = evolve(LANES, tiers={"smart": evolve(LANES.tiers["smart"], weights={"opal": 2.0})})
    assert model(chosen(smart(), policy(lanes), amber=20, opal=21.9, quartz=60)) == "opal-large"
    assert model(chosen(smart(), policy(lanes), amber=20, opal=22.1, quartz=60)) == "amber-large"


def test_a_deal_breaks_a_tie_while_it_lasts() -> None:
    """At its hour the cheaper of two level pools comes first."""
    night = Deal("opal", 0.5, start=timedelta(hours=22), end=timedelta(hours=6), zone="Asia/Shanghai")
    day = evolve(night, start=timedelta(hours=8), end=timedelta(hours=22))
    awake, asleep = (chosen(smart(), policy(deals=(deal,)), amber=20, opal=20, quartz=60) for deal in (day, night))
    assert (model(awake), "by-deal" in codes(awake)) == ("opal-large", True)  # 20:00 there
    assert (model(asleep), "by-deal" in codes(asleep)) == ("amber-large", False)


def test_a_deal_for_one_model_makes_no_other_cheaper() -> None:
    """Not even in the same pool."""
    deals = (Deal("opal", 0.5, "opal-small"),)
    small = chosen(worker(), policy(deals=deals), amber=20, opal=20, granted={"worker local": 1})
    large = chosen(smart(), policy(deals=deals), amber=20, opal=20, quartz=60)
    assert (model(small), model(large)) == ("opal-small", "amber-large")


def test_fit_picks_among_one_pools_models_and_never_the_pool() -> None:
    """A model that fits better does not draw a whole lane onto its pool."""
    lanes = Lanes(
        tiers={"smart": Lane("smart", pick("amber-large", "amber-small", "opal-large"), fit={"amber-small": 1.5})}
    )
    picked = Counter(
        model(chosen(smart(floor="worker"), policy(lanes), amber=20, opal=20, quartz=60, granted={"smart pools": n}))
        for n in range(10)
    )
    assert picked == {"amber-small": 5, "opal-large": 5}


# --- lanes, walls and sizes ---------------------------------------------------------------------------


def test_the_first_step_of_the_fallback_comes_first() -> None:
    """However much more is left in a later one; and the lane itself before it."""
    stop = Circuit("operator", "candidate", "cli|amber|amber-large|", "other", NOW)
    stopped = chosen(profiled("deep"), amber=20, opal=80, quartz=0, circuits=(stop,))
    free = chosen(profiled("deep"), amber=85, opal=0, quartz=0)
    assert (model(stopped), stopped.step) == ("opal-large", 1)
    assert (model(free), free.step) == ("amber-large", 0)


def test_a_step_of_the_fallback_serves_where_the_lane_cannot() -> None:
    """The first step with room; it is never the session's home."""
    stop = Circuit("operator", "candidate", "cli|amber|amber-large|", "other", NOW)
    choice = chosen(profiled("deep"), amber=20, opal=90, quartz=20, circuits=(stop,))
    assert (model(choice), choice.step) == ("quartz-large", 2)  # opal is exhausted at 90
    assert "fallback-step" in codes(choice)


def test_a_wall_is_closed_and_delays_stay_with_their_steps() -> None:
    """What the profile may not reach is no step at all; the next keeps its own delay."""
    large = profiled("private", context=19_661)
    early = chosen(evolve(large, waited=timedelta(seconds=8.999)), opal=20)
    assert (early.act, early.code) == ("wait", "step-closed")
    assert early.wait == timedelta(milliseconds=1)
    late = chosen(evolve(large, waited=timedelta(seconds=9)), opal=20)
    assert (model(late), late.step, late.egress) == ("big", 2, "lan")


def test_a_pool_on_the_list_may_be_reached_through_the_wall() -> None:
    """And only that one."""
    choice = chosen(profiled("memory", context=106_497, waited=timedelta(minutes=1)), opal=20, amber=0)
    assert model(choice) == "opal-large"


@pytest.mark.parametrize(("size", "served"), [(7_999, None), (8_000, "big"), (106_496, "big")])
def test_a_local_window_keeps_room_for_its_answer(size: int, served: str | None) -> None:
    """The reserve counts, and small prompts leave the large slot alone."""
    assert model(chosen(profiled("memory", context=size), opal=20)) == served


@pytest.mark.parametrize(("size", "local"), [(19_660, True), (19_661, False), (None, False)])
def test_a_prompt_of_unknown_size_goes_to_no_local_place(size: int | None, local: bool) -> None:
    """Where no reserve is told, six tenths of a local window are for the prompt."""
    choice = chosen(worker(context=size), amber=20, opal=20)
    assert (choice.candidate is not None and choice.candidate.pool == "box") is local


def test_what_is_not_loaded_is_not_eligible() -> None:
    """A local model has to be resident."""
    assert model(chosen(worker(), amber=20, opal=40, resident=("big",))) == "amber-small"


def test_offline_never_leaves() -> None:
    """And fails with the code that says so, whatever is free outside."""
    choice = chosen(worker(profile="offline", context=30_000), amber=0, opal=0)
    assert (choice.act, choice.code) == ("refuse", "no-local-candidate")


def test_a_profile_nobody_declared_lets_nothing_out() -> None:
    """A wall that is missing is no gate."""
    assert chosen(worker(profile="ghost"), amber=0, opal=0).code == "unknown-profile"


# --- sessions ------------------------------------------------------------------------------------------


def test_a_session_that_can_be_served_stays() -> None:
    """However much more is left elsewhere."""
    choice = chosen(smart(here=at("amber-large"), home=at("amber-large")), amber=85, opal=0, quartz=0)
    assert (choice.act, model(choice), choice.draws) == ("stay", "amber-large", ())


def test_a_session_moves_when_its_model_cannot_serve_and_remembers_its_home() -> None:
    """Where it went is a fallback; when it may return is told where a provider tells."""
    choice = chosen(smart(here=at("amber-large")), amber=100, opal=20, quartz=60)
    assert (choice.act, model(choice), choice.home) == ("move", "opal-large", at("amber-large"))
    assert choice.opens_at == NOW + timedelta(days=3)


def test_a_displaced_session_returns_home_when_home_can_serve() -> None:
    """With nothing held in a cache there is nothing to lose."""
    choice = chosen(smart(here=at("opal-large"), home=at("amber-large")), amber=20, opal=20, quartz=60)
    assert (choice.act, model(choice), choice.gain, choice.cost) == ("return", "amber-large", 0, 0)


def test_a_return_is_weighed_against_what_is_read_anew() -> None:
    """Both numbers are in the choice; five points of headroom are worth a hundred thousand tokens by default."""
    need = smart(here=at("opal-large"), home=at("amber-large"))
    kept = chosen(evolve(need, cached=100_001), amber=20, opal=25, quartz=60)
    gone = chosen(evolve(need, cached=100_000), amber=20, opal=25, quartz=60)
    assert (kept.act, kept.gain, kept.cost) == ("stay", 100_000, 100_001)
    assert (gone.act, gone.gain, gone.cost) == ("return", 100_000, 100_000)


def test_a_full_window_prefers_a_strictly_larger_one() -> None:
    """Equal windows are no reason to move, however full."""
    rules = policy()
    same = chosen(smart(here=at("amber-large"), context=150_000), rules, amber=20, opal=20, quartz=20)
    assert same.act == "stay"
    box = evolve(
        rules.pools["opal"],
        serving=(evolve(rules.pools["box"].serving[0], model="opal-large", slots=None, each=None, context=400_000),),
    )
    roomy = policy(pools={**rules.pools, "opal": box})
    moved = chosen(smart(here=at("amber-large"), context=150_000), roomy, amber=20, opal=20, quartz=20)
    assert (moved.act, model(moved)) == ("move", "opal-large")


def test_a_pick_of_ones_own_is_checked_and_never_changed() -> None:
    """Under a manual profile a session has what it picked, or nothing."""
    need = smart(profile="manual", pick=at("amber-large"))
    assert model(chosen(need, amber=80, opal=0, quartz=0)) == "amber-large"
    refused = chosen(need, amber=100, opal=0, quartz=0)
    assert (refused.act, refused.code, refused.opens_at) == ("refuse", "quota-spent", NOW + timedelta(days=3))


# --- nothing now -----------------------------------------------------------------------------------------


def test_a_busy_slot_is_waited_for() -> None:
    """Waiting is no refusal, names its candidate and says how long it may take."""
    choice = chosen(profiled("memory", context=50_000), leases=(lease("big", "box", life=2 * HOURS),))
    assert (choice.act, choice.code, choice.about) == ("wait", "candidate-busy", at("big"))
    assert choice.wait == 2 * HOURS


def test_a_step_behind_a_busy_slot_opens_after_its_delay() -> None:
    """Until then the slot is waited for, by name; after it the next place serves, and the slot's is the home."""
    busy = (lease("big", "box"),)
    need = profiled("memory", context=50_000, here=at("big"))
    waits = chosen(need, leases=busy, opal=20)
    steps = chosen(evolve(need, waited=timedelta(seconds=5)), leases=busy, opal=20)
    assert (waits.code, waits.about) == ("candidate-busy", at("big"))
    assert (model(steps), steps.step, steps.home) == ("opal-large", 1, at("big"))


def test_a_model_that_can_be_loaded_is_waited_for_where_somebody_loads_it() -> None:
    """Only where the policy says how; else it is no place."""
    rules = policy()
    loading = policy(pools={**rules.pools, "box": evolve(rules.pools["box"], prepare=("load", "{model}"))})
    waits = chosen(profiled("memory", context=50_000), loading, resident=("nine",))
    refused = chosen(profiled("memory", context=50_000), rules, resident=("nine",))
    assert (waits.code, waits.about) == ("candidate-preparing", at("big"))
    assert refused.code == "step-closed"
    assert chosen(profiled("memory", local=True), rules, resident=("nine",)).code == "no-local-candidate"


def test_spent_plans_are_named_with_their_return() -> None:
    """Only where that is the whole story."""
    spent_ = chosen(smart(), amber=100, opal=(week(100, timedelta(hours=30)),), quartz=100)
    assert (spent_.act, spent_.code, spent_.opens_at, spent_.known) == ("refuse", "quota-spent", NOW + 30 * HOURS, True)


def test_a_prompt_too_large_for_all_goes_to_the_roomiest() -> None:
    """So that it can be made smaller; a busy primary is waited for instead."""
    choice = chosen(smart(context=190_000), amber=20, opal=20, quartz=20)
    assert choice.act == "last-resort"
    assert choice.candidate is not None
    blocked = chosen(smart(context=190_000), amber=100, opal=100, quartz=100)
    assert blocked.act == "refuse"


def test_a_callers_list_only_narrows() -> None:
    """What it cannot resolve is not granted; where it can resolve nothing, that is the code."""
    assert model(chosen(smart(models=("quartz-large",)), amber=0, opal=0, quartz=80)) == "quartz-large"
    assert chosen(smart(models=("elsewhere",)), amber=0, opal=0, quartz=0).code == "not-resolvable"


def test_what_evicts_another_is_loaded_only_where_it_alone_is_meant() -> None:
    """Never by a tie-break: it has a lane to itself, or the need names it."""
    rules = policy()
    serving = tuple(evolve(one, evicts=True) for one in rules.pools["box"].serving)
    box = evolve(rules.pools["box"], prepare=True, serving=serving)
    pools: dict[str, PoolPolicy] = {**rules.pools, "box": box}
    shared = policy(pools=pools)
    alone = chosen(profiled("memory", context=50_000), shared, resident=("nine",))
    among = chosen(worker(local=True), shared, resident=("big",))
    assert alone.code == "candidate-preparing"
    assert (among.act, among.code) == ("refuse", "no-local-candidate")


# --- what a peer got wrong, where it is nobody else's to hold ------------------------------------------------


def test_the_providers_figure_decides_and_not_our_estimate() -> None:
    """Our own count of a pool that was read says nothing, however high it is."""
    choice = chosen(smart(), amber=2, opal=30, quartz=40, ledger=(spent("amber", 100.8),))
    assert (model(choice), choice.use["amber"]) == ("amber-large", 2.0)


def test_the_declared_window_wins_over_the_listed_one() -> None:
    """Both ways: what fits the declared one is granted, and what only fits the listed one is not."""
    rules = policy()
    small = evolve(rules.pools["box"].serving[0], model=None, slots=None, each=None, context=100_000)
    narrow = policy(pools={**rules.pools, "amber": evolve(rules.pools["amber"], serving=(small,))})
    assert model(chosen(smart(context=86_000), narrow, amber=0, opal=50, quartz=60)) == "opal-large"
    assert model(chosen(smart(context=85_000), narrow, amber=0, opal=50, quartz=60)) == "amber-large"


def test_a_classifier_has_a_lane_of_its_own_and_only_the_wall_crosses() -> None:
    """It uses none of its owner's lane; where its owner may not leave the house it may not either."""
    lanes = evolve(LANES, classifier=Lane("classifier", pick("nine", "amber-small")))
    need = worker(lane="classifier", context=1_000)
    assert model(chosen(need, policy(lanes), amber=0, opal=0)) == "amber-small"
    assert model(chosen(evolve(need, local=True), policy(lanes), amber=0, opal=0)) == "nine"
    busy = tuple(lease("nine", "box", f"s{n}") for n in range(3))
    waits = chosen(evolve(need, local=True), policy(lanes), amber=0, opal=0, leases=busy)
    assert (waits.code, waits.lane) == ("candidate-busy", "classifier")


def test_two_candidates_of_one_model_share_its_slots() -> None:
    """What runs in one harness is not free in another."""
    rules = policy()
    other = evolve(rules.harnesses["cli"], name="tui")
    row = evolve(next(row for row in rules.tiers.rows if row.model == "nine"), harness="tui")
    two = policy(harnesses={**rules.harnesses, "tui": other}, tiers=evolve(rules.tiers, rows=(*rules.tiers.rows, row)))
    busy = tuple(lease("nine", "box", f"s{n}") for n in range(3))
    need = worker(local=True, harnesses=("tui",))
    assert model(chosen(need, two, leases=busy[:2])) == "nine"
    assert chosen(need, two, leases=busy).code == "candidate-busy"


def test_what_nobody_knows_to_be_loaded_serves_no_turn() -> None:
    """A local model whose residency nobody tells is no place for a turn, though a seat may be kept there."""
    rules, listed = policy(), inventory()
    untold = tuple(evolve(one, residency=None) for one in listed.pools["box"].models)
    unsure = evolve(listed, pools={**listed.pools, "box": evolve(listed.pools["box"], models=untold)})
    need = worker(local=True)
    turn, seat = (choose(one, unsure, headroom(rules), rules, History(NOW)) for one in (need, evolve(need, turn=False)))
    assert (turn.act, turn.code, turn.fact.code) == ("refuse", "no-local-candidate", "core:not-known-loaded")
    assert seat.candidate is not None


def test_a_local_pool_nobody_can_ask_serves_turns_on_its_operators_word() -> None:
    """Where the policy says that it is unmeasurable, not knowing what it has loaded counts against nothing."""
    rules, listed = policy(), inventory()
    rules = evolve(rules, pools={**rules.pools, "box": evolve(rules.pools["box"], unmeasurable=True)})
    untold = tuple(evolve(one, residency=None) for one in listed.pools["box"].models)
    unsure = evolve(listed, pools={**listed.pools, "box": evolve(listed.pools["box"], models=untold)})
    choice = choose(worker(local=True), unsure, headroom(rules), rules, History(NOW))
    assert (choice.act, model(choice)) == ("place", "nine")


def test_a_refusal_names_the_prompts_own_size() -> None:
    """Verdicts are shared by sizes that nothing can tell apart; what is said of a turn is said of its own."""
    choice = chosen(worker(context=10**9, profile="offline"))
    assert (choice.code, choice.fact.figure("needed")) == ("no-local-candidate", 10**9)
