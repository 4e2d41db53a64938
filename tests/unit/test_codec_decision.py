"""A decision refers to what it says more than once, and stays small however many seats it is about."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

from capacity.codec import dumps, loads
from capacity.values.conditions import Condition, Fact, Figure
from capacity.values.decision import Decision, Placement, RunnerUp, SeatDecision, Table, Verdict
from capacity.values.history import History
from capacity.values.seats import Candidate, Need

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
FULL = Fact("core:exhausted", "work", (Figure("used", 100.0, "percent"), Figure("resets_at", NOON, "instant")))
HERE = Candidate("cli", "work", "m-1")
THERE = Candidate("cli", "cash", "m-2", "high")
AWAY = Candidate("old", "gone", "m-0")


def small() -> Decision:
    no, yes = Verdict("no", "quota", FULL), Verdict("yes")
    moved = Placement("t/main/a", "main", "a", "move", FULL, THERE, HERE)
    left = Placement("t/main/b", "main", "b", "leave", Fact("core:pinned", "b"), None, AWAY)
    return Decision(
        "t",
        NOON,
        "seats",
        candidates=(THERE, HERE),
        groups=(0, 1),
        verdicts=(yes, no),
        tables=(Table(Need("high"), (0, 1), {"core:exhausted": 1}),),
        seats=(
            SeatDecision(moved, 0, {"tier": "default"}, no, (RunnerUp(HERE, "tier", 1.0),)),
            SeatDecision(left, verdict=Verdict("cannot-tell", "model", FULL)),
        ),
        conditions=(Condition(FULL, "raised", NOON, "reset"),),
    )


def told(decision: Decision) -> Any:
    return json.loads(dumps(decision))


def test_a_fact_is_told_once() -> None:
    """Verdicts, placements and conditions name their fact by its place in one table."""
    tree = told(small())

    assert ["core:exhausted", "core:pinned"] == [fact["code"] for fact in tree["facts"]]
    assert [None, 0] == [verdict["fact"] for verdict in tree["verdicts"]]
    assert [0, 1] == [seat["placement"]["fact"] for seat in tree["seats"]]
    assert [0] == [condition["fact"] for condition in tree["conditions"]]


def test_a_candidate_is_told_once() -> None:
    """A seat's place is an index; one that is no candidate of this decision is told in full."""
    first, second = (seat["placement"] for seat in told(small())["seats"])

    assert [["cli", "cash", "m-2", "high"], ["cli", "work", "m-1", None]] == told(small())["candidates"]
    assert (0, 1) == (first["candidate"], first["expected"])
    assert (None, ["old", "gone", "m-0", None]) == (second["candidate"], second["expected"])
    assert 1 == told(small())["seats"][0]["runners_up"][0]["candidate"]


def test_a_seats_verdict_is_told_once() -> None:
    """It is an index; one that no table gave is told in full, with its fact still by index."""
    first, second = (seat["verdict"] for seat in told(small())["seats"])

    assert 1 == first
    assert {"answer": "cannot-tell", "rule": "model", "fact": 0} == second


def test_references_are_followed_back() -> None:
    """What is read is the decision that was written, and shares what that shared."""
    back = loads(Decision, dumps(small()))

    assert small() == back
    assert back.verdicts[1] is back.seats[0].verdict
    assert back.verdicts[1].fact is back.seats[0].placement.fact is back.conditions[0].fact


def test_writing_changes_nothing() -> None:
    """A decision that was written is still the decision it was, and is written alike again."""
    decision = small()

    assert dumps(decision) == dumps(decision)
    assert small() == decision


def large(seats: int, pools: int, models: int, needs: int) -> Decision:
    """As large as a fleet gets, with nothing shared that need not be: every candidate is a group of its own."""
    places = tuple(
        Candidate("cli", f"pool-{p:02}", f"model-{m:03}", "high") for p, m in product(range(pools), range(models))
    )
    facts = [Fact("core:exhausted", f"pool-{p:02}", (Figure("used", 100.0, "percent"),)) for p in range(pools)]
    verdicts = (Verdict("yes"), *(Verdict("no", "quota", fact) for fact in facts))
    row = tuple(1 + place % pools for place in range(len(places)))
    tables = tuple(Table(Need("high", context=n), row, {"core:exhausted": len(places)}) for n in range(needs))
    chosen = []
    for n in range(seats):
        here, there = places[n % len(places)], places[-1 - n % len(places)]
        name = f"worker-{n:04}"
        act = Placement(
            f"20260920T120000Z-17/main/{name}", "main", name, "move", facts[n % pools], there, here, egress="any"
        )
        runners = (RunnerUp(here, "preference", 1.0), RunnerUp(places[0], "load", 2.5))
        origins = {"tier": "default", "floor": "role reviewer", "context": f"name {name}"}
        chosen.append(SeatDecision(act, n % needs, origins, verdicts[1 + n % pools], runners))
    return Decision("t", NOON, "seats", places, tuple(range(len(places))), verdicts, tables, tuple(chosen))


def test_a_thousand_seats_fit_into_a_megabyte() -> None:
    """1,000 seats among 4,000 candidates with 20 needs, every verdict told, take less than 1 MB and come back."""
    decision = large(seats=1000, pools=20, models=200, needs=20)
    text = dumps(decision)

    assert len(text) < 1_000_000
    assert decision == loads(Decision, text)


def test_a_condition_outside_a_decision_tells_its_fact() -> None:
    """Only a decision has tables; a history's conditions stand by themselves."""
    history = History(NOON, conditions=(Condition(FULL, "raised", NOON - timedelta(hours=1), "reset"),))

    assert "core:exhausted" == json.loads(dumps(history))["conditions"][0]["fact"]["code"]
