"""The half of the store's contract that is about claims: slots, lives, generations; and how a store under test is made."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from capacity.ports import Claim, Clock, Store
from capacity.testing.clocks import SettableClock
from capacity.testing.contracts._contract import Contract

NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, tzinfo=UTC)
LIFE = timedelta(seconds=60)
TICK = timedelta(microseconds=1)


def taken(store: Store, key: str = "key", holder: str = "me", slots: int = 1) -> Claim:
    """A claim that has to be given."""
    claim = store.claim(key, holder, slots, LIFE)
    assert claim is not None
    return claim


class ClaimsContract(Contract):
    """What a claim promises its holder, and everybody else."""

    def make(self, clock: Clock, folder: Path) -> Store:
        """Make the store under test, with this clock. Whatever lasts is kept in the folder or belongs to it."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> SettableClock:
        """The store's clock."""
        return SettableClock(NOON)

    @pytest.fixture
    def store(self, clock: SettableClock, tmp_path: Path) -> Iterator[Store]:
        """The store."""
        store = self.make(clock, tmp_path)
        yield store
        store.close()

    def test_slots_are_given_until_none_is_free(self, store: Store) -> None:
        """Each holder has a slot of its own, the lowest first; a freed one is given again."""
        first, second = taken(store, slots=2), taken(store, holder="you", slots=2)

        assert first == Claim("key", "me", 0, first.generation, NOON + LIFE)
        assert (second.slot, second.holder) == (1, "you")
        assert store.claim("key", "him", 2, LIFE) is None
        assert taken(store, "another key").slot == 0
        assert store.release(first)
        assert taken(store, slots=2).slot == 0

    def test_a_lowered_cap_counts_every_holder(self, store: Store) -> None:
        """With one slot left of three, whoever still holds the third is the one."""
        low, middle, _ = (taken(store, slots=3) for _ in range(3))
        store.release(low)
        store.release(middle)

        assert store.claim("key", "you", 1, LIFE) is None

    def test_a_claim_lapses_by_the_stores_clock(self, store: Store, clock: SettableClock) -> None:
        """It holds until its last microsecond; one life later the slot is free, and its holder is refused."""
        claim = taken(store)
        clock.advance(LIFE - TICK)
        assert store.claim("key", "you", 1, LIFE) is None

        clock.advance(TICK)
        assert store.holder("key") is None
        assert store.renew(claim, LIFE) is None
        assert not store.release(claim)
        assert claim.generation < taken(store, holder="you").generation

    def test_a_claim_is_renewed_from_now_on(self, store: Store, clock: SettableClock) -> None:
        """It keeps its slot and generation, and ends one life after the renewal."""
        claim = taken(store)
        clock.advance(LIFE / 2)
        renewed = store.renew(claim, LIFE)

        assert renewed == Claim("key", "me", claim.slot, claim.generation, NOON + LIFE / 2 + LIFE)
        clock.advance(LIFE - TICK)
        assert store.holder("key") == "me"

    def test_a_lapsed_holder_cannot_touch_its_successor(self, store: Store, clock: SettableClock) -> None:
        """The generation tells them apart even where the holder has one name."""
        lapsed = taken(store)
        clock.advance(LIFE)
        taken(store)

        assert store.renew(lapsed, LIFE) is None
        assert not store.release(lapsed)
        assert store.holder("key") == "me"

    def test_generations_grow_for_ever(self, store: Store) -> None:
        """Over all slots of a key, and after everything was given back."""
        claims = [taken(store, slots=2) for _ in range(2)]
        assert [store.release(claim) for claim in claims] == [True, True]
        claims.append(taken(store))

        generations = [claim.generation for claim in claims]
        assert generations == sorted(set(generations))

    def test_holder_tells_of_the_first_slot(self, store: Store) -> None:
        """Nobody, whoever holds it, and nobody again."""
        assert store.holder("key") is None
        claim = taken(store, slots=2)
        taken(store, holder="you", slots=2)
        assert store.holder("key") == "me"
        assert store.release(claim)
        assert not store.release(claim)
        assert store.holder("key") is None

    def test_one_of_many_threads_gets_the_slot(self, store: Store) -> None:
        """However many ask at once."""
        with ThreadPoolExecutor(8) as threads:
            claims = list(threads.map(lambda n: store.claim("key", str(n), 1, LIFE), range(16)))

        assert claims.count(None) == 15
