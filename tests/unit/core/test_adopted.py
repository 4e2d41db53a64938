"""Adopted rows: how certain a place is, when it ends, and which rows nothing runs by."""

from __future__ import annotations

from datetime import timedelta

import pytest
from attrs import evolve

from capacity import Model, Need, Policy
from capacity.core.adopted import adopted_line, unusable
from capacity.core.candidates import survey
from capacity.core.rules import Asking
from capacity.core.sentences import sentence
from capacity.values.methods import TierSourcePolicy
from capacity.values.tiers import TierRow

from .build import NOW, decided, inventory, policy
from .test_conditions import codes


def adopting(*rows: TierRow, **parts: object) -> Policy:
    """The policy with those rows, and no others."""
    rules = policy()
    return evolve(rules, tiers=evolve(rules.tiers, rows=rows, **parts))


def row(tier: str = "top", model: str = "north-big-2", **parts: object) -> TierRow:
    """A row of the harness that draws on the first pool."""
    return evolve(TierRow(tier, "cli", model), **parts)


@pytest.mark.parametrize(
    ("proven", "floor", "code"),
    [
        (None, "top", None),
        ("top", "top", None),
        ("good", "good", None),
        ("good", "top", "core:floor-unproven"),
        ("fair", "good", "core:floor-unproven"),
        ("gone", "fair", "core:floor-unproven"),
    ],
)
def test_a_floor_looks_at_what_is_certain(proven: str | None, floor: str, code: str | None) -> None:
    """The tier a row is placed in may be better than the one it is known to reach; a floor takes the second."""
    rules = adopting(row(proven=proven))
    (place,) = {one.proven: one for one in survey(inventory(), rules).field.places if one.tier == "top"}.values()
    found = Asking(Need(tier="top", floor=floor), rules).against(place)

    assert code == (found[0].fact.code if found else None)
    assert all(one.proof for one in found)


def test_a_row_that_has_ended_places_nobody() -> None:
    """From the instant on it counts for nothing, and is told of with that instant."""
    for span, expected in ((timedelta(seconds=1), []), (timedelta(0), ["its place in tier top ended Sun "])):
        rules = adopting(row(expires_at=NOW + span))
        found = survey(inventory(), rules)

        assert bool(expected) != bool(found.field.candidates)
        assert expected == [sentence(why)[:32] for _, why in unusable(found)]


def test_a_row_nothing_runs_by_says_why() -> None:
    """Its harness is not there, its model is listed nowhere, or the model does not take its effort."""
    models = {"north": (Model("north-big-2", efforts=("low",)),)}
    rules = adopting(
        row(),
        row(effort="max"),
        row(model="never-heard-of"),
        evolve(row(), harness="nowhere"),
    )
    told = {
        f"{one.harness} {one.model} {one.effort}": why.code for one, why in unusable(survey(inventory(models), rules))
    }

    assert {
        "cli north-big-2 max": "core:effort-refused",
        "cli never-heard-of None": "core:row-unlisted",
        "nowhere north-big-2 None": "core:harness-unknown",
    } == told


def test_a_tier_in_which_nothing_runs_is_an_alarm() -> None:
    """A table with a hole is told of; one without rows at all is told of as that."""
    empty = decided(rules=adopting(row("fair")))
    assert "good" == codes(empty)["tier-empty"]
    assert [True] == [one.loud for one in empty.conditions if one.fact.code == "core:tier-empty"]
    assert "tier-empty" not in codes(decided())
    assert "tier-empty" not in codes(decided(rules=adopting()))


def test_a_seat_with_nowhere_else_to_go_is_told_of_where_evidence_is_looked_for() -> None:
    """One row of its tier is no alternative to itself; two are. Without a source nobody asked."""
    sources = {"board": TierSourcePolicy("board")}
    here = decided().placements[0].candidate
    assert here is not None
    alone = row("good", model=here.model, effort=here.effort)

    assert "main/ada" == codes(decided(rules=adopting(alone, sources=sources)))["nothing-interchangeable"]
    assert "nothing-interchangeable" not in codes(decided(rules=adopting(alone)))
    other = row("good", model="north-big-2")
    assert "nothing-interchangeable" not in codes(decided(rules=adopting(alone, other, sources=sources)))


def test_a_row_is_told_with_its_evidence_and_dates() -> None:
    """Tier, origin, who adopted it when, figure, what is certain, newest measurement, end, evidence and reason."""
    bare = row()
    full = row(
        source="board", adopted_at=NOW, adopted_by="ann", standing="pinned", proven="good", score=76.25, stderr=2.0,
        measured_at=NOW - timedelta(days=3), expires_at=NOW + timedelta(days=9), evidence=("board:2", "board:1"),
        reason="seen it work",
    )  # fmt: skip  # one row

    assert "tier top as cli/north-big-2, from operator; by operator" == adopted_line(bare)
    assert (
        "tier top as cli/north-big-2, from board; by ann on 2026-09-20; pinned; 76.2 ± 2.0 %; certain is only good; "
        'newest row of 2026-09-17; until Tue 2026-09-29 12:00Z; evidence board:1, board:2; "seen it work"'
    ) == adopted_line(full)
