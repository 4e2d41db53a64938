"""What is remembered of sessions, and for how long; and what one lease takes up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from capacity.core.leases import REMEMBERED, Entered, fold, lease_id, resting
from capacity.values.leases import Lease
from capacity.values.seats import Candidate

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
PLACE = Candidate("cli", "north", "big")
LIFE = timedelta(minutes=10)


def granted(session: str, number: int, at: datetime, *, claimed: bool = True) -> Entered:
    """The line of a lease that was granted."""
    id_ = lease_id(session, number)
    lease = Lease(id_, session, PLACE, "top", "any", "key", 0, number, at, at + LIFE, claimed)
    return Entered("claimed" if claimed else "offered", id_, at, lease, draws=("top pools",))


def ended(session: str, number: int, at: datetime) -> Entered:
    """The line of its end."""
    return Entered("ended", lease_id(session, number), at, ending="used", prompt=1_000)


def test_what_is_leased_is_never_forgotten() -> None:
    """Tidying up keeps every open lease and every counter, and forgets the places of sessions that are long gone."""
    old = NOW - 2 * REMEMBERED
    book = fold([granted("gone", 1, old), ended("gone", 1, old), granted("held", 2, old)])
    kept = resting(book, NOW)
    assert set(kept.open) == {"held"}
    assert "gone" not in kept.stays
    assert (kept.granted, kept.count) == ({"top pools": 2}, 2)


def test_a_place_is_remembered_from_its_last_use_on() -> None:
    """A session that came back counts from then, however long ago it was first there."""
    first, last = NOW - 2 * REMEMBERED, NOW - REMEMBERED / 2
    book = fold([granted("a", 1, first), ended("a", 1, first), granted("a", 2, last), ended("a", 2, last)])
    stay = resting(book, NOW).here("a", NOW)
    assert stay is not None
    assert (stay.candidate, stay.at, stay.prompt) == (PLACE, last, 1_000)


def test_what_is_remembered_has_a_bound() -> None:
    """Of a thousand sessions that come once each, those of the last hours are left."""
    lines = []
    for n in range(1, 1_001):
        at = NOW - timedelta(minutes=1_000 - n)
        lines += [granted(f"s{n}", n, at), ended(f"s{n}", n, at)]
    book = fold(lines)
    assert len(book.stays) == 1_000
    assert len(resting(book, NOW).stays) == REMEMBERED / timedelta(minutes=1)


def test_an_offer_nobody_claimed_is_no_place_a_session_was_at() -> None:
    """It is open while it lasts, and leaves nothing behind."""
    book = fold([granted("a", 1, NOW, claimed=False)])
    assert set(book.open) == {"a"}
    assert fold([ended("a", 1, NOW)], book).here("a", NOW) is None
