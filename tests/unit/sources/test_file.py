"""Scores of one's own: what becomes of a file that is there, is not there, or is at fault."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from capacity.errors import Refused
from capacity.plugins import TIERS, load_plugins
from capacity.ports import Read
from capacity.sources import file
from capacity.testing.clocks import SettableClock
from capacity.testing.flows import FakeWorld, play
from capacity.wire import Host, run

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
GOOD = (
    b'licence = "CC0-1.0"\n[[rows]]\nid = "a"\nmodel_raw = "large"\nbenchmark = "own"\nscore = 61\nscale = "percent"\n'
)


def world(body: bytes | None) -> FakeWorld:
    """A world in which that is in the file, or there is none."""
    return FakeWorld(AT, files={} if body is None else {"scores.toml": body})


def test_a_file_tells_its_scores_under_its_own_licence() -> None:
    """What the file says of itself comes before what the policy says of it; one question, to the disk."""
    here = world(GOOD)
    told = play(file(path="scores.toml", licence="MIT", attribution="the lab").rankings(), here)

    assert ("file", "fresh", 1, "CC0-1.0", "the lab") == (
        told.source,
        told.status,
        told.told,
        told.licence,
        told.attribution,
    )
    assert [Read("scores.toml")] == here.asked


def test_a_file_that_is_not_there_is_named() -> None:
    """It is what the source needs, so the source is not configured, and says what to do."""
    told = play(file(path="scores.toml").rankings(), world(None))

    assert ("unconfigured", ("scores.toml",), ()) == (told.status, told.missing, told.rows)
    assert "scores.toml is not there; write it, or mend `path` in the policy" == told.detail


def test_a_file_at_fault_tells_nothing_and_every_fault() -> None:
    """Half a file of scores is not taken for all of them."""
    told = play(file(path="scores.toml").rankings(), world(GOOD + b"[[rows]]\nscale = 'percent'\nscore = 130\n"))

    assert ("invalid", ()) == (told.status, told.rows)
    assert "scores.toml: rows[1].model_raw: is missing" in (told.detail or "")
    assert "rows[1].score: 130 is out of range" in (told.detail or "")


def test_a_file_without_rows_is_empty() -> None:
    """No score is not good news."""
    assert "empty" == play(file(path="scores.toml").rankings(), world(b"")).status


def test_the_same_file_has_the_same_digest_and_another_one_another() -> None:
    """What has not changed can be told from what has."""
    one, same, other = (
        play(file(path="scores.toml").rankings(), world(body)).digest
        for body in (GOOD, GOOD, GOOD.replace(b"61", b"62"))
    )

    assert one == same != other


@pytest.mark.parametrize("path", ["scores", "scores.yaml", "scores.TOML", ""])
def test_a_path_says_how_it_is_written(path: str) -> None:
    """An ending nobody reads is told when the source is made."""
    with pytest.raises(ValueError, match=r"path must end in \.csv, \.json, \.toml"):
        file(path=path)


def test_the_policy_finds_it_by_name() -> None:
    """It comes with the core, as a plugin like any other."""
    made = load_plugins().require(TIERS, "file").factory(path="scores.csv")

    assert ("scores.csv",) == made.about.requires


def test_over_a_real_disk(tmp_path: Path) -> None:
    """A real file, the real driver; a file nobody may read is no answer, and left to whoever asked."""
    path = tmp_path / "scores.toml"
    path.write_bytes(GOOD)
    source = file(path=str(path))
    host = Host(clock=SettableClock(AT))
    told = run(source.rankings(), deadline=timedelta(seconds=10), host=host)

    assert ("fresh", AT) == (told.status, told.fetched_at)
    path.unlink()
    path.mkdir()
    with pytest.raises(Refused):
        run(source.rankings(), deadline=timedelta(seconds=10), host=host)
