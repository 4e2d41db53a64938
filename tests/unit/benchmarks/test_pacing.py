"""The pacing benchmark: its world keeps books, its bound is exact, its files say what is wrong with them."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from attrs import evolve

from benchmarks.pacing.__main__ import main
from benchmarks.pacing.baselines import DualDescent, OneNotch, Threshold
from benchmarks.pacing.forecast import PerfectForecast
from benchmarks.pacing.generate import KINDS, scenario
from benchmarks.pacing.judge import CONTROLLERS, judge
from benchmarks.pacing.optimum import optimum, steps
from benchmarks.pacing.ours import Ours
from benchmarks.pacing.scenario import (
    Agent,
    Gauge,
    Pool,
    Reset,
    Rung,
    Scenario,
    ScenarioError,
    Span,
    Window,
    dump,
    load,
)
from benchmarks.pacing.world import Setup, Sights, run

ONE = Agent("one", (Rung(1.0, 0.5), Rung(3.0, 1.0)), ((1.0, 1.0), (2.0, 1.5)))


def pool(demand: tuple[float, ...], *windows: Window, **more: object) -> Pool:
    return evolve(Pool("p", windows or (Window("w", 12_000, 100.0, 12_000),), (ONE,), demand), **more)


def short(seed: int, kind: str = "general", ticks: int = 150) -> Pool:
    """The beginning of a seeded pool."""
    whole = scenario(seed, kind).pools[0]
    return evolve(whole, demand=whole.demand[:ticks], uncontrolled=whole.uncontrolled[:ticks])


def small(seed: int) -> Pool:
    """Six ticks in whole points, so that the best plan is one in whole points too."""
    chance = random.Random(seed)
    outer = Window("outer", 6, chance.randint(3, 14), 6, float(chance.randint(0, 2)))
    inner = Window("inner", 2, chance.randint(2, 6), chance.randint(1, 2))
    resets = (Reset(chance.randint(1, 5), (chance.choice(("outer", "inner")),), chance.random() < 0.5),)
    return Pool(
        "small",
        (outer, inner),
        (ONE,),
        tuple(float(chance.randint(0, 1)) for _ in range(6)),
        tuple(float(chance.randint(0, 2)) for _ in range(6)),
        resets if chance.random() < 0.5 else (),
        tick_s=1,
    )


def best_of_all(given: Pool) -> float:
    """Every plan in whole points, one after another."""
    ladder = steps(given.agents)
    dearest = ladder[0][1]

    def worth(tick: int, burn: int) -> float:
        value, rest = dearest * min(burn, given.load[tick]), max(0.0, burn - given.load[tick])
        for width, price in ladder:
            value += price * min(rest, width * given.demand[tick])
            rest -= min(rest, width * given.demand[tick])
        return value

    def allowed(plan: tuple[int, ...]) -> bool:
        return all(
            sum(plan[life.start : life.end]) <= window.cap - (window.used if life.start == 0 else 0.0)
            for window in given.windows
            for life in given.spans[window.name]
        )

    width = sum(burn for burn, _ in ladder)
    most = [int(load + width * demand) for load, demand in zip(given.load, given.demand, strict=True)]
    cap = int(min(window.cap for window in given.windows))
    plans = itertools.product(*(range(min(one, cap) + 1) for one in most))
    return max(sum(worth(tick, burn) for tick, burn in enumerate(plan)) for plan in plans if allowed(plan))


@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_is_the_best_of_all_plans(seed: int) -> None:
    """The one-pass bound equals the best plan found by trying every one of them."""
    assert optimum(small(seed)) == pytest.approx(best_of_all(small(seed)))


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_beats_the_optimum(kind: str) -> None:
    """No controller makes more of a pool than the bound, and the one that knows the future makes nearly all of it."""
    for seed in range(3):
        given = short(seed, kind)
        bound = optimum(given)
        made = {name: run(given, make(given)).value / bound for name, make in CONTROLLERS.items()}

        assert max(made.values()) <= 1 + 1e-9
        assert made["perfect-forecast"] > 0.9


def test_the_known_order_of_controllers() -> None:
    """Over a few seeds: a threshold makes least, one notch a tick more, prices more, and ours most of the four."""
    pools = [short(seed, ticks=400) for seed in range(10, 15)]
    means = [
        sum(run(one, make(one)).value / optimum(one) for one in pools)
        for make in (Threshold, OneNotch, DualDescent, Ours, PerfectForecast)
    ]

    assert means == sorted(means)


def test_a_seed_is_a_scenario() -> None:
    """The same seed gives the same scenario and the same scores; another seed or kind gives another."""
    given = Scenario("short", 1200, (short(4),))

    assert scenario(4) == scenario(4)
    assert scenario(4) != scenario(5)
    assert scenario(4).pools != scenario(4, "demand").pools
    assert judge(given, list(CONTROLLERS)) == judge(given, list(CONTROLLERS))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_holds_all_of_a_scenario(kind: str, tmp_path: Path) -> None:
    """What is written is read back equal."""
    path = tmp_path / "one.json"
    path.write_text(dump(scenario(7, kind)))

    assert load(path) == scenario(7, kind)


def test_kinds_are_what_they_are_called() -> None:
    """Five-hour pools have that window only; demand asks for five times the quota; uncontrolled load is half of it."""
    for seed in range(20):
        assert [one.name for one in scenario(seed, "five-hour").pools[0].windows] == ["5h"]
        busy, others = scenario(seed, "demand").pools[0], scenario(seed, "uncontrolled").pools[0]
        dear = sum(agent.rungs[-1].burn for agent in busy.agents)

        assert dear * sum(busy.demand) >= 4.99 * quota(busy)
        assert sum(others.load) >= 0.49 * quota(others)


def quota(given: Pool) -> float:
    longest = given.windows[0]
    return longest.cap * len(given.demand) * given.tick_s / longest.length_s


def test_a_reset_ends_every_shorter_window() -> None:
    """An announced reset of the outer window cuts the inner one, whose stamp says so beforehand."""
    given = pool((1.0,) * 8, Window("in", 3600, 9.0, 3600), Window("out", 6000, 9.0, 4800))

    assert given.spans["out"] == (Span(0, 4, 4), Span(4, 8, 9))
    assert given.spans["in"] == (Span(0, 3, 3), Span(3, 4, 4), Span(4, 7, 7), Span(7, 8, 9))


@pytest.mark.parametrize(("moved", "due"), [(False, 6), (True, 8)])
def test_a_surprise_keeps_or_moves_the_next_reset(moved: bool, due: int) -> None:
    """Nobody is told of a surprise beforehand; after it the stamp stays, or starts from it."""
    given = pool((1.0,) * 8, Window("w", 7200, 9.0, 7200), resets=(Reset(2, ("w",), moved),))

    assert given.spans["w"][:2] == (Span(0, 2, 6), Span(2, min(due, 8), due))


def test_a_full_window_serves_nobody() -> None:
    """Ten points are asked in every tick of a window of 25: two and a half ticks are served, the rest is parked time."""
    given = pool((10.0,) * 10, Window("w", 12_000, 25.0, 12_000))
    score = run(given, lambda tick, sights: ((0, 1.0),))

    assert score.value == pytest.approx(0.5 * 25.0)
    assert score.unused == pytest.approx(0.0)
    assert score.parked_h == pytest.approx(7.5 / 3)


def test_changes_are_counted_apart() -> None:
    """Two rung changes and one move of cadence in a day, by one agent."""
    setups: dict[int, Setup] = {0: ((0, 1.0),), 1: ((1, 1.0),), 2: ((0, 1.0),), 3: ((0, 2.0),)}
    score = run(pool((0.1,) * 72), lambda tick, sights: setups[min(tick, 3)])

    assert (score.rung_changes, score.cadence_changes) == (2.0, 1.0)


@pytest.mark.parametrize(("rounding", "percents"), [("nearest", [0, 3, 5]), ("down", [0, 2, 5]), ("up", [0, 3, 6])])
def test_percents_are_told_as_a_provider_tells_them(rounding: str, percents: list[float]) -> None:
    """Rounded its way; a gap tells nothing, a lagging counter its last word again."""
    told: list[float | None] = []

    def listen(tick: int, sights: Sights | None) -> Setup:
        told.append(sights[0].percent if sights else None)
        return ((0, 1.0),)

    gauge = Gauge(rounding=rounding, gaps=frozenset({3}), lagged=frozenset({4}))  # type: ignore[arg-type]  # parametrized
    run(pool((2.7,) * 5, gauge=gauge), listen)

    assert told == [*percents, None, percents[-1]]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("uncontrolled", [1.0], "uncontrolled has 1 ticks"),
        ("demand", [-1.0] * 3, "0 or more"),
        ("windows", [], "needs a window"),
        ("resets", [{"tick": 1, "windows": ["x"]}], "['x']"),
        ("speed", 3, "speed"),
    ],
)
def test_a_faulty_file_says_what_is_wrong(key: str, value: object, said: str, tmp_path: Path) -> None:
    """The key at fault is named, and the command ends with 2."""
    body = json.loads(dump(Scenario("bad", 1200, (pool((1.0,) * 3),))))
    body["pools"][0][key] = value
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(body))

    with pytest.raises(ScenarioError) as error:
        load(path)

    assert said in str(error.value)
    assert main(["--scenarios", str(tmp_path)]) == 2


def test_a_folder_of_files_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--scenarios DIR --json` prints value ÷ optimum of every controller, of each file and over all."""
    for seed in (1, 2):
        (tmp_path / f"{seed}.json").write_text(dump(Scenario(f"s{seed}", 1200, (short(seed, ticks=60),))))

    assert main(["--scenarios", str(tmp_path), "--json", "--processes", "1"]) == 0
    found = json.loads(capsys.readouterr().out)

    assert {"s1", "s2"} == set(found["scenarios"])
    assert set(CONTROLLERS) == set(found["scenarios"]["s1"])
    ours = [found["scenarios"][name]["ours"] for name in ("s1", "s2")]
    assert found["kinds"]["given"]["controllers"]["ours"]["value_per_optimum"] == pytest.approx(sum(ours) / 2, abs=1e-4)


def test_an_empty_folder_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to run is said, not shown as an empty table."""
    assert main(["--scenarios", str(tmp_path)]) == 2
    assert "no *.json" in capsys.readouterr().err
