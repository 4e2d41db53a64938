"""`lease` and what follows it: what a person and a script are told. What is decided is the broker's: see its tests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from capacity.cli import leases as commands
from capacity.codec import loads
from capacity.values.choice import Choice
from capacity.values.leases import Lease

from .house import HOUR, House


@pytest.fixture
def asked(house: House, capsys: pytest.CaptureFixture[str]) -> House:
    """The house once everybody was asked."""
    assert house.run("plan") in (0, 4)
    capsys.readouterr()
    return house


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    """What was answered in the text form."""
    return json.loads(capsys.readouterr().out)


def test_a_turn_from_its_lease_to_its_end(asked: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """What a person reads of one turn."""
    for words in (
        ["lease", "s1", "--tier", "high", "--offer"],
        ["renew", "s1/1"],
        ["leases"],
        ["settle", "s1/1", "--requests", "1", "--input", "500", "--money", "USD=0.02"],
        ["leases"],
        ["lease", "s1", "--tier", "high", "--preview"],
        ["explain", "--session", "s1"],
    ):
        assert 0 == asked.run(*words)

    assert snapshot == capsys.readouterr().out


def test_a_failure_tells_what_to_do(asked: House, capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """Whose fault it was and whether to go on; the next lease is elsewhere or refused, with the code of each."""
    assert 0 == asked.run("lease", "s1", "--tier", "high")
    assert 0 == asked.run(
        "failure", "s1/1", "--status", "429", "--text", "You've hit your weekly limit, resets in 3 hours"
    )
    assert 9 == asked.run("lease", "s1", "--tier", "high")
    assert 0 == asked.run("lease", "s1", "--tier", "low", "--context", "1000")
    assert 0 == asked.run("release", "s1/2")
    out = capsys.readouterr()

    assert snapshot == out.out + out.err


def test_the_text_forms(asked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """Each answer is a value that can be read back."""
    assert 0 == asked.run("lease", "s1", "--tier", "high", "--json")
    lease = loads(Lease, capsys.readouterr().out)
    assert 0 == asked.run("leases", "--json")
    assert [lease.id] == [one["id"] for one in told(capsys)]
    assert 0 == asked.run("renew", lease.id, "--json")
    assert lease == loads(Lease, capsys.readouterr().out)
    assert 0 == asked.run("lease", "s2", "--tier", "high", "--preview", "--json")
    assert "place" == loads(Choice, capsys.readouterr().out).act
    assert 0 == asked.run("settle", lease.id, "--output", "7", "--estimated", "--json")
    settled = told(capsys)["settled"]
    assert ({"told": "estimated", "value": "7"}, None) == (settled["usage"]["output"], settled["usage"]["input"])
    assert 0 == asked.run("explain", "--session", "s1", "--json")
    assert ["place"] == [choice["act"] for choice in told(capsys)]


def test_a_lease_that_lapsed_is_not_renewed(asked: House, capsys: pytest.CaptureFixture[str]) -> None:
    """The code of its own tells a script that the turn should stop."""
    assert 0 == asked.run("lease", "s1", "--tier", "high")
    asked.clock.advance(HOUR)

    assert 9 == asked.run("renew", "s1/1")
    assert "has lapsed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lease", "s1", "--tier", "hihg"], 'no tier "hihg" (did you mean "high"?)'),
        (["lease", "s1", "--waited", "soon"], "soon"),
        (["renew", "s1/9"], "no lease 's1/9' is known"),
        *[
            (["settle", "s1/1", "--money", paid], "write it like USD=0.12")
            for paid in ("much", "USD", "USD=-5", "USD=NaN", "=5")
        ],
        (["failure", "s1/1", "--transport", "lost"], "--transport 'lost' is none of"),
        (["explain", "--session", "s9"], 'no choice is kept for session "s9"'),
    ],
)
def test_what_cannot_be_meant_is_refused(
    asked: House, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, and the code of what was typed."""
    assert 2 == asked.run(*words)
    assert said in capsys.readouterr().err


def test_what_is_waited_for_is_loaded_by_a_process_of_its_own(
    asked: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ends at once; whoever loads goes on, told which policy, which store and which model."""
    begun: list[list[str]] = []
    monkeypatch.setattr(commands, "_detached", begun.append)
    text = asked.policy.read_text().replace("[accounts.rack]", "[accounts.rack]\nprepare = true")
    asked.policy.write_text(text)
    adopted = asked.folder / "adopted.toml"
    adopted.write_text(adopted.read_text().replace("sample-local-1", "sample-local-2"))

    assert 8 == asked.run("lease", "s1", "--tier", "low", "--context", "1000")
    assert ["models", "prepare", "rack", "sample-local-2"] == begun[0][-4:]
    assert {str(asked.policy), str(asked.store)} < set(begun[0])
    assert "wait (candidate-preparing" in capsys.readouterr().err
