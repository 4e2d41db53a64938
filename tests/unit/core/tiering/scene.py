"""A small world of scores, built up by keyword: one board, one harness that may run two of four models."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import evolve

from capacity import Inventory, Model, Policy
from capacity.core.tiering import adopt, propose
from capacity.core.tiering.chance import logit
from capacity.values.methods import Method, TierSourcePolicy
from capacity.values.models import PoolInventory
from capacity.values.policy import HarnessPolicy, SeatRule
from capacity.values.proposals import Docket, Proposal
from capacity.values.rankings import RankingRow, Rankings
from capacity.values.seats import Seat
from capacity.values.tiers import Tiers, TierSet

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LADDER = ("high", "mid", "low")


def row(model: str = "alpha-1", score: float = 70.0, harness: str | None = "cli", **more: Any) -> RankingRow:
    """A row that decides: the owner's, of 400 trials, ten days old."""
    told: dict[str, Any] = {
        "benchmark": "board",
        "benchmark_version": "1",
        "scale": "percent",
        "model_key": model,
        "n": 400,
        "provenance": "benchmark-owner",
        "measured_at": NOW - 10 * DAY,
    }
    told |= more
    return RankingRow(harness, model, score=score, **told)


def answer(*rows: RankingRow, source: str = "made", at: datetime = NOW, **more: Any) -> Rankings:
    """What a source in good health tells."""
    return Rankings(source, "fresh", at, rows, **more)


SPREAD = (
    row("alpha-1", 85.0), row("beta-1", 84.0), row("gamma-1", 70.0), row("delta-1", 69.0), row("eta-1", 50.0),
    row("theta-1", 49.0),
)  # fmt: skip  # best first
"""Rows of two models in each of three tiers."""


def policy(method: Method | None = None, **more: Any) -> Policy:
    """A ladder of three, two harnesses, and seats that belong in the middle."""
    tiers = Tiers(LADDER, method=method or Method(), sources={"made": TierSourcePolicy("made", required=True)})
    told: dict[str, Any] = {
        "tiers": tiers,
        "harnesses": {"cli": HarnessPolicy("cli", ("pool",)), "tui": HarnessPolicy("tui", ("pool",))},
        "seats": (SeatRule("default", tier="mid", floor="mid"),),
    }
    return Policy(**(told | more))


def inventory(*models: str | Model, at: datetime = NOW) -> Inventory:
    """A pool that lists some models."""
    listed = [
        Model(one) if isinstance(one, str) else one for one in models or ("alpha-1", "beta-1", "gamma-1", "eta-1")
    ]
    listed = [evolve(one, pool="pool") for one in listed]
    return Inventory(
        at, {"pool": PoolInventory("pool", "authoritative", fresh=True, observed_at=at, models=tuple(listed))}
    )


def proposal(rows: Iterable[RankingRow] = SPREAD, docket: Docket | None = None, **more: Any) -> Proposal:
    """What some rows propose."""
    at = more.get("at", NOW)
    told = more.get("told", [answer(*rows, at=at)])
    return propose(told, docket or Docket(), more.get("inventory", inventory(at=at)), more.get("policy", policy()), at)


def adopted(rows: Iterable[RankingRow] = SPREAD, at: datetime = NOW - 3 * DAY, **more: Any) -> Docket:
    """A world in which what some rows propose was adopted three days ago."""
    first = proposal(rows, at=at, **more)
    return Docket(adopt(first, TierSet(), more.get("policy", policy()), "ann", at), previous=first)


def with_cuts(docket: Docket, *percents: float) -> Docket:
    """The same world with other cuts."""
    return evolve(docket, adopted=evolve(docket.adopted, cuts=tuple(logit(one / 100) for one in percents)))


def seat(name: str = "one", model: str = "gamma-1", **more: Any) -> Seat:
    """A seat of the only fleet."""
    return Seat("main", name, "cli", model, **more)


def tiers(made: Proposal) -> dict[str, str | None]:
    """Pair → tier, of what is placed."""
    return {str(one.pair): one.tier for one in made.estimates if one.tier is not None}


def changes(made: Proposal) -> list[tuple[str, str | None, str | None, str]]:
    """Every line of the difference."""
    return [(str(one.pair), one.was, one.to, one.why) for one in made.diff.changes]
