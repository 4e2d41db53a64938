"""Every recorded failure of every backend, with its reader beside it and without, and every recorded line about limits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from capacity import classify
from capacity.cli.documents import recorded
from capacity.plugins import READERS, load_plugins
from capacity.ports import Document, Reader
from capacity.values.failures import Failure

SAMPLES = Path(__file__).parents[2] / "samples"
NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
BACKENDS = {"agy": "agy", "claude": "claude", "codex": "codex", "deepseek": "deepseek", "llamacpp": "llama-cpp"}
"""Folder of samples → the backend whose reader takes them."""

FAILURES = """
agy/error_400_credits.json              400 balance      pool      -                    human
agy/error_402_standard.json             402 quota        pool      2026-09-20T15:21:00Z
agy/error_403_subscription.json         403 entitlement  candidate -                    human
agy/error_403_validation.json           403 auth         candidate -                    human
agy/error_404_model.json                404 model        candidate -                    reader
agy/error_429_bare.json                 429 rate         candidate -
agy/error_429_quota.json                429 quota        candidate 2026-09-21T13:20:26Z
agy/login_prompt.txt                    -   auth         candidate -                    human
claude/error_400_context.json           400 context      none      -
claude/error_400_credit.json            400 balance      pool      -                    human
claude/error_401_oauth_unsupported.json 401 auth         candidate -
claude/error_403.json                   403 auth         candidate -
claude/error_413.json                   413 payload      none      -
claude/error_429_generic.json           429 rate         candidate -
claude/error_429_long_context.json      429 context-tier candidate -
claude/error_500.json                   500 overload     candidate -                    indicts
claude/error_529.json                   529 overload     candidate -
claude/headers_429_burst.txt            429 rate         candidate 2026-09-20T12:00:12Z
claude/headers_api_key.txt              429 rate         candidate -
claude/headers_unified_rejected_7d.txt  429 quota        pool      2026-09-23T00:00:00Z
claude/headers_unified_rejected_7d_oi.txt 429 quota      candidate 2026-09-22T23:00:00Z
claude/headless_result_limit_text.json  -   quota        pool      2026-09-24T14:00:00Z
claude/usage_403_scope.json             403 auth         candidate -
claude/usage_429_block.http.txt         -   rate         candidate 2026-09-20T13:00:00Z
claude/usage_429_edge.http.txt          -   rate         candidate -
codex/appserver_error_apikey.json       -   auth         candidate -
codex/error_400_model.json              400 model        candidate -
codex/error_401_expired.json            401 auth         candidate -
codex/error_401_refresh_reused.json     401 auth         candidate -                    human
codex/error_429_not_included.json       429 entitlement  candidate -                    human
codex/error_429_tpm.json                429 rate         candidate 2026-09-20T12:00:01.898Z
codex/error_context.json                -   context      none      -
codex/error_sse_usage_limit.json        -   quota        pool      2026-09-20T14:00:00Z
codex/headers_x_codex.txt               429 quota        pool      2026-09-20T14:00:00Z reader
codex/wham_403_cloudflare.html.txt      403 other        candidate -
deepseek/error_400_context.json         400 context      none      -
deepseek/error_400_model.json           400 model        candidate -
deepseek/error_402.json                 402 balance      pool      -                    human
deepseek/error_422.json                 422 payload      none      -
deepseek/error_429.json                 429 rate         candidate -
llamacpp/b11434_error_401.json          401 auth         candidate -                    human,reader
llamacpp/b11434_error_metrics_disabled.json 501 payload  none      -
llamacpp/b11434_error_model_limit.json  500 busy         candidate -                    reader
llamacpp/error_context.json             400 context      none      -
llamacpp/error_context_old.json         500 context      none      -
llamacpp/error_model_missing.json       400 payload      none      -
llamacpp/error_model_not_found.json     400 model        candidate -
llamacpp/error_model_not_loaded.json    400 loading      candidate -
llamacpp/error_no_slot.json             503 busy         candidate -
llamacpp/error_slots_disabled.json      501 payload      none      -
llamacpp/health_503.json                503 loading      candidate -
llamacpp/load_already_running.json      400 noop         none      -
llamacpp/load_not_found.json            404 model        candidate -
"""
"""Sample, status it came with, kind, blame, known reset; `human`: a person ends it; `indicts`; `reader`: only its reader
knows so much."""

WORDS = ("error_", "429", "health_503", "load_", "login_prompt", "headless_result", "headers_", "403")
"""Parts of the names of samples that are, or came with, a failure."""

GOOD = {"llamacpp/load_ok.json"}


def rows() -> Iterator[Any]:
    for line in FAILURES.strip().splitlines():
        name, status, kind, blames, reset, *marks = line.split()
        yield pytest.param(name, status, (kind, blames, reset), set(marks[0].split(",")) if marks else set(), id=name)


def document(name: str, status: str, zone: str | None = "UTC") -> Document:
    found = recorded((SAMPLES / name).read_bytes())
    told = found.status if status == "-" else int(status)
    return Document(found.body, NOON, status=told, headers=found.headers, zone=zone)


@cache
def reader(folder: str) -> Reader:
    made: Reader = load_plugins().require(READERS, BACKENDS[folder]).factory()
    return made


def classified(doc: Document, told: Failure | None) -> Failure:
    return classify(body=doc.body, status=doc.status, headers=doc.headers, at=doc.at, zone=doc.zone, told=told)


def shown(failure: Failure) -> tuple[str, str, str]:
    instant = "-" if failure.reset_at is None else failure.reset_at.isoformat().replace("+00:00", "Z")
    return failure.kind, failure.blames, instant.replace("898000Z", "898Z")


@pytest.mark.parametrize(("name", "status", "expected", "marks"), list(rows()))
def test_a_recorded_failure_is_what_it_was(
    name: str, status: str, expected: tuple[str, str, str], marks: set[str]
) -> None:
    """With its backend's reader, and without one unless only the reader can know."""
    doc = document(name, status)
    told = reader(name.partition("/")[0]).failure(doc)

    for failure in [classified(doc, told)] + ([] if "reader" in marks else [classified(doc, None)]):
        assert expected == shown(failure)
        assert (expected[2] != "-") is failure.reset_known
        assert ("human" in marks) is failure.needs_human
        assert ("indicts" in marks) is failure.indicts


