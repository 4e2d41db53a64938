"""The laws of proposals: order, price and shifted time change nothing; nobody unknown is placed; what is adopted is a fixpoint."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from capacity import Inventory, Model, Policy
from capacity.core.tiering import adopt, identity, pin, propose, rollback
from capacity.values.models import PoolInventory
from capacity.values.policy import HarnessPolicy
from capacity.values.proposals import Docket, Proposal
from capacity.values.rankings import KnownModel, RankingRow, Rankings
from capacity.values.tiers import Tiers, TierSet

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MODELS = tuple(f"model-{number}" for number in range(6))


@frozen
class World:
    """What `propose` takes, but for the present."""

    rankings: tuple[Rankings, ...]
    docket: Docket
    inventory: Inventory
    policy: Policy

    def proposal(self, at: datetime = NOW) -> Proposal:
        return propose(self.rankings, self.docket, self.inventory, self.policy, at)


ODD: Sequence[dict[str, Any]] = (
    {"harness": None}, {"model_raw": "nobody"}, {"model_raw": "Model 1 (high)"}, {"benchmark": "SWE-bench Verified"},
    {"scale": "elo", "score": 1100.0, "n": None, "stderr": 20.0}, {"scale": "stars"}, {"n": None}, {"stderr": 0.01},
    {"attempts": 3}, {"failed": 300}, {"failed": 30}, {"measured_at": None}, {"measured_at": NOW - 300 * DAY},
    {"measured_at": NOW + DAY}, {"provenance": None}, {"provenance": "model-vendor"}, {"effort": "high"}, {"id": "7"},
    {"harness": "other"}, {"score": 99.0}, {"score": 1.0},
)  # fmt: skip  # one value
"""What a row may be beside sound: each kind that is treated in a way of its own."""


@st.composite
def rows(draw: st.DrawFn) -> RankingRow:
    """A row of a board: its model's true worth, two points of noise, and every third time something odd."""
    model = draw(st.integers(0, len(MODELS) - 1))
    told: dict[str, Any] = {
        "harness": draw(st.sampled_from(["cli", "tui"])),
        "model_raw": MODELS[model],
        "benchmark": draw(st.sampled_from(["one", "two"])),
        "score": 85.0 - 10 * model + draw(st.integers(-4, 4)),
        "scale": "percent",
        "n": 400,
        "stderr": draw(st.sampled_from([None, 2.0])),
        "provenance": "benchmark-owner",
        "measured_at": NOW - draw(st.sampled_from([1, 100])) * DAY,
    }
    if draw(st.integers(0, 2)) == 2:
        told |= draw(st.sampled_from(ODD))
    return RankingRow(**told)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    listed = draw(st.sets(st.sampled_from(MODELS), max_size=4))
    models = tuple(Model(name, pool="pool") for name in sorted(listed))
    policy = Policy(
        tiers=Tiers(draw(st.sampled_from([("high", "mid", "low"), ("high", "low"), ("only",), ()]))),
        harnesses={name: HarnessPolicy(name, ("pool",)) for name in ("cli", "tui")},
    )
    known = tuple(
        KnownModel(name, family="line", released_at=NOW - (40 - age) * DAY) for age, name in enumerate(MODELS)
    )
    told = [
        Rankings(name, "fresh", NOW, tuple(draw(st.lists(rows(), min_size=2, max_size=14))), known=known)
        for name in ("a", "b")
    ]
    inventory = Inventory(
        NOW, {"pool": PoolInventory("pool", "authoritative", fresh=True, observed_at=NOW, models=models)}
    )
    return World(tuple(told), Docket(), inventory, policy)


def mixed(chance: Random, things: Any) -> tuple[Any, ...]:
    told = list(things)
    chance.shuffle(told)
    return tuple(told)


@given(world=worlds(), chance=st.randoms(use_true_random=False))
def test_order_changes_nothing(world: World, chance: Random) -> None:
    """Rows, sources and models in another order give the same proposal, byte for byte."""
    pools = {name: evolve(one, models=mixed(chance, one.models)) for name, one in world.inventory.pools.items()}
    told = [evolve(one, rows=mixed(chance, one.rows)) for one in mixed(chance, world.rankings)]
    again = evolve(world, rankings=tuple(told), inventory=evolve(world.inventory, pools=pools))

    assert world.proposal() == again.proposal()


