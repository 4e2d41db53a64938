"""`pace`: recorded cases worked, the store's pools as they are spent, and a picture of it."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from capacity.cli import main
from capacity.cli.pacing import bar
from capacity.values.limits import Interval, Limit, LimitHeadroom

from .house import HOUR, NOON, SAMPLES, House

VECTORS = SAMPLES / "pacing" / "vectors.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text())["vectors"]


def near(expected: Any, told: Any) -> bool:
    """Whether a figure is what it should be, to 2 in 100,000; everything else exactly."""
    if isinstance(expected, list):
        return isinstance(told, list) and len(told) == len(expected) and all(map(near, expected, told))
    if isinstance(expected, int | float) and isinstance(told, int | float):
        return told == pytest.approx(expected, rel=2e-5, abs=1e-12)
    return bool(expected == told)


@pytest.fixture(scope="module")
def answers() -> list[dict[str, Any]]:
    """What the command makes of every case."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert 0 == main(["pace", str(VECTORS), "--json"])
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("index", range(len(CASES)), ids=[case["id"] for case in CASES])
def test_a_case_that_was_worked_by_hand(index: int, answers: list[dict[str, Any]]) -> None:
    """Every figure, word and reason of it comes out."""
    expected, told = CASES[index]["expect"], answers[index]
    wrong = [
        (name, key, value, told["windows"][name].get(key))
        for name, window in expected["windows"].items()
        for key, value in window.items()
        if not near(value, told["windows"][name].get(key))
    ]
    wrong += [
        ("pool", key, value, told["pool"].get(key))
        for key, value in expected["pool"].items()
        if not near(value, told["pool"].get(key))
    ]

    assert [] == wrong


def test_one_case_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file may hold one case; in words it is a line for the pool and one for each window."""
    (tmp_path / "case.json").write_text(json.dumps(CASES[1]))
    assert 0 == main(["pace", str(tmp_path / "case.json")])

    assert [
        "pool: under, bound by weekly",
        "  session: under; rate 6 (5 to 7), allowed 24.4 (24.2 to 24.6) %/h",
        "  weekly: under; rate 3 (2 to 4), allowed 5.42 (5.34 to 5.51) %/h",
    ] == capsys.readouterr().out.splitlines()


def test_figures_of_the_controller_may_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`policy` overrides them by their names: with two readings for evidence, ten minutes are enough."""
    case = {**CASES[2], "policy": {"min_samples": 2, "min_span": 600}}
    (tmp_path / "case.json").write_text(json.dumps(case))
    main(["pace", str(tmp_path / "case.json"), "--json"])

    assert "over" == json.loads(capsys.readouterr().out)["windows"]["weekly"]["verdict"]


def test_the_level_to_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With levels recorded and a reach the pool says what it wants and what would be commanded; without, nothing."""
    case = next(one for one in CASES if one["id"] == "level-change")
    reached = {**case, "fleet": {"level": 50.0, "level_min": 10.0, "level_max": 60.0}}
    (tmp_path / "case.json").write_text(json.dumps({"vectors": [case, reached]}))
    main(["pace", str(tmp_path / "case.json"), "--json"])
    without, reach = (json.loads(line)["pool"] for line in capsys.readouterr().out.splitlines())

    assert without["wanted"] == reach["wanted"] > 60
    assert without["target"] is None
    assert pytest.approx(50 * (60 / 50) ** 0.85) == reach["target"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("{}", "required field missing @ $.now"),
        ('{"now": "soon", "readings": []}', "$.now"),
        (
            '{"now": "2026-09-02T17:00", "readings": [], "policy": {"tempo": 1}}',
            "tempo are no figures of the controller",
        ),
        ('{"now": "2026-09-02T17:00", "readings": [{"at": 7, "window": "w"}]}', "$.readings[0].at"),
    ],
)
def test_a_file_at_fault(body: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence that names the file and the key; nothing on standard output."""
    (tmp_path / "case.json").write_text(body)
    assert 2 == main(["pace", str(tmp_path / "case.json")])
    out, err = capsys.readouterr()

    assert "" == out
    assert "case.json" in err
    assert told in err