def test_no_recorded_failure_is_left_out() -> None:
    """A new sample of a failure needs a line above."""
    told = {line.split()[0] for line in FAILURES.strip().splitlines()}
    files = {f"{path.parent.name}/{path.name}" for folder in BACKENDS for path in (SAMPLES / folder).iterdir()}

    assert {name for name in files if any(word in name for word in WORDS)} - GOOD <= told
    assert told <= files


def lines() -> Iterator[Any]:
    for folder in BACKENDS:
        path = SAMPLES / folder / "limit_texts.txt"
        for line in path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else ():
            text, kind, reset = line.split("\t")
            yield pytest.param(folder, text, kind.replace("_", "-"), reset, id=f"{folder}-{text[:50]}")


@pytest.mark.parametrize(("folder", "text", "kind", "reset"), list(lines()))
@pytest.mark.parametrize("way", ["body", "text", "reader"])
def test_a_recorded_line_is_what_it_says(folder: str, text: str, kind: str, reset: str, way: str) -> None:
    """As what a program printed, as the words of an error, and with the reader; `(model)` blames one candidate."""
    doc = Document(text.encode(), NOON, zone="UTC")
    told = reader(folder).failure(doc) if way == "reader" else None
    failure = classify(text=text, at=NOON, zone="UTC") if way == "text" else classified(doc, told)

    word, model, _ = kind.partition("(")
    assert word == failure.kind
    assert not (model and failure.blames == "pool")
    if reset.endswith("Z"):
        assert (datetime.fromisoformat(reset), True) == (failure.reset_at, failure.reset_known)
    elif reset.startswith(("none", "past")):
        assert (None, False) == (failure.reset_at, failure.reset_known)
    else:
        assert failure.reset_at is not None


@pytest.mark.parametrize(
    "text", ["5-hour limit reached ∙ resets 3pm", "Claude usage limit reached. Your limit resets at 5:00pm"]
)
def test_a_recorded_clock_of_nobodys_zone_gives_no_instant(text: str) -> None:
    """Without the host's zone the quota holds for the policy's span, and the reset is not known."""
    failure = classify(text=text, at=NOON)

    assert ("quota", None, False) == (failure.kind, failure.reset_at, failure.reset_known)
    assert "core:reset-zoneless" in [fact.code for fact in failure.facts]


STRANGERS = [(folder, other) for folder in BACKENDS for other in BACKENDS if folder != other]


@pytest.mark.parametrize(("folder", "other"), STRANGERS)
def test_another_backends_reader_never_makes_it_worse(folder: str, other: str) -> None:
    """Asked about a stranger's failure, a reader is silent or agrees on whether the provider is to blame."""
    for row in rows():
        name, status, expected, _ = row.values
        if name.startswith(f"{folder}/"):
            doc = document(name, status)
            failure = classified(doc, reader(other).failure(doc))
            assert failure.indicts is classified(doc, None).indicts, name
            assert expected[1] == "pool" or failure.blames != "pool", name
