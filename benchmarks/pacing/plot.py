"""Value ÷ optimum of every scenario, worst first: one line a controller, one panel a kind. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.pacing.report import Result


def draw(results: Sequence[Result], path: Path) -> None:
    """Write the figure; the ending of the path says in which format.

    Raises:
        SystemExit: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SystemExit("drawing needs matplotlib: install capacity-core[plot]") from error
    kinds = list(dict.fromkeys(one.kind for one in results))
    figure = Figure(figsize=(6 * len(kinds), 4.5), layout="constrained")
    for axes, kind in zip(figure.subplots(1, len(kinds), squeeze=False)[0], kinds, strict=True):
        among = [one for one in results if one.kind == kind]
        for name in among[0].scores:
            ratios = sorted(ratio for one in among if (ratio := one.ratio(name)) is not None)
            axes.plot([(place + 0.5) / len(ratios) for place in range(len(ratios))], ratios, label=name)
        axes.set(title=kind, xlabel="share of scenarios", ylabel="value / optimum", ylim=(0.2, 1.01))
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path)
