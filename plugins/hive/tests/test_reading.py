"""A hive's rows, one oddity at a time: windows, providers, lists, and what a heartbeat says of a refusal."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from capacity.ports import Document, Listing
from capacity.testing.flows import play
from capacity_hive import inventory, reader
from capacity_hive._wire import cadence, instant

from .world import KEY, URL, hive, world

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
PATH = "/api/providers/headroom"


def document(body: Any, asked: str | None = PATH, status: int = 200) -> Document:
    return Document(json.dumps(body).encode(), AT, asked=asked, status=status)


def limits(*windows: dict[str, Any], **more: Any) -> list[tuple[str, float | None, str | None]]:
    row = {"provider": "p", "available": True, "pct_remaining": 0, "limits": list(windows), **more}
    (told,) = reader().readings(document({"providers": [row]})) or ()
    return [(one.name, one.percent, one.scope and f"{one.scope.kind} {one.scope.name}") for one in told.limits]


@pytest.mark.parametrize(
    ("window", "limit"),
    [
        ({"kind": "five_hour", "percent_used": 7}, ("5h", 7.0, None)),
        ({"kind": "session", "percent_used": 7, "duration_mins": 60}, ("session", 7.0, None)),
        ({"kind": "window_43200m", "percent_used": 7, "duration_mins": 43200}, ("monthly", 7.0, None)),
        ({"kind": "weekly", "pct_remaining": 93}, ("weekly", 7.0, None)),
        ({"kind": "Codename", "percent_used": 7}, ("codename", 7.0, None)),
        ({"kind": "daily", "percent_used": 7, "scope": {"limit_name": "GPT"}}, ("daily", 7.0, None)),
        ({"kind": "weekly", "percent_used": 7, "scope": {"model_class": "Big"}}, ("weekly:big", 7.0, "model big")),
        ({"id": "seven_day_big", "kind": "weekly", "percent_used": 7, "scope": {"scope": "big", "binding": "false"}}, ("weekly:big", 7.0, "model big")),
        ({"id": "weekly_scoped", "kind": "weekly_scoped", "percent_used": 100}, ("weekly:weekly_scoped", 100.0, "model weekly_scoped")),
        ({"kind": "extra_usage", "percent_used": 7, "scope": {"binding": "false"}}, ("extra_usage", 7.0, "feature extra-usage")),
    ],
)  # fmt: skip  # one window a line
def test_a_window_is_named_by_its_length_and_scoped_by_its_marks(window: dict[str, Any], limit: Any) -> None:
    """The length where it is told, else the word; a label is no scope, and a marked cap never binds all."""
    assert [limit] == limits(window)


def test_a_window_without_a_figure_is_left_out() -> None:
    """Missing, a flag, below zero or a word: never zero, and the others stay."""
    bad = [{"kind": f"k{index}", "percent_used": value} for index, value in enumerate((None, True, -1, "much", "nan"))]

    assert [("weekly", 41.0, None)] == limits(*bad, {"kind": "weekly", "percent_used": "41"})


def test_a_window_without_a_kind_makes_nothing_of_the_others() -> None:
    """What it binds is not known: neither that it binds all, nor that the provider is free without it."""
    windows = [{"kind": "weekly", "percent_used": 5}, {"id": "s", "kind": None, "percent_used": 100, "scope": None}]
    row = {"provider": "p", "available": True, "pct_remaining": 0, "limits": windows}
    (told,) = reader().readings(document({"providers": [row]})) or ()

    assert ("unrecognised", (), "a window of it has no kind") == (told.state, told.limits, told.detail)


def test_windows_nobody_can_read_are_no_free_provider() -> None:
    """Rows without one figure are a shape that changed, whatever `available` says."""
    row = {"provider": "p", "available": True, "pct_remaining": 100, "limits": [{"kind": "weekly"}]}
    (told,) = reader().readings(document({"providers": [row]})) or ()

    assert ("unrecognised", ()) == (told.state, told.limits)


def test_a_refused_provider_without_windows_is_exhausted() -> None:
    """`available` false and nothing else is the provider's word about all of it."""
    row = {"provider": "p", "available": False, "pct_remaining": 0}
    (told,) = reader().readings(document({"providers": [row]})) or ()

    assert [("service", True)] == [(one.name, one.blocked) for one in told.limits]


def test_the_captured_time_is_when_it_was_true() -> None:
    """Where a hive tells it; never the time at which the answer was written."""
    row = {"provider": "p", "available": True, "pct_remaining": 50, "limits": [{"kind": "weekly", "percent_used": 5}]}
    body = {
        "providers": [{**row, "captured_at": "2026-09-20T11:00:00Z"}, {**row, "provider": "q"}],
        "updated_at": "2026-09-20T11:59:00Z",
    }
    told = reader().readings(document(body)) or ()

    assert [AT - timedelta(hours=1), AT] == [one.observed_at for one in told]
    assert [None, "the hive does not say when it measured"] == [one.detail for one in told]


