"""`classify`: what a person and a program are told of a failure, and what is none."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from capacity.cli import classifying, main
from capacity.codec import loads
from capacity.ports import Failure
from capacity.testing.fakes import FakeReader

from .house import SAMPLES

NOON = ["--at", "2026-09-20T12:00:00Z"]


def told(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    """The failures told in the text form, each of them one that can be read back."""
    main(["classify", *words, *NOON, "--json"])
    lines = capsys.readouterr().out.splitlines()
    assert all(isinstance(loads(Failure, line), Failure) for line in lines)
    return [json.loads(line) for line in lines]


def test_a_recorded_failure_in_its_text_form(capsys: pytest.CaptureFixture[str]) -> None:
    """The form that is published: kind, blame, span, instant, how sure, and whether it indicts."""
    (failure,) = told(capsys, "codex", "--from", str(SAMPLES / "codex" / "error_sse_usage_limit.json"))

    facts = failure.pop("facts")
    assert {
        "form": 1, "kind": "quota", "blames": "pool", "hold_s": 7200.0, "reset_at": "2026-09-20T14:00:00Z",
        "reset_known": True, "indicts": False,
    } == failure  # fmt: skip  # read as pairs
    assert "core:by-reader" == facts[0]["code"]


def test_what_a_person_reads(capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """One line each: sure and guessed ends, spans, evidence, nobody's fault."""
    for words in (
        ["claude", "--from", str(SAMPLES / "claude" / "headless_result_limit_text.json")],
        ["-", "--text", "You've hit your usage limit, resets on Nov 27", "--zone", "UTC"],
        ["--text", "5-hour limit reached ∙ resets 3pm"],
        ["--status", "502"],
        ["--status", "429", "--text", "retry after 12 seconds"],
        ["--transport", "unreached"],
        ["--status", "413"],
        ["--text", "Invalid API key · Please run /login"],
        ["--exit", "3"],
    ):
        assert 0 == main(["classify", *words, *NOON])

    assert snapshot == capsys.readouterr().out


def test_status_headers_and_text_complete_a_body(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a bare body lacks is given beside it; a whole response brings its own; standard input is a file too."""
    (tmp_path / "body").write_bytes(b'{"error":{"message":"slow down"}}')
    (tmp_path / "head").write_text("Retry-After: 30\n", encoding="utf-8")
    (tmp_path / "whole").write_bytes(b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 60\r\n\r\n{}")

    files = [str(tmp_path / "body"), str(tmp_path / "whole")]
    both = told(capsys, "-", "--from", *files, "--status", "503", "--headers", str(tmp_path / "head"))
    assert [("overload", 30.0), ("rate", 60.0)] == [(one["kind"], one["hold_s"]) for one in both]
    assert "rate" == told(capsys, "--headers", str(tmp_path / "head"), "--status", "429")[0]["kind"]
    assert "quota" == told(capsys, "--from", files[0], "--text", "weekly limit reached")[0]["kind"]
    monkeypatch.setattr("sys.stdin", io.StringIO("Overloaded"))
    monkeypatch.setattr("capacity.cli.documents.stdin_bytes", lambda: b"Overloaded")
    assert "overload" == told(capsys, "--from", "-")[0]["kind"]


def test_a_reader_is_asked_about_a_text_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A line of a harness is what its backend's reader says of it."""
    (failure,) = told(capsys, "claude", "--text", "5-hour limit reached ∙ resets 3pm", "--zone", "Europe/Berlin")

    assert ("core:by-reader", "2026-09-20T13:00:00Z") == (failure["facts"][0]["code"], failure["reset_at"])


def test_what_did_not_fail_is_not_mine(capsys: pytest.CaptureFixture[str]) -> None:
    """A good answer prints nothing, says so on standard error and ends with 3; another file is told all the same."""
    good, bad = str(SAMPLES / "claude" / "models_page1.json"), str(SAMPLES / "claude" / "error_529.json")

    assert 3 == main(["classify", "claude", "--from", good, bad, *NOON])
    out, err = capsys.readouterr()
    assert ["overload"] == [line.partition(":")[0] for line in out.splitlines()]
    assert f"capacity: not mine: nothing in {good} says that anything failed\n" == err
    assert 3 == main(["classify", "--exit", "0"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "say what failed, with --from FILE"),
        (["claude"], "say what failed, with --from FILE"),
        (["--transport", "slow"], "'slow' is none of unreached, broken, timeout, aborted"),
        (["--text", "x", "--zone", "Mars/Olympus"], "'Mars/Olympus' is no zone known here"),
        (["--text", "x", "--at", "noon"], "is no instant"),
        (["cluade", "--text", "x"], "claude"),
        (["--from", "/nowhere/at/all"], "/nowhere/at/all"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It ends with 2, prints nothing, and says what can be done."""
    assert 2 == main(["classify", *words])
    out, err = capsys.readouterr()

    assert ("", 1) == (out, err.count("\n"))
    assert sentence in err


class Unable(FakeReader):
    """A reader that cannot read what it is given."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def failure(self, doc: Any) -> Failure | None:
        raise self.error


def test_a_reader_that_cannot_read_leaves_it_to_the_rules(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Broken input is no fault of the plugin; anything else is one, and is named."""
    monkeypatch.setattr(classifying, "reader_of", lambda _: Unable(ValueError("no JSON")))
    assert "rate" == told(capsys, "odd", "--status", "429")[0]["kind"]

    monkeypatch.setattr(classifying, "reader_of", lambda _: Unable(KeyError("oops")))
    assert 2 == main(["classify", "odd", "--text", "x"])
    assert "the reader of odd broke its contract" in capsys.readouterr().err
