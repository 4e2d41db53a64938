"""What a row of a Terminal-Bench leaderboard says, and what it does not."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from capacity.ports import Document, Get, RankingRow, Rankings, Send
from capacity.testing.flows import FakeWorld, play
from capacity_harbor import tiers
from hypothesis import given
from hypothesis import strategies as st

from .hub import AT, NAMES, REPLY, entry, page


def read(*rows: Any, version: str = "4.0", leaderboard: dict[str, Any] | None = None) -> Rankings:
    """What one leaderboard with these rows tells."""
    body = page(NAMES[version], list(rows))
    body["leaderboard"] |= leaderboard or {}
    world = FakeWorld(AT)
    world.serve(json.dumps(body).encode())
    return play(tiers(versions=[version]).rankings(), world)


def changed(part: str, **fields: Any) -> dict[str, Any]:
    """The row of the sample with some fields of one part changed; None takes one out."""
    row = entry(0)
    row[part] = {name: value for name, value in {**row[part], **fields}.items() if value is not None}
    return row


def test_the_recorded_reply() -> None:
    """One row that is displayed, with everything it says, and one that is hidden."""
    told = read(*REPLY["rows"])

    assert (2, [("4.0/r2", "hidden")]) == (told.told, [(row.row, row.why) for row in told.excluded])
    assert datetime(2026, 10, 1, tzinfo=UTC) == told.as_of
    assert (
        RankingRow(
            harness="Claude Code",
            model_raw="Opus 5",
            benchmark="Terminal-Bench",
            score=50.0,
            scale="percent",
            benchmark_version="4.0",
            effort="max",
            n=330,
            stderr=1.6,
            stderr_kind="within-task",
            measured_at=datetime(2026, 8, 28, tzinfo=UTC),
            url="https://www.tbench.ai/leaderboard",
            licence="Apache-2.0",
            id="4.0/r1",
            metric="accuracy",
            provenance="benchmark-owner",
            cost_usd=Decimal("5000.0"),
            cost_kind="run-total",
        ),
    ) == told.rows


@pytest.mark.parametrize("shown", ["Loom CLI", {"label": "Loom CLI", "url": "https://x.invalid"}])
def test_a_name_is_a_text_or_an_object_with_a_label(shown: Any) -> None:
    """Both are found on one board."""
    (row,) = read(changed("metadata", agent_display=shown, model_display=shown)).rows

    assert ("Loom CLI", "Loom CLI") == (row.harness, row.model_raw)


def test_an_interval_stands_in_for_a_standard_error_and_says_so() -> None:
    """Half of a 95 % interval is 1.96 of them; where neither is told, or nought, there is none."""
    (row,) = read(changed("metrics", accuracy_stderr=None)).rows
    (bare,) = read(changed("metrics", accuracy_stderr=0.0, accuracy_ci95_half_width=None)).rows

    assert ("interval", pytest.approx(3.14 / 1.959964)) == (row.stderr_kind, row.stderr)
    assert (None, None) == (bare.stderr_kind, bare.stderr)


def test_an_effort_is_not_made_up() -> None:
    """A row without one is a row without one."""
    (row,) = read(changed("metadata", reasoning_effort=None)).rows

    assert row.effort is None


def test_who_stands_behind_a_row_hangs_on_the_version() -> None:
    """What anybody handed in for 2.0 is not what the owners keep since."""
    assert ["submitter", "benchmark-owner"] == [
        read(entry(0), version=version).rows[0].provenance for version in ("2.0", "2.1")
    ]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({**entry(0), "status": "hide"}, "hidden"),
        ({**entry(0), "status": "pending"}, "hidden"),
        (changed("metadata", model_display=None), "no-model"),
        (changed("metadata", model_display="Multiple"), "multi-model"),
        (changed("metadata", model_display="A + B"), "multi-model"),
        (changed("metrics", accuracy=None), "no-score"),
        (changed("metrics", accuracy=130), "no-score"),
        (changed("metrics", accuracy="NaN"), "no-score"),
    ],
)
def test_what_is_no_evidence_is_left_out_with_a_word(row: dict[str, Any], why: str) -> None:
    """It is told, and it is not a score of nought."""
    told = read(row)

    assert ((), [("4.0/e0", why)]) == (told.rows, [(one.row, one.why) for one in told.excluded])


def test_a_row_nobody_can_name_is_counted() -> None:
    """One without an id could not be found again."""
    told = read(entry(0), {}, 5)

    assert (3, 2, 1) == (told.told, told.failed, len(told.rows))


def test_a_metric_that_is_new_changes_nothing() -> None:
    """Columns are the hub's to add."""
    (one,), (other,) = read(entry(0)).rows, read(changed("metrics", brilliance=11)).rows

    assert one == other


def test_another_leaderboard_than_was_asked_for_is_none() -> None:
    """Scores of another version would pass for those of this one."""
    told = read(entry(0), leaderboard={"name": "3-0-0"})

    assert ("invalid", "harbor answered version 4.0 with leaderboard 3-0-0") == (told.status, told.detail)


def test_each_leaderboard_is_asked_as_the_hub_wants_it() -> None:
    """The question is posted, kept by itself, and asks nothing but which leaderboard and which page."""
    world = FakeWorld(AT)

    def web(request: Get | Send) -> Document:
        return Document(json.dumps(page(request.body["name"], [entry(0)])).encode(), AT, status=200)

    world.web = web
    play(tiers(base_url="https://hub.invalid/", versions=["2.1", "4.0"]).rankings(), world)

    assert [
        Get("https://hub.invalid/functions/v1/leaderboard-read", body={**selector, "page": 1}, keep=True)
        for selector in (
            {"package": "terminal-bench/terminal-bench-2-1", "name": "main"},
            {"package": "terminal-bench/terminal-bench", "name": "4-0-0"},
        )
    ] == world.asked


@pytest.mark.parametrize("versions", [[], "4.0", ["5.0"], [4.0], None])
def test_versions_are_those_that_are_known(versions: Any) -> None:
    """A benchmark nobody knows the name of is told when the source is made."""
    with pytest.raises((ValueError, TypeError)):
        tiers(versions=versions)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(st.tuples(st.sampled_from(["id", "status", "n_trials", "metadata", "metrics"]), anything), max_size=3),
    anything,
)
def test_any_row_is_survived(changes: list[tuple[str, Any]], inner: Any) -> None:
    """Whatever stands where, the row is told, left out or counted; no score is outside its scale."""
    row = copy.deepcopy(entry(0))
    row["metrics"]["accuracy"] = inner
    row |= dict(changes)
    told = read(row)

    assert 1 == len(told.rows) + len(told.excluded) + (told.status == "invalid")
    assert all(0 <= one.score <= 100 for one in told.rows)
