"""Values become documents and come back; what is needed is never forgotten."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from attrs import evolve

from capacity import codec
from capacity.core.headroom import fold as fold_readings
from capacity.engine.archive import DAY
from capacity.engine.documents import Adopted, Written
from capacity.engine.folds import figures, resting, unmarked
from capacity.engine.ledger import KEYED, Ledger
from capacity.errors import FormError, StoreError
from capacity.ports import Outcome, Placement, Store
from capacity.store import memory, sqlite
from capacity.testing.clocks import SettableClock
from capacity.values.conditions import Condition, Fact
from capacity.values.failures import Stop
from capacity.values.tick import Tick
from capacity.values.tiers import TierRow, Tiers

from .scene import HOUR, NOON, Scene, listing, policy, reading

POLICY = policy()
MOVE = Placement("t/f/s1", "f", "s1", "move", Fact("core:exhausted"))


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(NOON)


@pytest.fixture
def store(clock: SettableClock) -> Store:
    return memory(clock=clock)


def decided(scene: Scene) -> Tick:
    return scene.engine().tick().tick


def test_a_warm_ledger_and_a_cold_one_say_the_same(store: Store) -> None:
    """Whether it saw each record come or reads them all at once, the present is the same [L19]."""
    warm = Ledger(store)
    for hour in range(6):
        at = NOON + hour * HOUR
        state = "ok" if hour % 2 else "throttled"
        warm.publish(reading(10.0 * hour, part="a", observed_at=at, state=state))
        warm.publish_listing("a", listing("a", *(["b"] if hour < 3 else []), authority="authoritative"))
        warm.headroom(POLICY, at), warm.inventory(POLICY, at)
        if hour == 3:
            warm.mark()
    cold, at = Ledger(store), NOON + 6 * HOUR

    assert warm.headroom(POLICY, at) == cold.headroom(POLICY, at) == Ledger(memory_of(store)).headroom(POLICY, at)
    assert warm.inventory(POLICY, at) == cold.inventory(POLICY, at) == Ledger(memory_of(store)).inventory(POLICY, at)


def memory_of(store: Store) -> Store:
    """The same logs without their mark: everything has to be folded anew."""
    bare = memory(clock=SettableClock(NOON))
    for log in KEYED:
        for record in store.read(log):
            bare.append(log, record.key, record.at, record.body)
    return bare


def test_a_mark_spares_the_reading_of_what_is_folded(store: Store) -> None:
    """A new ledger starts at the mark and reads only what came after it."""
    ledger = Ledger(store)
    ledger.publish(reading(part="a"))
    ledger.mark()
    store.prune("readings", NOON + HOUR)
    ledger.publish(reading(part="b"))

    assert {"a", "b"} == {name for name, pool in Ledger(store).headroom(POLICY, NOON).pools.items() if pool.state}


@pytest.mark.parametrize("body", [b'{"form":99,"readings":5}\n', b'{"colour":"blue"}\n', b"rubbish"])
def test_a_mark_of_another_release_is_ignored(store: Store, body: bytes) -> None:
    """The logs are the truth; a mark nobody can read costs time and nothing else."""
    Ledger(store).publish(reading(part="a"))
    store.swap("mark", body, None)
    ledger = Ledger(store)
    ledger.mark()

    assert "ok" == ledger.headroom(POLICY, NOON).pools["a"].state
    assert body != store.get("mark")


def test_a_mark_never_goes_back(store: Store) -> None:
    """A process that has seen less does not undo the mark of one that has seen more."""
    early, late = Ledger(store), Ledger(store)
    late.publish(reading(part="a"))
    late.headroom(POLICY, NOON)
    late.mark()
    noted = store.get("mark")
    early._readings.since = early._listings.since = 0
    store.prune("readings", NOON + HOUR)
    early.mark()

    assert noted == store.get("mark")


def test_a_record_nobody_can_read_is_named(store: Store) -> None:
    """The log and the number of the record are in the error."""
    number = store.append("readings", "a", NOON, b'{"form":7}\n')

    with pytest.raises(FormError, match=rf"^readings {number}: "):
        Ledger(store).headroom(POLICY, NOON)


def test_the_last_word_outlives_every_retention(store: Store) -> None:
    """The last good reading of a pool, a standing condition, an operator's stop and our last placement are kept."""
    ledger = Ledger(store)
    ledger.publish(reading(11.0, part="a"))
    ledger.publish(reading(12.0, part="a", observed_at=NOON + timedelta(minutes=1)))
    ledger.publish(reading(part="a", observed_at=NOON + HOUR, state="unreachable"))
    ledger.note([Condition(Fact("core:pool-empty", "a"), "raised", NOON, "payment")])
    ledger.stop(Stop(NOON, "operator", "pool", "a"))
    ledger.write(Written(MOVE, NOON, outcome=Outcome("applied", at=NOON)))
    ledger.write(Written(evolve(MOVE, id="u/f/s1"), NOON + HOUR))
    ledger.write(Written(evolve(MOVE, id="u/f/s1"), NOON + HOUR, outcome=Outcome("rejected", at=NOON + HOUR)))
    before = (ledger.headroom(POLICY, NOON), ledger.conditions(), ledger.circuits(NOON), ledger.journal())
    ledger.prune(NOON + 100 * DAY)
    after = Ledger(store)

    assert 2 == len(store.read("readings"))
    assert before == (after.headroom(POLICY, NOON), after.conditions(), after.circuits(NOON), after.journal())
    assert ["t/f/s1"] == [entry.placement for entry in after.journal().entries]