@given(world=worlds(), chance=st.randoms(use_true_random=False))
def test_price_changes_nothing(world: World, chance: Random) -> None:
    """Whatever a row cost, and wherever it can be looked up, the proposal has one id and the same estimates."""
    costs = [
        evolve(one, rows=tuple(evolve(row, cost_usd=Decimal(chance.randrange(1, 99))) for row in one.rows))
        for one in world.rankings
    ]
    plain, priced = world.proposal(), evolve(world, rankings=tuple(costs)).proposal()

    assert (plain.id, plain.estimates, plain.diff) == (priced.id, priced.estimates, priced.diff)


@given(world=worlds(), days=st.integers(-1000, 1000))
def test_shifted_time_changes_only_instants(world: World, days: int) -> None:
    """The whole world some days earlier or later has the same tiers."""
    by = days * DAY
    told = [
        evolve(
            one,
            as_of=NOW + by,
            rows=tuple(evolve(row, measured_at=row.measured_at and row.measured_at + by) for row in one.rows),
        )
        for one in world.rankings
    ]
    moved = evolve(world, rankings=tuple(told)).proposal(NOW + by)

    def told(made: Proposal) -> dict[Any, Any]:
        """Sums of the same figures, in the order of ids that hold no date but digests that do: equal but for the last digits."""
        return {one.pair: (one.tier, round(one.theta, 9)) for one in made.estimates}

    assert told(world.proposal()) == told(moved)


@given(world=worlds())
def test_the_same_evidence_never_opens_a_second_proposal(world: World) -> None:
    """Looked at again it is the same proposal; looked at afresh a day later it has the same evidence digest for its id."""
    once = world.proposal()
    again = evolve(world, docket=Docket(previous=once)).proposal(NOW + DAY / 2)

    assert (once.id, once.estimates, once.diff) == (again.id, again.estimates, again.diff)


@given(world=worlds())
def test_what_is_adopted_whole_proposes_nothing_more(world: World) -> None:
    """A proposal is a fixpoint of adopting it: the same evidence against the set it made changes nothing."""
    made = world.proposal()
    base = adopt(made, TierSet(), world.policy, "ann", NOW)
    then = evolve(world, docket=Docket(base, previous=made)).proposal()

    assert then.diff.changes == ()
    assert len(base.rows) == then.diff.keep


@given(world=worlds())
def test_nobody_unknown_is_placed(world: World) -> None:
    """A tier rests on a row that decides, on a model met elsewhere, or on family: never on nothing, an old row or an index."""
    made = world.proposal()
    deciding = {one.id for one in made.evidence if one.use == "decides"}
    known = {(one.model, one.effort) for one in made.evidence if one.use == "decides"}

    for one in made.estimates:
        assert one.tier is None or one.standing != "unranked"
        assert one.standing != "measured" or (one.evidence and {*one.evidence} <= deciding)
        assert one.standing != "borrowed" or (one.pair.model, one.pair.effort) in known
    assert {one.pair for one in made.diff.add} <= {one.pair for one in made.estimates if one.tier is not None}


@given(world=worlds())
def test_a_tier_is_as_good_as_it_is_proven(world: World) -> None:
    """A newcomer's tier is reached with the policy's certainty; its chances add up."""
    made = world.proposal()
    for one in made.estimates:
        if one.tier is not None:
            place = made.ladder.index(one.tier)

            assert made.ladder.index(one.proven or "") >= place
            assert one.tier == one.proven or one.standing == "provisional"
            assert abs(sum(one.chances) - 1) < 1e-9
            assert sum(one.chances[: made.ladder.index(one.proven or "") + 1]) >= made.method.certainty - 1e-9


@given(world=worlds())
def test_the_chain_forgets_nothing(world: World) -> None:
    """Every act is a link whose parent is the set before, and going back gives the rows of then."""
    first = adopt(world.proposal(), TierSet(), world.policy, "ann", NOW)
    second = pin(first, evolve(first.rows[0], tier="x"), "ann", NOW) if first.rows else first
    third = rollback(second, first, "ben", NOW + DAY)

    assert first.rows == third.rows
    assert identity(second) == third.parent
    assert third.id == identity(third)
