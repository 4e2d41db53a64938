"""A worked example from the rows of a real board: adopted in June, refreshed in July."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from capacity import Inventory
from capacity.core.tiering import adopt, propose
from capacity.core.tiering.chance import share
from capacity.values.methods import TRUST, Method
from capacity.values.policy import HarnessPolicy, Policy
from capacity.values.proposals import Docket, Proposal
from capacity.values.rankings import RankingRow, Rankings
from capacity.values.tiers import Tiers, TierSet
from tests.architecture.house import ROOT

SAMPLES = ROOT / "tests" / "samples" / "tiers" / "terminal-bench"
JUNE, JULY = (datetime.fromisoformat(f"2026-{month}-15T03:00:00+00:00") for month in ("06", "07"))
HARNESSES = ("claude-code", "codex", "cursor-cli", "gemini-cli", "mini-swe-agent", "terminus-2")
PLAIN = Method(
    tau_model=5, tau_harness=5, tau_pair=5, tau_benchmark=1e-4, tau_error=1e-6, trust=dict.fromkeys(TRUST, 0.0), drift=0,
    fit_cells=1000,
)  # fmt: skip  # one value
"""The method of the example: each pair by its own rows alone, 1.5 points of runners beside their error."""


def rows() -> list[RankingRow]:
    told = json.loads((SAMPLES / "submissions_2_1.json").read_text(encoding="utf-8"))
    return [_row(one) for one in told]


def _row(one: dict[str, Any]) -> RankingRow:
    return RankingRow(
        one["harness"], one["model"], "Terminal-Bench", one["accuracy"], "percent", harness_version=one["version"],
        model_key=one["model"], effort=one["effort"], benchmark_version="2.1", n=one["trials"], stderr=one["stderr"],
        stderr_kind="within-task", failed=one["disqualified"], provenance="benchmark-owner", id=one["id"],
        measured_at=datetime.fromisoformat(f"{one['date']}T00:00:00+00:00"), cost_usd=Decimal(str(one["cost"])),
        cost_kind="run-total",
    )  # fmt: skip  # one value


def july(method: Method = PLAIN) -> tuple[Proposal, Proposal]:
    """The first proposal, of the rows until June, and the one of all rows against the set that it made."""
    policy = Policy(
        tiers=Tiers(("1", "2", "3", "4"), method=method),
        harnesses={name: HarnessPolicy(name, ("p",)) for name in HARNESSES},
    )
    told = rows()
    early = Rankings("board", "fresh", JUNE, tuple(row for row in told if row.measured_at and row.measured_at <= JUNE))
    first = propose([early], Docket(), Inventory(JUNE), policy, JUNE)
    base = adopt(first, TierSet(), policy, "ann", JUNE)
    late = Rankings("board", "fresh", JULY, tuple(told))
    return first, propose([late], Docket(base, previous=first), Inventory(JULY), policy, JULY)


EXPECTED = json.loads((SAMPLES / "proposal.json").read_text(encoding="utf-8"))


def short(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def test_the_cuts_of_june() -> None:
    """The eleven pairs of June fall into the four tiers of the example, cut where it cuts."""
    first, _ = july()

    assert EXPECTED["cuts"] == [pytest.approx(100 * share(cut), abs=0.15) for cut in first.diff.cuts_after]
    assert 11 == len(first.diff.add)


def test_the_difference_of_july() -> None:
    """Seven come in, none moves or leaves, eleven stay; two are borderline and are placed in the lower tier."""
    _, made = july()
    expected = {(one["harness"], one["model"], one["effort"]): str(one["tier"]) for one in EXPECTED["diff"]["add"]}

    assert expected == {(one.pair.harness, short(one.pair.model), one.pair.effort): one.to for one in made.diff.add}
    assert (EXPECTED["diff"]["move"], EXPECTED["diff"]["remove"], EXPECTED["diff"]["keep"]) == (
        list(made.diff.move), list(made.diff.remove), made.diff.keep,
    )  # fmt: skip  # one value
    assert {"grok-4.5", "claude-opus-4-8"} == {short(one.pair.model) for one in made.diff.borderline}


def test_the_estimates_of_july() -> None:
    """Each score to a tenth, each error bar to a tenth and a half, each chance to three hundredths."""
    _, made = july()
    found = {(one.pair.harness, short(one.pair.model)): one for one in made.estimates}
    for one in EXPECTED["diff"]["add"]:
        told = found[one["harness"], one["model"]]

        assert one["estimate"] == pytest.approx(told.score, abs=0.11)
        assert one["se"] == pytest.approx(100 * told.stderr * told.score * (100 - told.score) / 1e4, abs=0.15)
        assert one["p_tier"] == [pytest.approx(chance, abs=0.03) for chance in told.chances]


def test_its_id_is_the_same_everywhere() -> None:
    """On every Python: this very text."""
    _, made = july()

    assert IDS == (made.base, made.id)


IDS = ("ts-fbda83f6369a", "tp-c11c8d2d691f")


def test_the_usual_method_is_less_sure() -> None:
    """With the spreads of the policy, drift and trust, fewer tiers are told apart, and the same newcomers come in."""
    first, made = july(Method())

    assert len(first.diff.cuts_after) < 3
    assert 7 == len(made.diff.add)


def test_a_year_later_nobody_is_placed_by_it() -> None:
    """All rows are too old to decide by then, and nothing is moved by that."""
    policy = Policy(
        tiers=Tiers(("1", "2"), method=PLAIN), harnesses={name: HarnessPolicy(name, ("p",)) for name in HARNESSES}
    )
    at = JULY.replace(year=2027)
    made = propose([Rankings("board", "fresh", at, tuple(rows()))], Docket(), Inventory(at), policy, at)

    assert made.diff.empty
    assert {"unranked"} == {one.standing for one in made.estimates}
