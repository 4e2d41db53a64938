"""How scores become tiers: every constant of it, as policy with a default. Each proposal echoes the one it was made by.

Estimates are in logits, y = ln(p / (1 - p)): 0.1 logit is about 2.5 points at 50 percent and 1.9 at 75.
Where a default comes from stands beside it; `docs/explanation/tiers-from-evidence.md` says more.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from attrs import field, frozen

from capacity.values import _check


@frozen
class Credentials:
    """Where a secret lives. The policy holds the reference, never the secret.

    Attributes:
        env: the environment variable's name.
        file: the file's path.
    """

    env: str | None = None
    file: str | None = None


@frozen
class TierSourcePolicy:
    """One place that scores come from.

    Attributes:
        name: its name in the policy; it prefixes the ids of its evidence.
        plugin: the tier source's name in the plugin registry; None = `name`.
        required: whether a refresh without its answer has failed.
        credentials: where its secret lives; None = the plugin's own default place.
        options: what the plugin's factory is given, as written.
    """

    name: str
    plugin: str | None = None
    required: bool = False
    credentials: Credentials | None = None
    options: Mapping[str, Any] = field(factory=dict, converter=_check.by_key)


TRUST: Mapping[str, float] = {"benchmark-owner": 0.1, "third-party": 0.1, "submitter": 0.3, "model-vendor": 0.3}
"""Who stands behind a row → spread added to it, logit. What nobody stands behind counts as a submitter's."""

WEIGHTS: Mapping[str, float] = {"swe-bench-verified": 0.0}
"""Benchmark → weight, where it is not 1. The one here was given up by its readers in 2026: models recite its solutions."""


def _weights(said: Mapping[str, float]) -> Mapping[str, float]:
    """What an operator says of some benchmarks, over what holds for the others."""
    return _check.by_key({**WEIGHTS, **said})


def _trust(said: Mapping[str, float]) -> Mapping[str, float]:
    return _check.by_key({**TRUST, **said})


@frozen
class Vetoes:
    """What speaks against adopting a proposal without a person.

    Attributes:
        moves: largest share of the adopted pairs that may move.
        trials: fewest trials of the best row, run by the benchmark's owner, that each changed pair must have.
        age: oldest that row may be.
        certainty: least probability of the tier of a pair that is added.
        refreshes: how many refreshes in a row must agree.
        pause: least span between two adoptions.
    """

    moves: float = 0.1
    trials: int = 200
    age: timedelta = timedelta(days=60)
    certainty: float = 0.8
    refreshes: int = 2
    pause: timedelta = timedelta(hours=24)


@frozen
class Method:
    """Every constant by which scores become tiers.

    Attributes:
        reference: key of the benchmark that scores are told at; None = the one with the most rows.
        target: key of the benchmark whose own effect counts as part of a pair's worth; None = general work.
        weights: benchmark name → weight, 0 to 1; one not named weighs 1, or as `WEIGHTS` has it. A weight of 0 shows rows and uses none.
        trust: who stands behind a row → spread added to it, logit; one not named is as `TRUST` has it.
        tau_model: spread of models, logit.
        tau_harness: spread of harnesses, logit.
        tau_pair: spread of what a model and a harness do together, logit.
        tau_benchmark: spread of what a model does at one benchmark, logit.
        tau_error: spread of rows beyond their standard error, logit.
        fit_cells: from this many rows on the spreads are fitted to the rows and not taken from here.
        runner: spread between runners of one thing, points; the only one measured was 1.5, on six pairs.
        stderr_floor: least share of the binomial standard error that one may be.
        stderr_slip: below this share of it a standard error is a slip of units and is made anew.
        cut_gap: least gap between two tiers, logit.
        cut_alpha: chance of a false cut among equals.
        margin: how much worse an alternative may be and still be one, logit.
        certainty: how sure that has to be; a floor and a new place are held to the same.
        move_z: standard errors by which an estimate must be past a cut to move.
        confirm_z: the same, where `confirmations` refreshes with new evidence in a row say so.
        confirmations: how many they must be.
        warn_z: residual from which a row is warned of.
        quarantine_z: residual from which a row is kept out.
        jump_z: standard errors by which a row that changes is a surprise.
        jump: points by which it is one anyhow.
        hold: how long a changed row waits before it may move anything.
        flag_failed: share of trials without a grade from which a row is warned of.
        drop_failed: share from which it is kept out.
        drift: what thirty days add to a row's standard error, points, as a variance grows: se² + drift² · age / 30 d.
        max_age: an older row informs and decides nothing.
        dormant_after: a source without a newer row is dormant.
        step: how much better than its predecessor a new model is taken to be, logit.
        step_sd: how unsure that is, points.
        provisional_for: how long a place by family lasts.
        stale_after: when an adopted set is to be called stale.
        proposal_life: how long a proposal waits.
        shrink: least share of the last good answer's rows that the next must have.
        vetoes: what speaks against adopting without a person.
    """

    reference: str | None = None
    target: str | None = None
    weights: Mapping[str, float] = field(factory=dict, converter=_weights)
    trust: Mapping[str, float] = field(factory=dict, converter=_trust)
    tau_model: float = 0.6
    tau_harness: float = 0.2
    tau_pair: float = 0.15
    tau_benchmark: float = 0.4
    tau_error: float = 0.1
    fit_cells: int = 30
    runner: float = 1.5
    stderr_floor: float = 0.5
    stderr_slip: float = 0.15
    cut_gap: float = 0.15
    cut_alpha: float = 0.05
    margin: float = 0.25
    certainty: float = 0.8
    move_z: float = 1.645
    confirm_z: float = 1.0
    confirmations: int = 2
    warn_z: float = 2.5
    quarantine_z: float = 3.5
    jump_z: float = 3.0
    jump: float = 10.0
    hold: timedelta = timedelta(hours=48)
    flag_failed: float = 0.05
    drop_failed: float = 0.15
    drift: float = 1.0
    max_age: timedelta = timedelta(days=180)
    dormant_after: timedelta = timedelta(days=120)
    step: float = 0.0
    step_sd: float = 6.0
    provisional_for: timedelta = timedelta(days=30)
    stale_after: timedelta = timedelta(days=60)
    proposal_life: timedelta = timedelta(days=30)
    shrink: float = 0.5
    vetoes: Vetoes = field(factory=Vetoes)
