"""L16 of leases: no slot has two holders, what lapsed stays lapsed, nothing is settled twice, a session holds one at most."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from capacity import codec
from capacity.core.leases import Book, Entered, fold, lease_id
from capacity.engine import Broker, Reply, Settings
from capacity.engine.ledger import Ledger
from capacity.engine.lines import read, written
from capacity.plugins import READERS, Plugin, Plugins
from capacity.store import memory
from capacity.testing.clocks import SettableClock
from capacity.testing.fakes import FakeReader
from capacity.values.lanes import Serving
from capacity.values.leases import Amount, Lease, Usage, Wait
from capacity.values.policy import AccountPolicy, HarnessPolicy, Policy, PoolPolicy
from capacity.values.seats import Candidate, Need
from capacity.values.tiers import TierRow, Tiers

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SLOTS = 2
SESSIONS = ("s1", "s2", "s3", "s4")
SETTINGS = Settings()
POLICY = Policy(
    tiers=Tiers(("top",), (TierRow("top", "h", "near"), TierRow("top", "h", "far"))),
    accounts={name: AccountPolicy(name, "fake") for name in ("far", "near")},
    pools={
        "far": PoolPolicy("far", "far", "subscription", unmeasurable=True, models=("far",)),
        "near": PoolPolicy(
            "near", "near", "local", unmeasurable=True, egress="none", models=("near",),
            serving=(Serving(slots=SLOTS, context=100_000),),
        ),
    },
    harnesses={"h": HarnessPolicy("h", ("far", "near"))},
)  # fmt: skip  # a table
PLUGINS = Plugins([Plugin(READERS, "fake", "capacity-fake", "1", lambda: FakeReader({}))])
NEAR = Need(tier="top", context=100, local=True)
ANY = Need(tier="top", context=100)
jumps = st.sampled_from(
    [
        timedelta(microseconds=1),
        SETTINGS.offer_life - timedelta(seconds=1),
        SETTINGS.lease_life / 2,
        SETTINGS.lease_life,
        timedelta(hours=5),
    ]
)


class Leases(RuleBasedStateMachine):
    """Sessions lease, renew, settle, tell things late and twice, crash, and the clock jumps; `held` says what is held."""

    leases = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.clock = SettableClock(NOON)
        self.store = memory(clock=self.clock)
        self.broker = self.start()
        self.held: dict[str, Lease] = {}
        self.replies: dict[str, Reply] = {}
        self.given: set[str] = set()
        self.generations: Counter[str] = Counter()

    def start(self) -> Broker:
        return Broker(POLICY, store=self.store, plugins=PLUGINS, clock=self.clock)

    def teardown(self) -> None:
        self.broker.close()

    def sweep(self) -> None:
        """Whoever does anything finds out what has lapsed, and it stays so."""
        now = self.clock.now()
        self.held = {of: lease for of, lease in self.held.items() if now < lease.expires_at}

    @rule(target=leases, session=st.sampled_from(SESSIONS), need=st.sampled_from([NEAR, ANY]), claimed=st.booleans())
    def lease(self, session: str, need: Need, claimed: bool) -> object:
        """A slot is granted exactly where one is free; asking twice gives the same lease, never a second one."""
        self.sweep()
        told = (self.broker.lease if claimed else self.broker.offer)(session, need)
        mine = self.held.pop(session, None)
        others = [lease for lease in self.held.values() if lease.candidate.pool == "near"]
        if not isinstance(told, Lease):
            assert isinstance(told, Wait)
            assert ("candidate-busy", SLOTS) == (told.code, len(others))
            return multiple()
        if mine is not None and told.id == mine.id:
            assert (mine.key, mine.slot, mine.generation) == (told.key, told.slot, told.generation)
        else:
            assert told.id not in self.given
            assert told.generation > self.generations[told.key]
            self.generations[told.key] = told.generation
        took = claimed or (mine is not None and told.id == mine.id and mine.claimed)
        life = SETTINGS.lease_life if took else SETTINGS.offer_life
        assert (took, self.clock.now() + life) == (told.claimed, told.expires_at)
        assert told.candidate.pool == "far" or len(others) < SLOTS
        self.given.add(told.id)
        self.held[session] = told
        return told

    @rule(lease=leases, claim=st.booleans())
    def hold(self, lease: Lease, claim: bool) -> None:
        """Only a lease that is held is claimed or renewed, for one life from now."""
        self.sweep()
        told = (self.broker.claim if claim else self.broker.renew)(lease)
        mine = self.held.get(lease.session)
        if mine is None or mine.id != lease.id:
            assert told is None
        else:
            assert told is not None
            assert (True, self.clock.now() + SETTINGS.lease_life) == (told.claimed, told.expires_at)
            self.held[lease.session] = told

    @rule(lease=leases, how=st.sampled_from(["settle", "release", "fail", "abort"]), tokens=st.integers(0, 9))
    def end(self, lease: Lease, how: str, tokens: int) -> None:
        """A lease is settled once, however late and however often that is told; its slot is free at once."""
        self.sweep()
        reply = self.ended(lease, how, tokens)
        mine = self.held.get(lease.session)
        is_held = mine is not None and mine.id == lease.id
        assert reply == self.replies.setdefault(lease.id, reply)
        if is_held:
            assert {"settle": "used", "release": "released"}.get(how, "failed") == reply.settled.ending
            del self.held[lease.session]

    def ended(self, lease: Lease, how: str, tokens: int) -> Reply:
        usage = Usage(input=Amount(tokens))
        if how == "settle":
            return self.broker.settle(lease, usage)
        if how == "release":
            return self.broker.release(lease)
        transport = "aborted" if how == "abort" else None
        return self.broker.fail(lease, text="" if transport else "database is locked", transport=transport)

    @rule(tidy=st.booleans())
    def crash(self, tidy: bool) -> None:
        """Another process goes on from what the store holds, whether or not it was tidied."""
        if tidy:
            Ledger(self.store).leasing.tidy(self.clock.now(), SETTINGS)
        self.broker = self.start()

    @rule(jump=jumps)
    def forward(self, jump: timedelta) -> None:
        self.clock.advance(jump)

    @rule(jump=jumps)
    def back(self, jump: timedelta) -> None:
        """A clock that is put right brings no lease to life again."""
        self.clock.advance(-jump)

    @invariant()
    def what_is_held_is_told(self) -> None:
        now = self.clock.now()
        expected = {lease.id for lease in self.held.values() if now < lease.expires_at}
        assert expected == {lease.id for lease in self.broker.leases()}

    @invariant()
    def every_slot_has_one_holder(self) -> None:
        slots = Counter((lease.key, lease.slot) for lease in self.held.values())
        assert not slots or max(slots.values()) == 1

    @invariant()
    def nothing_is_settled_twice(self) -> None:
        settled = [codec.loads(Reply, record.body).settled for record in self.store.read("settled")]
        ended = {one.lease: one for one in settled}
        assert len(ended) == len(settled)
        assert self.replies.keys() <= ended.keys() <= self.given
        assert all(ended[id] == reply.settled for id, reply in self.replies.items())
        assert all(lease.id not in ended for lease in self.held.values())


test_leases = Leases.TestCase
test_leases.settings = settings(stateful_step_count=40)


lines = st.lists(
    st.builds(
        lambda doing, session, number, minute, pool, prompt, loops: _line(
            doing, session, number, minute, pool, prompt, loops
        ),
        st.sampled_from(["offered", "claimed", "renewed", "ended"]),
        st.sampled_from(SESSIONS),
        st.integers(1, 6),
        st.integers(0, 300),
        st.sampled_from(["far", "near"]),
        st.none() | st.integers(0, 9),
        st.booleans(),
    ),
    max_size=30,
)


def _line(doing: str, session: str, number: int, minute: int, pool: str, prompt: int | None, loops: bool) -> Entered:
    """A line of the log, in any order and as late as one likes."""
    at, id = NOON + timedelta(minutes=minute), lease_id(session, number)
    granted = None
    if doing in ("offered", "claimed"):
        granted = Lease(
            id, session, Candidate("h", pool, pool), "top", "any", pool, 0, number, at, at, doing == "claimed"
        )
    rests = at + timedelta(hours=1) if loops and doing == "ended" else None
    return Entered(doing, id, at, granted, at + timedelta(minutes=9), "used", ("top pools",), prompt, rests)  # type: ignore[arg-type]  # a word of the log


@given(lines, st.integers(0, 30))
def test_the_fold_goes_on_where_it_was(lines: list[Entered], cut: int) -> None:
    """The fold of two parts of a log is the fold of the whole [L19], however the lines stand in it."""
    assert fold(lines) == fold(lines[cut:], fold(lines[:cut]))


@given(lines)
def test_what_is_told_again_changes_nothing(lines: list[Entered]) -> None:
    """A grant that is told again, and anything about a lease that has ended, leaves the book as it is."""
    book = fold(lines)
    gone = [one for one in lines if book.find(one.lease) is None]

    assert book == fold([one for one in lines if one.granted is not None], book)
    assert book == fold([one for one in gone if one.granted is None], book)


@given(lines)
def test_a_book_is_kept_as_it_is(lines: list[Entered]) -> None:
    """The mark of a book tells the same book."""
    book = fold(lines)

    assert book == codec.loads(Book, codec.dumps(book))


@given(lines)
def test_a_line_is_its_text_form(told: list[Entered]) -> None:
    """What is written quickly is the text form, and what is read quickly is what the text form tells."""
    for line in told:
        body = written(line)
        assert line == read(body, "") == codec.loads(Entered, body) == read(codec.dumps(line), "")
