"""Pictures: each window's burn-down against the straight line that lands empty at its reset; each pair with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from capacity.cli.exits import UsageFault
from capacity.core.epochs import Course
from capacity.core.explain import counted
from capacity.values.evidence import PairEstimate

FORMS = (".svg", ".png")


def draw(path: Path, courses: Mapping[str, Sequence[Course]], as_of: datetime) -> None:
    """Draw every window of every pool.

    Args:
        path: what is written; its ending says in which form.
        courses: pool → its windows.
        as_of: the present.

    Raises:
        UsageFault: the ending is unknown, nothing can be drawn, or what draws is not installed.
    """
    _check(path)
    shown = [(pool, one) for pool, found in sorted(courses.items()) for one in found]
    if not shown:
        raise UsageFault("nothing can be drawn: no pool of the policy has a window with figures yet")
    figure = _figure(9, 2.6 * len(shown))
    for axes, (pool, one) in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
        _window(axes, f"{pool}: {one.name}", one, as_of)
    _save(figure, path)


def draw_tiers(path: Path, estimates: Sequence[PairEstimate], ladder: Sequence[str]) -> None:
    """Draw each pair's score with its interval, best first, in the colour of the tier it would be placed in.

    Args:
        path: what is written; its ending says in which form.
        estimates: the pairs.
        ladder: the tiers, best first.

    Raises:
        UsageFault: the ending is unknown, nothing can be drawn, or what draws is not installed.
    """
    _check(path)
    if not estimates:
        raise UsageFault("nothing can be drawn: no score was weighed yet; run `capacity tiers propose`")
    figure = _figure(9, 1.2 + 0.28 * len(estimates))
    (axes,) = figure.subplots(1, 1, squeeze=False)[:, 0]
    shown = sorted(estimates, key=lambda one: one.score)
    for tier in (*ladder, None):
        of = [(at, one) for at, one in enumerate(shown) if (one.tier if one.tier in ladder else None) == tier]
        ends = [[one.score - one.low for _, one in of], [one.high - one.score for _, one in of]]
        places, scores = [at for at, _ in of], [one.score for _, one in of]
        axes.errorbar(scores, places, xerr=ends, fmt="o", capsize=2, label=tier or "in no tier")
    axes.set_yticks(range(len(shown)), [f"{one.pair}" for one in shown])
    title = f"{counted(len(shown), 'pair')} in {counted(len(ladder), 'tier')}"
    axes.set(title=title, xlabel="score, percent, with its 95 % interval")
    axes.legend(loc="lower right")
    _save(figure, path)


def _check(path: Path) -> None:
    if path.suffix not in FORMS:
        raise UsageFault(f"{path}: name a file that ends in {' or '.join(FORMS)}")


def _figure(width: float, height: float) -> Any:
    """A picture, in inches."""
    try:
        picture = import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise UsageFault("--plot draws with matplotlib: install capacity-core[plot]") from error
    return picture(figsize=(width, height), layout="constrained")


def _save(figure: Any, path: Path) -> None:
    try:
        figure.savefig(path)
    except OSError as error:
        raise UsageFault(f"{path} cannot be written: {error.strerror or error}") from error


def _window(axes: Any, title: str, one: Course, as_of: datetime) -> None:
    for index, epoch in enumerate(one.epochs):
        at = [_at(seconds) for seconds, _ in epoch.points]
        left = [100.0 - percent for _, percent in epoch.points]
        axes.step(at, left, where="post", color="tab:blue", label="left" if index == 0 else None)
        if epoch.resets_at is not None:
            ideal = [_at(epoch.resets_at - one.window), _at(epoch.resets_at)]
            axes.plot(ideal, [100.0, 0.0], color="tab:grey", ls="--", lw=1, label="ideal" if index == 0 else None)
    axes.axvline(as_of, color="tab:red", lw=1)
    axes.set(title=title, ylabel="% left", ylim=(0, 102))
    axes.legend(loc="upper right")


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
