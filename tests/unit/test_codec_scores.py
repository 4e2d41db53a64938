"""Scores a person wrote down are read strictly, in three ways of writing them, and every fault is told at once."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.codec.scores import read_scores
from capacity.errors import FormError
from capacity.values.rankings import RankingRow

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
ROW = RankingRow(
    "loom",
    "large",
    "own",
    61.5,
    "percent",
    effort="high",
    n=200,
    stderr=2.5,
    stderr_kind="binomial",
    measured_at=datetime(2026, 9, 1, tzinfo=UTC),
    flags=("audited", "small"),
    cost_usd=Decimal("12.50"),
    cost_kind="run-total",
)
KEYS = ("harness", "model_raw", "benchmark", "score", "scale", "effort", "n", "stderr", "stderr_kind", "cost_kind")
TOLD: dict[str, Any] = {key: getattr(ROW, key) for key in KEYS} | {
    "cost_usd": "12.50",
    "measured_at": "2026-09-01T00:00:00Z",
}
JSON = json.dumps({"rows": [{**TOLD, "flags": ["small", "audited"]}]})
TOML = "\n".join(
    ["[[rows]]", *(f"{key} = {json.dumps(value)}" for key, value in TOLD.items()), 'flags = ["small", "audited"]']
)
CSV = f"{','.join(TOLD)},flags\n{','.join(map(str, TOLD.values()))},small audited\n"


def faults(body: str, kind: Literal["csv", "json", "toml"] = "json") -> list[str]:
    """What is wrong with a text."""
    with pytest.raises(FormError) as error:
        read_scores(body, kind, source="scores", at=AT)
    return [str(fault) for fault in error.value.faults]


def rows(*changed: dict[str, Any], **head: Any) -> str:
    """A file of rows, each as the good one but for what is changed."""
    return json.dumps({"rows": [{**TOLD, **change} for change in changed], **head})


@pytest.mark.parametrize(("body", "kind"), [(JSON, "json"), (TOML, "toml"), (CSV, "csv")])
def test_three_ways_of_writing_are_one_row(body: str, kind: Literal["csv", "json", "toml"]) -> None:
    """The same row, however it is written, down to the digits of what it cost."""
    told = read_scores(body, kind, source="scores", at=AT)

    assert (ROW,) == told.rows
    assert ("fresh", datetime(2026, 9, 1, tzinfo=UTC)) == (told.status, told.as_of)


def test_what_is_left_out_is_not_known() -> None:
    """Four keys are enough: the harness, too, may be left out, which makes a row about the model alone."""
    told = read_scores("model_raw,benchmark,score,scale\nlarge,own,61,percent\n", "csv", source="scores", at=AT)

    assert (RankingRow(None, "large", "own", 61.0, "percent"),) == told.rows
    assert AT == told.as_of


def test_what_holds_for_all_rows_stands_beside_them() -> None:
    """Since when the figures are true, whose they are, how they were made, and which models there are."""
    head = {"as_of": "2026-08-01T00:00:00Z", "licence": "CC0-1.0", "attribution": "us", "methodology": "v2"}
    told = read_scores(rows({}, **head, known=[{"id": "lab/large", "aliases": ["large"]}]), "json", source="s", at=AT)

    assert (datetime(2026, 8, 1, tzinfo=UTC), "CC0-1.0", "us", "v2") == (
        told.as_of,
        told.licence,
        told.attribution,
        told.methodology,
    )
    assert ["lab/large"] == [model.id for model in told.known]


def test_the_newest_row_may_be_of_tomorrow() -> None:
    """What somebody dated into the future is not known before it is."""
    assert AT == read_scores(rows({"measured_at": "2027-01-01T00:00:00Z"}), "json", source="s", at=AT).as_of


def test_every_fault_is_told_at_once() -> None:
    """A key that is not known, a figure that is none, a word of another list, and what only the whole row shows."""
    body = rows({"scor": 1}, {"score": "61"}, {"scale": "percents"}, {"score": 130}, {"stderr_kind": None}, licens="x")

    assert [
        'licens: no such key (did you mean "licence"?)',
        'rows[0].scor: no such key (did you mean "score"?)',
        "rows[1].score: must be a number, not a text",
        "rows[2].scale: 'percents' is not among its words (did you mean \"percent\"?)",
        "rows[3].score: 130 is out of range (a percent is from 0 to 100)",
        "rows[4].stderr_kind: is missing (say how the standard error was made: binomial, between-runs, …)",
    ] == faults(body)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"scale": "fraction"}, "rows[0].score: 61.5 is out of range (a fraction is from 0 to 1)"),
        ({"n": 0}, "rows[0].n: 0 trials are none (leave it out where it is not known)"),
        ({"stderr": -1}, "rows[0].stderr: -1 is below nought (leave it out where it is not known)"),
        ({"cost_usd": "0"}, "rows[0].cost_usd: 0 is no price (leave it out where it is not known)"),
        ({"measured_at": "2026-09-01"}, 'rows[0].measured_at: "2026-09-01" is no instant (write it like 2026-09-20T12:00:00Z)'),
    ],
)  # fmt: skip  # one table, read as rows
def test_a_figure_that_cannot_be_is_a_fault(change: dict[str, Any], fault: str) -> None:
    """A unit slip or a made-up nought is told to who can mend it."""
    assert [fault] == faults(rows(change))


def test_rows_that_cannot_be_told_apart_are_a_fault() -> None:
    """One id is one row's, and one row stands once."""
    assert ["rows: the id 'a' stands 2 times (give each row its own)"] == faults(rows({"id": "a"}, {"id": "a", "n": 9}))
    assert ["rows: 1 of them stand there twice, alike in everything (take one of each out)"] == faults(rows({}, {}))


