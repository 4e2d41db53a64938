"""Every controller on the same scenarios, in one process or two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

from benchmarks.pacing.baselines import PI, DualDescent, OneNotch, Threshold
from benchmarks.pacing.forecast import PerfectForecast
from benchmarks.pacing.optimum import optimum
from benchmarks.pacing.ours import Ours
from benchmarks.pacing.report import Result
from benchmarks.pacing.scenario import Pool, Scenario
from benchmarks.pacing.world import Controller, run

CONTROLLERS: dict[str, Callable[[Pool], Controller]] = {
    "threshold-90": Threshold,
    "one-notch": OneNotch,
    "pi": PI,
    "dual-descent": DualDescent,
    "ours": Ours,
    "perfect-forecast": PerfectForecast,
}


def judge(given: Scenario, names: Sequence[str]) -> Result:
    """Every controller on every pool of a scenario."""
    scores = {name: [run(pool, CONTROLLERS[name](pool)) for pool in given.pools] for name in names}
    return Result(given.name, given.kind, sum(optimum(pool) for pool in given.pools), scores)


def judged(scenarios: Sequence[Scenario], names: Sequence[str], processes: int) -> list[Result]:
    """Results in the order of the scenarios."""
    if processes == 1 or len(scenarios) < 2:
        return [judge(one, names) for one in scenarios]
    with ProcessPoolExecutor(processes) as workers:
        return list(workers.map(judge, scenarios, [names] * len(scenarios)))
