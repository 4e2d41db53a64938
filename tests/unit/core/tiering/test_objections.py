"""Every rule that keeps a proposal from being adopted without a person, one world each, and one world with none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import pytest
from attrs import evolve

from capacity.core.tiering.objections import RULES, Case, objections
from capacity.values.evidence import Pair
from capacity.values.methods import Method, Vetoes
from capacity.values.policy import HarnessPolicy, SeatRule
from capacity.values.proposals import Change, Diff, Docket, Proposal, Veto
from capacity.values.tiers import TierRow

from .scene import DAY, NOW, SPREAD, adopted, answer, inventory, policy, proposal, row, seat

NEW = row("zeta-1", 95.0, measured_at=NOW - DAY)
ALONE = policy(harnesses={"cli": HarnessPolicy("cli", ("pool",))})
LISTED = inventory("alpha-1", "beta-1", "gamma-1", "delta-1", "eta-1", "theta-1", "zeta-1")


def case(rows: Sequence[Any] = (*SPREAD, NEW), **more: Any) -> Proposal:
    """A newcomer that is certain, measured by the owner, could run, and was proposed twice; keywords take that away."""
    docket = more.pop("docket", None) or adopted(inventory=LISTED, policy=ALONE)
    docket = evolve(docket, seats=more.pop("seats", ()))
    told = {"inventory": LISTED, "told": [answer(*rows)], "policy": ALONE} | more
    once = proposal(docket=docket, **told)
    again = evolve(docket, previous=once if more.get("twice", True) else docket.previous)
    if not more.get("twice", True):
        return once
    later = [evolve(one, asked_at=NOW + DAY) for one in told["told"]]
    return proposal(docket=again, **(told | {"told": later}))


def worded(made: Proposal) -> list[tuple[str, str]]:
    return [(one.veto, one.subject) for one in made.objections]


def test_nothing_speaks_against_a_sound_addition() -> None:
    """What comes in is certain, well measured, young, could run, and was proposed twice."""
    assert [] == worded(case())


def gone_bad(part: str, score: float) -> list[Any]:
    return [evolve(one, score=score) if one.model_raw == part else one for one in SPREAD]


def boards() -> list[Any]:
    return [
        evolve(one, benchmark=name, benchmark_version=None, score=one.score + more)
        for name, more in (("one", 3.0), ("two", -5.0), ("three", -15.0), ("four", 4.0)) for one in (*SPREAD, NEW)
    ]  # fmt: skip  # one comprehension


WORLDS: dict[Veto, Callable[[], Proposal]] = {
    "nothing-to-adopt": lambda: case(SPREAD),
    "source-not-fresh": lambda: case(told=[evolve(answer(*SPREAD, NEW), status="cached")]),
    "quarantine": lambda: case([evolve(boards()[0], score=8.0), *boards()[1:]]),
    "too-far": lambda: case(
        gone_bad("alpha-1", 30.0), docket=evolve(adopted(inventory=LISTED, policy=ALONE), previous=None)
    ),
    "too-many-moves": lambda: case(
        gone_bad("alpha-1", 30.0), docket=evolve(adopted(inventory=LISTED, policy=ALONE), previous=None)
    ),
    "cuts-changed": lambda: case(docket=Docket()),
    "below-floor": lambda: case(
        gone_bad("gamma-1", 30.0),
        docket=evolve(adopted(inventory=LISTED, policy=ALONE), previous=None),
        seats=(seat(),),
    ),
    "no-alternative": lambda: case(
        gone_bad("beta-1", 30.0),
        docket=evolve(adopted(inventory=inventory("alpha-1", "beta-1")), previous=None),
        seats=(seat(model="alpha-1"),),
        policy=policy(seats=(SeatRule("default", floor="high", models=("alpha-1", "beta-1"), harnesses=("cli",)),)),
    ),
    "thin-evidence": lambda: case([*SPREAD, evolve(NEW, provenance="submitter")]),
    "uncertain-addition": lambda: case([*SPREAD, evolve(NEW, score=77.5)]),
    "provisional": lambda: _with_standing("provisional"),
    "not-available": lambda: case(inventory=inventory("alpha-1", "beta-1")),
    "removal": lambda: _with_removal(),
    "not-confirmed": lambda: case(twice=False),
    "too-soon": lambda: case(docket=adopted(inventory=LISTED, policy=ALONE, at=NOW - DAY / 2)),
}


def _with_standing(standing: Any) -> Proposal:
    made = case()
    estimates = tuple(evolve(one, standing=standing) if one.pair.model == "zeta-1" else one for one in made.estimates)
    return evolve(made, objections=objections(_case(evolve(made, estimates=estimates))))


def _with_removal() -> Proposal:
    made = case()
    gone = Change(Pair("cli", "theta-1"), "low", None, "withdrawn")
    return evolve(made, objections=objections(_case(evolve(made, diff=evolve(made.diff, remove=(gone,))))))


def _case(made: Proposal) -> Case:
    return Case(
        diff=made.diff, estimates=made.estimates, rows=made.evidence, sources=made.sources, impact=made.impact,
        ladder=made.ladder, agreeing=made.agreeing, docket=Docket(adopted().adopted), vetoes=Vetoes(), as_of=NOW,
    )  # fmt: skip  # one value


@pytest.mark.parametrize("veto", WORLDS)
def test_each_rule_has_its_veto(veto: Veto) -> None:
    """In its own world it speaks, by its name; in the sound world it does not."""
    assert veto in [word for word, _ in worded(WORLDS[veto]())]


def test_every_rule_has_a_world() -> None:
    """The closed list, the rules and the worlds here are the same."""
    assert set(get_args(Veto)) == set(WORLDS) == {word for word, _ in RULES}


@pytest.mark.parametrize(
    ("veto", "vetoes"),
    [
        ("thin-evidence", Vetoes(trials=401)),
        ("thin-evidence", Vetoes(age=DAY / 2)),
        ("uncertain-addition", Vetoes(certainty=1.0)),
        ("not-confirmed", Vetoes(refreshes=3)),
        ("too-soon", Vetoes(pause=30 * DAY)),
    ],
)
def test_the_figures_are_the_policys(veto: str, vetoes: Vetoes) -> None:
    """A stricter figure finds what the usual one lets pass."""
    strict = evolve(ALONE, tiers=evolve(ALONE.tiers, method=Method(vetoes=vetoes)))

    assert veto in [word for word, _ in worded(case(policy=strict))]


def test_a_move_by_one_tier_of_few_is_let_pass() -> None:
    """One of eleven is within a tenth; two are not."""
    rows = [TierRow("mid", "cli", f"m-{number}") for number in range(20)]
    moves = tuple(Change(Pair("cli", f"m-{number}"), "mid", "low", "worse") for number in range(3))
    base = evolve(_case(case()), docket=Docket(evolve(adopted().adopted, rows=rows)), estimates=_estimates(3))

    assert "too-many-moves" not in [one.veto for one in objections(evolve(base, diff=Diff(move=moves[:2])))]
    assert "too-many-moves" in [one.veto for one in objections(evolve(base, diff=Diff(move=moves)))]


def _estimates(count: int) -> list[Any]:
    (one,) = [one for one in case().estimates if str(one.pair) == "cli/zeta-1"]
    return [evolve(one, pair=Pair("cli", f"m-{number}")) for number in range(count)]
