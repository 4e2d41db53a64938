"""`circuits` and `rearm`: what failures stopped, and taking it back."""

from __future__ import annotations

import json

import pytest

from capacity import load_policy
from capacity.engine import Engine
from capacity.ports import Candidate, Failure
from capacity.store import sqlite

from .house import HOUR, NOON, House


def test_what_failures_stopped_is_shown_and_taken_back(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Every stop with its end, or the next try where nobody told one; rearmed, only the operator's own is left."""
    house.run("tick")
    house.run("stop", "backend", "claude", "--note", "on holiday")
    store = sqlite(path=house.store, clock=house.clock)
    with Engine(load_policy(house.policy), store=store, clock=house.clock) as engine:
        row = Candidate("small", "rack", "sample-local-1")
        engine.fail(row, Failure.of("quota", reset_at=NOON + 3 * HOUR))
        engine.fail(row, Failure.of("context-tier"), context=200_001)
    store.close()
    capsys.readouterr()

    assert 0 == house.run("circuits")
    table = capsys.readouterr().out
    assert "candidate  small|rack|sample-local-1|  refusal   context-tier  tried again Mon 2026-09-21 12:00Z" in table
    assert "pool       rack                        refusal   quota         Sun 2026-09-20 15:00Z" in table
    assert "only above 200,000 tokens" in table
    assert "on holiday" in table
    assert 0 == house.run("circuits", "--json")
    assert ["backend", "candidate", "pool"] == [one["subject"] for one in json.loads(capsys.readouterr().out)]

    assert 0 == house.run("rearm", "rack")
    assert (
        "candidate small|rack|sample-local-1| may be used again (context-tier)\npool rack may be used again (quota)\n"
        == capsys.readouterr().out
    )
    assert 0 == house.run("rearm", "all")
    assert (
        "all: no failure stops anything there\nbackend claude stays stopped by the operator: `capacity lift` ends that\n"
        == capsys.readouterr().out
    )
    assert 2 == house.run("rearm", "rak")
    assert 'did you mean "rack"?' in capsys.readouterr().err


def test_where_nothing_is_stopped_that_is_said(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """In words and as an empty list."""
    assert 0 == house.run("circuits")
    assert "as of Sun 2026-09-20 12:00Z; nothing is stopped\n" == capsys.readouterr().out
    assert 0 == house.run("rearm", "rack", "--json")
    assert [("rack", True)] == [(one["name"], one["lifted"]) for one in json.loads(capsys.readouterr().out)]
