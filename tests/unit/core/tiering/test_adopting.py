"""Adopting makes a new link of the chain, whole or in part; a pin is a person's word; going back is a link too."""

from __future__ import annotations

import re

import pytest
from attrs import evolve

from capacity import Model
from capacity.core.tiering import adopt, identity, pin, rollback
from capacity.errors import NoSuch, StaleBase
from capacity.values.evidence import Pair
from capacity.values.proposals import Docket
from capacity.values.tiers import TierRow, TierSet

from .scene import DAY, LADDER, NOW, SPREAD, adopted, inventory, policy, proposal, row

EMPTY = TierSet()


def test_a_whole_proposal() -> None:
    """Every pair with its tier, evidence and dates; the set knows its parent, its cuts and when it is stale."""
    made = proposal()
    told = adopt(made, EMPTY, policy(), "ann", NOW)
    one = next(one for one in told.rows if (one.harness, one.model) == ("cli", "gamma-1"))

    assert ("mid", "measured", "mid", "made", "ann", NOW) == (
        one.tier, one.standing, one.proven, one.source, one.adopted_by, one.adopted_at,
    )  # fmt: skip  # one value
    assert (NOW - 10 * DAY, 69.9) == (one.measured_at, one.score)
    assert 10 == len(told.rows)
    assert (LADDER, "board@1", made.diff.cuts_after, made.content) == (
        told.ladder,
        told.benchmark,
        told.cuts,
        told.evidence,
    )
    assert (identity(EMPTY), NOW + 60 * DAY) == (told.parent, told.stale_at)
    assert told.id == identity(told)


def test_a_part() -> None:
    """Only what was chosen comes in; the rest is proposed again against the new set."""
    chosen = Pair("cli", "alpha-1"), Pair("cli", "eta-1")
    told = adopt(proposal(), EMPTY, policy(), "ann", NOW, chosen)
    rest = proposal(docket=Docket(told))

    assert ["cli/alpha-1", "cli/eta-1"] == [f"{one.harness}/{one.model}" for one in told.rows]
    assert 8 == len(rest.diff.add)
    assert 2 == rest.diff.keep


def test_rows_that_stay_are_told_anew_by_a_whole_proposal_only() -> None:
    """Adopting a part touches nothing but the part."""
    docket = evolve(adopted(), previous=None)
    made = proposal([*SPREAD, row("zeta-1", 95.0), row("alpha-1", 84.0, id="more")], docket)
    part = adopt(made, docket.adopted, policy(), "ann", NOW, (Pair("cli", "zeta-1"),))
    whole = adopt(made, docket.adopted, policy(), "ann", NOW)
    rows = [
        next(one for one in told.rows if one.key == ("cli", "alpha-1", "")) for told in (docket.adopted, part, whole)
    ]

    assert [1, 1, 2] == [len(one.evidence) for one in rows]
    assert [docket.adopted.adopted_at] * 3 == [one.adopted_at for one in rows]


def test_a_row_keeps_the_name_its_operator_wrote() -> None:
    """It moves under its own spelling, and no second row of the same pair comes in."""
    listed = inventory(Model("alpha-1", names={"the big one"}))
    base = TierSet([TierRow("low", "cli", "The Big One")])
    told = adopt(proposal(docket=Docket(base), inventory=listed), base, policy(), "ann", NOW)

    assert [("high", "The Big One")] == [
        (one.tier, one.model) for one in told.rows if one.key[1] in ("the big one", "alpha-1") and one.harness == "cli"
    ]


def test_a_rename_is_adopted_with_its_tier() -> None:
    """The row goes on under the new name."""
    rows = [evolve(one, id=str(place)) for place, one in enumerate(SPREAD)]
    docket = adopted(rows, inventory=inventory("other-9"))
    renamed = [evolve(rows[0], model_raw="omega-2", model_key="omega-2"), *rows[1:]]
    made = proposal(renamed, docket, inventory=inventory("other-9"), at=NOW + 9 * DAY)
    told = adopt(made, docket.adopted, policy(), "ann", NOW + 9 * DAY)

    assert "high" == next(one.tier for one in told.rows if one.model == "omega-2")
    assert not [one for one in told.rows if one.model == "alpha-1"]


def test_another_base_is_refused() -> None:
    """Somebody changed the set since the proposal was made; both ids are named, and what to do."""
    made, other = proposal(), TierSet([TierRow("low", "cli", "x")])

    with pytest.raises(
        StaleBase,
        match=re.escape(f"{made.id} was made against {made.base}, and {identity(other)} is in force: propose again"),
    ):
        adopt(made, other, policy(), "ann", NOW)


@pytest.mark.parametrize(
    ("state", "days", "told"), [("rejected", 0, "rejected"), ("pending", 30, "expired"), ("adopted", 0, "adopted")]
)
def test_what_waits_no_more_is_refused(state: str, days: int, told: str) -> None:
    """A decided or a void proposal is not adopted."""
    made = evolve(proposal(), state=state)

    with pytest.raises(NoSuch, match=f"is {told}, not pending"):
        adopt(made, EMPTY, policy(), "ann", NOW + days * DAY)


def test_a_part_that_is_no_part_is_refused() -> None:
    """What it does change is listed."""
    with pytest.raises(NoSuch, match=r"changes nothing for cli/nobody@high; it would change cli/alpha-1, "):
        adopt(proposal(), EMPTY, policy(), "ann", NOW, (Pair("cli", "nobody", "high"),))


def test_a_pin_replaces_the_row_and_nothing_else() -> None:
    """By a person's word, until a date, for a reason."""
    base = adopted().adopted
    told = pin(base, TierRow("high", "cli", "ETA-1", expires_at=NOW + DAY, reason="own trial"), "ann", NOW)
    (one,) = [one for one in told.rows if one.key == ("cli", "eta-1", "")]

    assert ("high", "pinned", "ann", "own trial", None) == (
        one.tier,
        one.standing,
        one.adopted_by,
        one.reason,
        one.proven,
    )
    assert len(base.rows) == len(told.rows)
    assert identity(base) == told.parent


def test_going_back_is_a_link_of_its_own() -> None:
    """The rows of the earlier set, its age included, on top of the chain: nothing is forgotten."""
    first = adopted().adopted
    second = pin(first, TierRow("high", "cli", "eta-1"), "ann", NOW)
    third = rollback(second, first, "ben", NOW + DAY)

    assert first.rows == third.rows
    assert first.stale_at == third.stale_at
    assert (identity(second), "ben") == (third.parent, third.adopted_by)
    assert 3 == len({first.id, second.id, third.id})


def test_an_id_is_of_the_content() -> None:
    """Who wrote a set, when, and what it calls itself are not in its id; a tier is."""
    base = adopted().adopted
    moved = [evolve(one, tier="low") if one.model == "alpha-1" else one for one in base.rows]

    assert identity(base) == identity(evolve(base, id="ts-other", adopted_by="x", adopted_at=None, stale_at=None))
    assert identity(base) != identity(evolve(base, rows=moved))
