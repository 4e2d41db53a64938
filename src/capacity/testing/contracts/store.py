"""What every store owes: documents in the order they came, claims that end, all or nothing.

Subclass `StoreContract` in a plugin's tests and give it `construct` and `make`. It needs pytest (extra `testing`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from capacity.errors import StoreError
from capacity.ports import Claim, Record, Store
from capacity.testing.clocks import SettableClock
from capacity.testing.contracts._claims import LIFE, NOON, TICK, ClaimsContract, taken


class Undo(Exception):
    """What a test throws out of a transaction."""


def bodies(store: Store, log: str = "log") -> list[bytes]:
    """The documents of a log, oldest first."""
    return [record.body for record in store.read(log)]


def elsewhere(what: Callable[[], object]) -> object:
    """What a call gives in another thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(what).result(timeout=30)


class StoreContract(ClaimsContract):
    """Subclass it and give `construct` and `make`: the contract of `capacity.ports.Store`."""

    # --- documents ------------------------------------------------------------------------------

    @pytest.mark.parametrize("body", [b"", b"\0\xff\r\n", b"x" * 100_000], ids=len)
    def test_a_record_comes_back_as_it_was(self, store: Store, body: bytes) -> None:
        """Log, key, instant to the microsecond, and every byte of the body."""
        seq = store.append("log", "a key/with: any · sign", NOON, body)

        assert store.read("log") == (Record(seq, "log", "a key/with: any · sign", NOON, body),)

    def test_an_instant_of_any_zone_is_kept_in_utc(self, store: Store) -> None:
        """The same moment, however it was told; years before 1970 too."""
        early = datetime(1969, 7, 20, 22, 17, 40, 1, tzinfo=timezone(timedelta(hours=2)))
        store.append("log", "key", early, b"")

        [record] = store.read("log")
        assert (record.at, record.at.tzinfo) == (early, UTC)

    def test_an_instant_without_a_zone_is_refused(self, store: Store) -> None:
        """Nobody can say which moment it names, so nothing is kept."""
        with pytest.raises(ValueError, match="zone"):
            store.append("log", "key", NOON.replace(tzinfo=None), b"")

        assert store.read("log") == ()

    def test_numbers_grow_over_all_logs(self, store: Store) -> None:
        """A number says which of two documents came later, whatever logs they are in and whatever instant they tell."""
        seqs = [store.append(log, "key", NOON - n * LIFE, b"") for n, log in enumerate("abab")]

        assert seqs == sorted(set(seqs))

    def test_a_number_is_never_used_twice(self, store: Store) -> None:
        """Not even after the newest record was pruned."""
        newest = [store.append("log", "key", NOON, b"") for _ in range(3)][-1]
        store.prune("log", NOON + TICK)

        assert store.read("log") == ()
        assert newest < store.append("log", "key", NOON, b"")

    def test_read_narrows(self, store: Store) -> None:
        """By key, by number, to the newest: and what is left comes oldest first."""
        a, b, c = (store.append("log", key, NOON, key.encode()) for key in ("x", "y", "x"))
        store.append("other", "x", NOON, b"")

        assert [a, b, c] == [record.seq for record in store.read("log")]
        assert [a, c] == [record.seq for record in store.read("log", key="x")]
        assert [b, c] == [record.seq for record in store.read("log", since=a)]
        assert [b, c] == [record.seq for record in store.read("log", last=2)]
        assert [c] == [record.seq for record in store.read("log", key="x", since=a, last=5)]
        assert store.read("log", last=0) == ()
        assert store.read("log", key="z") == ()
        assert store.read("nothing") == ()

    def test_keys_are_those_with_a_record(self, store: Store) -> None:
        """Sorted, each once, of this log alone, and gone with their last record."""
        for key in ("b", "a", "", "a", "é"):
            store.append("log", key, NOON, b"")
        store.append("other", "c", NOON, b"")
        assert store.keys("log") == ("", "a", "b", "é")

        store.prune("log", NOON + TICK, keep=[store.read("log", key="b")[0].seq])
        assert store.keys("log") == ("b",)
        assert store.keys("nothing") == ()

    def test_prune_forgets_what_was_told_before(self, store: Store) -> None:
        """Strictly before the instant, of this log alone, but not what is kept; and says how many."""
        old, kept, _ = (store.append("log", "key", NOON - n * TICK, str(n).encode()) for n in (2, 1, 0))
        store.append("other", "key", NOON - LIFE, b"other")

        assert store.prune("log", NOON, keep={kept, 10**6}) == 1
        assert bodies(store) == [b"1", b"0"]
        assert bodies(store, "other") == [b"other"]
        assert old not in {record.seq for record in store.read("log")}

    def test_swap_compares_and_sets(self, store: Store) -> None:
        """A document is put, replaced or removed only where the caller knew what stood there."""
        assert store.get("k") is None
        assert not store.swap("k", b"new", b"something")
        assert store.swap("k", b"", None)
        assert store.get("k") == b""
        assert not store.swap("k", b"new", None)
        assert store.swap("k", b"new", b"")
        assert not store.swap("k", None, b"old")
        assert store.get("k") == b"new"
        assert store.swap("k", None, b"new")
        assert store.get("k") is None
        assert store.swap("k", None, None)

    # --- transactions ---------------------------------------------------------------------------

    @pytest.mark.parametrize("durable", [False, True])
    def test_a_transaction_keeps_everything(self, store: Store, durable: bool) -> None:
        """What was done inside is there behind it."""
        with store.transaction(durable=durable):
            store.append("log", "key", NOON, b"1")
            with store.transaction():
                store.swap("k", b"2", None)

        assert bodies(store) == [b"1"]
        assert store.get("k") == b"2"

    @pytest.mark.parametrize("durable", [False, True])
    def test_an_exception_undoes_everything(self, store: Store, durable: bool) -> None:
        """Records, prunings, documents and claims are as they were, and the exception comes out as it was thrown."""
        old = taken(store, "old")
        store.append("log", "key", NOON, b"old")

        def spoil() -> None:
            with store.transaction(durable=durable):
                store.append("log", "key", NOON, b"new")
                store.prune("log", NOON + TICK)
                store.swap("k", b"new", None)
                store.release(old)
                taken(store, "new")
                with store.transaction():
                    store.append("log", "key", NOON, b"newer")
                raise Undo

        with pytest.raises(Undo):
            spoil()
        assert bodies(store) == [b"old"]
        assert (store.get("k"), store.holder("old"), store.holder("new")) == (None, "me", None)

    def test_a_caught_failure_inside_undoes_everything_too(self, store: Store) -> None:
        """What was written before it may be half of something; the end says that nothing was kept."""

        def inner() -> None:
            with store.transaction():
                store.append("log", "key", NOON, b"inner")
                raise Undo

        def outer() -> None:
            with store.transaction():
                store.append("log", "key", NOON, b"outer")
                with pytest.raises(Undo):
                    inner()

        with pytest.raises(StoreError, match="undone"):
            outer()
        assert store.read("log") == ()
        store.append("log", "key", NOON, b"later")
        assert bodies(store) == [b"later"]

    def test_a_durable_transaction_joins_a_durable_one_only(self, store: Store) -> None:
        """Its promise is never broken in silence."""
        with store.transaction(durable=True), store.transaction(durable=True):
            store.append("log", "key", NOON, b"1")
        with pytest.raises(StoreError, match="durable"), store.transaction(), store.transaction(durable=True):
            store.append("log", "key", NOON, b"2")

        assert bodies(store) == [b"1"]

    def test_nobody_else_sees_half_of_a_transaction(self, store: Store) -> None:
        """This thread sees what it wrote; another, which need not wait, sees all of it once it has ended."""
        with store.transaction():
            store.append("log", "key", NOON, b"1")
            taken(store)
            store.append("log", "key", NOON, b"2")
            assert (bodies(store), store.holder("key")) == ([b"1", b"2"], "me")
            assert elsewhere(lambda: (bodies(store), store.holder("key"))) == ([], None)

        assert elsewhere(lambda: (bodies(store), store.holder("key"))) == ([b"1", b"2"], "me")

    def test_transactions_of_threads_come_one_after_the_other(self, store: Store) -> None:
        """What is read inside is still true when it ends: no count is lost."""

        def count(_: int) -> None:
            with store.transaction():
                body = store.get("count")
                time.sleep(0.0002)  # so that the others get their chance
                assert store.swap("count", str(int(body or b"0") + 1).encode(), body)

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(count, range(100)))

        assert store.get("count") == b"100"

    # --- itself ---------------------------------------------------------------------------------

    def test_now_is_the_clock(self, store: Store, clock: SettableClock) -> None:
        """The store tells the time of the clock it was given."""
        clock.advance(LIFE)

        assert store.now() == NOON + LIFE

    @pytest.mark.parametrize(
        "call",
        [
            lambda store: store.append("log", "key", NOON, b""),
            lambda store: store.read("log"),
            lambda store: store.keys("log"),
            lambda store: store.prune("log", NOON),
            lambda store: store.get("k"),
            lambda store: store.swap("k", b"", None),
            lambda store: store.claim("key", "me", 1, LIFE),
            lambda store: store.renew(Claim("key", "me", 0, 1, NOON + LIFE), LIFE),
            lambda store: store.release(Claim("key", "me", 0, 1, NOON + LIFE)),
            lambda store: store.holder("key"),
            lambda store: store.now(),
            lambda store: store.transaction().__enter__(),
        ],
        ids=[
            "append",
            "read",
            "keys",
            "prune",
            "get",
            "swap",
            "claim",
            "renew",
            "release",
            "holder",
            "now",
            "transaction",
        ],
    )
    def test_a_closed_store_refuses(self, store: Store, call: Callable[[Store], object]) -> None:
        """Every call but another close, in one clear sentence."""
        taken(store)
        store.close()
        store.close()

        with pytest.raises(StoreError, match="closed"):
            call(store)

    def test_what_was_kept_is_there_next_time(self, store: Store, clock: SettableClock, tmp_path: Path) -> None:
        """A second store of the same place, and one made after the first was closed, find everything and give no number twice."""
        seq = store.append("log", "key", NOON, b"1")
        taken(store)
        second = self.make(clock, tmp_path)
        try:
            assert (bodies(second), second.holder("key"), second.claim("key", "you", 1, LIFE)) == ([b"1"], "me", None)
            store.close()
            assert seq < second.append("log", "key", NOON, b"2")
            assert bodies(second) == [b"1", b"2"]
        finally:
            second.close()
