"""Whose fault a refused turn was: every recorded error of llama.cpp's, and what only looks like one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from capacity.ports import Document, Fact, Failure, Figure, Reader
from capacity.testing.contracts import FailureContract
from capacity_llama_cpp import reader

SAMPLES = Path(__file__).parents[3] / "tests" / "samples" / "llamacpp"
AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
LOADING, BUSY, PAYLOAD = Failure.of("loading"), Failure.of("busy"), Failure.of("payload")
TOO_LONG = Fact("llama-cpp:context", "", (Figure("asked", 140211, "tokens"), Figure("window", 16384, "tokens")))

SAID: Mapping[str, tuple[int, Failure]] = {
    "b11434_error_401.json": (401, Failure.of("auth", human=True)),
    "b11434_error_metrics_disabled.json": (501, PAYLOAD),
    "b11434_error_model_limit.json": (500, BUSY),
    "error_context.json": (400, Failure.of("context", facts=(TOO_LONG,))),
    "error_context_old.json": (500, Failure.of("context")),
    "error_model_missing.json": (400, PAYLOAD),
    "error_model_not_found.json": (400, Failure.of("model", facts=(Fact("llama-cpp:model", "nope"),))),
    "error_model_not_loaded.json": (400, LOADING),
    "error_no_slot.json": (503, BUSY),
    "error_slots_disabled.json": (501, PAYLOAD),
    "health_503.json": (503, LOADING),
    "load_already_running.json": (400, Failure.of("noop")),
    "load_not_found.json": (404, Failure.of("model")),
}
"""Sample → the status it came with, and the failure it is."""

OTHERS = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {"README.md", "expected.json", *SAID})


def failed(error: Any, status: int | None = None, **known: Any) -> Failure | None:
    """What the reader makes of an error."""
    return reader().failure(Document(json.dumps({"error": error}).encode(), AT, status=status, **known))


class TestFailures(FailureContract):
    construct: ClassVar = "from capacity_llama_cpp import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def refusals(self) -> Sequence[Document]:
        told = {name: status for name, (status, _) in SAID.items() if not name.startswith("health")}
        return [Document((SAMPLES / name).read_bytes(), AT, status=status) for name, status in told.items()]


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("known", [True, False], ids=["with its status", "alone"])
def test_a_recorded_refusal_is_classified(name: str, known: bool) -> None:
    """Every recorded error is the failure it was, whether or not its status was kept."""
    status, failure = SAID[name]

    assert failure == reader().failure(Document((SAMPLES / name).read_bytes(), AT, status=status if known else None))


@pytest.mark.parametrize("name", OTHERS)
def test_other_answers_are_no_failure(name: str) -> None:
    """Models, slots, figures and a load that began: none of them is a refused turn."""
    assert reader().failure(Document((SAMPLES / name).read_bytes(), AT)) is None


def test_no_failure_of_a_server_is_evidence_against_it() -> None:
    """A status of 500 that says that a prompt is too long, or that no model fits beside the others, is no fault."""
    assert {False} == {failure.indicts for _, failure in SAID.values()}


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks() -> None:
    """Else for as long as slots are taken."""
    error = {"code": 503, "message": "no slot available", "type": "unavailable_error"}

    assert Failure.of("busy", hold=timedelta(seconds=2)) == failed(error, 503, headers=(("retry-after", "2"),))


@pytest.mark.parametrize(
    ("n_prompt_tokens", "n_ctx"), [(None, 4096), (9000, None), ("9000", 4096), (True, 4096), (9000, -1)]
)
def test_a_context_without_its_figures_is_one_all_the_same(n_prompt_tokens: Any, n_ctx: Any) -> None:
    """What is no figure is not told."""
    error = {"message": "", "type": "exceed_context_size_error", "n_prompt_tokens": n_prompt_tokens, "n_ctx": n_ctx}

    assert Failure.of("context") == failed(error)


@pytest.mark.parametrize(
    "error",
    [
        {"message": "the loading model of the ship", "type": "server_error"},
        {"message": "File Not Found", "type": "not_found_error"},
        {"message": "out of memory", "type": "server_error"},
        {"message": "model is not loaded"},
        {"message": ["no slot available"], "type": "unavailable_error"},
        "no slot available",
        None,
    ],
)
def test_what_no_server_words_so_is_no_failure(error: Any) -> None:
    """What is known by its status alone is left to others."""
    assert failed(error) is None
