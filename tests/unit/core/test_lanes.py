"""Lanes: from an agent to its tier, what raises it, which part of a lane a place is in, and how large a prompt it takes."""

from __future__ import annotations

import pytest
from attrs import evolve

from capacity import Need, Policy
from capacity.core.lanes import alone, lane_of, serving, settled, stage, tier_of, usable
from capacity.values.lanes import Lane, Lanes, Phrases, Pick, Serving, Step
from capacity.values.policy import Profile
from capacity.values.tiers import Tiers

RISKS = (
    Phrases("deep", ("dosage of", "how much * to take", "gas leak"), but=("dosage calculator test",)),
    Phrases("smart", ("legal advice", "owe taxes", "owe * taxes", "electrical panel")),
)
LANES = Lanes(
    default="worker",
    agents={
        "plan": "smart",
        "explore": "worker",
        "compaction": "inherit",
        "fleet-*": "worker",
        "fleet-sort*": "classifier",
    },
    aliases={"build": "smart"},
    phrases=RISKS,
)
POLICY = Policy(tiers=Tiers(("deep", "smart", "build", "worker")), lanes=LANES)


@pytest.mark.parametrize(
    ("agent", "parent", "tier"),
    [
        ("plan", None, "smart"),
        ("plan", "deep", "smart"),
        ("compaction", "build", "build"),
        ("compaction", None, "worker"),
        ("fleet-run", None, "worker"),
        ("fleet-sorter", None, "classifier"),
        ("stranger", None, "worker"),
        ("stranger", "deep", "worker"),
    ],
)
def test_an_agent_has_the_tier_of_the_rule_that_fits_best(agent: str, parent: str | None, tier: str) -> None:
    """Its own name, else the longest beginning, else the default; what inherits rides its parent's tier."""
    assert tier_of(POLICY, agent, parent) == tier


def test_without_a_default_an_agent_has_the_lowest_tier() -> None:
    """Nobody who is not named is given the best; and without tiers there is none to give."""
    assert tier_of(evolve(POLICY, lanes=Lanes()), "stranger") == "worker"
    assert tier_of(Policy(), "stranger") is None


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        ("What is the dosage of ibuprofen for a child?", "deep"),
        ("how much of it to take", "deep"),
        ("how much of it ought one really to take", "worker"),
        ("Do I owe taxes on this?", "smart"),
        ("do I owe the state taxes", "smart"),
        ("add a circuit breaker timeout to the client", "worker"),
        ("the voltage sensor of the panel", "worker"),
        ("run the dosage calculator test; it checks the dosage of nothing", "worker"),
        ("no gas leaks here", "worker"),
        ("", "worker"),
    ],
)
def test_phrases_raise_a_turn_by_topic_and_not_by_word(text: str, tier: str) -> None:
    """Whole words in their order; a word of the trade that looks alike is none of them."""
    assert settled(POLICY, "worker", text) == tier


def test_what_is_asked_never_lowers_a_turn() -> None:
    """A smart phrase in a deep turn leaves it deep; and an alias only goes up."""
    assert settled(POLICY, "deep", "do I owe taxes") == "deep"
    assert settled(POLICY, "build") == "smart"
    assert settled(evolve(POLICY, lanes=evolve(LANES, aliases={"deep": "worker"})), "deep") == "deep"


def test_a_word_that_is_no_tier_is_left_as_it_is() -> None:
    """A classifier's turn is raised by nothing: it only sorts others."""
    assert settled(POLICY, "classifier", "gas leak") == "classifier"
    assert settled(POLICY, None, "gas leak") is None


def test_a_need_is_decided_in_the_lane_it_names_else_its_profiles_else_its_tiers() -> None:
    """A profile without a lane of its own uses its tier's."""
    lanes = Lanes(tiers={"smart": Lane("smart")}, profiles={"own": Lane("own")}, classifier=Lane("classifier"))
    policy = Policy(lanes=lanes, profiles={"own": Profile("own"), "plain": Profile("plain")})
    found = {
        lane_of(policy, need).name
        for need in (
            Need(tier="smart", profile="own", lane="classifier"),
            Need(tier="smart", profile="own"),
            Need(tier="smart", profile="plain"),
        )
    }
    assert found == {"classifier", "own", "smart"}
    assert lane_of(policy, Need(tier="build")) == Lane("build")


def test_a_place_is_in_the_first_part_of_a_lane_that_means_it() -> None:
    """Every part of a pick that is given has to fit; a lane that names nothing of its own holds all that is no step."""
    lane = Lane("x", (Pick(model="Big"),), (Step((Pick(pool="p"),)), Step((Pick(model="big", effort="high"),))))
    assert stage(lane, "cli", "p", frozenset({"big"}), None) == 0
    assert stage(lane, "cli", "p", frozenset({"small"}), None) == 1
    assert stage(lane, "cli", "q", frozenset({"small"}), "high") is None
    open_ = Lane("y", (), (Step((Pick(pool="p"),)),))
    assert stage(open_, "cli", "p", frozenset(), None) == 1
    assert stage(open_, "cli", "q", frozenset(), None) == 0


def test_one_pick_of_a_model_means_it_alone() -> None:
    """A pool is no model, and two are not one."""
    lane = Lane("x", (Pick(model="big"),), (Step((Pick(pool="p"),)), Step((Pick(model="a"), Pick(model="b")))))
    assert [alone(lane, at) for at in range(3)] == [True, False, False]


@pytest.mark.parametrize(
    ("window", "said", "local", "tokens"),
    [
        (32_768, Serving(), True, 19_660),
        (200_000, Serving(), False, 170_000),
        (131_072, Serving(reserve=24_576), True, 106_496),
        (200_000, Serving(reserve=64_000), False, 136_000),
        (16_000, Serving(reserve=16_000), False, 13_600),
        (100_000, Serving(share=0.5), False, 50_000),
        (None, Serving(reserve=10), False, None),
    ],
)
def test_a_prompt_leaves_room_for_its_answer(
    window: int | None, said: Serving, local: bool, tokens: int | None
) -> None:
    """The reserve that is declared, unless it would take the whole window; else a share of it."""
    assert usable(window, said, "local" if local else "subscription") == tokens


def test_the_first_rule_that_names_a_model_speaks_for_it() -> None:
    """And one without a name speaks for what is left."""
    rules = (Serving("a", slots=1), Serving(slots=2), Serving("b", slots=3))
    found = [serving(rules, frozenset({name})).slots for name in ("a", "b")]
    assert found == [1, 2]
    assert serving((), frozenset({"a"})) == Serving()
