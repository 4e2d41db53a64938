"""What an operator reads."""

from __future__ import annotations

from datetime import timedelta

import pytest
from attrs import evolve
from syrupy.assertion import SnapshotAssertion

from capacity import Limit, Reading, Scope, Tick, explain
from capacity.core.conditions import OWN
from capacity.core.sentences import SENTENCES, reason, sentence
from capacity.errors import CapacityError
from capacity.values.conditions import CONDITIONS, Fact, Figure
from capacity.values.history import Entry

from .build import LATER, NOW, full, headroom, history, inventory, place, policy, reading, seat, windows


def tick(**readings: Reading) -> Tick:
    """A tick of two seats."""
    rules = policy()
    low = seat("ben", "box-small-9", pool="box")
    past = Entry(
        "t/main/ben",
        "main",
        "ben",
        "demote",
        "applied",
        NOW - timedelta(hours=1),
        place("box-small-9"),
        place(),
        place(),
    )
    return Tick(inventory(), headroom(rules, **readings), rules, history(seat(), low, entries=(past,)))


def test_a_seat_is_explained_with_every_rule_walked(snapshot: SnapshotAssertion) -> None:
    """Act, reason, need with its origins, runners-up, and all that speaks against each candidate."""
    capped = Limit("weekly:mid", 97.0, resets_at=LATER, scope=Scope("model", "mid"))
    assert explain(tick(north=reading("north", limits=windows(95.0, 30.0, capped))), seat="ada") == snapshot


def test_the_figure_that_would_turn_a_refusal_is_named() -> None:
    """Where exactly one numeric rule refuses."""
    assert "would be eligible if weekly were below 90 %" in explain(tick(north=full()), seat="ada")


def test_a_pool_is_explained_with_its_limits(snapshot: SnapshotAssertion) -> None:
    """Each limit with how surely it is known, and the seats on it."""
    assert explain(tick(north=full()), pool="north") == snapshot


def test_a_whole_tick_is_explained(snapshot: SnapshotAssertion) -> None:
    """Pools, seats and conditions."""
    assert explain(tick(north=full())) == snapshot


def test_who_is_not_there_is_named_with_those_who_are() -> None:
    """A typo shows the names that would do."""
    with pytest.raises(CapacityError, match=r"'adda' is no seat of this tick\. Seats: main/ada, main/ben"):
        explain(tick(), seat="adda")
    with pytest.raises(CapacityError, match=r"'noth' is no pool of this tick\. Pools: box, north, paid, south"):
        explain(tick(), pool="noth")


def test_a_name_in_two_fleets_needs_its_fleet() -> None:
    """Which of the two is meant cannot be told."""
    one = tick()
    other = evolve(one.history.fleets[0], name="night", seats=(evolve(seat(), fleet="night"),))
    both = evolve(one, history=evolve(one.history, fleets=(*one.history.fleets, other)))
    with pytest.raises(CapacityError, match="is in several fleets; say fleet/seat"):
        explain(both, seat="ada")
    assert explain(both, seat="night/ada").startswith("night/ada: keep")


def test_every_condition_has_a_sentence_and_an_end() -> None:
    """No code of the core is told as a bare word."""
    assert {code.removeprefix("core:") for code in CONDITIONS} <= set(SENTENCES)
    assert set(CONDITIONS) >= OWN


def test_a_code_nobody_here_knows_passes_through() -> None:
    """A plugin's fact is told with its subject and figures."""
    strange = Fact("acme:overheated", "rack 3", (Figure("heat", 81, "celsius"),))
    assert "acme:overheated rack 3 (heat 81 celsius)" == sentence(strange)
    assert (strange, sentence(strange)) == (reason(strange).fact, reason(strange).sentence)


def test_a_command_in_a_sentence_can_be_typed() -> None:
    """A name with a blank is quoted as a shell wants it."""
    told = Fact(
        "core:preparable", "my model", (Figure("residency", "loadable", "word"), Figure("pool", "rack", "word"))
    )
    assert "my model is loadable; `capacity models prepare rack 'my model'` loads it" == sentence(told)


def test_a_name_with_a_line_end_stays_in_its_line() -> None:
    """Names come from strangers; a sentence is one line whatever they are called."""
    assert "a\\nb is pinned by the operator" == sentence(Fact("core:pinned", "a\nb"))
