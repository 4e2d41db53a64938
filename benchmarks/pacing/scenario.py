"""A scenario: pools, their windows, what is asked of them in every tick, and who asks. A JSON file; the README has its form.

Amounts are *points*: percent of the pool's longest window. A level is the sum over agents of rung burn x cadence, and a level
of 1 burns `demand[t]` points in tick t.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Literal

import cattrs
from attrs import evolve, field, frozen

FORM = 1


class ScenarioError(ValueError):
    """A file that is no scenario; says which keys are at fault."""


@frozen
class Window:
    """One unscoped limit: how long, how many points it holds, when it first resets, what was used of it at the start."""

    name: str
    length_s: int
    cap: float
    first_reset_s: int
    used: float = 0.0


@frozen
class Reset:
    """A reset nobody announced: these windows and every shorter one start anew; `moved` sets their next reset anew too."""

    tick: int
    windows: tuple[str, ...]
    moved: bool = False


@frozen
class Rung:
    """One model an agent may run on: burn and value of one kick, relative."""

    burn: float
    value: float


@frozen
class Agent:
    """One agent.

    Attributes:
        name: its name.
        rungs: the cheapest first.
        cadences: (cadence, worth) points of a concave curve, the slowest first; 1 is nominal, linear between.
    """

    name: str
    rungs: tuple[Rung, ...]
    cadences: tuple[tuple[float, float], ...]

    @property
    def slowest(self) -> float:
        return self.cadences[0][0]

    @property
    def fastest(self) -> float:
        return self.cadences[-1][0]

    def value(self, rung: int, cadence: float) -> float:
        """Value of a tick at a demand of 1; from the slowest cadence down to none it is linear too."""
        x0, y0 = 0.0, 0.0
        for x, y in self.cadences:
            if cadence <= x:
                return self.rungs[rung].value * (y0 + (cadence - x0) / (x - x0) * (y - y0))
            x0, y0 = x, y
        return self.rungs[rung].value * y0


@frozen
class Gauge:
    """How the percent is told: in steps of `quantum`, every so many ticks, not in `gaps`; `lagged` tells the last one again."""

    every: int = 1
    quantum: float = 1.0
    rounding: Literal["nearest", "down", "up"] = "nearest"
    gaps: frozenset[int] = frozenset()
    lagged: frozenset[int] = frozenset()


@frozen
class Span:
    """One life of a window, in ticks: from its start to its end, and where its end was announced to be."""

    start: int
    end: int
    due: int


def _longest_first(windows: Iterable[Window]) -> tuple[Window, ...]:
    return tuple(sorted(windows, key=lambda one: -one.length_s))


@frozen(slots=False)
class Pool:
    """One pool: `demand` in points per tick at level 1, and the `uncontrolled` load in points per tick (none: no load)."""

    name: str
    windows: tuple[Window, ...] = field(converter=_longest_first)
    agents: tuple[Agent, ...]
    demand: tuple[float, ...]
    uncontrolled: tuple[float, ...] = ()
    resets: tuple[Reset, ...] = ()
    gauge: Gauge = Gauge()
    tick_s: int = 1200

    @cached_property
    def load(self) -> tuple[float, ...]:
        """The uncontrolled load of every tick."""
        return self.uncontrolled or (0.0,) * len(self.demand)

    @cached_property
    def spans(self) -> dict[str, tuple[Span, ...]]:
        """Window → its lives, longest window first. Where a window starts anew, every shorter one does."""
        found: dict[str, tuple[Span, ...]] = {}
        outer: dict[int, Span] = {}
        for window in self.windows:
            found[window.name] = tuple(self._lives(window, outer))
            outer = {tick: life for life in found[window.name] for tick in range(life.start, life.end)}
        return found

    def _lives(self, window: Window, outer: dict[int, Span]) -> Iterator[Span]:
        sudden = {one.tick: one.moved for one in self.resets if window.name in one.windows}
        length = max(1, round(window.length_s / self.tick_s))
        start, due, ticks = 0, max(1, round(window.first_reset_s / self.tick_s)), len(self.demand)
        for tick in range(1, ticks):
            anew = tick == due or sudden.get(tick, False) or (tick in outer and outer[tick].start == tick)
            if anew or tick in sudden:
                yield Span(start, tick, _announced(start, due, outer))
                start, due = tick, tick + length if anew else due
        yield Span(start, ticks, _announced(start, due, outer))


def _announced(start: int, due: int, outer: dict[int, Span]) -> int:
    return min(due, outer[start].due) if start in outer else due


@frozen
class Scenario:
    """Independent pools over the same ticks.

    Attributes:
        name: its name.
        kind: what it is a case of; figures are gathered by it.
        tick_s: length of a tick.
        pools: each paced by itself.
    """

    name: str
    tick_s: int
    pools: tuple[Pool, ...]
    kind: str = "given"
    form: int = FORM


_CONVERTER = cattrs.Converter(forbid_extra_keys=True)


def load(path: Path) -> Scenario:
    """One file.

    Raises:
        ScenarioError: naming every key at fault.
    """
    try:
        found = _CONVERTER.structure(json.loads(path.read_text()), Scenario)
    except cattrs.BaseValidationError as error:
        raise ScenarioError(f"{path}: " + "; ".join(cattrs.transform_error(error))) from error
    except ValueError as error:
        raise ScenarioError(f"{path}: not JSON: {error}") from error
    if faults := [*_faults(found)]:
        raise ScenarioError(f"{path}: " + "; ".join(faults))
    return evolve(found, pools=tuple(evolve(pool, tick_s=found.tick_s) for pool in found.pools))


def dump(scenario: Scenario) -> str:
    """The text of its file."""
    body = _CONVERTER.unstructure(scenario)
    for pool in body["pools"]:
        del pool["tick_s"]
        pool["gauge"] |= {name: sorted(pool["gauge"][name]) for name in ("gaps", "lagged")}
    return json.dumps(body, sort_keys=True, separators=(",", ":")) + "\n"


def _faults(scenario: Scenario) -> Iterator[str]:
    if scenario.form != FORM:
        yield f"form {scenario.form} is not {FORM}"
    if not scenario.pools:
        yield "no pools"
    for pool in scenario.pools:
        where = f"pool {pool.name!r}"
        if len(pool.load) != len(pool.demand):
            yield f"{where}: uncontrolled has {len(pool.load)} ticks, demand {len(pool.demand)}"
        if min((*pool.demand, *pool.load), default=-1.0) < 0:
            yield f"{where}: demand and uncontrolled load are 0 or more at each of at least one tick"
        if not pool.windows or not pool.agents or not all(agent.rungs and agent.cadences for agent in pool.agents):
            yield f"{where}: needs a window, and agents with rungs and cadences"
        names = {window.name for window in pool.windows}
        for reset in pool.resets:
            if strangers := set(reset.windows) - names:
                yield f"{where}: the reset at tick {reset.tick} names {sorted(strangers)}, which are no windows of it"