def test_figures_that_are_none_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Null, negative and NaN are no figures; a case without any is learning."""
    rows = [{"at": "2026-09-02T16:00", "window": "w", "percent": figure} for figure in (None, -1, float("nan"))]
    (tmp_path / "case.json").write_text(json.dumps({"now": "2026-09-02T17:00Z", "readings": rows}))
    assert 0 == main(["pace", str(tmp_path / "case.json"), "--json"])
    told = json.loads(capsys.readouterr().out)

    assert ({}, "learning", []) == (told["windows"], told["pool"]["verdict"], told["pool"]["excluded"])


def spend(house: House, ticks: int = 5) -> None:
    """A session that fills by 12 points a tick of twenty minutes."""
    for step in range(ticks):
        house.team.use("session", 10.0 + 12 * step, NOON + 4 * HOUR)
        house.run("tick")
        house.clock.advance(HOUR / 3)


def test_from_the_store(house: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """Each paced pool in a line with its bar and where it leads, each window with its rates; nobody is asked."""
    spend(house)
    capsys.readouterr()
    asked = len(house.team.asked)
    assert 0 == house.run("pace")

    assert snapshot == capsys.readouterr().out
    assert asked == len(house.team.asked)


def test_status_has_a_line_for_each_paced_pool(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """One line with its bar."""
    spend(house)
    capsys.readouterr()
    house.run("status")
    lines = [line for line in capsys.readouterr().out.splitlines() if "#" in line]

    assert 1 == len(lines)
    assert "over" in lines[0] or "saturated" in lines[0]


def test_as_text_forms(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json each pool's headroom is a line."""
    spend(house, 2)
    capsys.readouterr()
    house.run("pace", "--json")
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert ["rack", "team"] == sorted(one["pool"] for one in told)


@pytest.mark.parametrize(
    ("used", "left", "expected"),
    [
        (0.0, 5, "|............"),
        (50.0, 2.5, "######|......"),
        (75.0, 2.5, "######|###..."),
        (25.0, 2.5, "###...|......"),
        (100.0, 0, "############|"),
    ],
)
def test_a_bar(used: float, left: float, expected: str) -> None:
    """What is used, and where the time has got to."""
    limit = Limit("5h", used, resets_at=NOON + left * HOUR, window=timedelta(hours=5))
    assert expected == bar(LimitHeadroom(limit, "fresh", Interval(used, used)), NOON)


def test_a_bar_needs_a_window() -> None:
    """Without a reset, or a length, there is none."""
    assert "" == bar(LimitHeadroom(Limit("balance"), "fresh"), NOON)


class Drawn:
    """What stands in for matplotlib: it draws nothing, and writes what it was told."""

    def __init__(self, **_: Any) -> None:
        self.told: list[str] = []

    def subplots(self, rows: int, _: int, **__: Any) -> Any:
        class Grid(list):  # type: ignore[type-arg]  # a column of axes
            def __getitem__(self, key: Any) -> Any:
                return list(self) if isinstance(key, tuple) else super().__getitem__(key)

        return Grid([self] * rows)

    def set(self, **told: Any) -> None:
        self.told.append(told["title"])

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None

    def savefig(self, path: Path) -> None:
        path.write_text("\n".join(self.told))


def test_a_picture(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each window of each pool is drawn."""
    module = ModuleType("matplotlib.figure")
    module.Figure = Drawn  # type: ignore[attr-defined]  # a stand-in
    monkeypatch.setitem(sys.modules, "matplotlib", ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", module)
    spend(house, 3)
    assert 0 == house.run("pace", "--plot", str(tmp_path / "burn.svg"))

    assert "team: 5h" in (tmp_path / "burn.svg").read_text().splitlines()


def test_no_picture(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strange ending, nothing to draw, or nobody who draws: each is told, and nothing is written."""
    told = []
    for name, ticks in (("burn.pdf", 0), ("burn.svg", 0), ("burn.png", 2)):
        spend(house, ticks)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        capsys.readouterr()
        assert 2 == house.run("pace", "--plot", str(tmp_path / name))
        told.append(capsys.readouterr().err)
        assert not (tmp_path / name).exists()

    assert "ends in .svg or .png" in told[0]
    assert "nothing can be drawn" in told[1]
    assert "install capacity-core[plot]" in told[2]
