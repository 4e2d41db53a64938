"""What a running harness tells: events of a stream, the input of a status line, results of runs that ended well."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from capacity.ports import Document, Limit, Reading, Scope
from capacity_claude import reader

from .documents import AT

SESSION, WEEK = timedelta(hours=5), timedelta(days=7)
SOON, LATER = datetime(2026, 9, 20, 14, 30, tzinfo=UTC), datetime(2026, 9, 22, 23, tzinfo=UTC)
TEXT = "You've hit your weekly limit · resets Sep 24 at 4pm (Europe/Berlin)"


def read(*items: Any, **told: Any) -> Reading | None:
    """The reading of a stream of those items, a line each."""
    readings = reader().readings(Document("\n".join(map(json.dumps, items)).encode(), AT, **told))
    return readings[0] if readings else None


def limits(*items: Any) -> dict[str, Limit]:
    told = read(*items)
    assert told is not None
    return {limit.name: limit for limit in told.limits}


def event(status: object = "allowed", claim: object = "five_hour", **parts: Any) -> dict[str, Any]:
    known = {"status": status, "rateLimitType": claim, "resetsAt": int(SOON.timestamp())}
    return {"type": "rate_limit_event", "rate_limit_info": {**known, **parts}}


def windows(**shares: object) -> dict[str, Any]:
    return {key: {"utilization": share, "resetsAt": int(LATER.timestamp())} for key, share in shares.items()}


def status_line(**shares: object) -> dict[str, Any]:
    rows = {key: {"used_percentage": share, "resets_at": int(LATER.timestamp())} for key, share in shares.items()}
    return {"hook_event_name": "Status", "model": {"id": "some"}, "rate_limits": rows}


def result(text: object, *, error: bool = False) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "is_error": error, "result": text}


def test_an_event_tells_every_window_in_it() -> None:
    """Shares are fractions; a turn that was served says so of the whole account."""
    told = limits(event(unifiedWindows=windows(five_hour=0.07, seven_day=0.02)))

    assert {
        "5h": Limit("5h", 7.0, blocked=False, resets_at=LATER, window=SESSION),
        "weekly": Limit("weekly", 2.0, blocked=False, resets_at=LATER, window=WEEK),
        "service": Limit("service", blocked=False),
    } == told


@pytest.mark.parametrize("parts", [{}, {"unifiedWindows": None}, {"unifiedWindows": windows(seven_day=0.02)}])
def test_an_older_event_tells_the_window_its_word_is_about(parts: dict[str, Any]) -> None:
    """Without a table of windows, or with one that lacks it, share and reset stand beside the word."""
    told = limits(event("allowed_warning", utilization=0.91, **parts))["5h"]

    assert Limit("5h", 91.0, blocked=False, resets_at=SOON, window=SESSION) == told


@pytest.mark.parametrize(
    ("claim", "refused"),
    [("five_hour", "5h"), ("seven_day_some", "weekly:some"), ("overage", "service"), (None, "service")],
)
def test_a_refusal_binds_what_its_word_is_about(claim: object, refused: str) -> None:
    """A scoped one leaves the account alone; one about no window refuses all of it."""
    told = limits(event("rejected", claim, unifiedWindows=windows(five_hour=0.5, seven_day=0.5)))

    assert [refused] == [name for name, limit in told.items() if limit.blocked]
    assert {None, False} >= {limit.blocked for name, limit in told.items() if name != refused}


def test_the_last_word_on_a_window_counts() -> None:
    """Later events take the place of earlier ones, and leave other windows standing."""
    told = limits(
        event("rejected", utilization=1.0),
        {"type": "assistant", "message": {"content": []}},
        event("allowed", "seven_day", utilization=0.3),
        event("allowed", utilization=0.01),
    )

    assert {"5h": (1.0, False), "weekly": (30.0, False), "service": (None, False)} == {
        name: (limit.percent, limit.blocked) for name, limit in told.items()
    }


@pytest.mark.parametrize(
    "event_", [event(7, 7), event(None), {"type": "rate_limit_event"}, event("strange", "strange")]
)
def test_an_event_without_a_word_or_a_figure_is_unrecognised(event_: dict[str, Any]) -> None:
    """It is ours, and says nothing."""
    told = read(event_)

    assert told is not None
    assert ("unrecognised", ()) == (told.state, told.limits)


def test_a_status_line_is_given_percentages() -> None:
    """Its figures are percent used already, and carry no word of the provider's."""
    told = limits(status_line(five_hour=41, seven_day="1", seven_day_some=3.5))

    assert {
        "5h": Limit("5h", 41.0, resets_at=LATER, window=SESSION),
        "weekly": Limit("weekly", 1.0, resets_at=LATER, window=WEEK),
        "weekly:some": Limit("weekly:some", 3.5, resets_at=LATER, window=WEEK, scope=Scope("model", "some")),
    } == told


def test_a_status_line_before_the_first_answer_is_unrecognised() -> None:
    """Windows without a figure are no zero."""
    told = read(status_line(five_hour=None))

    assert told is not None
    assert ("unrecognised", "status-line") == (told.state, told.source)


@pytest.mark.parametrize("rows", [None, {}, [], {"primary": {"used_percent": 4}}, {"five_hour": {"utilization": 4}}])
def test_another_program_s_table_is_not_ours(rows: object) -> None:
    """Only windows of ours, told as a status line is told them."""
    assert read({"rate_limits": rows}) is None


@pytest.mark.parametrize("error", [True, False])
@pytest.mark.parametrize("exit_code", [0, 1, None])
def test_a_run_that_ended_well_may_have_been_refused(error: bool, exit_code: int | None) -> None:
    """Neither the exit code nor the result's own flags say so: its text does."""
    told = read(result(TEXT, error=error), exit_code=exit_code)

    assert told is not None
    ends_at = datetime(2026, 9, 24, 14, tzinfo=UTC)
    assert (Limit("weekly", blocked=True, resets_at=ends_at, window=WEEK),) == told.limits


@pytest.mark.parametrize("text", ["Done.", None, 7, f"The limit text reads: {TEXT}", f"{TEXT}\nDone.", ""])
def test_a_result_with_another_text_is_not_ours(text: object) -> None:
    """What a model wrote is no evidence."""
    assert read(result(text)) is None


def test_a_result_adds_its_word_to_the_figures_of_its_stream() -> None:
    """The text tells that a window refuses, an event before it how much of it is used."""
    figures = event("allowed", "seven_day", unifiedWindows=windows(five_hour=0.5, seven_day=1.0))
    same = "You've hit your weekly limit"

    assert (100.0, True, LATER) == (
        (told := limits(figures, result(same))["weekly"]).percent,
        told.blocked,
        told.resets_at,
    )


def test_a_list_of_items_is_read_like_a_stream() -> None:
    """The harness prints its items as one list where it is asked to."""
    items = [{"type": "system"}, event(utilization=0.5), result("Done.")]

    assert [limits(*items)] == [limits(items)]


def test_a_stream_that_broke_off_tells_what_came_before() -> None:
    """A torn last line takes nothing from the whole ones."""
    torn = json.dumps(event(utilization=0.5)).encode() + b'\n{"type":"rate_limit_event","rate_'
    (told,) = reader().readings(Document(torn, AT)) or ()

    assert [("5h", 50.0), ("service", None)] == [(limit.name, limit.percent) for limit in told.limits]


def test_what_says_that_it_answers_the_service_is_no_stream() -> None:
    """A body that came from a path of the service is read as that path's or not at all."""
    assert read(event(utilization=0.5), asked="/v1/messages") is None