@pytest.mark.parametrize(("status", "state"), [(401, "login-required"), (403, "login-required"), (502, "unreachable")])
def test_a_refusal_of_the_endpoint_is_a_state(status: int, state: str) -> None:
    """It answers for the whole account."""
    (told,) = reader().readings(document({"error": "owner access required"}, status=status)) or ()

    assert ("", state) == (told.pool, told.state)


@pytest.mark.parametrize("body", [[], {}, {"providers": {}}, {"agents": []}, {"state": "ok"}, "x", None])
def test_other_bodies_are_not_mine(body: Any) -> None:
    """A body that nobody says was asked of a hive is taken only in a shape that nobody else has."""
    assert (None, None) == (reader().readings(document(body, None)), reader().listing(document(body, None)))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"provider_limit_agents": ["ada"], "provider_limit_hive_wide": False}, ("quota", "candidate", False)),
        ({"providerLimitAgents": ["ada"]}, ("quota", "candidate", False)),
        ({"provider_limit_hive_wide": True}, ("quota", "pool", False)),
        ({"provider_limit_agents": [], "provider_limit_reason": "quota"}, None),
        ({"provider_limit_rebuffs": 3}, None),
    ],
)
def test_a_refusal_blames_whom_it_names(body: dict[str, Any], told: Any) -> None:
    """Named agents are candidates; only a refusal marked as the hive's own is of all."""
    failure = reader().failure(document(body, None))

    assert told == (failure and (failure.kind, failure.blames, failure.indicts))


def listed(backends: Any, inference: dict[str, Any] | None = None) -> tuple[Listing, ...]:
    server = hive()
    server.backends, server.inference = backends, inference or {}
    return play(inventory(credentials=KEY, base_url=URL).listings(), world(server))


def test_each_provider_has_a_listing_of_its_own() -> None:
    """With its own authority, the least of its backends'; backends nobody provides for are parts of their own."""
    rows = [
        {"id": "claude", "models": ["c-1"], "fallback": False, "degraded": False},
        {"id": "codex", "models": ["x-1", "x-2"], "fallback": True, "degraded": False},
        {"id": "house", "models": ["h-1"], "inference": True},
        {"id": "bob", "models": ["auto"], "fallback": False, "degraded": False},
    ]
    told = listed(rows, {"house": {"backend": "house", "models": ["h-1", "h-2"], "fallback": False, "partial": False}})

    assert [
        ("authoritative", [("anthropic", "c-1")]),
        ("unknown", []),
        ("authoritative", [("house", "h-1"), ("house", "h-2")]),
        ("partial", [("openai", "x-1"), ("openai", "x-2")]),
    ] == [(one.authority, [(model.pool, model.id) for model in one.models]) for one in told]


def test_a_gateway_that_is_not_configured_is_no_fault() -> None:
    """Then its row in the list of all stands, as known in part."""
    (told,) = listed([{"id": "house", "models": ["h-1"], "inference": True}])

    assert ("partial", ["h-1"]) == (told.authority, [model.id for model in told.models])


def test_models_answer_to_the_words_of_their_ids() -> None:
    """A list of ids tells no family, and caps are told by it; versions, efforts and the first word stand for nothing."""
    (told,) = listed([{"id": "agy", "models": ["maker/acme-quarry-3-high"], "fallback": False, "degraded": False}])
    (model,) = told.models

    assert {"maker/acme-quarry-3-high", "acme-quarry-3-high", "quarry"} == model.names
    assert ("high",) == model.efforts


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5m", 300), ("2h", 7200), ("1h30m", 5400), ("90s", 90), (900, 900), ("60", 60)]
    + [(word, None) for word in ("paused", "on demand", "", "0s", 0, -5, None, True, "5 min", "1e99")],
)
def test_a_cadence_is_a_span_or_none(text: Any, seconds: int | None) -> None:
    """What cannot be read is no cadence, never a seat that runs all the time."""
    assert (None if seconds is None else timedelta(seconds=seconds)) == cadence(text)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-09-20T12:00:00Z", AT),
        ("2026-09-20T14:00:00+02:00", AT),
        ("2026-09-20T12:00:00", AT),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("1789905600000", AT),
        (1789905600, AT),
        ("17901216", None),
        ("soon", None),
        (0, None),
    ],
)
def test_an_instant_is_aware_or_none(text: Any, at: datetime | None) -> None:
    """What was never set is none, in whatever zone it is written; digits alone count seconds or milliseconds."""
    assert at == instant(text)