def test_what_is_old_and_needed_by_nothing_is_forgotten(store: Store, clock: SettableClock) -> None:
    """A reading that others came after goes, and one that is not old enough stays."""
    ledger = Ledger(store)
    for hour in range(4):
        ledger.publish(reading(part="a", observed_at=NOON + hour * HOUR))
    ledger.prune(NOON + 2 * HOUR)

    assert [NOON + 2 * HOUR, NOON + 3 * HOUR] == [record.at for record in store.read("readings")]


def test_a_placement_that_did_not_take_leaves_the_last_one_that_did(store: Store) -> None:
    """What we know of a seat is what was last carried out, or what nobody can tell."""
    ledger = Ledger(store)
    ledger.write(Written(MOVE, NOON, outcome=Outcome("applied", at=NOON)))
    ledger.write(Written(evolve(MOVE, id="u/f/s1"), NOON, outcome=Outcome("conflict")))
    assert ["t/f/s1"] == [entry.placement for entry in ledger.journal().entries]

    sent = Written(evolve(MOVE, id="v/f/s1"), NOON)
    ledger.write(sent)
    assert (sent,) == ledger.unsettled()
    assert [("v/f/s1", "indeterminate")] == [(one.placement, one.outcome) for one in ledger.journal().entries]

    ledger.write(evolve(sent, outcome=Outcome("rejected")))
    assert () == ledger.unsettled()
    assert [("t/f/s1", "applied")] == [(one.placement, one.outcome) for one in ledger.journal().entries]


def test_a_kept_decision_is_rebuilt_byte_for_byte(tmp_path: Path) -> None:
    """In memory and in a file alike, whatever happened since."""
    for make in (memory, partial(sqlite, path=tmp_path / "c.db")):
        scene = Scene()
        with closing(make(clock=scene.clock)) as scene.store:
            first = decided(scene)
            scene.clock.advance(HOUR)
            second = decided(scene)
            engine = scene.engine()

            assert first.decision is not None
            assert [first.decision.id, second.decision and second.decision.id] == list(engine.ticks())
            for tick in (first, second):
                rebuilt = engine.rebuild(tick.decision.id if tick.decision else "")
                assert codec.dump_tick(tick) == codec.dump_tick(rebuilt)


def test_a_decision_nobody_kept_cannot_be_rebuilt(store: Store) -> None:
    """The error says where to look."""
    with pytest.raises(StoreError, match=r"no decision 'x' is kept; `Engine.ticks\(\)`"):
        Ledger(store).archive.rebuild("x")


def test_a_part_is_kept_once_and_written_anew_each_day() -> None:
    """The policy of a hundred decisions is one text a day, so that pruning by age never takes it from a decision."""
    scene = Scene()
    digest = None
    for _ in range(9):
        scene.clock.advance(6 * HOUR)
        decided(scene)
        kept = Ledger(scene.store).archive.last()
        assert kept is not None
        assert digest in (None, kept.parts["policy"])
        digest = kept.parts["policy"]
    assert 3 == len(scene.store.read("blobs", key=digest))

    Ledger(scene.store).prune(scene.clock.now() - 7 * HOUR)
    engine = scene.engine()
    assert 2 == len(engine.ticks())
    for id in engine.ticks():
        assert engine.rebuild(id).decision is not None


def test_the_last_decision_outlives_every_retention() -> None:
    """After a year without a tick the last one can still be shown."""
    scene = Scene()
    last = decided(scene)
    Ledger(scene.store).prune(NOON + 365 * DAY)

    assert last == scene.engine().rebuild(last.decision.id if last.decision else "")


def test_chance_is_drawn_once(store: Store) -> None:
    """Every engine on one store has the same seed, another store another one."""
    assert Ledger(store).seed() == Ledger(store).seed()
    assert 1 < len({Ledger(memory(clock=SettableClock(NOON))).seed() for _ in range(5)})


def test_numbers_are_taken_once(store: Store) -> None:
    """Looking takes none; two ledgers never get the same."""
    one, other = Ledger(store), Ledger(store)

    assert [0, 0, 1, 2, 2] == [
        one.turn(take=False),
        one.turn(take=True),
        other.turn(take=True),
        one.turn(take=False),
        other.turn(take=False),
    ]


def test_an_adopted_set_is_entered_when_it_is_first_seen(store: Store) -> None:
    """Each edit is a link that names the one before; the same set again is none, and no file is nothing adopted."""
    ledger = Ledger(store)
    first = Tiers(("top",), (TierRow("top", "h", "m1"),), file="tiers.toml")
    second = evolve(first, rows=(TierRow("top", "h", "m2"),))

    assert [True, False, True, True, False] == [
        ledger.adopt(tiers) for tiers in (first, first, second, first, Tiers(("top",)))
    ]
    chain = [codec.loads(Adopted, record.body) for record in store.read("adoptions", key="tiers.toml")]
    assert [None, chain[0].digest, chain[1].digest] == [link.was for link in chain]
    assert [first.rows, second.rows, first.rows] == [link.rows for link in chain]
    assert {"operator"} == {link.by for link in chain}


def test_a_mark_gives_the_fold_back(store: Store) -> None:
    """What a mark keeps of the readings is enough to go on from."""
    states = [("a", "ok"), ("a", "throttled"), ("b", "unreachable"), ("a", "ok")]
    told = [reading(n, part=part, observed_at=NOON + n * HOUR, state=state) for n, (part, state) in enumerate(states)]
    seen = fold_readings(told)

    assert seen == unmarked(resting(seen), figures(seen))
