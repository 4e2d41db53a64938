"""The adopted file: what is written is read back, and a file written by hand is as good."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from capacity.codec import load_tier_set, tier_set_text
from capacity.errors import FormError
from capacity.testing.strategies import value
from capacity.values.tiers import TierRow, TierSet


def read(folder: Path, text: str) -> TierSet:
    path = folder / "adopted.toml"
    path.write_text(text, encoding="utf-8")
    return load_tier_set(path)


@given(told=value(TierSet))
def test_a_set_survives_its_file(told: TierSet, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every set, whatever its words hold, is the same after it was written and read."""
    assert told == read(tmp_path_factory.mktemp("adopted"), tier_set_text(told))


def test_what_is_as_by_default_is_not_written() -> None:
    """A row of three words takes three lines."""
    text = tier_set_text(TierSet([TierRow("high", "cli", "sample-1")], id="ts-1"))

    assert [
        'id = "ts-1"',
        "",
        "[[rows]]",
        'tier = "high"',
        'harness = "cli"',
        'model = "sample-1"',
    ] == text.splitlines()[1:]


def test_an_old_file_is_read(tmp_path: Path) -> None:
    """Rows alone are a set without a past."""
    text = '[[rows]]\ntier = "high"\nharness = "cli"\nmodel = "m"\nadopted_at = 2026-06-15T00:00:00Z\n'

    assert ("", "operator") == (lambda told: (told.id, told.rows[0].standing))(read(tmp_path, text))


def test_every_fault_is_told_with_the_file(tmp_path: Path) -> None:
    """Keys nobody knows, rows that lack something, words that are none."""
    text = 'cutz = []\n[[rows]]\ntier = "high"\nharness = "cli"\n[[rows]]\ntier = "a"\nharness = "b"\nmodel = "c"\nstanding = "sure"\n'

    with pytest.raises(FormError) as caught:
        read(tmp_path, text)

    told = str(caught.value)
    assert str(tmp_path / "adopted.toml") in told
    assert all(
        fault in told
        for fault in ('cutz: no such key (did you mean "cuts"?)', "rows[0].model: is missing", "rows[1].standing")
    )


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """By its path, and with what to do."""
    with pytest.raises(FormError, match="does not exist"):
        load_tier_set(tmp_path / "nowhere.toml")
