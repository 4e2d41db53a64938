"""L16: a store never holds two valid claims of one slot; a lapsed holder is refused; a slot is free one life later."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from capacity.ports import Claim, Store
from capacity.store import memory, sqlite
from capacity.testing.clocks import SettableClock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEYS = ("account", "fleet")
keys = st.sampled_from(KEYS)
lives = st.sampled_from([timedelta(microseconds=1), timedelta(seconds=10), timedelta(seconds=60)])
jumps = st.sampled_from([timedelta(microseconds=1), timedelta(seconds=9), timedelta(seconds=61), timedelta(days=365)])


class Undone(Exception):
    pass


class Claims(RuleBasedStateMachine):
    """Claims are taken, renewed, given back and undone while the clock jumps, both ways; `valid` says what is held."""

    claims = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.clock = SettableClock(NOON)
        self.opened: list[Store] = []
        self.store = self.open()
        self.valid: dict[tuple[str, int], Claim] = {}
        self.generations = dict.fromkeys(KEYS, 0)

    def open(self) -> Store:
        self.opened.append(self.make())
        return self.opened[-1]

    def make(self) -> Store:
        return memory(clock=self.clock)

    def teardown(self) -> None:
        for store in self.opened:
            store.close()

    def settle(self, key: str) -> None:
        """Whoever asks about a key finds out which of its claims have lapsed, and they stay so."""
        now = self.clock.now()
        self.valid = {at: claim for at, claim in self.valid.items() if at[0] != key or now < claim.expires_at}

    def held(self, claim: Claim) -> bool:
        """Whether that very claim is still the one on its slot."""
        standing = self.valid.get((claim.key, claim.slot))
        return standing is not None and standing.generation == claim.generation

    @rule(target=claims, key=keys, holder=st.sampled_from("ab"), slots=st.integers(0, 3), life=lives)
    def claim(self, key: str, holder: str, slots: int, life: timedelta) -> object:
        """A slot is given exactly where fewer are held than there may be, and never one that is held."""
        self.settle(key)
        taken = {slot for of, slot in self.valid if of == key}
        claim = self.store.claim(key, holder, slots, life)
        if claim is None:
            assert len(taken) >= slots
            return multiple()
        assert len(taken) < slots
        assert claim.slot not in taken
        assert self.generations[key] < claim.generation
        assert (key, holder, self.clock.now() + life) == (claim.key, claim.holder, claim.expires_at)
        self.generations[key] = claim.generation
        self.valid[key, claim.slot] = claim
        return claim

    @rule(claim=claims, life=lives)
    def renew(self, claim: Claim, life: timedelta) -> None:
        """Only the valid holder holds on, for one life from now."""
        self.settle(claim.key)
        renewed = self.store.renew(claim, life)
        assert self.held(claim) == (renewed is not None)
        if renewed is not None:
            assert self.clock.now() + life == renewed.expires_at
            self.valid[claim.key, claim.slot] = renewed

    @rule(claim=claims)
    def release(self, claim: Claim) -> None:
        """Only the valid holder gives back, and only once."""
        self.settle(claim.key)
        assert self.held(claim) == self.store.release(claim)
        if self.held(claim):
            del self.valid[claim.key, claim.slot]

    @rule(claim=claims, key=keys)
    def undo(self, claim: Claim, key: str) -> None:
        """What is undone was never done, whatever it was."""
        try:
            with self.store.transaction():
                self.store.release(claim)
                self.store.claim(key, "c", 5, timedelta(days=9))
                raise Undone
        except Undone:
            pass

    @rule(jump=jumps)
    def forward(self, jump: timedelta) -> None:
        self.clock.advance(jump)

    @rule(jump=jumps)
    def back(self, jump: timedelta) -> None:
        """A clock that is put right gives no slot to two holders."""
        self.clock.advance(-jump)

    @invariant()
    def the_holder_is_told(self) -> None:
        now = self.clock.now()
        for key in KEYS:
            first = self.valid.get((key, 0))
            assert (first.holder if first and now < first.expires_at else None) == self.store.holder(key)


class ClaimsInAFile(Claims):
    """The same, and at any moment another store of the same file takes over, beside the one before or after it."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        super().__init__()

    def make(self) -> Store:
        return sqlite(path=Path(self.folder.name) / "capacity.db", clock=self.clock)

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()

    @rule(close=st.booleans())
    def take_over(self, close: bool) -> None:
        if close:
            self.store.close()
        self.store = self.open()


test_in_memory = Claims.TestCase
test_in_a_file = ClaimsInAFile.TestCase
test_in_memory.settings = settings(stateful_step_count=40)
test_in_a_file.settings = settings(stateful_step_count=40, max_examples=20)
