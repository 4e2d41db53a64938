"""A changed row waits two days, one that jumps waits for a person, and meanwhile what it said before counts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from capacity.values.evidence import Evidence
from capacity.values.proposals import Docket, Proposal
from capacity.values.rankings import RankingRow

from .scene import DAY, NOW, SPREAD, proposal, row

HOUR = timedelta(hours=1)


def rows(score: float) -> list[RankingRow]:
    return [row("alpha-1", score, id="1"), *SPREAD[1:]]


def look(score: float, hours: int, before: Proposal | None, accepted: tuple[str, ...] = ()) -> Proposal:
    return proposal(rows(score), Docket(previous=before, accepted=accepted), at=NOW + hours * HOUR)


def first(made: Proposal) -> Evidence:
    return next(one for one in made.evidence if one.id == "made:1")


def worth(made: Proposal) -> float:
    return next(one.theta for one in made.estimates if str(one.pair) == "cli/alpha-1")


def test_a_changed_row_counts_after_two_days() -> None:
    """Until then it is held, and the estimate stands where it stood, but for the hours it has aged."""
    begun = look(85.0, 0, None)
    soon = look(80.0, 1, begun)
    later = look(80.0, 40, soon)
    done = look(80.0, 50, later)

    assert ["decides", "held", "held", "decides"] == [first(made).use for made in (begun, soon, later, done)]
    assert worth(begun) == pytest.approx(worth(later), abs=0.01)
    assert worth(done) < worth(begun) - 0.2


def test_a_row_that_changes_back_is_as_before() -> None:
    """What came and went within the two days moves nothing."""
    begun = look(85.0, 0, None)
    back = look(85.0, 20, look(80.0, 1, begun))
    done = look(85.0, 80, back)

    assert worth(begun) == pytest.approx(worth(back), abs=0.01)
    assert "decides" == first(done).use


@pytest.mark.parametrize("score", [74.0, 96.0])
def test_a_jump_waits_for_a_person(score: float) -> None:
    """Ten points, or three standard errors: quarantined for as long as nobody lets it in, by its digest."""
    begun = look(85.0, 0, None)
    week = look(score, 200, look(score, 1, begun))
    let_in = look(score, 201, week, accepted=(first(week).digest,))

    assert ("quarantined", "jump") == (first(week).use, first(week).why)
    assert ("made:1",) == week.diff.quarantine
    assert worth(begun) == pytest.approx(worth(week), abs=0.02)
    assert "decides" == first(let_in).use


def test_a_new_row_does_not_wait() -> None:
    """Only what was told otherwise before is a change."""
    begun = proposal(SPREAD)
    more = proposal([*SPREAD, row("eta-1", 52.0, id="new")], Docket(previous=begun), at=NOW + HOUR)

    assert "decides" == next(one.use for one in more.evidence if one.id == "made:new")


def test_when_a_row_was_first_seen_is_kept() -> None:
    """A look later it is still that instant."""
    begun = look(85.0, 0, None)
    again = proposal([*rows(85.0), row("zeta-1", 60.0)], Docket(previous=begun), at=NOW + DAY)

    assert NOW == first(again).seen_at
