"""From scores to figures: per kind of scenario and controller, who is ahead of whom, and a table of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import Any

from attrs import frozen

from benchmarks.pacing.scenario import Scenario
from benchmarks.pacing.world import Score


@frozen
class Result:
    """One scenario: the optimum of its pools together, and what each controller made of each pool."""

    scenario: str
    kind: str
    optimum: float
    scores: Mapping[str, Sequence[Score]]

    def ratio(self, controller: str) -> float | None:
        """Value ÷ optimum; None where nothing could be done at all."""
        return sum(one.value for one in self.scores[controller]) / self.optimum if self.optimum > 0 else None


def figures(results: Sequence[Result]) -> dict[str, Any]:
    """Kind → its figures, and every scenario's ratios."""
    kinds = dict.fromkeys(one.kind for one in results)
    return {
        "kinds": {kind: _kind([one for one in results if one.kind == kind]) for kind in kinds},
        "scenarios": {one.scenario: {name: _round(one.ratio(name)) for name in one.scores} for one in results},
    }


def _kind(results: Sequence[Result]) -> dict[str, Any]:
    names = list(results[0].scores)
    ratios = {name: [ratio for one in results if (ratio := one.ratio(name)) is not None] for name in names}
    return {
        "scenarios": len(results),
        "controllers": {
            name: _controller(ratios[name], [s for one in results for s in one.scores[name]]) for name in names
        },
        "ahead": {
            name: {
                other: round(mean(a > b for a, b in zip(ratios[name], ratios[other], strict=True)), 3)
                for other in names
                if other != name and ratios[name]
            }
            for name in names
        },
    }


def _controller(ratios: Sequence[float], scores: Sequence[Score]) -> dict[str, float | None]:
    ordered, weeks = sorted(ratios), sum(one.days for one in scores) / 7
    return {
        "value_per_optimum": _round(mean(ratios)) if ratios else None,
        "p10": _round(ordered[len(ordered) // 10]) if ratios else None,
        "unused_percent": round(mean(one.unused for one in scores), 2),
        "parked_h_per_week": round(sum(one.parked_h for one in scores) / weeks, 2),
        "rung_changes_per_agent_day": round(mean(one.rung_changes for one in scores), 2),
        "cadence_changes_per_day": round(mean(one.cadence_changes for one in scores), 1),
    }


def _round(ratio: float | None) -> float | None:
    return None if ratio is None else round(ratio, 4)


HEADS = ("value/opt", "p10", "unused %", "parked h/wk", "rung", "cadence", "behind ours")


def table(found: Mapping[str, Any]) -> Iterator[str]:
    """A Markdown table of each kind."""
    for kind, told in found["kinds"].items():
        yield f"\n{kind}, {told['scenarios']} scenarios:\n"
        yield f"| controller | {' | '.join(HEADS)} |"
        yield f"| --- |{' --- |' * len(HEADS)}"
        ours = told["ahead"].get("ours", {})
        for name, figure in told["controllers"].items():
            behind = f"{100 * ours[name]:.0f} %" if name in ours else ""
            yield f"| {name} | {' | '.join('' if one is None else f'{one:g}' for one in figure.values())} | {behind} |"


def names(scenarios: Sequence[Scenario]) -> list[str]:
    """Names that occur more than once: their figures would hide each other."""
    told = [one.name for one in scenarios]
    return sorted({name for name in told if told.count(name) > 1})
