"""What the rows of an aider leaderboard say, and what they do not."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from capacity.ports import RankingRow, Rankings
from capacity.testing.flows import FakeWorld, play
from capacity_aider import tiers
from hypothesis import given
from hypothesis import strategies as st

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
SAMPLE = Path(__file__).parents[3] / "tests" / "samples" / "tiers" / "aider" / "polyglot_leaderboard.yml"


def read(body: bytes | str) -> Rankings:
    """What a leaderboard tells."""
    world = FakeWorld(AT)
    world.serve(body.encode() if isinstance(body, str) else body)
    return play(tiers().rankings(), world)


def one(text: str, **more: str) -> RankingRow:
    """The one row of a leaderboard with these fields beside what every row has."""
    fields = {"dirname": "run", "model": "loom", "test_cases": "225", "pass_num_2": "90", **more}
    (row,) = read("- " + "\n  ".join([*(f"{key}: {value}" for key, value in fields.items()), text])).rows
    return row


def test_the_whole_leaderboard() -> None:
    """69 rows: three of them are two models at work, and 17 of the others do not say what they cost."""
    told = read(SAMPLE.read_bytes())

    assert (69, 66, 0) == (told.told, len(told.rows), told.failed)
    assert {"multi-model": 3} == Counter(row.why for row in told.excluded)
    assert 17 == sum(row.cost_usd is None for row in told.rows)
    assert datetime(2025, 10, 3, tzinfo=UTC) == told.as_of
    assert 66 == len({row.id for row in told.rows})
    assert {"none": 4, "low": 2, "medium": 2, "high": 9, "budget:32000": 3} == {
        effort: times for effort, times in Counter(row.effort for row in told.rows).items() if effort and times > 1
    }


def test_a_score_is_counted_where_the_counts_are_told() -> None:
    """167 of 225 is the share, and 225 what it rests on; a cost keeps its digits."""
    row = one("total_cost: 1.3045", pass_num_2="167", versions="0.86.2.dev", date="2025-10-03")

    assert (100 * 167 / 225, 225, "percent", "pass_rate_2") == (row.score, row.n, row.scale, row.metric)
    assert ("aider", "0.86.2.dev", datetime(2025, 10, 3, tzinfo=UTC)) == (
        row.harness,
        row.harness_version,
        row.measured_at,
    )
    assert (Decimal("1.3045"), "run-total") == (row.cost_usd, row.cost_kind)


def test_a_share_stands_in_for_counts_that_are_missing() -> None:
    """More passed than there were is no count either."""
    assert [70.2, 70.2] == [one("pass_rate_2: 70.2", pass_num_2=count).score for count in ("unknown", "226")]


@pytest.mark.parametrize(
    ("model", "more", "effort"),
    [
        ("loom (high)", {}, "high"),
        ("loom (xhigh)", {}, "xhigh"),
        ("loom (0324)", {}, None),
        ("loom (Reasoner)", {}, None),
        ("loom (default think)", {}, None),
        ("loom-max", {}, None),
        ("loom (no thinking)", {}, "none"),
        ("loom (32k thinking tokens)", {}, "budget:32000"),
        ("loom (32k think)", {"thinking_tokens": "32768"}, "budget:32768"),
        ("loom (no think)", {"thinking_tokens": "0"}, "none"),
        ("loom (low)", {"reasoning_effort": "medium"}, "medium"),
    ],
)
def test_an_effort_is_what_the_row_says(model: str, more: dict[str, str], effort: str | None) -> None:
    """A field before a parenthesis, and nothing where neither names one: `max` may be part of a name."""
    row = one("edit_format: diff", model=model, **more)

    assert (model, effort) == (row.model_raw, row.effort)


@pytest.mark.parametrize("cost", ["0", "0.0000", "0 # incorrect: 6.3174", "-1", "free", "null"])
def test_nought_is_no_cost(cost: str) -> None:
    """That is how this board writes that nobody knows."""
    row = one(f"total_cost: {cost}")

    assert (None, None) == (row.cost_usd, row.cost_kind)


def test_a_value_is_the_text_it_is_spelt_with() -> None:
    """Neither a version nor a name becomes a number, a date or a flag on its way."""
    row = one("versions: 0.70", model="no")

    assert ("no", "0.70") == (row.model_raw, row.harness_version)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("{dirname: a, model: A + B, pass_rate_2: 5}", "multi-model"),
        ("{dirname: a, model: A, editor_model: B, pass_rate_2: 5}", "multi-model"),
        ("{dirname: a, model: A, edit_format: architect, pass_rate_2: 5}", "multi-model"),
        ("{dirname: a, pass_rate_2: 5}", "no-model"),
        ("{dirname: a, model: A}", "no-score"),
        ("{dirname: a, model: A, pass_rate_2: 130}", "no-score"),
    ],
)
def test_what_is_no_evidence_is_left_out_with_a_word(row: str, why: str) -> None:
    """It is told, and it is not a score of nought."""
    told = read(f"- {row}")

    assert ((), [("polyglot/a", why)]) == (told.rows, [(one.row, one.why) for one in told.excluded])
    assert "empty" == told.status


@pytest.mark.parametrize(
    "body", ["", "[]", "- 5\n- text", "a: b", "*a", "- &a [*a]", "!!python/object:os.system [x]", "\x00"]
)
def test_what_is_no_list_of_rows_tells_nothing(body: str) -> None:
    """Whatever a loader may make of it."""
    told = read(body)

    assert ((), True) == (told.rows, told.status in {"empty", "invalid"})


@pytest.mark.parametrize("boards", [[], "polyglot", ["Poly Glot"], ["../x"], [None]])
def test_boards_are_names(boards: Any) -> None:
    """What is to stand in an address is looked at when the source is made."""
    with pytest.raises(ValueError, match="boards must be a list of names"):
        tiers(boards=boards)


def test_each_board_is_asked_once() -> None:
    """One file for each, under its own name, and the rows of each are of its own benchmark."""
    world = FakeWorld(AT)
    world.serve(b"- {dirname: a, model: A, pass_rate_2: 5}")
    told = play(tiers(base_url="https://x.invalid/d/", boards=["polyglot", "edit"]).rankings(), world)

    assert [f"https://x.invalid/d/{name}_leaderboard.yml" for name in ("polyglot", "edit")] == [
        effect.url for effect in world.asked
    ]
    assert ["Aider Polyglot", "Aider Edit"] == [row.benchmark for row in told.rows]


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_any_bytes_are_survived(body: bytes) -> None:
    """No leaderboard makes the source raise."""
    assert isinstance(read(body), Rankings)
