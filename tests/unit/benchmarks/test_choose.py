"""The benchmark of one choice: what it measures is what it says."""

from __future__ import annotations

import json

import pytest

from benchmarks.choose import FLIGHT, HERE, NEED, leases, main, moments
from capacity.core.choose import choose


def test_what_is_measured_is_what_its_name_says() -> None:
    """A turn that is placed, one that stays, one among fifty leases, one beside a circuit that is kept."""
    made = {word: call(given) for word, given, call in moments(5, 1)}
    acts = {word: getattr(choice, "act", None) for word, choice in made.items()}
    assert acts == {
        "again": "place",
        "another size each": "place",
        "50 in flight": "place",
        "a circuit open": "place",
        "stays": "stay",
        "decide, again": None,
    }
    given = {word: world for word, world, _ in moments(5, 1)}
    assert len(given["50 in flight"][3].holds.leases) == FLIGHT == len(leases(5))
    assert [one.lifted for one in choose(NEED, *given["a circuit open"]).circuits] == [False]
    assert HERE in choose(NEED, *given["stays"]).candidates


def test_the_program_prints_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """For five, fifty and five hundred candidates."""
    main(["--rounds", "1", "--calls", "3", "--json"])
    found = json.loads(capsys.readouterr().out)["choose, us"]
    assert list(found) == ["5", "50", "500"]
    assert all(figure > 0 for figures in found.values() for figure in figures.values())
