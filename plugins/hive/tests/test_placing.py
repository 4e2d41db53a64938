"""A seat is moved on a hive: one call, and what is made of every answer to it. Numbers are those of the contract."""

from __future__ import annotations

from pathlib import Path

import capacity_hive
import pytest
from attrs import evolve
from capacity.ports import Candidate, Placement
from capacity.testing.servers import Answer, HiveAgent
from capacity.testing.servers.hive import Habits
from capacity.values.conditions import Fact
from capacity.wire import run
from syrupy.assertion import SnapshotAssertion

from .scene import MINUTES, TURN, acts, agent, operator, place, scene, sent, two, words

MODELS = "PUT /api/config/agent/ada/models"
SOUTH = ("lathe", "m-south")
EAST = ("plane", "m-east")


def test_01_a_move_is_one_call(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """1: an exhausted pool's seat moves by exactly one PUT and one restart; nothing is switched piecewise."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        report = here.tick()

        assert {"ada": "applied"} == words(report)
        assert [MODELS] == sent(here.hive)
        assert (SOUTH, 1) == (place(here.hive, "ada"), here.hive.agents["ada"].restarts)
        assert snapshot == operator(report)
        assert {"ada": "keep"} == acts(here.tick())
        assert [MODELS] == sent(here.hive)


def test_02_a_seat_already_there_costs_no_call(tmp_path: Path) -> None:
    """2: a placement whose place the seat has already is answered from what was seen; the hive hears of no change."""
    with scene(tmp_path, agent("ada")) as here:
        there = Candidate("loom", "north", "m-north")
        actuator = capacity_hive.actuator(fleet="reef", **here.option("reef"))
        placement = Placement("1/reef/ada", "reef", "ada", "move", Fact("core:room"), there, there)
        outcome = run(actuator.apply(placement), deadline=TURN, host=here.engine._works.host)

        assert ("unchanged", []) == (outcome.word, sent(here.hive))
        assert {"ada": "keep"} == acts(here.tick())
        assert [] == sent(here.hive)


def test_03_a_stale_override_is_overcome(tmp_path: Path) -> None:
    """3: a new hive updates the override that would have won at the next launch."""
    with scene(tmp_path, agent("ada", override=("loom", "m-north"))) as here:
        here.use("north", 100)

        assert {"ada": "applied"} == words(here.tick())
        assert (SOUTH, None) == (place(here.hive, "ada"), here.hive.agents["ada"].override)


def test_03_an_old_hive_is_not_believed(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """3: an old one saves and still launches the old place: unverified, looked at once, never started again."""
    with scene(tmp_path, agent("ada", override=("loom", "m-north")), habits=Habits(variant="old")) as here:
        here.use("north", 100)
        report = here.tick()

        assert {"ada": "unverified"} == words(report)
        assert (2, 0) == (here.hive.times("/api/status"), here.hive.agents["ada"].restarts)
        assert snapshot == operator(report)


def test_03_an_old_hive_is_believed_where_it_shows_it(tmp_path: Path) -> None:
    """3: where no override stands in the way, the read-back shows the new place: applied."""
    with scene(tmp_path, agent("ada"), habits=Habits(variant="old")) as here:
        here.use("north", 100)

        assert {"ada": "applied"} == words(here.tick())


def test_04_a_failed_restart_is_half_a_success(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """4: the place is applied and the agent did not come up: that is told, and the place is not written again."""
    with scene(tmp_path, agent("ada"), habits=Habits(restart_fails=True)) as here:
        here.use("north", 100)
        report = here.tick()

        assert {"ada": "applied-not-running"} == words(report)
        assert snapshot == operator(report)
        here.tick()
        assert [MODELS] == sent(here.hive)


@pytest.mark.parametrize(
    ("habits", "patience"),
    [
        (Habits(slow=1.0), 0.2),
        (Habits(drops=True), 5),
        (Habits(body=b"<html>", status=502), 5),
        (Habits(body=b'{"error": "x"}'), 5),
    ],
    ids=["time-out", "connection lost", "page of a proxy", "error with status 200"],
)
def test_05_a_lost_answer_is_read_back(tmp_path: Path, habits: Habits, patience: float) -> None:
    """5: whoever does not hear what became of a call reads back before anything else, and sends no second one."""
    with scene(tmp_path, agent("ada"), habits=habits, options={"patience_s": patience}) as here:
        here.use("north", 100)
        assert {"ada": "indeterminate"} == words(here.tick())

        here.hive.habits = Habits()
        assert {"ada": "applied"} == words(here.tick())
        assert ([MODELS], SOUTH) == (sent(here.hive), place(here.hive, "ada"))


def test_05_what_never_arrived_is_sent_once_more(tmp_path: Path) -> None:
    """5: where the read-back shows the old place, the call is made a second time, and never a third."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        for _ in range(3):
            here.hive.spoil("/api/config/agent/ada/models", Answer(504, b"<html>gateway timeout</html>"))
        first, second, third = here.tick(), here.tick(), here.tick()

        assert ["indeterminate", "indeterminate"] == [words(one)["ada"] for one in (first, second)]
        assert 2 == len(sent(here.hive))
        assert "core:indeterminate" in {one.fact.code for one in third.conditions}


def test_06_a_refused_place_is_not_asked_for_again(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """6: after a 400 the next tick takes the next candidate; the refused one is not tried again."""
    with scene(tmp_path, agent("ada"), habits=Habits(rejects=frozenset({"lathe"}))) as here:
        here.use("north", 100)
        first = here.tick()
        second = here.tick()
        third = here.tick()

        assert ["rejected", "applied"] == [words(one)["ada"] for one in (first, second)]
        assert ({"ada": "keep"}, EAST) == (acts(third), place(here.hive, "ada"))
        assert [MODELS] * 2 == sent(here.hive)
        assert snapshot == operator(first)


def test_06_no_loop_where_every_place_is_refused(tmp_path: Path) -> None:
    """6: once all are refused the seat parks, and nothing is sent round and round."""
    with scene(tmp_path, agent("ada"), habits=Habits(rejects=frozenset({"lathe", "plane"}))) as here:
        here.use("north", 100)
        for _ in range(6):
            here.tick()

        assert [MODELS, MODELS, "POST /api/pause/ada"] == sent(here.hive)


def test_07_a_refusal_of_ours_ends_the_tick(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """7: after one 403 nothing more is sent to that hive in this tick."""
    agents = [agent(name) for name in ("ada", "ben", "cyd")]
    with scene(tmp_path, *agents, habits=Habits(variant="v5")) as here:
        here.use("north", 100)
        report = here.tick()

        assert dict.fromkeys(("ada", "ben", "cyd"), "unauthorised") == words(report)
        assert [MODELS] == sent(here.hive)
        assert snapshot == operator(report)


@pytest.mark.parametrize("pin", ["cli", "model"])
def test_08_a_pinned_seat_is_not_touched(tmp_path: Path, pin: str) -> None:
    """8: whichever half of its place an operator fixed."""
    with scene(tmp_path, agent("ada", pins=frozenset({pin}))) as here:
        here.use("north", 100)

        assert {"ada": "leave"} == acts(here.tick())
        assert [] == sent(here.hive)


def test_09_what_somebody_else_wrote_is_left(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """9: a place that changed between the decision and its call, which took minutes to come up, is a conflict."""
    with scene(tmp_path, agent("ada"), agent("ben")) as here:

        def come_in() -> None:
            here.clock.advance(2 * MINUTES)
            here.hive.put(evolve(here.hive.agents["ben"], cli="plane", model="m-east"))

        here.use("north", 100)
        here.hive.meanwhile = come_in
        report = here.tick()

        assert {"ada": "applied", "ben": "conflict"} == words(report)
        assert ([MODELS], EAST) == (sent(here.hive), place(here.hive, "ben"))
        assert snapshot == operator(report)


def test_09_a_second_controller_is_stood_down_for(tmp_path: Path) -> None:
    """9: who changes a place after us has the last word; we say so and write nothing more."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        here.tick()
        here.hive.put(evolve(here.hive.agents["ada"], cli="loom", model="m-north"))
        report = here.tick()

        assert ({"ada": "leave"}, [MODELS]) == (acts(report), sent(here.hive))
        assert ["core:conflict"] == [one.fact.code for one in report.loud]


def test_09_a_place_that_was_not_kept_is_a_conflict(tmp_path: Path) -> None:
    """9: a hive that forgets at its restart what it answered 200 to is found out, and not fought with."""
    with scene(tmp_path, agent("ada"), habits=Habits(forgets=True)) as here:
        here.use("north", 100)
        here.tick()
        here.hive.restart()

        assert {"ada": "leave"} == acts(here.tick())
        assert [MODELS] == sent(here.hive)


@pytest.mark.parametrize("after", [1, 10])
def test_10_a_status_that_lags_moves_nothing_twice(tmp_path: Path, after: int, snapshot: SnapshotAssertion) -> None:
    """10: a status from before our write tells nothing of the seat; it is where we put it until it was seen again."""
    with scene(tmp_path, agent("ada"), habits=Habits(lag=1)) as here:
        here.use("north", 100)
        here.tick()
        lagging = here.tick(after * MINUTES)
        here.tick(after * MINUTES)

        assert ({"ada": "keep"}, [MODELS]) == (acts(lagging), sent(here.hive))
        assert snapshot == operator(lagging)


def test_10_nothing_is_made_of_a_status_within_seconds(tmp_path: Path) -> None:
    """10: a status may be newer than a write by its own word and still be of before; within `settle_s` it is not used."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        here.tick()
        here.hive.put(agent("ada"))

        assert {"ada": "keep"} == acts(here.tick(MINUTES / 6))
        assert {"ada": "leave"} == acts(here.tick(MINUTES))


@pytest.mark.parametrize("effort", [None, "high"])
def test_20_a_model_named_after_its_effort_gets_that_effort(tmp_path: Path, effort: str | None) -> None:
    """20: agy with a model that ends in an effort is sent with that effort; without it, it would run another model."""
    with scene(tmp_path, agent("ada"), **two("agy", "m-high", effort)) as here:
        here.use("north", 100)

        assert {"ada": "applied"} == words(here.tick())
        assert ("agy", "m-high", "high") == (*place(here.hive, "ada"), here.hive.agents["ada"].effort)
        assert {"ada": "keep"} == acts(here.tick())


def test_20_an_effort_against_the_models_name_is_never_sent(tmp_path: Path) -> None:
    """20: a tier row that asks for another effort than the model's name says is refused before any call."""
    with scene(tmp_path, agent("ada"), **two("agy", "m-high", "low")) as here:
        here.use("north", 100)
        report = here.tick()

        assert {"ada": "rejected"} == words(report)
        assert "m-high runs at high and at nothing else" in report.outcomes[0][1].detail
        assert [] == sent(here.hive)


def test_22_a_model_with_a_slash_goes_and_comes(tmp_path: Path) -> None:
    """22: a model travels in the body as it is, an agent's name in the path escaped, and both are read back unharmed."""
    with scene(tmp_path, HiveAgent("ada/1 é", "loom", "m-north"), **two("pi", "maker/m-x")) as here:
        here.use("north", 100)

        assert {"ada/1 é": "applied"} == words(here.tick())
        assert ("pi", "maker/m-x") == place(here.hive, "ada/1 é")
        assert ["PUT /api/config/agent/ada%2F1%20%C3%A9/models"] == sent(here.hive)
        assert {"ada/1 é": "keep"} == acts(here.tick())