@pytest.mark.parametrize(
    ("body", "kind", "fault"),
    [
        ("[]", "json", "must be a table, not a list"),
        ('{"rows": 5}', "json", "rows: must be a list, not 5"),
        ('{"rows": [5]}', "json", "rows[0]: must be a table, not 5"),
        ('{"known": [{}]}', "json", "known[0].id: is missing"),
        ('a,b\n1,"2', "csv", "is no CSV: unexpected end of data at line 2"),
        ("a,b\n1,2,3\n", "csv", "rows[0] has more cells than there are columns (quote a cell that holds a comma)"),
        ("model_raw,benchmark,score,scale\nx,y,much,percent\n", "csv", "rows[0].score: must be a number, not a text"),
    ],
)
def test_what_is_no_such_text_is_one_fault(body: str, kind: Literal["csv", "json", "toml"], fault: str) -> None:
    """Where the text itself cannot be read, that is what is told, and where."""
    assert [fault] == faults(body, kind)


def test_nothing_at_all_is_no_score() -> None:
    """An empty file of rows is no error of writing; that it tells nothing is for whoever asked to say."""
    assert () == read_scores("", "toml", source="s", at=AT).rows


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8).filter(str.strip)
generated = st.builds(
    RankingRow,
    harness=st.none() | words,
    model_raw=words,
    benchmark=words,
    score=st.integers(0, 1000).map(lambda tenths: tenths / 10),
    scale=st.just("percent"),
    effort=st.none() | words,
    n=st.none() | st.integers(1, 10**6),
    measured_at=st.none() | st.integers(1, 10**6).map(lambda minutes: AT - timedelta(minutes=minutes)),
)


@given(st.lists(generated, max_size=5, unique=True))
def test_csv_and_json_tell_the_same(made: list[RankingRow]) -> None:
    """Whatever rows there are, commas, quotes and signs included: written either way they are read alike."""
    keys = ("harness", "model_raw", "benchmark", "score", "scale", "effort", "n", "measured_at")
    told = [
        {key: value.isoformat() if isinstance(value := getattr(row, key), datetime) else value for key in keys}
        for row in made
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, keys)
    writer.writeheader()
    writer.writerows(told)

    assert tuple(made) == read_scores(json.dumps({"rows": told}), "json", source="s", at=AT).rows
    assert tuple(made) == read_scores(text.getvalue(), "csv", source="s", at=AT).rows
