"""When a hive is only planned for: it cannot be read, its breaker is engaged, its budget is gone, or it says so of seats."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import capacity_hive
import pytest
from attrs import evolve
from capacity.ports import Candidate, Placement
from capacity.testing.servers import Answer, HiveAgent
from capacity.testing.servers.hive import MODES
from capacity.values.conditions import Fact
from capacity.wire import run
from syrupy.assertion import SnapshotAssertion

from .scene import Scene, acts, agent, operator, place, scene, sent, words

HOUR = timedelta(hours=1)
HERE = Candidate("loom", "north", "m-north")


def pace(here: Scene, **options: Any) -> Any:
    """A cadence of an hour for ada, by the actuator alone: the engine commands none before it paces by cadence."""
    made = capacity_hive.actuator(fleet="reef", **{**here.option("reef"), **options})
    placement = Placement("1/reef/ada", "reef", "ada", "adjust", Fact("core:room"), HERE, HERE, cadence=HOUR)
    host = here.engine._works.host
    return run(made.apply(placement), deadline=HOUR, host=host)


def test_13_a_cadence_is_set_one_mode_a_call_and_confirmed(tmp_path: Path) -> None:
    """13: each mode in a call of its own, seen in the matrix afterwards, with what was there before."""
    with scene(tmp_path, agent("ada")) as here:
        outcome = pace(here, modes=["busy", "surge"])

        assert ("applied", "busy was 0:15:00, surge was 0:15:00") == (outcome.word, outcome.detail)
        assert ["PUT /api/config/agent/ada/cadences"] * 2 == sent(here.hive)
        assert {**dict.fromkeys(MODES, 900), "busy": 3600, "surge": 3600} == here.hive.agents["ada"].cadence


def test_13_a_mode_nobody_knows_is_not_sent(tmp_path: Path) -> None:
    """13: a mode the agent has no cadence for is refused by name, before any call."""
    with scene(tmp_path, agent("ada")) as here:
        outcome = pace(here, modes=["busy", "turbo"])

        assert ("rejected", []) == (outcome.word, sent(here.hive))
        assert outcome.detail == "ada has no cadence for turbo; it has busy, idle, quiet, surge"


def test_13_a_mode_that_was_skipped_is_found_out(tmp_path: Path) -> None:
    """13: a hive says 200 and keeps the old cadence of a mode it does not know; the matrix tells."""
    with scene(tmp_path, agent("ada")) as here:
        deaf = HiveAgent("ada", "loom", "m-north", cadence={"idle": 900})
        here.hive.meanwhile = lambda: here.hive.put(deaf)
        outcome = pace(here)

        assert "rejected" == outcome.word
        assert outcome.detail == "the hive took no cadence of ada for busy (busy was 0:15:00)"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, {"error": "collecting"}),
        Answer(503, {"error": "collecting"}),
        Answer(502, b"<html>bad gateway</html>"),
        Answer(200, {"agents": None}),
        Answer(200, b"[]"),
    ],
    ids=["error with status 200", "503", "page of a proxy", "null", "another shape"],
)
def test_14_no_agents_is_not_zero_agents(tmp_path: Path, answer: Answer, snapshot: SnapshotAssertion) -> None:
    """14: a status without its agents is no fleet of none: it cannot be read, which is said, and nothing is written."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        here.hive.spoil("/api/status", answer)
        report = here.tick()

        assert ([], ["core:fleet-refuses"]) == (sent(here.hive), [one.fact.code for one in report.loud])
        assert snapshot == operator(report)
        assert {"ada": "applied"} == words(here.tick())


def test_14_an_empty_fleet_is_one(tmp_path: Path) -> None:
    """14: a list without an agent is a fleet of none, and no fault."""
    with scene(tmp_path) as here:
        report = here.tick()

        assert ({}, ()) == (acts(report), report.loud)


def test_21_an_engaged_breaker_is_planned_for_only(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """21: while it is engaged nothing is written, and the plan says why; after that it is."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        here.hive.breaker = True
        report = here.tick()

        assert ({"ada": "leave"}, []) == (acts(report), sent(here.hive))
        assert snapshot == operator(report)
        here.hive.breaker = False
        assert {"ada": "applied"} == words(here.tick())


def test_21_a_breaker_nobody_can_tell_of_is_taken_for_engaged(tmp_path: Path) -> None:
    """21: a hive that fails to say it is left alone; one that has no breaker at all is not."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        here.hive.spoil("/api/breaker", Answer(500, {"error": "no"}))
        assert {"ada": "leave"} == acts(here.tick())

        here.hive.spoil("/api/breaker", Answer(404, {"error": "not found"}))
        assert {"ada": "applied"} == words(here.tick())


def test_a_hives_own_budget_stops_it_too(tmp_path: Path) -> None:
    """A hive whose budget for the week is gone kicks nobody; its agents are left where they are."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        here.hive.budget_exhausted = True

        assert ({"ada": "leave"}, []) == (acts(here.tick()), sent(here.hive))


def test_a_fleet_in_shadow_is_only_read(tmp_path: Path) -> None:
    """In shadow everything is decided and nothing is sent."""
    with scene(tmp_path, agent("ada"), mode="shadow") as here:
        here.use("north", 100)

        assert {"ada": "move"} == acts(here.tick())
        assert [] == sent(here.hive)


def test_only_agents_that_are_named_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """A provider's refusal moves the agent it names to another pool, though its pool reads well, and no other agent."""
    with scene(tmp_path, agent("ada"), agent("ben"), agent("cyd", quota_exhausted=True)) as here:
        here.hive.limited = {"provider_limit_agents": ["ada"], "provider_limit_reason": "monthly quota"}
        report = here.tick()

        assert {"ada": "move", "ben": "keep", "cyd": "move"} == acts(report)
        assert snapshot == operator(report)
        here.hive.limited = {}
        here.hive.put(evolve(here.hive.agents["cyd"], quota_exhausted=False))
        assert {"keep"} == {*acts(here.tick()).values()}
        assert ["lathe", "loom", "lathe"] == [place(here.hive, name)[0] for name in ("ada", "ben", "cyd")]


def test_a_refusal_of_the_whole_hive_is_of_every_agent(tmp_path: Path) -> None:
    """Only where a hive marks it as its own does a refusal mean agents that it does not name."""
    with scene(tmp_path, agent("ada"), agent("ben")) as here:
        here.hive.limited = {"provider_limit_hive_wide": True, "provider_limit_agents": ["ada"]}

        assert {"ada": "move", "ben": "move"} == acts(here.tick())


def test_a_refused_agent_with_nowhere_to_go_is_not_stopped(tmp_path: Path) -> None:
    """A refusal alone is no reason to park: the hive itself tries it again from time to time."""
    with scene(tmp_path, agent("ada", quota_exhausted=True)) as here:
        here.use("south", 100)
        here.use("east", 100)

        assert ({"ada": "keep"}, []) == (acts(here.tick()), sent(here.hive))
